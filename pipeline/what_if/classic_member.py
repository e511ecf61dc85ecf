"""A client of the classic protocol as a small machine, which does what its recorded runs say."""

from collections.abc import Mapping

from groups.core import events
from groups.core.assignment import assignment_of, partitions_of
from groups.core.assignors.types import Subscriber
from groups.core.authors import Client as Software
from groups.core.classic.join import new_member_id
from groups.core.errors import ErrorCode
from groups.core.replies import Joined, Synced
from groups.core.signs_of_life import ClassicHeartbeat
from groups.core.waiting import Act
from pipeline.what_if import assignment
from pipeline.what_if.clients import Client
from pipeline.what_if.member import AGAIN_MS, NOTHING, Member
from pipeline.what_if.reactions import Reactions
from pipeline.what_if.recording import Millis
from pipeline.what_if.world import World


class ClassicMember(Member):
    """A member of the classic protocol."""

    def __init__(self, world: World, client: Client, reactions: Reactions) -> None:
        super().__init__(world, client, reactions)
        self.generation = -1
        self._is_parked = False
        self._is_called = False

    def join(self) -> None:
        self.member_id, self.owned = "", NOTHING
        self._join()

    def _join(self) -> None:
        self.generation, self._is_parked, self._is_called = -1, True, False
        if not self.member_id:
            wanted = self.recorded_id()
            self.world.rng.want("" if wanted in self.had else wanted)
        life = self.life
        self.world.step(
            events.JoinGroup(
                ticket=self.ask(self._joined),
                member_id=self.member_id,
                instance_id=life.instance_id,
                client_id=life.client_id,
                client_host=life.client_host,
                session_timeout_ms=life.session_ms,
                rebalance_timeout_ms=life.rebalance_ms,
                protocol_type="consumer",
                protocols=tuple((name, self._metadata(name)) for name in life.protocols),
                can_skip_assignment=True,
                client=Software(*life.software),
            )
        )
        if not self.member_id and self._is_parked:
            self.world.rng.wanted = self.world.rng.last
            self._learn(new_member_id(life.instance_id or life.client_id, self.world.rng))
        self.world.hear(self.member_id, self)

    def _metadata(self, name: str) -> bytes:
        owned = self.owned if name == assignment.COOPERATIVE else NOTHING
        return assignment.subscription(self.topics(), owned)

    def _learn(self, member_id: str) -> None:
        self.member_id = member_id
        self.had.add(member_id)
        self.world.listeners[member_id] = self

    def _joined(self, reply: Joined) -> None:
        self._is_parked = False
        now = self.world.now
        if reply.error is not ErrorCode.NONE:
            self.join_again(AGAIN_MS if self.member_id else 1)
            self.member_id = ""
            return
        self._learn(reply.member_id)
        self.refusals, self.generation = 0, reply.generation_id
        takes = self.reactions.of(self.member_id, Act.SYNC, now)
        self.later(self.able_at(now + takes), lambda: self._sync(reply))

    def _sync(self, reply: Joined) -> None:
        if reply.generation_id != self.generation:
            return
        assignments: Mapping[str, bytes] = {}
        if reply.leader == self.member_id and not reply.skip_assignment:
            assignments = self._lead(reply)
        self.world.step(
            events.SyncGroup(
                ticket=self.ask(self._synced),
                generation_id=reply.generation_id,
                member_id=self.member_id,
                instance_id=self.life.instance_id,
                assignments=assignments,
            )
        )
        self.world.hear(self.member_id, self)

    def _lead(self, reply: Joined) -> Mapping[str, bytes]:
        """The assignment of all members, by the assignor that they have agreed on."""
        members = [
            Subscriber(one.member_id, one.instance_id, frozenset(member.topics()), member.owned)
            for one in reply.members
            if isinstance(member := self.world.listeners.get(one.member_id), Member)
        ]
        leader = assignment.LEADERS[reply.protocol_name or ""]
        wanted = {topic for one in members for topic in one.topics}
        counts = {t: n for t, (_, n) in self.world.topics.items() if t in wanted}
        return {m: assignment_of(parts, 1) for m, parts in leader(members, counts).items()}

    def _synced(self, reply: Synced) -> None:
        now = self.world.now
        if reply.error is ErrorCode.REBALANCE_IN_PROGRESS:
            self._call_at(self.able_at(now))
        elif reply.error is not ErrorCode.NONE:
            self.join_again(AGAIN_MS)
        else:
            self.world.hear(self.member_id, self)
            has = partitions_of(reply.assignment) or NOTHING
            lost, self.owned = self.owned - has, has
            if lost and reply.protocol_name == assignment.COOPERATIVE:
                takes = self.reactions.of(self.member_id, Act.REVOKE, now)
                self._call_at(self.able_at(now + takes))

    def called(self, since: Millis) -> None:
        if self.run is None or self._is_parked or not self.member_id:
            return
        takes = self.reactions.of(self.member_id, Act.REJOIN, since)
        self._call_at(self.able_at(since + takes))

    def _call_at(self, moment: Millis) -> None:
        if not self._is_called:
            self._is_called = True
            self.later(moment, self._rejoin)

    def _rejoin(self) -> None:
        if not self._is_called or self._is_parked:
            return
        if self.member_id not in self.world.group.durable.members:
            self.member_id, self.owned = "", NOTHING  # what the reply would tell it
        self._join()

    def resume(self) -> None:
        if self._is_parked or self._is_called:
            return
        sign = ClassicHeartbeat(self.member_id, self.life.instance_id, self.generation)
        code = self.world.group.heartbeat_view().heartbeat(*sign, self.world.now)
        if code in (ErrorCode.NONE, ErrorCode.REBALANCE_IN_PROGRESS):
            self.world.hear(self.member_id, self)
        if code is ErrorCode.REBALANCE_IN_PROGRESS:
            self._call_at(self.world.now)
        elif code is not ErrorCode.NONE:
            self.join()
