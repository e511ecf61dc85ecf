"""Journals and facts that real processes wrote, as files.

``python -m tests.pipeline.real_journals URL FILE [GROUP ...]`` records some groups, or all, of a
database. A file has the rows of each table as COPY writes them, below a line with the table's name
and columns, so that later columns do not matter.
"""

import lzma
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import sql

FOLDER: Final = Path(__file__).parent / "recordings"

TABLES: Final = tuple(
    f"rollcall_{name}" for name in ("journal", "life", "ownership", "silence", "progress")
)

END: Final = b"\\.\n"
"""After the rows of a table, as in psql."""


def record(url: str, path: Path, groups: Sequence[str] = ()) -> None:
    """Write a file, of one moment."""
    with psycopg.connect(url) as connection, lzma.open(path, "wb", preset=9) as file:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        for table in TABLES:
            name = sql.Identifier(table)
            rows = sql.SQL("SELECT * FROM {} WHERE {}").format(name, _of(groups))
            found = connection.execute(sql.SQL("{} LIMIT 0").format(rows)).description or ()
            file.write(f"{table} {' '.join(column.name for column in found)}\n".encode())
            copy = sql.SQL("COPY ({}) TO STDOUT").format(rows)
            with connection.cursor().copy(copy) as copied:
                for part in copied:
                    file.write(part)
            file.write(END)


def _of(groups: Sequence[str]) -> sql.Composable:
    if not groups:
        return sql.SQL("true")
    names = sql.SQL(", ").join(map(sql.Literal, groups))
    return sql.SQL("group_id IN ({})").format(names)


def load(url: str, path: Path) -> None:
    """Write the rows of a file into the database."""
    with psycopg.connect(url) as connection, lzma.open(path, "rb") as file:
        while head := file.readline().decode().split():
            table, *columns = map(sql.Identifier, head)
            names = sql.SQL(", ").join(columns)
            copy = sql.SQL("COPY {} ({}) FROM STDIN").format(table, names)
            with connection.cursor().copy(copy) as copied:
                _lines(file, copied)


def _lines(file: Any, copied: psycopg.Copy) -> None:
    while (line := file.readline()) != END:
        copied.write(line)


if __name__ == "__main__":
    record(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
