"""Which tables of PostgreSQL can be read, each with the class of its columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

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
SELECT era, xid, 9223372036854775807 FROM rollcall_facts_floor
WHERE table_name = %(table)s || ' packed'
"""
"""Rows that left their table for the packed ones can still be read; what left those cannot."""

OLDEST: Final = "SELECT era, xid, id FROM rollcall_journal ORDER BY id LIMIT 1"
"""The journal is deleted from its beginning: if a row that was read is left, so is what came after
it."""


PACKED: Final = "rollcall_facts_packed"
"""Days of facts that are over: some hundred rows of a group and a table in one (docs/facts.md)."""


class Source(NamedTuple):
    """Where rows of a table are: ``rows`` reads them (the FROM of a statement), each in a block of
    ``relation``, there ``p``, possibly partitioned; ``only``: which of them, as SQL."""

    relation: str
    rows: str
    only: str = "true"


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A relation, possibly partitioned; ``only``: which of its rows, as an SQL condition.
    ``packed``: the rows in one row ``p`` of the packed ones, if there are any.
    ``floor`` finds the place up to which rows may have been deleted. ``is_stream``: rows are only
    added, and each has its place in the order (``sources.cursor``)."""

    dataset: type[Dataset]
    relation: str
    only: str = "true"
    floor: str = FLOOR
    is_stream: bool = True
    packed: str = ""

    @property
    def sources(self) -> Sequence[Source]:
        """Where its rows are: the relation, and the days of it that are packed, if they are."""
        here = Source(self.relation, f"{self.relation} AS p", self.only)
        if not self.packed:
            return [here]
        rows = f"{PACKED} AS p CROSS JOIN LATERAL {self.packed} AS r"
        return [here, Source(PACKED, rows, f"p.table_name = '{self.relation}'")]

    def expression(self, name: str) -> sql.Composable:
        """How a column is read."""
        column = next(column for column in self.dataset.COLUMNS if column.name == name)
        return sql.SQL(column.sql) if column.sql else sql.Identifier(name)

    def select(
        self, names: Sequence[str], conditions: Sequence[sql.Composable], source: int = 0
    ) -> sql.Composed:
        """The statement that reads columns of one source's rows that fulfil the conditions."""
        _, rows, only = self.sources[source]
        return sql.SQL("SELECT {columns} FROM {rows} WHERE {conditions}").format(
            columns=sql.SQL(", ").join(map(self.expression, names)),
            rows=sql.SQL(rows),
            conditions=sql.SQL(" AND ").join([sql.SQL(f"({only})"), *conditions]),
        )


TABLES: Final[Mapping[str, SourceTable]] = {
    table.dataset.NAME: table
    for table in (
        SourceTable(Journal, "rollcall_journal", "group_id <> ''", OLDEST),
        SourceTable(LifeEvents, "rollcall_life", packed="unnest(p.life_rows)"),
        SourceTable(OwnershipEvents, "rollcall_ownership", packed="unnest(p.ownership_rows)"),
        SourceTable(RoundEvents, "rollcall_round", packed="unnest(p.round_rows)"),
        SourceTable(SilenceHours, "rollcall_silence", packed="unnest(p.silence_rows)"),
        SourceTable(
            ProgressHours,
            "rollcall_progress",
            packed="rollcall_unpacked_hours(p.of_group, p.hour_rows)",
        ),
        SourceTable(Marks, "rollcall_mark"),
    )
}

SIZE: Final = """
SELECT coalesce(sum(pg_relation_size(c.oid)), 0)::bigint FROM pg_class c
WHERE c.oid IN (
    SELECT unnest(ARRAY[leaf.oid, leaf.reltoastrelid])
    FROM unnest(%(names)s::regclass[]) AS root,
         LATERAL (SELECT root UNION SELECT relid FROM pg_partition_tree(root)) AS tree(relid)
    JOIN pg_class leaf ON leaf.oid = tree.relid AND leaf.relkind = 'r')
"""
"""Not by statistics: rows that have just come may be most of them. Long values count, which packed
days are made of. A table without partitions, as the journal is, has no tree."""


def size(connection: psycopg.Connection[Any]) -> int:
    """About how large all of them are, in bytes, without their indexes."""
    names = {"names": [one.relation for table in TABLES.values() for one in table.sources]}
    row = connection.execute(SIZE, names).fetchone()
    assert row is not None
    return int(row[0])
