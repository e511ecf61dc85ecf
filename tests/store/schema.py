"""``make schema``: what the migrations make of an empty database, as groups/schema.sql has it.

Rollcall's own tables and functions, for people to read and to review a migration by. No program
reads the file: installations are migrated. Grants are left out, since they follow from
``groups.postgres.roles``, and so are the partitions of the history, which begin with the hour of
the set-up.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from launcher import postgres
from launcher.installation import CHECKOUT
from tests.upgrade.dump import RESTRICTED, program

SCHEMA = CHECKOUT / "groups" / "schema.sql"
HEAD = "-- What groups/migrations make of an empty database. Written by `make schema`.\n"

OPTIONS = (
    "--schema-only",
    "--no-owner",
    "--no-privileges",
    "--exclude-table=rollcall_offset_history_*",
)
OBJECT = re.compile(r"^--\n-- Name: .*\n--\n", re.MULTILINE)
"""What pg_dump writes ahead of each object."""

TAIL = "\n--\n-- PostgreSQL database dump complete"
OURS = "rollcall_"


def dumped(url: str) -> str:
    """The schema of a database, in pg_dump's own order."""
    command = (program("pg_dump"), *OPTIONS, url)
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return "\n".join((HEAD, *_objects(RESTRICTED.sub("", text))))


def _objects(text: str) -> Iterator[str]:
    _settings, *objects = OBJECT.split(text.partition(TAIL)[0])
    for made in objects:
        lines = [line for line in made.strip().splitlines() if not line.startswith("SET default_")]
        if OURS in made:
            yield "\n".join(lines).strip() + "\n"


def main() -> None:
    """Write the file anew."""
    with TemporaryDirectory() as folder:
        path = Path(folder)
        path.chmod(0o755)  # the server's user has to reach what is below
        with postgres.serve(path / "data", throwaway=True) as url:
            told = {**os.environ, "ROLLCALL_DATABASE_URL": url, "ROLLCALL_DATA_DIR": folder}
            migrate = (sys.executable, "manage.py", "migrate", "--verbosity=0")
            subprocess.run(migrate, cwd=CHECKOUT, env=told, check=True)
            SCHEMA.write_text(dumped(url))


if __name__ == "__main__":
    main()
