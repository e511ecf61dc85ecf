"""Which secrets each program gets: only those that it needs.

Nothing is started or read here; ``plan.py`` passes the result to each program as its environment.
"""

from collections.abc import Mapping
from urllib.parse import quote, unquote, urlsplit

from coordinator_site import role_passwords
from coordinator_site.secret_files import SECRETS
from launcher import commands

URL = "ROLLCALL_DATABASE_URL"
PASSWORD = "PGPASSWORD"
ROLES, LOGINS = "ROLLCALL_DATABASE_ROLES", "logins"
ANALYSIS = "rollcall_analysis"
OF_ROLES = {ANALYSIS, *(program.login for program in commands.PROGRAMS.values() if program.login)}


def of(name: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a program: everything but the secrets of other programs.

    If the roles are logins, its URL is that of its own login. Otherwise all processes connect as
    the same user.
    """
    program = commands.PROGRAMS[name]
    own = {k: v for k, v in environ.items() if k not in SECRETS or k in (URL, *program.secrets)}
    if environ.get(ROLES, "").lower() != LOGINS or not program.login:
        return own
    if commands.ANALYSIS_URL in program.secrets and not own.get(commands.ANALYSIS_URL):
        own[commands.ANALYSIS_URL] = url(environ, ANALYSIS)
    own[URL] = url(environ, program.login)
    own.pop(PASSWORD, None)
    return own


def of_nobody(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without any secret, for processes that connect to nothing."""
    parts = urlsplit(environ[URL])
    nowhere = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    kept = {k: v for k, v in environ.items() if k not in (*SECRETS, PASSWORD)}
    return {**kept, URL: nowhere, ROLES: "on"}


def url(environ: Mapping[str, str], role: str) -> str:
    """The database URL for a login as this role. A URL that is already a role's own, or that has no
    password to derive one from, is not changed: its reader rejects it with an error message."""
    parts = urlsplit(environ[URL])
    secret = unquote(parts.password or "") or environ.get(PASSWORD, "")
    if not secret or unquote(parts.username or "") in OF_ROLES:
        return environ[URL]
    login = f"{role}:{quote(role_passwords.password(secret, role), safe='')}"
    return parts._replace(netloc=f"{login}@{parts.netloc.rpartition('@')[2]}").geturl()
