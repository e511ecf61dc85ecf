"""The tables of an empty database in one step: what the migrations make, kept as SQL.

Applying every migration since the first version was a third of a fresh start's CPU.
``groups/baseline.sql`` has their result; ``make schema`` writes it by them, and a test compares
databases of either way. It is for a database without any object, of the server's version that wrote
it, and for exactly the migrations that its first line stands for, those of Django and of libraries
among them. Every other database takes the migrations (docs/decisions/0039-a-baseline.md).
"""

from pathlib import Path
from typing import Final

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from groups.postgres import migrated

FILE: Final = Path(__file__).parents[1] / "baseline.sql"

IS_EMPTY: Final = """
SELECT current_schema() = 'public' AND NOT EXISTS (
    SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT FROM pg_type WHERE typnamespace = 'public'::regnamespace)
"""


def load(using: str = DEFAULT_DB_ALIAS) -> bool:
    """Make everything that the migrations make, and record them as applied; False if the database
    has to be migrated. Either all of it is done or nothing."""
    connection = connections[using]
    with transaction.atomic(using=using), connection.cursor() as cursor:
        cursor.execute(IS_EMPTY)
        if cursor.fetchone() != (True,):
            return False
        text = FILE.read_bytes()
        server = connection.connection.info.server_version // 10_000
        if text.partition(b"\n")[0] != head(server).encode():
            return False
        with connection.wrap_database_errors:
            connection.connection.execute(text)  # as it is: it contains percent signs
    return True


def head(server: int) -> str:
    """The first line of a file that such a server wrote, for the migrations of this program."""
    return f"-- {migrated.mark()}, PostgreSQL {server}"
