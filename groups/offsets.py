"""Committed offsets, as read: rows, never memory (docs/architecture.md, *Durable and Live*).

Writes go through ``groups.store``; this file only reads.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from psycopg_pool import AsyncConnectionPool

from groups import sql, sql_transactions
from groups.database import Connection, in_slices
from groups.literals import array

Partition = tuple[str, int]


class Committed(NamedTuple):
    """One committed offset. ``leader_epoch`` -1: none was told."""

    offset: int
    leader_epoch: int
    metadata: str


async def committed(
    readers: AsyncConnectionPool[Connection], group_id: str, topics: Iterable[str] | None
) -> Mapping[Partition, Committed]:
    """What the group has committed in these topics (None: in all), by (topic, partition).

    Raises psycopg's errors and PoolTimeout when the database is away.
    """
    async with readers.connection() as connection:
        if topics is None:
            cursor = await connection.execute(sql.FETCH_OFFSETS.encode(), {"group_id": group_id})
        else:
            wanted = array(sorted(set(topics)))
            cursor = await connection.execute(
                sql.FETCH_OFFSETS_OF_TOPICS.encode(), {"group_id": group_id, "topics": wanted}
            )
        return {(row[0], row[1]): Committed(*row[2:]) async for row in in_slices(cursor)}


async def unstable(readers: AsyncConnectionPool[Connection], group_id: str) -> frozenset[Partition]:
    """The partitions that a transaction may still commit, to be read *before* ``committed``: what
    is not among them then has reached the rows that are read next.

    Raises psycopg's errors and PoolTimeout when the database is away.
    """
    async with readers.connection() as connection:
        query = sql_transactions.PARTITIONS_OF_GROUP.encode()
        cursor = await connection.execute(query, {"group_id": group_id})
        return frozenset([row async for row in in_slices(cursor)])
