"""The settings that follow from what a process was given for itself: its secrets and its role.

All other settings are the same in every process of an installation. A process that was forked
reads these anew (``launcher.fork_server``), since it was made by one that had been given nothing.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coordinator_site import database, periodic, secret_key
from groups.core.assignors.registry import NAMES
from groups.postgres import roles


def read(environ: Mapping[str, str], data_dir: Path, known: Mapping[str, Any]) -> dict[str, Any]:
    """Django's settings by name; ``known`` are those of Kafka's names."""
    url = database.url(environ, data_dir)
    taken = environ.get(database.ROLES_VARIABLE, "on").lower() != "off"
    logins = database.logins(url, environ)
    role = environ.get("ROLLCALL_DATABASE_ROLE", "")
    entry = database.from_url(url)
    most = known["WEB_DATABASE_CONNECTIONS"]
    database.take_role(entry, role, taken=taken, connections=most, logins=logins)
    broker_url = environ.get("ROLLCALL_BROKER_URL", "")
    asks = role or database.WORKER
    queue = {"options": roles.options(asks, taken=taken), **database.login(asks, logins)}
    return {
        "SECRET_KEY": secret_key.read(environ, data_dir),
        "DATABASES": {"default": entry},
        # Whether processes take the roles of ``groups.postgres.roles``; off where the user of the
        # URL may not create roles.
        "DATABASE_ROLES": taken,
        # Passwords by role, where processes log in as their roles instead of taking them.
        "DATABASE_LOGINS": logins,
        # The role of Django's connections; the launcher says which. Commands of manage.py take
        # none: they act as the user of the URL, who may migrate.
        "DATABASE_ROLE": role,
        # Of analyses, which the worker starts; "": as its own.
        "ANALYSIS_DATABASE_URL": environ.get("ROLLCALL_ANALYSIS_DATABASE_URL", ""),
        "BROKER_URL": broker_url,
        # Accepted as a bearer token with every right, where it is set.
        "API_TOKEN": environ.get("ROLLCALL_API_TOKEN", ""),
        # Accepted at /metrics as a bearer token, where it is set; it opens nothing else.
        "METRICS_TOKEN": environ.get("ROLLCALL_METRICS_TOKEN", ""),
        # Shown to the OpenID provider, if it gave one.
        "OIDC_CLIENT_SECRET": environ.get("ROLLCALL_OIDC_CLIENT_SECRET", ""),
        **periodic.settings(broker_url, url, **queue),
    }


def names_foreign_code(known: Mapping[str, Any]) -> bool:
    """Whether nodes import assignors or strategies of the installation's own."""
    own = set(known["GROUP_CONSUMER_ASSIGNORS"]) - set(NAMES)
    return bool(own or known["PARTITION_ASSIGNMENT_STRATEGIES"])
