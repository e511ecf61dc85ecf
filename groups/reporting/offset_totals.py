"""Limits of offsets: committed and pending ones, of one group and of all.

Commits are not counted one by one. A group is counted when enough rows were written for it that it
may have grown by a tenth of its limit; all groups together every few seconds. Commits are checked
only while a limit is reached: partitions that the group has committed before may continue, others
are refused (INVALID_COMMIT_OFFSET_SIZE). When all groups together reach the limit, groups with few
offsets may continue: they did not cause it.
"""

import asyncio
from collections.abc import Callable, Collection, Container, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, NamedTuple

import psycopg
from psycopg_pool import PoolTimeout

from groups.core.errors import ErrorCode, Refuse
from groups.postgres.array_literals import array
from groups.postgres.connections import Connection
from groups.runtime.runtime import CoordinatorRuntime
from groups.store.offsets import Everything
from groups.store.sql import totals as sql

FEW: Final = 100
"""A group with fewer offsets may continue when all groups together have too many."""

SHARE: Final = 10
"""A group is counted when this part of its limit was written for it. It may exceed its limit by as
much, and by the rows written while it is counted."""

NEAR: Final = 0.7
"""Groups with this part of their limit are counted again at each check."""

KNOWN_MAX: Final = 200_000
"""Partitions that are known to have an offset; when there are more, they are read again."""

Partition = tuple[str, int]


class Counts(NamedTuple):
    """The offsets of one group."""

    committed: int
    waiting: int


def written_max(group_max: int) -> int:
    """The rows after which a group is counted again."""
    return max(1, group_max // SHARE)


class OffsetTotals:
    """The totals as one node knows them. ``group_max``: the limit of one group, for each of both
    kinds."""

    def __init__(
        self,
        coordinator: CoordinatorRuntime,
        connections: Callable[[], AbstractAsyncContextManager[Connection]],
        group_max: int,
    ) -> None:
        self.group_max = group_max
        self.large: dict[str, Counts] = {}
        """Groups with nearly as many offsets as they may have."""
        self.suspected = asyncio.Event()
        """Set when a group has to be counted."""
        self._coordinator = coordinator
        self._connections = connections
        self._suspects: set[str] = set()
        self._is_full = self._is_waiting_full = False
        self._known: set[tuple[str, str, int]] = set()

    def grown(self, group_id: str) -> None:
        """Many rows were written for it: it is counted."""
        self._suspects.add(group_id)
        self.suspected.set()

    # -- counting

    def found(self, *, is_full: bool, is_waiting_full: bool) -> None:
        """Take over the result of a count of all groups."""
        self._known.clear()  # some may have been deleted
        self._is_full, self._is_waiting_full = is_full, is_waiting_full
        self._say()

    async def count(self, *, again: bool = False) -> None:
        """Count the groups that may have grown; with ``again`` the large ones too."""
        self.suspected.clear()
        for group_id in self._suspects | (self.large.keys() if again else set()):
            self._suspects.discard(group_id)
            try:
                counts = await self._counted(group_id)
            except BaseException:
                self._suspects.add(group_id)
                raise
            if max(counts) >= self.group_max * NEAR and self._coordinator.owns(group_id):
                self.large[group_id] = counts
            else:
                self.large.pop(group_id, None)
        self._say()

    async def _counted(self, group_id: str) -> Counts:
        async with self._connections() as connection:
            parameters = {"group_id": group_id, "most": self.group_max}
            row = await (await connection.execute(sql.COUNT_OF_GROUP, parameters)).fetchone()
        assert row is not None
        return Counts(*row)

    def _say(self) -> None:
        """Set the groups whose commits are checked from now on."""
        most = self.group_max
        full = frozenset(group_id for group_id, c in self.large.items() if c.committed >= most)
        every: Container[str] = Everything()
        self._coordinator.full = every if self._is_full else full
        if not self._is_full and not full:
            self._known.clear()

    # -- when a limit is reached

    def may_be_full(self, group_id: str) -> bool:
        """Whether ``refused`` has to be asked."""
        return group_id in self._coordinator.full

    async def refused(
        self, group_id: str, requested: Collection[Partition]
    ) -> frozenset[Partition]:
        """The partitions that a full group may not commit. Refuses COORDINATOR_NOT_AVAILABLE if
        PostgreSQL does not answer."""
        unknown = [at for at in requested if (group_id, *at) not in self._known]
        if not unknown:
            return frozenset()
        topics, partitions = zip(*unknown, strict=True)
        parameters = {
            "group_id": group_id,
            "topics": array(topics),
            "partitions": array(partitions),
        }
        there = {(topic, partition) for topic, partition in await self._rows(sql.THERE, parameters)}
        if len(self._known) + len(there) > KNOWN_MAX:
            self._known.clear()
        self._known.update((group_id, *at) for at in there)
        new = frozenset(unknown) - there
        if new and not self._is_large(group_id) and await self._has_few(group_id, len(new), 0):
            return frozenset()
        return new

    async def admit_waiting(self, group_id: str, new: int) -> None:
        """Refuses INVALID_COMMIT_OFFSET_SIZE if the group may have no more pending offsets."""
        counts = self.large.get(group_id, Counts(0, 0))
        is_full = counts.waiting >= self.group_max
        if is_full or (self._is_waiting_full and not await self._has_few(group_id, new, 1)):
            raise Refuse(ErrorCode.INVALID_COMMIT_OFFSET_SIZE)

    def _is_large(self, group_id: str) -> bool:
        return self.large.get(group_id, Counts(0, 0)).committed >= self.group_max

    async def _has_few(self, group_id: str, new: int, kind: int) -> bool:
        if new > FEW:
            return False
        (counts,) = await self._rows(sql.COUNT_OF_GROUP, {"group_id": group_id, "most": FEW + 1})
        return int(counts[kind]) + new <= FEW

    async def _rows(self, text: str, parameters: Mapping[str, Any]) -> list[Any]:
        try:
            async with self._connections() as connection:
                return await (await connection.execute(text.encode(), parameters)).fetchall()
        except (psycopg.Error, PoolTimeout) as error:
            raise Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE) from error
