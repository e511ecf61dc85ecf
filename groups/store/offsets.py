"""Committed offsets, as read: rows, never memory (docs/architecture.md, *Durable and Live*).

Writes go through ``groups.store.apply``; this file only reads. What reads much is planned each time
(``prepare=False``): PostgreSQL keeps the plan of a prepared statement, and one that was made while
the table had few rows reads all of it.
"""

import sys
from collections.abc import AsyncGenerator, Callable, Container, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple

from psycopg_pool import AsyncConnectionPool

from groups.postgres.array_literals import array
from groups.postgres.connections import Connection, in_slices
from groups.store.sql import group_rows, transactions

Partition = tuple[str, int]

Asked = tuple[str, Sequence[str] | None]
"""A group id, and the names of topics; None: of all that the group has."""

FEW_ROWS = 2_000
"""As many are read at once: eight megabytes, were their metadata as long as it may be."""

UNSTABLE_MAX = 10_000
"""Partitions of a group that are told apart while they wait for the end of a transaction."""

ROW_BYTES = 24
"""Of an answer, for one partition, beside its metadata."""


def _everything(_at: Partition) -> bool:
    return True


class Committed(NamedTuple):
    """One committed offset. ``leader_epoch`` -1: none was told."""

    offset: int
    leader_epoch: int
    metadata: str


class Some(NamedTuple):
    """Some partitions of a group, asked for by name. ``stable``: what a transaction may still
    commit is to be told apart."""

    group_id: str
    partitions: Sequence[Partition]
    stable: bool


class Read(NamedTuple):
    """What was found of them; what was never committed is in neither."""

    committed: Mapping[Partition, Committed]
    unstable: Container[Partition]


class TooLong(Exception):
    """What was asked for has more bytes than there is room for."""


async def committed(
    readers: AsyncConnectionPool[Connection],
    group_id: str,
    topics: Iterable[str] | None,
    *,
    room: int | None = None,
    is_asked: Callable[[Partition], bool] = _everything,
) -> Mapping[Partition, Committed]:
    """What the group has committed in these topics (None: in all), by (topic, partition).

    Where that is much, ``room`` bytes are kept at the most, of what ``is_asked`` alone. Raises
    ``TooLong``, and psycopg's errors and PoolTimeout when the database is away.
    """
    query, told = group_rows.FETCH_OFFSETS, dict[str, Any](group_id=group_id)
    if topics is not None:
        query = group_rows.FETCH_OFFSETS_OF_TOPICS
        told["topics"] = array(sorted(set(topics)))
    async with readers.connection() as connection:
        few = {**told, "most": FEW_ROWS + 1}
        cursor = await connection.execute(query.encode(), few, prepare=False)
        found = {(row[0], row[1]): Committed(*row[2:]) async for row in in_slices(cursor)}
        if len(found) <= FEW_ROWS:
            return found
        del found
        async with connection.transaction(), connection.cursor("offsets") as many:
            await many.execute(query.encode(), {**told, "most": None})
            return await _much(in_slices(many), room, is_asked)


async def _much(
    rows: AsyncGenerator[Any, None], room: int | None, is_asked: Callable[[Partition], bool]
) -> Mapping[Partition, Committed]:
    """Row after row from the server, which holds what there is no room for."""
    found, left = dict[Partition, Committed](), sys.maxsize if room is None else room
    async with aclosing(rows):
        async for topic, partition, *what in rows:
            if is_asked((topic, partition)):
                found[topic, partition] = kept = Committed(*what)
                left -= ROW_BYTES + len(kept.metadata.encode())
                if left < 0:
                    raise TooLong
    return found


async def of_partitions(
    readers: AsyncConnectionPool[Connection], asked: Sequence[Some]
) -> list[Read]:
    """Each of these, in their order, by one statement and so of one moment: together they name no
    more than ``FEW_ROWS`` partitions.

    Raises psycopg's errors and PoolTimeout when the database is away.
    """
    places = [(one, at) for one, some in enumerate(asked) for at in some.partitions]
    committed: list[dict[Partition, Committed]] = [{} for _ in asked]
    unstable: list[set[Partition]] = [set() for _ in asked]
    told = {
        "place": array(range(len(places))),
        "group_id": array([asked[one].group_id for one, _ in places]),
        "topic": array([topic for _, (topic, _) in places]),
        "partition": array([partition for _, (_, partition) in places]),
        "stable": array([int(asked[one].stable) for one, _ in places]),
    }
    async with readers.connection() as connection:
        cursor = await connection.execute(group_rows.FETCH_OFFSETS_OF_PARTITIONS.encode(), told)
        async for place, *found in in_slices(cursor):
            one, at = places[place]
            if found[0] is None:
                unstable[one].add(at)
            else:
                committed[one][at] = Committed(*found)
    return [Read(*each) for each in zip(committed, unstable, strict=True)]


async def committed_of_many(
    readers: AsyncConnectionPool[Connection], asked: Sequence[Asked]
) -> list[dict[Partition, Committed]] | None:
    """What each of these has committed, in their order, by one statement; None where that is more
    than ``FEW_ROWS``: then fewer are to be asked for at once.

    Raises psycopg's errors and PoolTimeout when the database is away.
    """
    rows = await _of_many(readers, group_rows.FETCH_OFFSETS_OF_GROUPS, asked)
    if rows is None:
        return None
    return [{(row[0], row[1]): Committed(*row[2:]) for row in each} for each in rows]


async def unstable_of_many(
    readers: AsyncConnectionPool[Connection], asked: Sequence[Asked]
) -> list[frozenset[Partition]] | None:
    """``unstable`` of each of these, in the same way."""
    rows = await _of_many(readers, transactions.PARTITIONS_OF_GROUPS, asked)
    return None if rows is None else [frozenset(each) for each in rows]


async def _of_many(
    readers: AsyncConnectionPool[Connection], query: str, asked: Sequence[Asked]
) -> list[list[Any]] | None:
    found: list[list[Any]] = [[] for _ in asked]
    async with readers.connection() as connection:
        cursor = await connection.execute(query.encode(), _places(asked), prepare=False)
        if cursor.rowcount > FEW_ROWS:
            return None
        async for place, *row in in_slices(cursor):
            found[place].append(tuple(row))
    return found


def _places(asked: Sequence[Asked]) -> dict[str, Any]:
    """The columns of those who ask for all topics, and of each topic that the others ask for."""
    wholes = [(place, group_id) for place, (group_id, topics) in enumerate(asked) if topics is None]
    parts = [
        (place, group_id, topic)
        for place, (group_id, topics) in enumerate(asked)
        for topic in sorted(set(topics or ()))
    ]
    return {
        "place": array([place for place, _ in wholes]),
        "group_id": array([group_id for _, group_id in wholes]),
        "topic_place": array([place for place, _, _ in parts]),
        "topic_group_id": array([group_id for _, group_id, _ in parts]),
        "topic": array([topic for _, _, topic in parts]),
        "most": FEW_ROWS + 1,
    }


class Everything:
    """Contains every partition."""

    def __contains__(self, _at: object) -> bool:
        return True


async def unstable(
    readers: AsyncConnectionPool[Connection], group_id: str, topics: Iterable[str] | None
) -> Container[Partition]:
    """The partitions of these topics (None: of all) that a transaction may still commit, to be read
    *before* ``committed``: what is not among them then has reached the rows that are read next.
    Where many wait, all count as waiting: whoever asks comes again.

    Raises psycopg's errors and PoolTimeout when the database is away.
    """
    told: dict[str, Any] = {"group_id": group_id, "topics": None, "most": UNSTABLE_MAX + 1}
    if topics is not None:
        told["topics"] = array(sorted(set(topics)))
    async with readers.connection() as connection:
        query = transactions.PARTITIONS_OF_GROUP.encode()
        cursor = await connection.execute(query, told, prepare=False)
        found = frozenset([row async for row in in_slices(cursor)])
    return found if len(found) <= UNSTABLE_MAX else Everything()
