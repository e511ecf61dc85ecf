"""Converts ``ROLLCALL_DATABASE_URL`` to Django's DATABASES. Opens no connection."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from coordinator_site import role_passwords
from groups.postgres import roles

VARIABLE = "ROLLCALL_DATABASE_URL"
ROLES_VARIABLE, LOGINS = "ROLLCALL_DATABASE_ROLES", "logins"
SCHEMES = ("postgresql", "postgres")
PORT, PORT_MAX = 5432, 65_535
_ADDRESS = re.compile(
    r"(?:\[(?P<v6>[^\]]*)\]|(?P<host>[^:\[\]]*))(?::(?P<port>\d{1,5}))?", re.ASCII
)

PRIMARY = "read-write"
"""Of several hosts, the one that accepts writes (libpq's ``target_session_attrs``)."""

CONNECT_TIMEOUT_S = 3

WEB = "rollcall_web"
"""The role whose process has a pool: it has one thread per request, each with a connection."""

WORKER = "rollcall_worker"
WORKER_MAX_AGE_S = 60
"""Its few threads keep their connections: one per task would cost more than the task."""

POOL_WAIT_S = 2.0
"""How long a request waits for a connection before it gets 503."""

POOL_IDLE_S = 10.0
"""Connections beyond the first are closed, one after the other, if they were idle for so long."""

POOL_RECONNECT_S = 1.0
"""How long the pool itself tries to reconnect, as for the pool of a node's readers: later requests
try again themselves, so none waits for a back-off that grew during a long outage."""

NOWHERE = "postgresql://127.0.0.1/rollcall"
"""For commands that need no database, if none is configured."""


def url(environ: Mapping[str, str], data_dir: Path) -> str:
    """The URL that is set, else that of the launcher that runs on this data folder."""
    named = environ.get(VARIABLE)
    if named:
        return to_primary(named)
    try:
        return (data_dir / "database-url").read_text().strip()
    except OSError:
        return NOWHERE


def to_primary(text: str) -> str:
    """A URL of several hosts leads to the one that accepts writes, unless it says otherwise."""
    parts = urlsplit(text)
    if "," not in parts.netloc or "target_session_attrs" in parts.query:
        return text
    query = "&".join(filter(None, (parts.query, f"target_session_attrs={PRIMARY}")))
    return parts._replace(query=query).geturl()


def from_url(text: str) -> dict[str, Any]:
    """One entry of DATABASES. The part after "?" is libpq's connection options."""
    parts = urlsplit(text)
    name = unquote(parts.path.removeprefix("/"))
    found = addresses(parts.netloc.rpartition("@")[2])
    if parts.scheme not in SCHEMES or not name or not found:
        raise ImproperlyConfigured(
            f"{VARIABLE} must have the form postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with"
            " commas between several HOST:PORT (percent-encode special characters)."
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": ",".join(host for host, _ in found),
        "PORT": found[0][1] if len(found) == 1 else ",".join(str(port) for _, port in found),
        # Each request has a new thread: its connection would stay open until garbage collection.
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"connect_timeout": CONNECT_TIMEOUT_S, **dict(parse_qsl(parts.query))},
    }


def addresses(text: str) -> list[tuple[str, int]]:
    """The hosts and ports of a URL, in order: the primary and the standbys that may follow it. None
    if one of them is no address."""
    found = [_ADDRESS.fullmatch(part) for part in text.split(",")]
    pairs = [(unquote(m["v6"] or m["host"]), int(m["port"] or PORT)) for m in found if m]
    if len(pairs) < len(found) or not all(0 < port <= PORT_MAX for _, port in pairs):
        return []
    return pairs


def logins(text: str, environ: Mapping[str, str]) -> Mapping[str, str]:
    """The passwords of the roles that are logins, by role; none if roles are only taken.

    Each is derived from the password of ``ROLLCALL_DATABASE_URL``: an installation keeps one
    secret. A process whose URL is a role's own, as the launcher passes it, knows that one only.
    """
    if environ.get(ROLES_VARIABLE, "").lower() != LOGINS:
        return {}
    parts = urlsplit(text)
    user = unquote(parts.username or "")
    secret = unquote(parts.password or "") or environ.get("PGPASSWORD", "")
    if not secret:
        raise ImproperlyConfigured(
            f"{ROLES_VARIABLE}={LOGINS} needs a password in {VARIABLE} (or PGPASSWORD)."
        )
    if user in roles.BY_NAME:
        return {user: secret}
    return {
        role.name: role_passwords.password(secret, role.name)
        for role in roles.ROLES
        if role.connections is not None
    }


def login(role: str, logins: Mapping[str, str]) -> dict[str, str]:
    """libpq's parameters for a login as this role; empty if it is not a login."""
    return {"user": role, "password": logins[role]} if role in logins else {}


def take_role(
    entry: dict[str, Any],
    role: str,
    *,
    taken: bool,
    connections: Any,
    read_timeout_ms: Any = None,
    logins: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Make the connections of an entry take this role of ``groups.postgres.roles``, or log in as
    it; "": neither. The web process has a pool with at most ``connections`` of them, whose
    statements end after ``read_timeout_ms`` unless a request changes something
    (``console.people.audit``)."""
    if role in logins:
        entry["USER"], entry["PASSWORD"] = role, logins[role]
    # What the URL says about the migrator's own sessions counts: it is only the migrator's.
    options = "" if role else entry["OPTIONS"].get("options", "")
    over = {"statement_timeout": f"{read_timeout_ms}ms"} if role == WEB and read_timeout_ms else {}
    own = roles.options(role, over, taken=taken)
    entry["OPTIONS"]["options"] = f"{own} {options}".rstrip()
    if role:
        entry["OPTIONS"]["application_name"] = role.replace("_", " ")  # in pg_stat_activity
    if role == WORKER:
        entry["CONN_MAX_AGE"] = WORKER_MAX_AGE_S
    if role == WEB:
        from web.web_connections import Connection

        entry["OPTIONS"]["pool"] = {
            "connection_class": Connection,
            "min_size": 1,
            "max_size": connections,
            "timeout": POOL_WAIT_S,
            "max_idle": POOL_IDLE_S,
            "reconnect_timeout": POOL_RECONNECT_S,
        }
