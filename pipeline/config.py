"""The database and the data folder, as configured for every process of Rollcall.

Reads the environment and one small file; opens no connection.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from psycopg import ProgrammingError
from psycopg.conninfo import make_conninfo

CHECKOUT = Path(__file__).resolve().parent.parent
ROLE = "rollcall_analysis"
"""The role of analyses: reads the journal, writes reports, and nothing else."""

WHAT_IF_RETENTION_HOURS = 720
"""The default of ``what.if.retention.hours``: as long as the facts that an answer replays."""


class Unconfigured(Exception):
    """A required setting or program is missing; the text says which."""


@contextmanager
def extra() -> Iterator[None]:
    """What the dependency group ``spark`` brings is imported here."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise Unconfigured(f"{missing.name} is missing: `make analyze` installs it.") from None


def data_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """The data folder."""
    return Path(environ.get("ROLLCALL_DATA_DIR") or CHECKOUT / ".data").absolute()


def what_if_retention_hours(environ: Mapping[str, str] = os.environ) -> int:
    """For how long an answer of what-if is kept; raises ``Unconfigured``."""
    text = environ.get("ROLLCALL_WHAT_IF_RETENTION_HOURS") or str(WHAT_IF_RETENTION_HOURS)
    if not text.isdecimal() or not int(text):
        raise Unconfigured(f"ROLLCALL_WHAT_IF_RETENTION_HOURS is no number above 0: {text}.")
    return int(text)


def conninfo(environ: Mapping[str, str] = os.environ, *, role: bool = True) -> str:
    """libpq's connection string, with the role of analyses or that of its own user; raises
    ``Unconfigured``."""
    url = _named(environ) or _of_the_launcher(data_dir(environ))
    taken = role and environ.get("ROLLCALL_DATABASE_ROLES", "on").lower() != "off"
    options = f"-c role={ROLE}" if taken else ""
    primary = {"target_session_attrs": "read-write"} if "," in urlsplit(url).netloc else {}
    try:
        return make_conninfo(
            url.strip(), application_name="rollcall analysis", options=options, **primary
        )
    except ProgrammingError:  # its own message may contain the password
        raise Unconfigured("ROLLCALL_DATABASE_URL is not a URL that libpq reads.") from None


def _named(environ: Mapping[str, str]) -> str:
    """The URL of the environment, or of the file that it names, as for every process."""
    path = environ.get("ROLLCALL_DATABASE_URL_FILE")
    try:
        return environ.get("ROLLCALL_DATABASE_URL") or (Path(path).read_text() if path else "")
    except (OSError, UnicodeDecodeError) as failure:
        raise Unconfigured(f"ROLLCALL_DATABASE_URL_FILE cannot be read: {failure}.") from None


def _of_the_launcher(folder: Path) -> str:
    try:
        return (folder / "database-url").read_text().strip()
    except OSError:
        raise Unconfigured(
            "No database: set ROLLCALL_DATABASE_URL, or start `make run` first."
        ) from None
