"""Where an invented fleet is written: Parquet in the sources' schemas, or PostgreSQL's own
tables."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import psycopg
import pyarrow as pa
from psycopg import sql

from pipeline.datasets.dataset import Dataset
from pipeline.datasets.facts import LifeEvents, OwnershipEvents, RoundEvents
from pipeline.datasets.journal import Journal

DATASETS: Final[Mapping[str, type[Dataset]]] = {
    dataset.NAME: dataset for dataset in (LifeEvents, OwnershipEvents, Journal, RoundEvents)
}

ARROW: Final[Mapping[str, pa.DataType]] = {
    "string": pa.string(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "timestamp": pa.timestamp("us", "UTC"),
    "boolean": pa.bool_(),
    "array<bigint>": pa.list_(pa.int64()),
    "array<int>": pa.list_(pa.int32()),
    "array<string>": pa.list_(pa.string()),
}
"""Spark's types, as far as sources have them."""

RELATIONS: Final = {
    "lives": "rollcall_life",
    "ownership": "rollcall_ownership",
    "journal": "rollcall_journal",
    "rounds": "rollcall_round",
}

COMMON: Final[Mapping[str, Mapping[str, Any]]] = {
    "lives": {"principal": "", "revision": 1, "joined_generation": 0, "left_generation": None},
    "ownership": {"from_generation": 0, "until_generation": None},
    "journal": {"revision": 1, "node_id": 0, "joined": "[]", "left": "[]"},
    "rounds": {"counts": []},
}
"""Columns that the pipeline does not read, and what they have."""

DETAILS: Final = ("causes", "waits")
"""Of the journal, what is in its details."""

COPIED: Final = (
    "at", "group_id", "kind", "trigger", "reason", "client_reason", "member_id", "client_id",
    "generation_before", "generation_after", "duration_ms", "waited_for",
)  # fmt: skip
"""Of the journal, what is a column."""


LIVES: Final = """
SELECT setval('rollcall_life_seq', greatest(nextval('rollcall_life_seq'), max(life) + 1))
FROM rollcall_life
"""
"""The coordinator goes on after the numbers of the fleet's lives."""


class NotEmpty(Exception):
    """The database has facts already."""


def schema(dataset: type[Dataset]) -> pa.Schema:
    """The dataset's columns in Arrow's types."""
    return pa.schema([pa.field(name, ARROW[kind]) for name, kind in dataset.types().items()])


@contextmanager
def copying(conninfo: str) -> Iterator[Callable[[Mapping[str, Sequence[Mapping[str, Any]]]], int]]:
    """What writes rows of the tables, all of them in one transaction. Raises ``NotEmpty``."""
    with psycopg.connect(conninfo) as connection:
        for relation in ("rollcall_life", "rollcall_life_open"):
            query = sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.Identifier(relation))
            (taken,) = connection.execute(query).fetchall()[0]
            if taken:
                raise NotEmpty("The database has recorded members: a fleet needs one of its own.")

        def copy(tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> int:
            return sum(_copied(connection, name, rows) for name, rows in tables.items())

        yield copy
        connection.execute(LIVES)


def _copied(
    connection: psycopg.Connection[Any], name: str, rows: Sequence[Mapping[str, Any]]
) -> int:
    stored = [_stored(name, row) for row in rows]
    if not stored:
        return 0
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(RELATIONS[name]), sql.SQL(", ").join(map(sql.Identifier, stored[0]))
    )
    with connection.cursor() as cursor, cursor.copy(statement) as copied:
        for row in stored:
            copied.write_row([*row.values()])
    return len(stored)


def _stored(name: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row as its relation has it."""
    if name == "ownership":
        ranges = ",".join(f"[{number},{number}]" for number in row["partitions"])
        row = {**row, "partitions": f"{{{ranges}}}"}
    elif name == "journal":
        why = {key: json.loads(row[key]) for key in DETAILS} | {"ms": row["duration_ms"]}
        row = {key: row[key] for key in COPIED} | {"details": json.dumps({"why": why})}
    return {**{key: value for key, value in row.items() if key != "id"}, **COMMON[name]}
