"""A member of a classic group over a raw socket, for the demo: it joins, beats and rejoins.

The leader deals the partitions out like cards. Only the demo uses this; workers use a Kafka
client.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Self

from protocol.messages import MESSAGES
from protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from protocol.wire.codec import decode, encode
from protocol.wire.declare import Message

SESSION_MS = 6_000
REBALANCE_MS = 10_000
BEAT_S = 0.5

NONE, UNKNOWN_MEMBER_ID, REBALANCE_IN_PROGRESS = 0, 25, 27
TOPIC_ALREADY_EXISTS = 36
JOIN, SYNC, BEAT, LEAVE, CREATE = 3, 2, 3, 5, 5
"""The versions spoken here. JoinGroup v3 needs no step for the member id."""


class Told(NamedTuple):
    """What a member was given."""

    name: str
    generation: int
    partitions: Sequence[int]


class Connection:
    """One connection to a node: a request, then its answer."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.client_id = "demo"
        self.asked = 0

    @classmethod
    async def open(cls, bootstrap: str, client_id: str = "demo") -> Self:
        """Connect to HOST:PORT."""
        host, _, port = bootstrap.rpartition(":")
        connection = cls(*await asyncio.open_connection(host, int(port)))
        connection.client_id = client_id
        return connection

    async def call(self, request: Message, version: int) -> Any:
        """Ask, and wait for the answer."""
        assert request.api_key is not None
        self.asked += 1
        name = self.client_id.encode()
        parts = (request.api_key, 2), (version, 2), (self.asked, 4), (len(name), 2)
        head = b"".join(number.to_bytes(size, "big") for number, size in parts) + name
        tags = b"\0" if request.flexible(version) else b""
        payload = head + tags + encode(request, version)
        self.writer.write(len(payload).to_bytes(4, "big") + payload)
        size = int.from_bytes(await self.reader.readexactly(4), "big")
        raw = await self.reader.readexactly(size)
        response = MESSAGES[request.api_key].response
        return decode(response, version, raw, 5 if response.flexible(version) else 4)


class Member:
    """A member that lives until it leaves or is cut off."""

    session_s = SESSION_MS / 1000

    def __init__(self, connection: Connection, group: str, partitions: int, name: str) -> None:
        self.connection = connection
        self.group = group
        self.partitions = partitions
        self.name = name
        self.member_id = ""
        self.generation = 0
        self._life: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls,
        bootstrap: str,
        group: str,
        topic: str,
        partitions: int,
        name: str,
        tell: Callable[[Told], None],
    ) -> Self:
        """Connect, and begin to live."""
        member = cls(await Connection.open(bootstrap, name), group, partitions, name)
        member._life = asyncio.create_task(member._live(tell))
        return member

    async def leave(self, reason: str) -> None:
        """Say goodbye and stop."""
        self._stop()
        if not self.member_id:
            return
        with suppress(OSError, asyncio.IncompleteReadError):
            # A connection of its own: on the old one an answer may still be on its way.
            host, port = self.connection.writer.get_extra_info("peername")[:2]
            connection = await Connection.open(f"{host}:{port}", self.name)
            leaver = MemberIdentity(member_id=self.member_id, reason=reason)
            await connection.call(LeaveGroupRequest(group_id=self.group, members=[leaver]), LEAVE)
            connection.writer.close()
        self.connection.writer.close()

    def cut_off(self) -> None:
        """Stop without a word."""
        self._stop()
        self.connection.writer.close()

    def _stop(self) -> None:
        if self._life is not None:
            self._life.cancel()

    async def _live(self, tell: Callable[[Told], None]) -> None:
        while True:
            given = await self._join()
            if given is not None:
                tell(Told(self.name, self.generation, given))
                await self._beat()

    async def _join(self) -> list[int] | None:
        """Join and sync; None where the round was overtaken by another."""
        joined = await self.connection.call(
            JoinGroupRequest(
                group_id=self.group,
                session_timeout_ms=SESSION_MS,
                rebalance_timeout_ms=REBALANCE_MS,
                member_id=self.member_id,
                protocol_type="demo",
                protocols=[JoinGroupRequestProtocol(name="cards", metadata=b"")],
            ),
            JOIN,
        )
        self.member_id = joined.member_id if joined.error_code == NONE else ""
        self.generation = joined.generation_id
        ids = [member.member_id for member in joined.members]
        synced = await self.connection.call(
            SyncGroupRequest(
                group_id=self.group,
                generation_id=self.generation,
                member_id=self.member_id,
                assignments=self._deal(ids),
            ),
            SYNC,
        )
        return json.loads(synced.assignment) if synced.error_code == NONE else None

    def _deal(self, ids: Sequence[str]) -> list[SyncGroupRequestAssignment]:
        return [
            SyncGroupRequestAssignment(
                member_id=member_id,
                assignment=json.dumps(list(range(place, self.partitions, len(ids)))).encode(),
            )
            for place, member_id in enumerate(ids)
        ]

    async def _beat(self) -> None:
        """Beat until the group rebalances."""
        while True:
            await asyncio.sleep(BEAT_S)
            answer = await self.connection.call(
                HeartbeatRequest(
                    group_id=self.group, generation_id=self.generation, member_id=self.member_id
                ),
                BEAT,
            )
            if answer.error_code == UNKNOWN_MEMBER_ID:
                self.member_id = ""
            if answer.error_code != NONE:
                return


async def create_topic(bootstrap: str, name: str, partitions: int) -> None:
    """Create a topic, or find that it is there."""
    connection = await Connection.open(bootstrap)
    topic = CreatableTopic(name=name, num_partitions=partitions, replication_factor=1)
    answer = await connection.call(CreateTopicsRequest(topics=[topic], timeout_ms=5_000), CREATE)
    code = answer.topics[0].error_code
    if code not in (NONE, TOPIC_ALREADY_EXISTS):
        raise SystemExit(f'the topic "{name}" could not be created: {answer.topics[0]}')
    connection.writer.close()
