"""Secrets of the environment, each of which may also be in a file (``NAME_FILE``)."""

from collections.abc import Mapping
from pathlib import Path

SECRETS = (
    "ROLLCALL_DATABASE_URL",
    "ROLLCALL_ANALYSIS_DATABASE_URL",
    "ROLLCALL_BROKER_URL",
    "ROLLCALL_SECRET_KEY",
    "ROLLCALL_API_TOKEN",
    "ROLLCALL_METRICS_TOKEN",
    "ROLLCALL_ADMIN_PASSWORD",
    "ROLLCALL_OIDC_CLIENT_SECRET",
)
FILE = "_FILE"

TOKEN, TOKEN_LENGTH_MIN = "ROLLCALL_API_TOKEN", 32
"""Characters of the installation's own token: it grants everything, and guesses cause no lockout.
On loopback, if no other host is allowed, it may be shorter."""

HOSTS = "ROLLCALL_ALLOWED_HOSTS"


class SecretError(ValueError):
    """Names the wrong variable, without any part of a secret."""


def read(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment with all secrets filled in and checked. Raises ``SecretError``."""
    filled = dict(environ)
    for name in SECRETS:
        path = filled.pop(name + FILE, "")
        if not path:
            continue
        if filled.get(name):
            raise SecretError(f"{name} and {name}{FILE} are both set.")
        try:
            filled[name] = Path(path).read_text().strip()
        except (OSError, UnicodeDecodeError) as failure:
            raise SecretError(f"{name}{FILE}: the file cannot be read: {failure}.") from None
    if filled.get(HOSTS) and 0 < len(filled.get(TOKEN, "")) < TOKEN_LENGTH_MIN:
        raise SecretError(f"{TOKEN} must have at least {TOKEN_LENGTH_MIN} characters.")
    return filled
