"""Members over raw sockets: one of a classic group, one of a consumer-protocol group.

Each joins, heartbeats, commits what it pretends to read, and continues until it leaves or is cut
off. Only the demo uses this: workers use a Kafka client.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from contextlib import suppress
from uuid import UUID, uuid4

from demo import wire
from demo.cast import Kind, Part
from demo.progress import Progress
from demo.wire import Away, Connection
from groups.core.errors import ErrorCode
from rollcall.wire.codec import decode, encode
from rollcall.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from rollcall.wire.messages.consumer_protocol_assignment import (
    ConsumerProtocolAssignment,
    TopicPartition,
)
from rollcall.wire.messages.consumer_protocol_subscription import ConsumerProtocolSubscription
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from rollcall.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from rollcall.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

JOIN, SYNC, BEAT, LEAVE, CONSUMER_BEAT = 4, 2, 3, 5, 1
"""The versions spoken here. JoinGroup v4 tells a member its id before it waits for the others
(KIP-394), so that it can leave meanwhile."""

CLASSIC_BEAT_S = 1.0
REBALANCE_MS = 10_000
RETRY_S = 1.0
VERSION_0 = b"\0\0"
"""In front of a subscription or an assignment."""

LEAVE_EPOCH = -1

Tell = Callable[[Collection[int]], None]


class WireMember(ABC):
    """What both kinds share: a life that looks for its coordinator again when it is lost."""

    def __init__(self, part: Part, tell: Tell) -> None:
        self.part = part
        self.tell = tell
        self.member_id = ""
        self.epoch = 0
        self.held: tuple[int, ...] = ()
        self._progress = Progress(part.seed)
        self._worked = 0.0
        self._life: asyncio.Task[None] | None = None

    async def enter(self) -> None:
        """Begin to live."""
        self._life = asyncio.create_task(self._live())

    async def leave(self) -> None:
        """Say goodbye and stop."""
        await self.crash()
        with suppress(OSError, Away):
            # A connection of its own: on the old one an answer may still be on its way.
            connection = await self._connect()
            await self._goodbye(connection)
            connection.close()

    async def crash(self) -> None:
        """Stop without a word."""
        if self._life is not None:
            self._life.cancel()
            await asyncio.wait([self._life])

    async def _live(self) -> None:
        while True:
            try:
                connection = await self._connect()
                try:
                    await self._attend(connection)
                finally:
                    connection.close()
            except (OSError, Away):
                await asyncio.sleep(RETRY_S)

    async def _connect(self) -> Connection:
        part = self.part
        return await Connection.to_coordinator(part.bootstrap, part.group, part.name)

    async def _work(self, connection: Connection) -> None:
        """Commit, when it is time to."""
        now = asyncio.get_running_loop().time()
        if now - self._worked < self.part.work_ms / 1000 or not self.held:
            return
        self._worked = now
        group, topic = self.part.group, self.part.topic
        unknown = self._progress.unknown(self.held)
        if unknown:
            self._progress.begin(await wire.committed(connection, group, topic, unknown))
        me = (self.member_id, self.epoch)
        await wire.commit(connection, group, me, topic, self._progress.advance())

    def _given(self, partitions: Collection[int]) -> None:
        self.held = tuple(sorted(partitions))
        self.tell(self.held)

    @abstractmethod
    async def _attend(self, connection: Connection) -> None:
        """Be in the group; returns never, raises ``Away`` when the coordinator is lost."""

    @abstractmethod
    async def _goodbye(self, connection: Connection) -> None:
        """Leave the group."""


class ClassicMember(WireMember):
    """JoinGroup, SyncGroup, Heartbeat. The leader deals the partitions out like cards."""

    partitions = 0

    async def _attend(self, connection: Connection) -> None:
        while True:
            if await self._join(connection):
                await self._beat(connection)

    async def _goodbye(self, connection: Connection) -> None:
        leaver = MemberIdentity(member_id=self.member_id, reason="had enough")
        request = LeaveGroupRequest(group_id=self.part.group, members=[leaver])
        await connection.call(request, LEAVE)

    async def _join(self, connection: Connection) -> bool:
        """Join and sync; False where the round was overtaken by another."""
        subscription = ConsumerProtocolSubscription(topics=[self.part.topic])
        metadata = VERSION_0 + encode(subscription, 0)
        joined = await connection.call(
            JoinGroupRequest(
                group_id=self.part.group,
                session_timeout_ms=self.part.session_ms,
                rebalance_timeout_ms=REBALANCE_MS,
                member_id=self.member_id,
                protocol_type="consumer",
                protocols=[JoinGroupRequestProtocol(name="roundrobin", metadata=metadata)],
            ),
            JOIN,
        )
        if joined.error_code == ErrorCode.MEMBER_ID_REQUIRED:
            self.member_id = joined.member_id
            return False
        if not self._is_good(joined.error_code):
            return False
        self.member_id, self.epoch = joined.member_id, joined.generation_id
        synced = await connection.call(
            SyncGroupRequest(
                group_id=self.part.group,
                generation_id=self.epoch,
                member_id=self.member_id,
                assignments=self._deal([member.member_id for member in joined.members]),
            ),
            SYNC,
        )
        if not self._is_good(synced.error_code):
            return False
        mine = decode(ConsumerProtocolAssignment, 0, synced.assignment, len(VERSION_0))
        self._given([p for topic in mine.assigned_partitions for p in topic.partitions])
        return True

    def _deal(self, ids: list[str]) -> list[SyncGroupRequestAssignment]:
        """All members' partitions; none, where this member is not the leader."""
        return [
            SyncGroupRequestAssignment(member_id=member_id, assignment=self._hand(place, len(ids)))
            for place, member_id in enumerate(sorted(ids))
        ]

    def _hand(self, place: int, of: int) -> bytes:
        dealt = list(range(place, self.partitions, of))
        topics = [TopicPartition(topic=self.part.topic, partitions=dealt)]
        return VERSION_0 + encode(ConsumerProtocolAssignment(assigned_partitions=topics), 0)

    async def _beat(self, connection: Connection) -> None:
        """Heartbeat and work until the group rebalances."""
        while True:
            await self._work(connection)
            await asyncio.sleep(CLASSIC_BEAT_S)
            request = HeartbeatRequest(
                group_id=self.part.group, generation_id=self.epoch, member_id=self.member_id
            )
            if not self._is_good((await connection.call(request, BEAT)).error_code):
                return

    def _is_good(self, code: int) -> bool:
        """Whether an answer is no error; False means to join again."""
        if code == ErrorCode.UNKNOWN_MEMBER_ID:
            self.member_id = ""
        elif code not in (
            ErrorCode.NONE,
            ErrorCode.REBALANCE_IN_PROGRESS,
            ErrorCode.ILLEGAL_GENERATION,
        ):
            raise Away(ErrorCode(code).name)
        return code == ErrorCode.NONE


class ConsumerMember(WireMember):
    """ConsumerGroupHeartbeat does it all (KIP-848); the coordinator assigns."""

    topic_id: UUID | None = None
    changed = True

    async def _attend(self, connection: Connection) -> None:
        self.changed = True  # a new connection: say everything again
        while True:
            interval_s = await self._beat(connection)
            await self._work(connection)
            await asyncio.sleep(0 if self.changed else interval_s)

    async def _goodbye(self, connection: Connection) -> None:
        request = ConsumerGroupHeartbeatRequest(
            group_id=self.part.group, member_id=self.member_id, member_epoch=LEAVE_EPOCH
        )
        await connection.call(request, CONSUMER_BEAT)

    async def _beat(self, connection: Connection) -> float:
        """One heartbeat; returns the seconds until the next."""
        request = self._request()
        self.changed = False
        answer = await connection.call(request, CONSUMER_BEAT)
        if answer.error_code in (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_MEMBER_EPOCH):
            self.epoch, self.held, self.changed = 0, (), True
            return 0.0
        if answer.error_code != ErrorCode.NONE:
            raise Away(ErrorCode(answer.error_code).name)
        self.epoch = answer.member_epoch
        if answer.assignment is not None:
            self._take(answer.assignment.topic_partitions)
        return float(answer.heartbeat_interval_ms) / 1000

    def _request(self) -> ConsumerGroupHeartbeatRequest:
        """A whole request where something has changed, an empty one otherwise."""
        self.member_id = self.member_id or str(uuid4())
        request = ConsumerGroupHeartbeatRequest(
            group_id=self.part.group, member_id=self.member_id, member_epoch=self.epoch
        )
        if self.changed:
            request.rebalance_timeout_ms = REBALANCE_MS
            request.subscribed_topic_names = [self.part.topic]
            request.topic_partitions = self._owned()
        return request

    def _owned(self) -> list[TopicPartitions]:
        if self.topic_id is None or not self.held:
            return []
        return [TopicPartitions(topic_id=self.topic_id, partitions=self.held)]

    def _take(self, given: Collection[TopicPartitions]) -> None:
        """Work on exactly what was given; the next heartbeat says that what was taken is free."""
        for topic in given:
            self.topic_id = topic.topic_id
        partitions = [p for topic in given for p in topic.partitions]
        if tuple(sorted(partitions)) != self.held:
            self.changed = True
            self._given(partitions)


def member(part: Part, partitions: int, tell: Tell) -> WireMember:
    """The member that plays a part over the wire."""
    if part.kind == Kind.CONSUMER.name:
        return ConsumerMember(part, tell)
    classic = ClassicMember(part, tell)
    classic.partitions = partitions
    return classic
