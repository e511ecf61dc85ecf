"""Members over raw sockets, for load: Rollcall's own codec, one request at a time.

Forms groups as a client would, so that what is measured afterwards is real. It measures nothing.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from rollcall.wire.codec import decode, encode
from rollcall.wire.declare import Message
from rollcall.wire.messages import MESSAGES
from rollcall.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from rollcall.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from rollcall.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

SESSION_MS = 1_800_000
"""Load comes and goes; nobody expires meanwhile."""

REBALANCE_IN_PROGRESS = 27
NOT_YET = (14, 15, 16)
"""COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR."""

AGAIN_S = 0.1
STOCK_SESSION_MS = 45_000
"""What clients ask for unless told otherwise."""

REBALANCE_MS = 60_000
API_VERSIONS = 18
"""Its answers have the header without tags in every version, for clients that do not know more."""
CLIENT_ID = b"bench"


def frame(
    request: Message, version: int, correlation_id: int, client_id: bytes = CLIENT_ID
) -> bytes:
    """One request, length included."""
    assert request.api_key is not None
    head = request.api_key.to_bytes(2, "big") + version.to_bytes(2, "big")
    head += correlation_id.to_bytes(4, "big") + len(client_id).to_bytes(2, "big") + client_id
    tags: bytes = b"\0" if request.flexible(version) else b""
    payload = head + tags + encode(request, version)
    return len(payload).to_bytes(4, "big") + payload


class Peer:
    """One connection to a node."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.asked = 0

    @classmethod
    async def connect(cls, bootstrap: str) -> "Peer":
        """Connect to HOST:PORT."""
        host, _, port = bootstrap.rpartition(":")
        return cls(*await asyncio.open_connection(host, int(port)))

    async def call(self, request: Any, version: int) -> Any:
        """Ask and wait for the answer."""
        return (await self.exchange(request, version))[1]

    async def exchange(self, request: Any, version: int) -> tuple[bytes, Any]:
        """The same; the answer also as it came, length included."""
        self.asked += 1
        self.writer.write(frame(request, version, self.asked))
        head = await self.reader.readexactly(4)
        raw = await self.reader.readexactly(int.from_bytes(head, "big"))
        assert int.from_bytes(raw[:4], "big") == self.asked, "an answer out of its turn"
        response = MESSAGES[request.api_key].response
        has_tags = response.flexible(version) and request.api_key != API_VERSIONS
        answer = decode(response, version, raw, 5 if has_tags else 4)
        return head + raw, answer

    def close(self) -> None:
        """Close the connection."""
        self.writer.close()


class Member:
    """A classic member with a connection of its own."""

    def __init__(self, peer: Peer, group_id: str, session_ms: int) -> None:
        self.peer = peer
        self.group_id = group_id
        self.session_ms = session_ms
        self.member_id = ""
        self.generation = -1

    async def join(self) -> Any:
        """JoinGroup v3: no step for the member id. A Kafka that has just started does not lead all
        groups at once: ask again."""
        answer = await self._asked_to_join()
        while answer.error_code in NOT_YET:
            await asyncio.sleep(AGAIN_S)
            answer = await self._asked_to_join()
        assert answer.error_code == 0, answer
        self.member_id, self.generation = answer.member_id, answer.generation_id
        return answer

    async def _asked_to_join(self) -> Any:
        return await self.peer.call(
            JoinGroupRequest(
                group_id=self.group_id,
                session_timeout_ms=self.session_ms,
                rebalance_timeout_ms=REBALANCE_MS,
                member_id=self.member_id,
                protocol_type="consumer",
                protocols=[JoinGroupRequestProtocol(name="range", metadata=b"")],
            ),
            3,
        )

    async def settle(self, size: int) -> None:
        """Join and sync until a generation of so many members has an assignment."""
        error = REBALANCE_IN_PROGRESS
        while error == REBALANCE_IN_PROGRESS:
            answer = await self.join()
            leads = answer.leader == self.member_id
            if not leads or len(answer.members) == size:
                error = await self.try_sync([each.member_id for each in answer.members])
        assert error == 0, error

    async def sync(self, members: Sequence[str] = ()) -> None:
        """SyncGroup; the leader names the members."""
        error = await self.try_sync(members)
        assert error == 0, error

    async def try_sync(self, members: Sequence[str] = ()) -> int:
        """The same; returns the error code, as where a rebalance has begun meanwhile."""
        answer = await self.peer.call(
            SyncGroupRequest(
                group_id=self.group_id,
                generation_id=self.generation,
                member_id=self.member_id,
                assignments=[
                    SyncGroupRequestAssignment(member_id=m, assignment=b"work") for m in members
                ],
            ),
            2,
        )
        return int(answer.error_code)


async def form_group(
    bootstrap: str, group_id: str, size: int, session_ms: int = SESSION_MS
) -> list[Member]:
    """A stable group of so many members."""
    members = [Member(await Peer.connect(bootstrap), group_id, session_ms) for _ in range(size)]
    await settle(members)
    return members


async def settle(members: Sequence[Member]) -> None:
    """Let the members of a group join until one generation holds all, and sync. Each joins again by
    itself: one that waited for the others first would be waited for, and removed."""
    await asyncio.gather(*(member.settle(len(members)) for member in members))


async def form_groups(bootstrap: str, name: str, groups: int, size: int) -> list[Member]:
    """The members of so many new groups, whose ids begin with the name.

    Their connections are closed: the load that follows has connections of its own. The ids are
    new each time, since an old member that has gone would be waited for.
    """
    prefix = f"{name}-{uuid4().hex[:8]}"
    return await form(bootstrap, [f"{prefix}-{n}" for n in range(groups)], size)


async def form(bootstrap: str, group_ids: Sequence[str], size: int) -> list[Member]:
    """The members of these new groups, whose connections are closed."""
    formed = await asyncio.gather(
        *(form_group(bootstrap, group_id, size) for group_id in group_ids)
    )
    members = [member for group in formed for member in group]
    for member in members:
        member.peer.close()
    return members


async def led_by(bootstrap: str, group_ids: Sequence[str]) -> dict[str, list[str]]:
    """The HOST:PORT of each node that leads some of the groups, and these groups. Nodes that have
    just started do not lead all at once: ask again."""
    peer = await Peer.connect(bootstrap)
    request = FindCoordinatorRequest(coordinator_keys=group_ids)
    answer = await peer.call(request, 4)
    while any(found.error_code in NOT_YET for found in answer.coordinators):
        await asyncio.sleep(AGAIN_S)
        answer = await peer.call(request, 4)
    peer.close()
    led = defaultdict[str, list[str]](list)
    for found in answer.coordinators:
        assert found.error_code == 0, found
        led[f"{found.host}:{found.port}"].append(found.key)
    return led


async def create_topic(bootstrap: str, name: str, partitions: int) -> None:
    """Create a topic, or find that it is there."""
    peer = await Peer.connect(bootstrap)
    topic = CreatableTopic(name=name, num_partitions=partitions, replication_factor=1)
    answer = await peer.call(CreateTopicsRequest(topics=[topic], timeout_ms=5000), 2)
    assert answer.topics[0].error_code in (0, 36), answer
    peer.close()
