"""Which tables of PostgreSQL can be read, each with the class of its columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import sql

from pipeline.datasets.dataset import Dataset
from pipeline.datasets.facts import (
    LifeEvents,
    Marks,
    OwnershipEvents,
    ProgressHours,
    RoundEvents,
    SilenceHours,
)
from pipeline.datasets.journal import Journal

LOCK: Final = "LOCK TABLE {} IN ACCESS SHARE MODE"
"""Rows keep their blocks as long as nobody may rewrite the table (VACUUM FULL, CLUSTER)."""

FLOOR: Final = """
SELECT era, xid, 9223372036854775807 FROM rollcall_facts_floor WHERE table_name = %(table)s
"""

OLDEST: Final = "SELECT era, xid, id FROM rollcall_journal ORDER BY id LIMIT 1"
"""The journal is deleted from its beginning: if a row that was read is left, so is what came after
it."""


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A relation, possibly partitioned; ``only``: which of its rows, as an SQL condition.
    ``floor`` finds the place up to which rows may have been deleted. ``is_stream``: rows are only
    added, and each has its place in the order (``sources.cursor``)."""

    dataset: type[Dataset]
    relation: str
    only: str = "true"
    floor: str = FLOOR
    is_stream: bool = True

    def expression(self, name: str) -> sql.Composable:
        """How a column is read."""
        column = next(column for column in self.dataset.COLUMNS if column.name == name)
        return sql.SQL(column.sql) if column.sql else sql.Identifier(name)

    def select(self, names: Sequence[str], conditions: Sequence[sql.Composable]) -> sql.Composed:
        """The statement that reads columns of the rows that fulfil the conditions."""
        return sql.SQL("SELECT {columns} FROM {relation} WHERE {conditions}").format(
            columns=sql.SQL(", ").join(map(self.expression, names)),
            relation=sql.Identifier(self.relation),
            conditions=sql.SQL(" AND ").join([sql.SQL(f"({self.only})"), *conditions]),
        )


TABLES: Final[Mapping[str, SourceTable]] = {
    table.dataset.NAME: table
    for table in (
        SourceTable(Journal, "rollcall_journal", "group_id <> ''", OLDEST),
        SourceTable(LifeEvents, "rollcall_life"),
        SourceTable(OwnershipEvents, "rollcall_ownership"),
        SourceTable(RoundEvents, "rollcall_round"),
        SourceTable(SilenceHours, "rollcall_silence"),
        SourceTable(ProgressHours, "rollcall_progress"),
        SourceTable(Marks, "rollcall_mark"),
    )
}

SIZE: Final = """
SELECT coalesce(sum(c.relpages), 0)::bigint * current_setting('block_size')::bigint FROM pg_class c
WHERE c.relkind = 'r' AND (c.oid = ANY(%(names)s::regclass[]) OR c.oid IN (
    SELECT tree.relid FROM unnest(%(names)s::regclass[]) AS root, pg_partition_tree(root) AS tree))
"""
"""By PostgreSQL's statistics, for which no lock is needed."""


def size(connection: psycopg.Connection[Any]) -> int:
    """About how large all of them are, in bytes, without their indexes."""
    names = {"names": [table.relation for table in TABLES.values()]}
    row = connection.execute(SIZE, names).fetchone()
    assert row is not None
    return int(row[0])
