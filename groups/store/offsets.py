"""Reads committed offsets: from rows, never from memory (docs/architecture.md, *Durable and Live*).

Writes go through ``groups.store.apply``. Large reads are planned each time (``prepare=False``):
PostgreSQL keeps the plan of a prepared statement, and one that was made while the table had few
rows reads all of it.
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

GroupTopics = tuple[str, Sequence[str] | None]
"""A group id and topic names; None: all topics of the group."""

FEW_ROWS = 2_000
"""This many rows are read at once: eight megabytes, if their metadata had the maximum length."""

UNSTABLE_MAX = 10_000
"""Unstable partitions of a group that are returned one by one; with more, all count as unstable."""

ROW_BYTES = 24
"""Bytes of one partition in a response, without its metadata."""


def _everything(_at: Partition) -> bool:
    return True


class CommittedOffset(NamedTuple):
    """One committed offset. ``leader_epoch`` -1: none was committed."""

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

    committed: Mapping[Partition, CommittedOffset]
    unstable: Container[Partition]


class TooLong(Exception):
    """The result has more bytes than there is room for."""


async def committed(
    readers: AsyncConnectionPool[Connection],
    group_id: str,
    topics: Iterable[str] | None,
    *,
    room: int | None = None,
    is_requested: Callable[[Partition], bool] = _everything,
) -> Mapping[Partition, CommittedOffset]:
    """The group's committed offsets of these topics (None: all), by (topic, partition).

    If there are many, only partitions for which ``is_requested`` is true are kept, at most ``room``
    bytes. Raises ``TooLong``, and psycopg's errors and PoolTimeout if the database is unavailable.
    """
    query, parameters = group_rows.FETCH_OFFSETS, dict[str, Any](group_id=group_id)
    if topics is not None:
        query = group_rows.FETCH_OFFSETS_OF_TOPICS
        parameters["topics"] = array(sorted(set(topics)))
    async with readers.connection() as connection:
        few = {**parameters, "most": FEW_ROWS + 1}
        cursor = await connection.execute(query.encode(), few, prepare=False)
        found = {(row[0], row[1]): CommittedOffset(*row[2:]) async for row in in_slices(cursor)}
        if len(found) <= FEW_ROWS:
            return found
        del found
        async with connection.transaction(), connection.cursor("offsets") as many:
            await many.execute(query.encode(), {**parameters, "most": None})
            return await _much(in_slices(many), room, is_requested)


async def _much(
    rows: AsyncGenerator[Any, None], room: int | None, is_requested: Callable[[Partition], bool]
) -> Mapping[Partition, CommittedOffset]:
    """Read row by row through a cursor, so that the server keeps the rest."""
    found, left = dict[Partition, CommittedOffset](), sys.maxsize if room is None else room
    async with aclosing(rows):
        async for topic, partition, *what in rows:
            if is_requested((topic, partition)):
                found[topic, partition] = kept = CommittedOffset(*what)
                left -= ROW_BYTES + len(kept.metadata.encode())
                if left < 0:
                    raise TooLong
    return found


async def of_partitions(
    readers: AsyncConnectionPool[Connection], requests: Sequence[Some]
) -> list[Read]:
    """Each of these, in their order, by one statement and so of one moment: together they name no
    more than ``FEW_ROWS`` partitions.

    Raises psycopg's errors and PoolTimeout when the database is away.
    """
    places = [(one, at) for one, some in enumerate(requests) for at in some.partitions]
    committed: list[dict[Partition, CommittedOffset]] = [{} for _ in requests]
    unstable: list[set[Partition]] = [set() for _ in requests]
    stable = [place for place, (one, _) in enumerate(places) if requests[one].stable]
    parameters = {
        **_columns("", range(len(places)), places, requests),
        **_columns("stable_", stable, places, requests),
    }
    async with readers.connection() as connection:
        cursor = await connection.execute(
            group_rows.FETCH_OFFSETS_OF_PARTITIONS.encode(), parameters
        )
        async for place, *found in in_slices(cursor):
            one, at = places[place]
            if found[0] is None:
                unstable[one].add(at)
            else:
                committed[one][at] = CommittedOffset(*found)
    return [Read(*each) for each in zip(committed, unstable, strict=True)]


def _columns(
    prefix: str,
    chosen: Sequence[int],
    places: Sequence[tuple[int, Partition]],
    requests: Sequence[Some],
) -> dict[str, Any]:
    """The arrays of these places. ``places``: the number of a request, and what it asks for."""
    some = [places[place] for place in chosen]
    return {
        f"{prefix}place": array(chosen),
        f"{prefix}group_id": array([requests[one].group_id for one, _ in some]),
        f"{prefix}topic": array([topic for _, (topic, _) in some]),
        f"{prefix}partition": array([partition for _, (_, partition) in some]),
    }


async def committed_of_many(
    readers: AsyncConnectionPool[Connection], groups: Sequence[GroupTopics]
) -> list[dict[Partition, CommittedOffset]] | None:
    """The committed offsets of each group, in order, with one statement; None if there are more
    than ``FEW_ROWS``: the caller then asks for fewer groups at once.

    Raises psycopg's errors and PoolTimeout if the database is unavailable.
    """
    rows = await _of_many(readers, group_rows.FETCH_OFFSETS_OF_GROUPS, groups)
    if rows is None:
        return None
    return [{(row[0], row[1]): CommittedOffset(*row[2:]) for row in each} for each in rows]


async def unstable_of_many(
    readers: AsyncConnectionPool[Connection], groups: Sequence[GroupTopics]
) -> list[frozenset[Partition]] | None:
    """``unstable`` for each group, in the same way."""
    rows = await _of_many(readers, transactions.PARTITIONS_OF_GROUPS, groups)
    return None if rows is None else [frozenset(each) for each in rows]


async def _of_many(
    readers: AsyncConnectionPool[Connection], query: str, groups: Sequence[GroupTopics]
) -> list[list[Any]] | None:
    found: list[list[Any]] = [[] for _ in groups]
    async with readers.connection() as connection:
        cursor = await connection.execute(query.encode(), _places(groups), prepare=False)
        if cursor.rowcount > FEW_ROWS:
            return None
        async for place, *row in in_slices(cursor):
            found[place].append(tuple(row))
    return found


def _places(groups: Sequence[GroupTopics]) -> dict[str, Any]:
    """The columns of groups whose topics are all requested, and of the single topics of others."""
    wholes = [
        (place, group_id) for place, (group_id, topics) in enumerate(groups) if topics is None
    ]
    parts = [
        (place, group_id, topic)
        for place, (group_id, topics) in enumerate(groups)
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
    """Contains every partition, or group."""

    def __contains__(self, _key: object) -> bool:
        return True


async def unstable(
    readers: AsyncConnectionPool[Connection], group_id: str, topics: Iterable[str] | None
) -> Container[Partition]:
    """The partitions of these topics (None: all) with a pending commit of a transaction. Must be
    read *before* ``committed``: offsets that are no longer pending are then in the rows read next.
    If there are many, all count as pending: clients ask again.

    Raises psycopg's errors and PoolTimeout if the database is unavailable.
    """
    parameters: dict[str, Any] = {"group_id": group_id, "topics": None, "most": UNSTABLE_MAX + 1}
    if topics is not None:
        parameters["topics"] = array(sorted(set(topics)))
    async with readers.connection() as connection:
        query = transactions.PARTITIONS_OF_GROUP.encode()
        cursor = await connection.execute(query, parameters, prepare=False)
        found = frozenset([row async for row in in_slices(cursor)])
    return found if len(found) <= UNSTABLE_MAX else Everything()
