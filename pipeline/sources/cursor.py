"""The order in which facts are read: by history, transaction and number (docs/facts.md).

Rows become visible out of the order of their numbers. In this order nothing appears below the
horizon any more, so a reader that keeps its place skips nothing and reads nothing twice, and a
transaction that stays open only delays it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import sql

from pipeline.sources.tables import PACKED, Source, SourceTable

Connection = psycopg.Connection[tuple[Any, ...]]


class Place(NamedTuple):
    """Of one row; a reader's place is that of the last row that it has read."""

    era: int
    xid: int
    id: int


BEGIN: Final = Place(0, 0, 0)
"""Before every row."""


class Seen(NamedTuple):
    """A reader's place, the name of its history, and the floor as it was then: what had been
    deleted before the reader came is no gap."""

    place: Place
    jump: str = ""
    floor: Place | None = None


class Horizon(NamedTuple):
    """Below it, everything is visible to whoever looks from now on. ``jump`` names the history."""

    place: Place
    jump: str


HORIZON: Final = """
SELECT era, pg_snapshot_xmin(pg_current_snapshot())::text::bigint, jump::text
FROM rollcall_era ORDER BY era DESC LIMIT 1
"""

JUMPS: Final = "SELECT era, jump::text FROM rollcall_era"

LAST: Final = """
SELECT era, xid, id FROM (
    SELECT * FROM ({rows}) AS next {some}
) AS found ORDER BY era DESC, xid DESC, id DESC LIMIT 1
"""

ROWS: Final = "(SELECT era, xid, id FROM {rows} WHERE {conditions} {some})"

LOST: Final = "What was not read yet is lost: "
"""How the sentence of ``PlaceLost`` begins; Spark hands on an error's text alone."""


class PlaceLost(Exception):
    """A reader's place leads nowhere: it has to begin again."""


def horizon(connection: Connection) -> Horizon:
    """That of now, as the place before the first row that may still get company."""
    ((era, xid, jump),) = connection.execute(HORIZON).fetchall()
    return Horizon(Place(era, xid, 0), jump)


def jumps(connection: Connection) -> Mapping[int, str]:
    """The name of each of the database's histories."""
    return dict(connection.execute(JUMPS).fetchall())


def floor(connection: Connection, table: SourceTable) -> Place | None:
    """The place up to which retention may have deleted rows; None if it has deleted none."""
    found = connection.execute(table.floor.encode(), {"table": table.relation}).fetchone()
    return Place(*found) if found is not None else None


def check(connection: Connection, table: SourceTable, seen: Seen) -> None:
    """Raises ``PlaceLost`` if the place is of another history, or retention has passed it since."""
    if seen.place == BEGIN:
        return
    if jumps(connection).get(seen.place.era) != seen.jump:
        raise PlaceLost(f"{LOST}the database has another history.")
    now = floor(connection, table)
    if now is not None and now != seen.floor and now > seen.place:
        raise PlaceLost(f"{LOST}retention has deleted rows of {table.dataset.NAME}.")


def within(after: Place, until: Place, source: Source) -> sql.Composed:
    """The rows of a source between two places, the last included. Within a history, indexes on xid
    apply; of packed rows only those are unpacked that may be among them."""
    order = sql.SQL("(era, xid, id) > ({}) AND (era, xid, id) <= ({})").format(
        _values(after), _values(until)
    )
    if source.relation == PACKED:
        some = sql.SQL("(last_era, last_xid) >= ({})").format(_values(after[:2]))
        return sql.SQL("{} AND ").format(some) + order
    if after.era != until.era:
        return order
    return sql.SQL("{} AND xid BETWEEN {} AND {}").format(order, after.xid, until.xid)


def last(
    connection: Connection, table: SourceTable, after: Place, until: Place, rows: int | None
) -> Place | None:
    """The place of the last row between the two, or of the so many first; None if there is none."""
    some = sql.SQL("ORDER BY era, xid, id LIMIT {}").format(rows) if rows else sql.SQL("")
    each = [
        sql.SQL(ROWS).format(
            rows=sql.SQL(source.rows),
            conditions=sql.SQL("{} AND ({})").format(
                within(after, until, source), sql.SQL(source.only)
            ),
            some=some,
        )
        for source in table.sources
    ]
    query = sql.SQL(LAST).format(rows=sql.SQL(" UNION ALL ").join(each), some=some)
    found = connection.execute(query).fetchone()
    return Place(*found) if found is not None else None


def _values(place: Sequence[int]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Literal, place))
