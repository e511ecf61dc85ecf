"""The table of Rollcall's programs: their names, and how they are started.

The launcher, the image of ``docker/`` and ``python -m launcher.program NAME`` all read it, so that
a process is started the same way wherever it runs. Nothing here starts anything, chooses a port or
knows an installation: those are arguments, which the caller adds.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
"""The folder of manage.py, where every program runs."""

ROLE_VARIABLE = "ROLLCALL_DATABASE_ROLE"
"""Names the role that a process takes on Django's connections (``coordinator_site.settings``)."""

BROKER = "ROLLCALL_BROKER_URL"
METRICS_TOKEN = "ROLLCALL_METRICS_TOKEN"
OIDC_SECRET = "ROLLCALL_OIDC_CLIENT_SECRET"
ANALYSIS_URL = "ROLLCALL_ANALYSIS_DATABASE_URL"

MANAGE = (str(CHECKOUT / "manage.py"),)
WEB_SERVER = ("-m", "web.web_server", "-v", "0")
CELERY = ("-m", "launcher.celery")
CELERY_ENVIRON = {"CELERY_SKIP_CHECKS": "1"}  # of models and URLs: the tests run them


@dataclass(frozen=True, slots=True)
class Program:
    """One program: its purpose, and the arguments of Python.

    ``role`` is the database role of ``groups.postgres.roles`` that its Django connections take; ""
    acts as the user of the URL (a node takes its role itself). ``login`` is the role that it logs
    in as, if the roles are logins; "": the user of the URL. ``secrets`` are the others that it
    needs. A ``once`` program ends when its work is done; the others serve until a signal.
    """

    meaning: str
    arguments: tuple[str, ...]
    role: str = ""
    login: str = ""
    secrets: tuple[str, ...] = ()
    once: bool = False
    environ: Mapping[str, str] = field(default_factory=dict)


PROGRAMS: Mapping[str, Program] = {
    # Run before anything serves. One process, since loading Django takes longer than the work.
    "setup": Program(
        "migrate tables, roles and grants; create the first user, the queue, the schedule",
        (*MANAGE, "setup"),
        secrets=("ROLLCALL_ADMIN_PASSWORD", BROKER),
        once=True,
    ),
    # These serve.
    "node": Program(
        "one coordinator node: --node-id, --host, --port and more, see --help",
        (*MANAGE, "runcoordinator"),
        login="rollcall_node",
        secrets=(METRICS_TOKEN,),
    ),
    "web": Program(
        "admin, REST and health: -b ADDRESS, -p PORT",
        (*WEB_SERVER, "coordinator_site.asgi:application"),
        role="rollcall_web",
        login="rollcall_web",
        secrets=("ROLLCALL_SECRET_KEY", "ROLLCALL_API_TOKEN", OIDC_SECRET, METRICS_TOKEN, BROKER),
    ),
    "worker": Program(
        "runs the periodic work; --beat: and schedules it",
        (*CELERY, "worker"),
        role="rollcall_worker",
        login="rollcall_worker",
        secrets=(ANALYSIS_URL, BROKER),
        environ=CELERY_ENVIRON,
    ),
    "beat": Program(
        "schedules the periodic work; of several one does",
        (*CELERY, "beat"),
        role="rollcall_worker",
        login="rollcall_worker",
        secrets=(BROKER,),
        environ=CELERY_ENVIRON,
    ),
}

TASKS: tuple[str, ...] = tuple(name for name, row in PROGRAMS.items() if row.once)
"""The tasks that run before anything serves, in order."""

SERVERS: tuple[str, ...] = tuple(name for name, row in PROGRAMS.items() if not row.once)


def argv(name: str, *arguments: str) -> tuple[str, ...]:
    """The complete command line of a program, followed by arguments of its own; ``KeyError`` for a
    name that is not in the table."""
    return (sys.executable, *PROGRAMS[name].arguments, *arguments)


def environ(name: str, given: Mapping[str, str]) -> dict[str, str]:
    """``given``, plus what the program needs and ``given`` does not set (empty counts as not
    set)."""
    needed = {"DJANGO_SETTINGS_MODULE": "coordinator_site.settings", "PYTHONUNBUFFERED": "1"}
    role = PROGRAMS[name].role
    if role:
        needed[ROLE_VARIABLE] = role
    needed.update(PROGRAMS[name].environ)
    return {**needed, **{key: value for key, value in given.items() if value or key not in needed}}
