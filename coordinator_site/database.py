"""``ROLLCALL_DATABASE_URL`` as Django's DATABASES wants it. Opens no connection."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from groups import roles

VARIABLE = "ROLLCALL_DATABASE_URL"
SCHEMES = ("postgresql", "postgres")
PORT = 5432

CONNECTION_MAX_AGE_S = 60
CONNECT_TIMEOUT_S = 3

NOWHERE = "postgresql://127.0.0.1/rollcall"
"""For commands that need no database, while none is named."""


def url(environ: Mapping[str, str], data_dir: Path) -> str:
    """The URL that is set, else that of the launcher that runs on this data folder."""
    named = environ.get(VARIABLE)
    if named:
        return named
    try:
        return (data_dir / "database-url").read_text().strip()
    except OSError:
        return NOWHERE


def from_url(text: str) -> dict[str, Any]:
    """One entry of DATABASES. What follows "?" are libpq's connection options."""
    parts = urlsplit(text)
    try:
        port = parts.port or PORT
    except ValueError:
        port = 0
    name = unquote(parts.path.removeprefix("/"))
    if parts.scheme not in SCHEMES or not name or not port:
        raise ImproperlyConfigured(
            f"{VARIABLE} must have the form postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
            " (percent-encode what is special in a URL)."
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": port,
        "CONN_MAX_AGE": CONNECTION_MAX_AGE_S,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"connect_timeout": CONNECT_TIMEOUT_S, **dict(parse_qsl(parts.query))},
    }


def take_role(entry: dict[str, Any], role: str, *, taken: bool) -> None:
    """Have the connections of an entry take this role of ``groups.roles``; "": none."""
    if role:
        entry["OPTIONS"]["options"] = roles.options(role, taken=taken)
