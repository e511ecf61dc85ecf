"""``make schema``: what the migrations make of an empty database.

``groups/schema.sql`` has Rollcall's own tables and functions, for people to read and to review a
migration by. Grants are left out, since they follow from ``groups.postgres.roles``, and so are the
partitions of the history, which begin with the hour of the set-up.

``groups/baseline.sql`` has everything, tables of Django and of libraries and the rows among it, for
the set-up of an empty database (``groups.postgres.baseline``). What follows from tables of this
version after every migration (``groups.apps.FOLLOWERS``) is not in it: the set-up does that, too.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import django
import psycopg
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.db.models.signals import post_migrate

from launcher import binaries, postgres
from launcher.installation import CHECKOUT
from tests.upgrade.dump import RESTRICTED, program

SCHEMA = CHECKOUT / "groups" / "schema.sql"
BASELINE = CHECKOUT / "groups" / "baseline.sql"
HEAD = "-- What groups/migrations make of an empty database. Written by `make schema`.\n"

PARTITIONED = (
    *("offset_history", "life", "ownership", "round", "silence", "progress", "facts_packed"),
)
"""Tables with partitions by time, which begin with the hour or the day of the set-up."""

OPTIONS = (
    "--no-owner",
    *(f"--exclude-table=rollcall_{name}_2*" for name in PARTITIONED),
    "--exclude-schema=pgmq",  # the queue, which set-up makes
)
OF_SCHEMA = (
    "--schema-only",
    "--no-privileges",
    *(f"--exclude-table=rollcall_{name}_default" for name in PARTITIONED),
)

OF_ITS_MAKING = (
    "django_migrations",
    "django_migrations_id_seq",
    "rollcall_timeline",
    "rollcall_era",
)
"""Their rows say when and where they were made."""

OF_BASELINE = (
    "--rows-per-insert=1000",
    *(f"--exclude-table-data={name}" for name in OF_ITS_MAKING),
)

OBJECT = re.compile(r"^--\n-- (?:Data for )?Name: .*\n--\n", re.MULTILINE)
"""What pg_dump writes ahead of each object."""

TAIL = "\n--\n-- PostgreSQL database dump complete"
OURS = "rollcall_"

BODIES = "SET LOCAL check_function_bodies = off;  -- they name tables that come after them\n"
APPLIED = "SELECT app, name FROM django_migrations ORDER BY id"
RECORD = "INSERT INTO public.django_migrations (app, name, applied) VALUES\n{};\n"


def dumped(url: str) -> str:
    """The schema of a database, in pg_dump's own order."""
    return "\n".join((HEAD, *(made for made in _objects(url, OF_SCHEMA) if OURS in made)))


def baseline(url: str) -> str:
    """All of a database that ``migrate`` has made."""
    from groups.postgres.baseline import head

    with psycopg.connect(url) as database:
        rows = database.execute(APPLIED).fetchall()
    applied = RECORD.format(",\n".join(f"('{app}', '{name}', now())" for app, name in rows))
    own = import_module("groups.migrations.0094_database_of_the_timeline").OWN
    made = _objects(url, OF_BASELINE)
    return "\n".join((head(binaries.MAJOR), HEAD, BODIES, *made, applied, own))


def _objects(url: str, options: Sequence[str]) -> Iterator[str]:
    command = (program("pg_dump"), *OPTIONS, *options, url)
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    _settings, *objects = OBJECT.split(RESTRICTED.sub("", text).partition(TAIL)[0])
    for made in objects:
        lines = [line for line in made.strip().splitlines() if not line.startswith("SET default_")]
        yield "\n".join(lines).strip() + "\n"


def migrate() -> None:
    """Migrate Django's database, without what follows from this version's own tables."""
    ours = apps.get_app_config("groups")
    assert post_migrate.disconnect(ours.follow, sender=ours)  # type: ignore[attr-defined]
    call_command("migrate", verbosity=0)
    post_migrate.connect(ours.follow, sender=ours)  # type: ignore[attr-defined]


def main() -> None:
    """Rewrite the files."""
    with TemporaryDirectory() as folder:
        path = Path(folder)
        path.chmod(0o755)  # the server's user has to reach what is below
        with postgres.serve(path / "data", throwaway=True) as url:
            os.environ |= {"ROLLCALL_DATABASE_URL": url, "ROLLCALL_DATA_DIR": folder}
            os.environ.setdefault("DJANGO_SETTINGS_MODULE", "coordinator_site.settings")
            django.setup()
            migrate()
            BASELINE.write_text(baseline(url))
            call_command("migrate", verbosity=0)
            connection.close()
            SCHEMA.write_text(dumped(url))


if __name__ == "__main__":
    main()
