"""The node's copy of the topic catalogue, and the only code of a node that changes topics.

A topic is a name, an id and a number of partitions (docs/architecture.md, *Topics*). Reading the
copy is a look into a dict. A change goes to the rows first, where PostgreSQL judges races, and
every change rings the others. No rule about names or counts stands here (``groups.core.topics``),
and no SQL (``groups.store.sql.catalogue``).
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID, uuid4

import psycopg
from psycopg_pool import AsyncConnectionPool

from groups.core.authors import NOBODY, Told
from groups.core.errors import ErrorCode, Refuse
from groups.core.topics import Room, check_growth, name_problem
from groups.postgres.array_literals import array
from groups.postgres.connections import Connection, in_slices
from groups.store.sql import catalogue as sql

INLINE_MAX = 2_000
"""Partitions that a question is put together of on the event loop; more take milliseconds."""

LOOK_S_MAX = 2.0
"""How long a request may wait to learn whether a topic exists, queueing included."""


class Unavailable(Exception):
    """PostgreSQL gave no answer; whether a change was made is unknown."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One topic. ``end_offsets``: where each partition's work ends; missing means 0. ``racks``:
    which are near to each partition; missing means none."""

    name: str
    topic_id: UUID
    partitions: int
    end_offsets: tuple[int, ...] = ()
    racks: tuple[frozenset[str], ...] = ()

    @property
    def shown(self) -> tuple[UUID, int, tuple[frozenset[str], ...]]:
        """What groups that assign go by."""
        return self.topic_id, self.partitions, self.racks

    def has(self, partition: int) -> bool:
        """Whether the topic has a partition of that number."""
        return 0 <= partition < self.partitions

    def end_offset(self, partition: int) -> int:
        """Where the partition's work ends, as far as somebody told; never below 0."""
        known = self.end_offsets
        return max(known[partition], 0) if partition < len(known) else 0


class Catalogue:
    """All topics, by name and by id. ``topics_max`` and ``partitions_max``: how many there may be
    (``room``). ``version`` rises whenever names come or go, ``changes``
    whenever anything of a topic but its end offsets is another.

    Rows enter the copy only under ``_reading``, together with the SELECT that
    read them: what was read later is applied later, so the copy never goes back.
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
        self._by_name: dict[str, Entry] = {}
        self._by_id: dict[UUID, Entry] = {}
        self._sorted: tuple[Entry, ...] | None = ()
        self._reading = asyncio.Lock()

    # -- the copy

    def get(self, name: str) -> Entry | None:
        """The topic of that name, as far as this node knows. No I/O."""
        return self._by_name.get(name)

    def by_id(self, topic_id: UUID) -> Entry | None:
        """The topic of that id, as far as this node knows. No I/O."""
        return self._by_id.get(topic_id)

    def all(self) -> Sequence[Entry]:
        """Every topic that this node knows, by name."""
        if self._sorted is None:
            self._sorted = tuple(sorted(self._by_name.values(), key=lambda entry: entry.name))
        return self._sorted

    @property
    def topic_count(self) -> int:
        """How many this node knows."""
        return len(self._by_name)

    def room(self) -> Room:
        """For how much more there is room, as far as this node knows."""
        return Room(
            self.topics_max - self.topic_count - self._coming.topics,
            self.partitions_max - self.partition_count - self._coming.partitions,
        )

    @contextmanager
    def _made_soon(self, topics: int, partitions: int) -> Iterator[None]:
        """They have been found room for, and are counted from now on: requests of many connections
        would find the same room until the first of them is written."""
        self._coming.topics += topics
        self._coming.partitions += partitions
        try:
            yield
        finally:
            self._coming.topics -= topics
            self._coming.partitions -= partitions

    async def load(self, connection: Connection) -> None:
        """Read everything anew. Raises ``psycopg.Error``."""
        async with self._reading:
            rows = await (await connection.execute(sql.LOAD_TOPICS)).fetchall()
            entries = [_entry(row) for row in rows]
            self.version += self._by_name.keys() != {entry.name for entry in entries}
            self.changes += 1
            self._by_name = {entry.name: entry for entry in entries}
            self._by_id = {entry.topic_id: entry for entry in entries}
            self.partition_count = sum(entry.partitions for entry in entries)
            self._sorted = None

    async def refresh(self, names: Collection[str] | None) -> None:
        """Read these topics anew, or all of them for None. Raises ``psycopg.Error``."""
        async with self._connections.connection() as connection:
            if names is None:
                await self.load(connection)
            else:
                await self._look(connection, names)

    async def rung(self, payload: str | None) -> None:
        """The doorbell: a topic's name, or None when rings may have been missed."""
        await self.refresh(None if payload is None else (payload,))

    # -- looking twice: another node may just have made it

    async def find(self, name: str) -> Entry | None:
        """The topic of that name; its row is read before the answer is None.

        Raises ``Unavailable``.
        """
        return (await self.find_many((name,))).get(name)

    async def find_many(self, names: Iterable[str]) -> Mapping[str, Entry]:
        """Those of the topics that exist, in one round trip at most. Raises ``Unavailable``.

        Names may be anything a client sent: an illegal one is no topic's.
        """
        wanted = dict.fromkeys(names)
        missing = [n for n in wanted if n not in self._by_name and name_problem(n) is None]
        if missing:
            async with self._asking(LOOK_S_MAX) as connection:
                await self._look(connection, missing)
        return self.known(wanted)

    def known(self, names: Iterable[str]) -> Mapping[str, Entry]:
        """Those of the topics that this node knows. No I/O."""
        known = self._by_name
        return {name: known[name] for name in names if name in known}

    async def find_many_by_id(self, topic_ids: Iterable[UUID]) -> Mapping[UUID, Entry]:
        """The same by id. Raises ``Unavailable``."""
        wanted = dict.fromkeys(topic_ids)
        missing = [topic_id for topic_id in wanted if topic_id not in self._by_id]
        if missing:
            async with self._asking(LOOK_S_MAX) as connection, self._reading:
                self._add(await _rows(connection, sql.FIND_TOPICS_BY_ID, topic_ids=missing))
        return self.known_by_id(wanted)

    def known_by_id(self, topic_ids: Iterable[UUID]) -> Mapping[UUID, Entry]:
        """The same by id. No I/O."""
        known = self._by_id
        return {topic_id: known[topic_id] for topic_id in topic_ids if topic_id in known}

    # -- changes

    async def create(self, name: str, partitions: int, author: Told = NOBODY) -> Entry:
        """Make one topic. Refuses TOPIC_ALREADY_EXISTS; raises ``Unavailable``."""
        made = await self.create_many({name: partitions}, author)
        if name not in made:
            raise Refuse(ErrorCode.TOPIC_ALREADY_EXISTS, f"The topic {name} exists already.")
        return made[name]

    async def create_many(
        self, partitions: Mapping[str, int], author: Told = NOBODY
    ) -> Mapping[str, Entry]:
        """Make topics, all in one transaction; returns those that did not exist before.

        Names and counts must be legal. Raises ``Unavailable``.
        """
        ids = {name: uuid4() for name in sorted(partitions)}
        counts = [partitions[name] for name in ids]
        with self._made_soon(len(ids), sum(counts)):
            return await self._create(ids, counts, author)

    async def _create(
        self, ids: Mapping[str, UUID], counts: Sequence[int], author: Told
    ) -> Mapping[str, Entry]:
        async with self._asking() as connection:
            made = await _rows(
                connection,
                sql.CREATE_TOPICS,
                names=array(list(ids)),
                topic_ids=array(list(ids.values())),
                partitions=array(counts),
                **self._said(author),
            )
            await self._look(connection, list(ids))
        partitions = dict(zip(ids, counts, strict=True))
        return {row[0]: Entry(row[0], ids[row[0]], partitions[row[0]]) for row in made}

    async def grow(self, name: str, count: int, author: Told = NOBODY) -> Entry:
        """Give a topic more partitions.

        Refuses UNKNOWN_TOPIC_OR_PARTITION, and INVALID_PARTITIONS for no
        increase; raises ``Unavailable``.
        """
        known = self._by_name.get(name)
        more = 0 if known is None else max(count - known.partitions, 0)
        with self._made_soon(0, more):
            async with self._asking() as connection:
                said = self._said(author)
                grown = await _rows(connection, sql.GROW_TOPIC, name=name, count=count, **said)
                await self._look(connection, (name,))
        entry = self._by_name.get(name)
        if entry is None:
            raise unknown_topic(name)
        if not grown:
            check_growth(entry.partitions, count)
            raise Unavailable(f"{name} was deleted and made again meanwhile")
        return entry

    async def delete(self, name: str, topic_id: UUID | None = None, author: Told = NOBODY) -> None:
        """Delete a topic and, in the same transaction, what every group committed to it; the
        journal tells each of them.

        With ``topic_id``, only while the name still has that id. Refuses
        UNKNOWN_TOPIC_OR_PARTITION; raises ``Unavailable``.
        """
        # No group's guard fences this one write of offsets: the topic is not any
        # group's, and its groups may live on many nodes (docs/decisions/0002-topic-deletion.md).
        async with self._asking() as connection:
            with connection.patient(sql.MORE_TIME_S):
                gone = await self._erase(connection, name, topic_id, self._said(author))
            await self._look(connection, (name,))
        if not gone:
            raise unknown_topic(name)

    async def _erase(
        self, connection: Connection, name: str, topic_id: UUID | None, said: Mapping[str, Any]
    ) -> bool:
        async with connection.transaction():
            await connection.execute(sql.MORE_TIME)
            gone = await _rows(connection, sql.DELETE_TOPIC, name=name, topic_id=topic_id, **said)
            if gone:
                await connection.execute(sql.ERASE_PENDING, {"name": name})
                await connection.execute(sql.ERASE_OFFSETS.encode(), {"name": name, **said})
        return bool(gone)

    # -- what groups have committed

    async def greatest_committed(
        self, partitions: Collection[tuple[str, int]]
    ) -> Mapping[tuple[str, int], int]:
        """The greatest offset that any group committed to each partition, where one did.

        One round trip for any number. Raises ``Unavailable``.
        """
        if not partitions:
            return {}
        many = len(partitions) > INLINE_MAX
        asked = await asyncio.to_thread(_asked, partitions) if many else _asked(partitions)
        async with self._asking() as connection:
            # For many it is planned anew: a kept plan is one from when the table was small.
            cursor = await connection.execute(
                sql.GREATEST_COMMITTED.encode(), asked, prepare=False if many else None
            )
            return {(row[0], row[1]): row[2] async for row in in_slices(cursor)}

    # -- within

    def _said(self, author: Told) -> Mapping[str, Any]:
        """What each statement that changes a topic needs beside the topic."""
        return {"bell": sql.BELL, "node_id": self.node_id, "author": json.dumps(author)}

    @asynccontextmanager
    async def _asking(self, seconds: float | None = None) -> AsyncIterator[Connection]:
        """A connection; the one place where PostgreSQL's silence becomes ``Unavailable``."""
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
            self.changes += before is None or before.shown != entry.shown
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


def _entry(row: Sequence[Any]) -> Entry:
    name, topic_id, partitions, end_offsets, racks = row
    near = tuple(map(frozenset, racks))
    return Entry(name, topic_id, partitions, tuple(end_offsets), near)


def _asked(partitions: Collection[tuple[str, int]]) -> Mapping[str, Any]:
    topics, numbers = zip(*partitions, strict=True)
    return {"topics": array(topics), "partitions": array(numbers)}


async def _rows(connection: Connection, query: str, **parameters: Any) -> list[Sequence[Any]]:
    return await (await connection.execute(query.encode(), parameters)).fetchall()
