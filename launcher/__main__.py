"""``rollcall-server``, or ``python -m launcher``: serve everything in the foreground until stopped.
Its settings are ``ROLLCALL_*`` variables.

Prints one line on standard output when all of it serves; the output of the processes goes to
standard error. Ends with status 0 after a signal, 1 if it cannot start.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from coordinator_site import kafka_settings
from coordinator_site.setting_kinds import SettingError
from launcher import cluster as clusters
from launcher import data_dir as places
from launcher import environment, forks, plan, postgres
from launcher.environment import Environment
from launcher.errors import LaunchError
from launcher.forks import Forks
from launcher.output import Output
from launcher.process import Stage
from launcher.signals import Parent, Signals
from launcher.supervisor import Stopped, Supervisor

NAME = "rollcall"
STOP_WITH_PARENT = "--stop-with-parent"
"""The Makefile's flag, see ``signals.Parent``."""

VERBS = {
    "backup": "write the database to a new file, while the installation runs or not",
    "restore": "replace the database of this installation, which is stopped, by that of a file;"
    " raise every number, so that none is issued twice",
}
"""Functions of ``launcher.backups``, instead of serving."""

INTERRUPTED = 130
"""As a shell says it of Ctrl-C."""

REACH_TIMEOUT_S = 5

FITNESS = """
SELECT pg_is_in_recovery(), current_setting('transaction_read_only')::boolean, pg_backend_pid()
"""

IS_STANDBY = (
    "ROLLCALL_DATABASE_URL: the database is a standby and accepts no writes: name the primary."
)
IS_READ_ONLY = (
    "ROLLCALL_DATABASE_URL: the database accepts no writes: default_transaction_read_only is on,"
    " for the server, the database or the user."
)
IS_POOLED = (
    "ROLLCALL_DATABASE_URL: a connection pooler is in between: it drops timeouts and roles, and"
    " shares sessions. Name PostgreSQL itself."
)

LOGINS = ("WEB_DATABASE_CONNECTIONS_TOTAL", "WORKER_DATABASE_CONNECTIONS_TOTAL")
"""How many connections the logins other than the nodes' may have."""


def main(arguments: Sequence[str]) -> int:
    """Run until a signal; the result is the exit status. Other arguments are refused (status 2)."""
    options = _parser().parse_args(arguments)
    output = Output()
    if options.verb is not None:
        return carry_out(options.verb, options.file, output)
    signals = Signals(Parent() if options.stop_with_parent else None)
    try:
        with signals.watching():
            configured = environment.read(os.environ)
            kafka = kafka_settings.read(os.environ)
            output.form = str(kafka["LOG_FORMAT"])
            others = sum(int(str(kafka[name])) for name in LOGINS)
            with (
                importing(output) as server,
                stages(configured, others, output, server, signals) as planned,
            ):
                supervise(planned, Supervisor(output, signals, server))
    except (LaunchError, SettingError) as refusal:
        if signals.stop_requested:  # what failed was stopped by the signal: not an error of its own
            return 0
        output.say(NAME, str(refusal))
        return 1
    finally:
        output.close()
    return 0


def carry_out(verb: str, file: Path, output: Output) -> int:
    """One of ``VERBS``; the result is the exit status. A signal ends it as any program."""
    from launcher import backups  # the driver takes longer than all the rest

    try:
        getattr(backups, verb)(environment.read(os.environ), file, output)
    except LaunchError as refusal:
        output.say(NAME, str(refusal))
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        output.close()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rollcall-server",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Serve what this host runs in the foreground until stopped.",
        epilog="Environment variables configure it. Those of a host:\n\n"
        + "\n".join(f"  {name:30} {meaning}" for name, meaning in environment.VARIABLES.items())
        + "\n\nAll others are in docs/settings.md; several hosts: docs/hosts.md.",
    )
    parser.add_argument(
        STOP_WITH_PARENT, action="store_true", help="stop when the parent process ends"
    )
    verbs = parser.add_subparsers(dest="verb", metavar="backup FILE | restore FILE", title="verbs")
    for name, meaning in VERBS.items():
        verbs.add_parser(name, help=meaning, description=meaning).add_argument("file", type=Path)
    return parser


@contextmanager
def importing(output: Output) -> Iterator[Forks | None]:
    """The fork server, if this system supports one: it imports while the database is prepared."""
    server = forks.served(output)
    try:
        yield server
    finally:
        if server is not None:
            server.stop()


@contextmanager
def stages(
    configured: Environment, others: int, output: Output, server: Forks | None, signals: Signals
) -> Iterator[tuple[Stage, ...]]:
    """The whole plan; the data folder stays locked until the end. ``others``: how many connections
    processes other than nodes may have."""
    data_dir = places.DataDir(configured.data_dir)
    if configured.database_url is not None:
        data_dir.make()
        reach(configured.database_url)
        with places.lock(data_dir, lambda text: output.say(NAME, text), signals.pause):
            yield plan.build(configured, data_dir, configured.database_url, server)
        return
    cluster = clusters.prepare(
        configured.data_dir,
        lambda text: output.say("postgres", text),
        signals.pause,
        throwaway=configured.data_are_disposable,
    )
    places.write_private(data_dir.url_file, cluster.url() + "\n")
    try:
        programs = plan.build(configured, data_dir, cluster.url(), server)
        settings = postgres.for_processes(configured.nodes, others)
        if configured.data_are_disposable:
            settings = {**settings, **postgres.THROWAWAY}
        yield ((postgres.describe(cluster, settings),), *programs)
    finally:
        data_dir.url_file.unlink(missing_ok=True)
        cluster.lock.close()


def supervise(planned: tuple[Stage, ...], supervisor: Supervisor) -> None:
    """Start everything, announce it, watch it, and stop it whatever happens."""
    try:
        supervisor.start(planned)
        announce(supervisor.served())
        supervisor.watch()
    except Stopped:
        return
    finally:
        supervisor.stop()


def announce(served: dict[str, str]) -> None:
    """The one line that other programs wait for (docs/architecture.md, *Contracts*). Of a node is
    told ``HOST:PORT draft=HOST:PORT`` (``plan.node``)."""
    nodes = [where for name, where in served.items() if name.startswith("node ")]
    kafka = [f"kafka={nodes[0]}"] if nodes else []
    web = [f"web={served['web']}"] if "web" in served else []
    print(" ".join(["ready", *kafka, *web]), flush=True)


def reach(url: str) -> None:
    """Try the configured database, whether it accepts writes, and whether it is PostgreSQL itself
    that answers: a pooler gives a number of its own for the server process. The error message does
    not show the password."""
    import psycopg  # takes longer than all the rest of the launcher, and so does Django

    from coordinator_site.database import to_primary

    try:
        with psycopg.connect(to_primary(url), connect_timeout=REACH_TIMEOUT_S) as connection:
            row = connection.execute(FITNESS).fetchone()
            greeted = connection.info.backend_pid
    except psycopg.Error as failure:
        raise LaunchError(
            f"ROLLCALL_DATABASE_URL: no connection to the database: {failure}"
        ) from None
    if row and any(row[:2]):
        raise LaunchError(IS_STANDBY if row[0] else IS_READ_ONLY)
    if row and row[2] != greeted:
        raise LaunchError(IS_POOLED)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
