"""A client that may misbehave: pipelines, stops reading, sends halves of frames.

It speaks Rollcall's own codec; that the codec is Kafka's is shown in ``tests/wire``.
"""

import asyncio
import socket
from collections import deque
from typing import Any, Self
from uuid import uuid4

from benchmarks.wire import CLIENT_ID, frame
from groups.core.errors import ErrorCode
from rollcall.wire.codec import decode
from rollcall.wire.messages import MESSAGES
from rollcall.wire.messages.api_versions import ApiVersionsRequest
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from rollcall.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

API_VERSIONS = 18
SMALL = 4096
"""A receive buffer that fills soon (the kernel doubles it)."""


def hello() -> ApiVersionsRequest:
    """The cheapest request that goes through the queue."""
    return ApiVersionsRequest(client_software_name="c", client_software_version="1")


def consumer_join(group_id: str) -> ConsumerGroupHeartbeatRequest:
    """The first heartbeat of a new member of the consumer protocol."""
    return ConsumerGroupHeartbeatRequest(
        group_id=group_id,
        member_id=str(uuid4()),
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=["t"],
        topic_partitions=[],
    )


def join(
    group_id: str, member_id: str = "", session_ms: int = 120_000, assignor: str = "range"
) -> JoinGroupRequest:
    """JoinGroup, for a version below 4: no step for the member id."""
    return JoinGroupRequest(
        group_id=group_id,
        session_timeout_ms=session_ms,
        rebalance_timeout_ms=60_000,
        member_id=member_id,
        protocol_type="consumer",
        protocols=[JoinGroupRequestProtocol(name=assignor, metadata=b"")],
    )


OPEN: list["Client"] = []
"""Clients to close when their server ends, whether or not their test came to its end."""


class Client:
    """One connection. Replies come in the order of the requests, or an assertion fails."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.client_id = CLIENT_ID
        self.sent: deque[tuple[int, Any, int]] = deque()
        self._number = 0
        OPEN.append(self)

    @classmethod
    async def connect(cls, address: str, *, receive_buffer: int | None = None) -> Self:
        """Connect to HOST:PORT."""
        host, _, port = address.rpartition(":")
        made = socket.socket()
        if receive_buffer is not None:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        made.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(made, (host, int(port)))
        except OSError:
            made.close()
            raise
        return cls(*await asyncio.open_connection(sock=made, limit=receive_buffer or 2**20))

    def packed(self, request: Any, version: int) -> bytes:
        """A frame that is counted as sent; the caller writes it."""
        self._number += 1
        self.sent.append((self._number, request, version))
        return frame(request, version, self._number, self.client_id)

    def send(self, request: Any, version: int) -> None:
        """Send without waiting for the reply."""
        self.writer.write(self.packed(request, version))

    async def receive(self) -> Any:
        """The next reply, which must be the one to the oldest request that has none."""
        size = int.from_bytes(await self.reader.readexactly(4), "big")
        raw = await self.reader.readexactly(size)
        number, request, version = self.sent.popleft()
        assert int.from_bytes(raw[:4], "big") == number, "a reply out of its turn"
        response = MESSAGES[request.api_key].response
        flexible = response.flexible(version) and request.api_key != API_VERSIONS
        return decode(response, version, raw, 5 if flexible else 4)

    async def call(self, request: Any, version: int) -> Any:
        """Ask, and wait for the reply."""
        self.send(request, version)
        return await self.receive()

    async def settled(
        self,
        group_id: str,
        member_id: str = "",
        session_ms: int = 10_000,
        assignor: str = "range",
    ) -> HeartbeatRequest:
        """Be the only member of a stable group, perhaps again; the heartbeat that it sends."""
        joined = await self.call(join(group_id, member_id, session_ms, assignor), 3)
        assert joined.error_code == 0, joined
        mine = SyncGroupRequestAssignment(member_id=joined.member_id, assignment=b"all")
        synced = await self.call(
            SyncGroupRequest(
                group_id=group_id,
                generation_id=joined.generation_id,
                member_id=joined.member_id,
                assignments=[mine],
            ),
            2,
        )
        assert synced.error_code == 0, synced
        return HeartbeatRequest(
            group_id=group_id, generation_id=joined.generation_id, member_id=joined.member_id
        )

    async def hears_of_a_rebalance(self, beat: HeartbeatRequest) -> None:
        """Beat until it is no longer 0: then a joining member has its place in the rows."""
        while (heard := (await self.call(beat, 3)).error_code) == ErrorCode.NONE:
            await asyncio.sleep(0.001)
        assert heard == ErrorCode.REBALANCE_IN_PROGRESS

    async def ended(self) -> bytes:
        """What came until the server closed the connection."""
        try:
            return await self.reader.read()
        except ConnectionResetError:
            return b""

    def close(self) -> None:
        """Close this side."""
        self.writer.close()

    def abort(self) -> None:
        """Close this side with a reset."""
        self.writer.transport.abort()
