"""Requests over a raw socket with Rollcall's own codec, as the demo's members make them.

One request at a time on each connection. What they are for is the members' business.
"""

import asyncio
from collections.abc import Collection, Mapping
from typing import Any, Self

from groups.core.errors import ErrorCode
from rollcall.wire.codec import decode, encode
from rollcall.wire.declare import Message
from rollcall.wire.messages import MESSAGES
from rollcall.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from rollcall.wire.messages.delete_topics import DeleteTopicsRequest
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic

FIND, COMMIT, FETCH, CREATE, DELETE = 2, 9, 5, 5, 5
"""The versions spoken here."""

TIMEOUT_MS = 5_000
ANSWER_S = 60.0
"""Longer than any join is parked."""


class Away(Exception):
    """The coordinator cannot be asked just now: look for it again a little later."""


class DemoRefused(Exception):
    """What the demo needs was refused; the text says what."""


class Connection:
    """One connection to a node: a request, then its answer."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, client_id: str
    ) -> None:
        self.reader = reader
        self.writer = writer
        self.client_id = client_id
        self.asked = 0

    @classmethod
    async def open(cls, bootstrap: str, client_id: str = "demo") -> Self:
        """Connect to HOST:PORT; ``OSError`` without a listener."""
        host, _, port = bootstrap.rpartition(":")
        return cls(*await asyncio.open_connection(host.strip("[]"), int(port)), client_id)

    @classmethod
    async def to_coordinator(cls, bootstrap: str, group: str, client_id: str = "demo") -> Self:
        """Connect to the node that owns the group; ``Away`` while none does."""
        asked = await cls.open(bootstrap, client_id)
        try:
            found = await asked.call(FindCoordinatorRequest(key=group, key_type=0), FIND)
        finally:
            asked.close()
        if found.error_code != ErrorCode.NONE:
            raise Away(found.error_message)
        return await cls.open(f"{found.host}:{found.port}", client_id)

    async def call(self, request: Message, version: int) -> Any:
        """Ask, and wait for the answer; ``Away`` if the connection ends or nothing comes."""
        assert request.api_key is not None
        self.asked += 1
        name = self.client_id.encode()
        parts = (request.api_key, 2), (version, 2), (self.asked, 4), (len(name), 2)
        head = b"".join(number.to_bytes(size, "big") for number, size in parts) + name
        tags = b"\0" if request.flexible(version) else b""
        payload = head + tags + encode(request, version)
        self.writer.write(len(payload).to_bytes(4, "big") + payload)
        response = MESSAGES[request.api_key].response
        raw = await self._answer()
        return decode(response, version, raw, 5 if response.flexible(version) else 4)

    async def _answer(self) -> bytes:
        try:
            async with asyncio.timeout(ANSWER_S):
                size = int.from_bytes(await self.reader.readexactly(4), "big")
                return await self.reader.readexactly(size)
        except (OSError, asyncio.IncompleteReadError) as end:
            raise Away(str(end)) from end

    def close(self) -> None:
        """End it without a word."""
        self.writer.close()


async def commit(
    connection: Connection, group: str, member: tuple[str, int], topic: str, to: Mapping[int, int]
) -> None:
    """Commit offsets as a member: its id, and its generation or epoch. A refusal is no matter: the
    next heartbeat tells the member why."""
    member_id, epoch = member
    partitions = [
        OffsetCommitRequestPartition(
            partition_index=partition, committed_offset=offset, committed_metadata=""
        )
        for partition, offset in to.items()
    ]
    request = OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=epoch,
        member_id=member_id,
        topics=[OffsetCommitRequestTopic(name=topic, partitions=partitions)],
    )
    await connection.call(request, COMMIT)


async def committed(
    connection: Connection, group: str, topic: str, partitions: Collection[int]
) -> dict[int, int]:
    """What the group has committed, -1 for nothing yet."""
    wanted = [OffsetFetchRequestTopic(name=topic, partition_indexes=list(partitions))]
    answer = await connection.call(OffsetFetchRequest(group_id=group, topics=wanted), FETCH)
    return {p.partition_index: p.committed_offset for t in answer.topics for p in t.partitions}


async def create_topic(bootstrap: str, name: str, partitions: int) -> None:
    """Create a topic, or find that it is there."""
    topic = CreatableTopic(name=name, num_partitions=partitions, replication_factor=1)
    answer = await once(
        bootstrap, CreateTopicsRequest(topics=[topic], timeout_ms=TIMEOUT_MS), CREATE
    )
    code = answer.topics[0].error_code
    if code not in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS):
        raise DemoRefused(f'the topic "{name}" could not be created: {ErrorCode(code).name}')


async def delete_topic(bootstrap: str, name: str) -> None:
    """Delete a topic, if it is there."""
    await once(bootstrap, DeleteTopicsRequest(topic_names=[name], timeout_ms=TIMEOUT_MS), DELETE)


async def once(bootstrap: str, request: Message, version: int) -> Any:
    """One request on a connection of its own."""
    connection = await Connection.open(bootstrap)
    try:
        return await connection.call(request, version)
    finally:
        connection.close()
