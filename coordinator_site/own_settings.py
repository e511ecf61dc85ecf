"""The settings that differ between processes: secrets, the database role, a node's listeners.

All other settings are the same in every process of an installation. A forked process reads these
again (``launcher.fork_server``), since its parent had none of them, or another node's.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from coordinator_site import database, periodic, secret_key
from groups.core.assignors.registry import NAMES
from groups.postgres import roles

OF_A_NODE: Final = ("LISTENERS", "ADVERTISED_LISTENERS")
"""Those of a host's second node have the next ports (``launcher.plan``)."""


def read(environ: Mapping[str, str], data_dir: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Django's settings by name; ``settings`` are those with Kafka's names."""
    url = database.url(environ, data_dir)
    taken = environ.get(database.ROLES_VARIABLE, "on").lower() != "off"
    logins = database.logins(url, environ)
    role = environ.get("ROLLCALL_DATABASE_ROLE", "")
    entry = database.from_url(url)
    database.take_role(
        entry,
        role,
        taken=taken,
        connections=settings["WEB_DATABASE_CONNECTIONS"],
        read_timeout_ms=settings["WEB_READ_TIMEOUT_MS"],
        logins=logins,
    )
    broker_url = environ.get("ROLLCALL_BROKER_URL", "")
    queue_role = role or database.WORKER
    queue = {
        "options": roles.options(queue_role, taken=taken),
        "connect_timeout": entry["OPTIONS"]["connect_timeout"],
        "application_name": f"{queue_role} queue".replace("_", " "),
        **database.login(queue_role, logins),
    }
    return {
        **{name: environ.get(f"ROLLCALL_{name}", "").strip() for name in OF_A_NODE},
        "SECRET_KEY": secret_key.read(environ, data_dir),
        "DATABASES": {"default": entry},
        # Whether processes take the roles of ``groups.postgres.roles``; off if the user of the
        "DATABASE_ROLES": taken,
        # Passwords by role, if processes log in as their roles instead of taking them.
        "DATABASE_LOGINS": logins,
        # The role of Django's connections, set by the launcher. Commands of manage.py take
        "DATABASE_ROLE": role,
        # For analyses, which the worker starts; "": the worker's own.
        "ANALYSIS_DATABASE_URL": environ.get("ROLLCALL_ANALYSIS_DATABASE_URL", ""),
        "BROKER_URL": broker_url,
        # If set: accepted as a bearer token with every right.
        "API_TOKEN": environ.get("ROLLCALL_API_TOKEN", ""),
        # If set: accepted as a bearer token at /metrics only.
        "METRICS_TOKEN": environ.get("ROLLCALL_METRICS_TOKEN", ""),
        # Sent to the OpenID provider, if it issued one.
        "OIDC_CLIENT_SECRET": environ.get("ROLLCALL_OIDC_CLIENT_SECRET", ""),
        **periodic.settings(broker_url, url, **queue),
    }


def names_foreign_code(settings: Mapping[str, Any]) -> bool:
    """Whether nodes import assignors or strategies that the installation adds."""
    own = set(settings["GROUP_CONSUMER_ASSIGNORS"]) - set(NAMES)
    return bool(own or settings["PARTITION_ASSIGNMENT_STRATEGIES"])
