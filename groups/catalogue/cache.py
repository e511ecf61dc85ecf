"""The node's copy of the topic catalogue, and the only code of a node that changes topics.

A topic is a name, an id and a number of partitions (docs/architecture.md, *Topics*). Reads use
dicts in memory. A change is written to the rows first, where PostgreSQL decides races, and notifies
other processes. Rules of names and counts are in ``groups.core.topics``, SQL in
``groups.store.sql.catalogue``.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar
from uuid import UUID, uuid4

import psycopg
from psycopg_pool import AsyncConnectionPool

from groups.core.authors import NO_AUTHOR, AuthorDetails
from groups.core.errors import ErrorCode, Refuse
from groups.core.topics import Room, check_growth, name_problem
from groups.postgres.array_literals import array
from groups.postgres.channels import Rung
from groups.postgres.connections import Connection, in_slices
from groups.postgres.table_changes import TableChanges
from groups.store.sql import catalogue as sql

INLINE_MAX = 2_000
"""Partitions for which a query is built on the event loop; more take milliseconds."""

LOOK_S_MAX = 2.0
"""How long a request may wait for a look-up, queueing included."""


class Unavailable(Exception):
    """PostgreSQL did not answer; it is unknown whether a change was made."""


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One topic. ``end_offsets``: the end of each partition's work; missing means 0. ``racks``:
    those near to each partition; missing means none."""

    name: str
    topic_id: UUID
    partitions: int
    end_offsets: tuple[int, ...] = ()
    racks: tuple[frozenset[str], ...] = ()

    @property
    def assignor_inputs(self) -> tuple[UUID, int, tuple[frozenset[str], ...]]:
        """The values that groups which assign depend on."""
        return self.topic_id, self.partitions, self.racks

    def has(self, partition: int) -> bool:
        """Whether the topic has a partition of that number."""
        return 0 <= partition < self.partitions

    def end_offset(self, partition: int) -> int:
        """The partition's reported end offset; never below 0."""
        offsets = self.end_offsets
        return max(offsets[partition], 0) if partition < len(offsets) else 0


class Catalogue:
    """All topics, by name and by id. ``topics_max`` and ``partitions_max``: the limits (``room``).
    ``version`` increases when names are added or removed, ``changes`` when anything of a topic
    except its end offsets changes.

    Rows enter the copy only under ``_reading``, together with the SELECT that read them: later
    reads are applied later, so the copy never goes back.
    """

    BELL: ClassVar[str] = sql.BELL

    def __init__(self, connections: AsyncConnectionPool[Connection], node_id: int = 0) -> None:
        self.version = 0
        self.node_id = node_id
        self.changes = 0
        self.topics_max = self.partitions_max = sys.maxsize
        self.partition_count = 0
        self._coming = Room(0, 0)
        self._connections = connections
        self._by_name: dict[str, CatalogueEntry] = {}
        self._by_id: dict[UUID, CatalogueEntry] = {}
        self._sorted: tuple[CatalogueEntry, ...] | None = ()
        self._reading = asyncio.Lock()
        self._table = TableChanges("rollcall_topic", sql.TOPIC)

    # -- the copy

    def get(self, name: str) -> CatalogueEntry | None:
        """The topic with this name, from memory."""
        return self._by_name.get(name)

    def by_id(self, topic_id: UUID) -> CatalogueEntry | None:
        """The topic with this id, from memory."""
        return self._by_id.get(topic_id)

    def all(self) -> Sequence[CatalogueEntry]:
        """Every topic in memory, by name."""
        if self._sorted is None:
            self._sorted = tuple(sorted(self._by_name.values(), key=lambda entry: entry.name))
        return self._sorted

    @property
    def topic_count(self) -> int:
        """The number of topics in memory."""
        return len(self._by_name)

    def room(self) -> Room:
        """How much more may be created, by this node's copy."""
        return Room(
            self.topics_max - self.topic_count - self._coming.topics,
            self.partitions_max - self.partition_count - self._coming.partitions,
        )

    @contextmanager
    def _reserved(self, topics: int, partitions: int) -> Iterator[None]:
        """Count topics that are being created: otherwise requests of many connections would use the
        same room until the first of them is written."""
        self._coming.topics += topics
        self._coming.partitions += partitions
        try:
            yield
        finally:
            self._coming.topics -= topics
            self._coming.partitions -= partitions

    async def load(self, connection: Connection) -> None:
        """Read everything again. Raises ``psycopg.Error``."""
        async with self._reading:
            read = partial(_rows, query=sql.LOAD_TOPICS)
            look, rows = await self._table.whole(connection, read)
            entries = [_entry(row) for row in rows]
            self.version += self._by_name.keys() != {entry.name for entry in entries}
            self.changes += 1
            self._by_name = {entry.name: entry for entry in entries}
            self._by_id = {entry.topic_id: entry for entry in entries}
            self.partition_count = sum(entry.partitions for entry in entries)
            self._sorted = None
            self._table.seen = look

    async def refresh(self, names: Collection[str] | None) -> None:
        """Read these topics again, or all of them for None. Raises ``psycopg.Error``."""
        async with self._connections.connection() as connection:
            if names is None:
                await self.load(connection)
            else:
                await self._look(connection, names)

    async def rung(self, rung: Rung) -> None:
        """Notifications: names of topics, or None: read whatever has changed."""
        if rung is not None:
            await self.refresh([name for name in rung if name_problem(name) is None])
            return
        async with self._connections.connection() as connection:
            look = await self._table.look(connection)
            # Topics of single look-ups may be gone, and the table as it was seen before them.
            if self._table.is_news(look) or look.rows != self.topic_count:
                await self._catch_up(connection)

    async def _catch_up(self, connection: Connection) -> None:
        """Read the topics that were written since the last look; if others are missing after that,
        some were deleted, and everything is read."""
        async with self._reading:
            look, rows = await self._table.written(connection)
            self._add(rows)
            is_complete = len(self._by_name) == look.rows
            if is_complete:
                self._table.seen = look
        if not is_complete:
            await self.load(connection)

    # -- look-ups in the rows: another node may just have created the topic

    async def find(self, name: str) -> CatalogueEntry | None:
        """The topic with this name; if it is not in memory, its row is read.

        Raises ``Unavailable``.
        """
        return (await self.find_many((name,))).get(name)

    async def find_many(self, names: Iterable[str]) -> Mapping[str, CatalogueEntry]:
        """The existing topics, with at most one round trip. Raises ``Unavailable``.

        Names may be any text of a client: an invalid one is not looked up.
        """
        wanted = dict.fromkeys(names)
        missing = [n for n in wanted if n not in self._by_name and name_problem(n) is None]
        if missing:
            async with self._asking(LOOK_S_MAX) as connection:
                await self._look(connection, missing)
        return self.known(wanted)

    def known(self, names: Iterable[str]) -> Mapping[str, CatalogueEntry]:
        """The topics in memory. No I/O."""
        by_name = self._by_name
        return {name: by_name[name] for name in names if name in by_name}

    async def find_many_by_id(self, topic_ids: Iterable[UUID]) -> Mapping[UUID, CatalogueEntry]:
        """The same by id. Raises ``Unavailable``."""
        wanted = dict.fromkeys(topic_ids)
        missing = [topic_id for topic_id in wanted if topic_id not in self._by_id]
        if missing:
            async with self._asking(LOOK_S_MAX) as connection, self._reading:
                self._add(await _rows(connection, sql.FIND_TOPICS_BY_ID, topic_ids=missing))
        return self.known_by_id(wanted)

    def known_by_id(self, topic_ids: Iterable[UUID]) -> Mapping[UUID, CatalogueEntry]:
        """The same by id. No I/O."""
        by_id = self._by_id
        return {topic_id: by_id[topic_id] for topic_id in topic_ids if topic_id in by_id}

    # -- changes

    async def create(
        self, name: str, partitions: int, author: AuthorDetails = NO_AUTHOR
    ) -> CatalogueEntry:
        """Create one topic. Refuses TOPIC_ALREADY_EXISTS; raises ``Unavailable``."""
        created = await self.create_many({name: partitions}, author)
        if name not in created:
            raise Refuse(ErrorCode.TOPIC_ALREADY_EXISTS, f"The topic {name} exists already.")
        return created[name]

    async def create_many(
        self, partitions: Mapping[str, int], author: AuthorDetails = NO_AUTHOR
    ) -> Mapping[str, CatalogueEntry]:
        """Create topics, all in one transaction; returns those that did not exist before.

        Names and counts must be valid. Raises ``Unavailable``.
        """
        ids = {name: uuid4() for name in sorted(partitions)}
        counts = [partitions[name] for name in ids]
        with self._reserved(len(ids), sum(counts)):
            return await self._create(ids, counts, author)

    async def _create(
        self, ids: Mapping[str, UUID], counts: Sequence[int], author: AuthorDetails
    ) -> Mapping[str, CatalogueEntry]:
        async with self._asking() as connection:
            created = await _rows(
                connection,
                sql.CREATE_TOPICS,
                names=array(list(ids)),
                topic_ids=array(list(ids.values())),
                partitions=array(counts),
                **self._change_parameters(author),
            )
            await self._look(connection, list(ids))
        partitions = dict(zip(ids, counts, strict=True))
        return {row[0]: CatalogueEntry(row[0], ids[row[0]], partitions[row[0]]) for row in created}

    async def grow(
        self, name: str, count: int, author: AuthorDetails = NO_AUTHOR
    ) -> CatalogueEntry:
        """Add partitions to a topic.

        Refuses UNKNOWN_TOPIC_OR_PARTITION, and INVALID_PARTITIONS for no
        increase; raises ``Unavailable``.
        """
        current = self._by_name.get(name)
        more = 0 if current is None else max(count - current.partitions, 0)
        with self._reserved(0, more):
            async with self._asking() as connection:
                parameters = self._change_parameters(author)
                grown = await _rows(
                    connection, sql.GROW_TOPIC, name=name, count=count, **parameters
                )
                await self._look(connection, (name,))
        entry = self._by_name.get(name)
        if entry is None:
            raise unknown_topic(name)
        if not grown:
            check_growth(entry.partitions, count)
            raise Unavailable(f"{name} was deleted and made again meanwhile")
        return entry

    async def delete(
        self, name: str, topic_id: UUID | None = None, author: AuthorDetails = NO_AUTHOR
    ) -> None:
        """Delete a topic and, in the same transaction, all groups' committed offsets of it; the
        journal has an entry for each group.

        With ``topic_id``, only while the name still has that id. Refuses
        UNKNOWN_TOPIC_OR_PARTITION; raises ``Unavailable``.
        """
        # No group's guard fences this write of offsets: the topic belongs to no group, and its
        # groups may be on many nodes (docs/decisions/0002-topic-deletion.md).
        async with self._asking() as connection:
            with connection.patient(sql.MORE_TIME_S):
                gone = await self._erase(
                    connection, name, topic_id, self._change_parameters(author)
                )
            await self._look(connection, (name,))
        if not gone:
            raise unknown_topic(name)

    async def _erase(
        self,
        connection: Connection,
        name: str,
        topic_id: UUID | None,
        parameters: Mapping[str, Any],
    ) -> bool:
        async with connection.transaction():
            await connection.execute(sql.MORE_TIME)
            gone = await _rows(
                connection, sql.DELETE_TOPIC, name=name, topic_id=topic_id, **parameters
            )
            if gone:
                await connection.execute(sql.ERASE_PENDING, {"name": name})
                await connection.execute(sql.ERASE_OFFSETS.encode(), {"name": name, **parameters})
        return bool(gone)

    # -- committed offsets of groups

    async def greatest_committed(
        self, partitions: Collection[tuple[str, int]]
    ) -> Mapping[tuple[str, int], int]:
        """The greatest offset that any group has committed to each partition, if any.

        One round trip for any number. Raises ``Unavailable``.
        """
        if not partitions:
            return {}
        many = len(partitions) > INLINE_MAX
        parameters = (
            await asyncio.to_thread(_partition_arrays, partitions)
            if many
            else _partition_arrays(partitions)
        )
        async with self._asking() as connection:
            # Many are planned again each time: a cached plan is from when the table was small.
            cursor = await connection.execute(
                sql.GREATEST_COMMITTED.encode(), parameters, prepare=False if many else None
            )
            return {(row[0], row[1]): row[2] async for row in in_slices(cursor)}

    # -- helpers

    def _change_parameters(self, author: AuthorDetails) -> Mapping[str, Any]:
        """The parameters of every statement that changes a topic."""
        return {"bell": sql.BELL, "node_id": self.node_id, "author": json.dumps(author)}

    @asynccontextmanager
    async def _asking(self, seconds: float | None = None) -> AsyncIterator[Connection]:
        """A connection; errors of PostgreSQL become ``Unavailable``."""
        try:
            async with asyncio.timeout(seconds), self._connections.connection() as connection:
                yield connection
        except (psycopg.OperationalError, TimeoutError) as error:
            raise Unavailable(str(error)) from error

    async def _look(self, connection: Connection, names: Collection[str]) -> None:
        async with self._reading:
            rows = await _rows(connection, sql.FIND_TOPICS, names=array(list(names)))
            gone = self._by_name.keys() & set(names) - {row[0] for row in rows}
            self.version += bool(gone)
            self.changes += bool(gone)
            for name in gone:
                entry = self._by_name.pop(name)
                self._by_id.pop(entry.topic_id, None)
                self.partition_count -= entry.partitions
            self._add(rows)

    def _add(self, rows: Iterable[Sequence[Any]]) -> None:
        for entry in map(_entry, rows):
            before = self._by_name.get(entry.name)
            self.changes += before is None or before.assignor_inputs != entry.assignor_inputs
            self.partition_count += entry.partitions
            if before is not None:
                self._by_id.pop(before.topic_id, None)
                self.partition_count -= before.partitions
            else:
                self.version += 1
            self._by_name[entry.name] = self._by_id[entry.topic_id] = entry
        self._sorted = None


def unknown_topic(name: str) -> Refuse:
    """The refusal of a topic that does not exist."""
    return Refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"There is no topic {name}.")


def _entry(row: Sequence[Any]) -> CatalogueEntry:
    name, topic_id, partitions, end_offsets, racks = row
    near = tuple(map(frozenset, racks))
    return CatalogueEntry(name, topic_id, partitions, tuple(end_offsets), near)


def _partition_arrays(partitions: Collection[tuple[str, int]]) -> Mapping[str, Any]:
    topics, numbers = zip(*partitions, strict=True)
    return {"topics": array(topics), "partitions": array(numbers)}


async def _rows(connection: Connection, query: str, **parameters: Any) -> list[Sequence[Any]]:
    return await (await connection.execute(query.encode(), parameters)).fetchall()
