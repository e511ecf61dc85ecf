"""Clients of both protocols as small machines, which do what their recorded runs say."""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Any, Final

from groups.core import events
from groups.core.assignment import assignment_of, partitions_of
from groups.core.assignors.types import Parts, Subscriber
from groups.core.authors import Client as Software
from groups.core.classic.join import new_member_id
from groups.core.consumer.member import STABLE
from groups.core.errors import ErrorCode
from groups.core.replies import ConsumerBeaten, Joined, Synced
from groups.core.signs_of_life import ClassicHeartbeat
from groups.core.waiting import Act
from pipeline.what_if import assignment
from pipeline.what_if.clients import NEVER, Client, Run, Stop, span_at
from pipeline.what_if.reactions import Reactions
from pipeline.what_if.recording import Millis
from pipeline.what_if.world import World

NOTHING: Final[Parts] = frozenset()

AGAIN_MS: Final = 100
"""After a refusal a client tries again, about so soon."""

DOUBLED_MAX: Final = 8
AGAIN_MS_MAX: Final = 10_000
"""No client asks more seldom."""

LAST: Final = chr(0x10FFFF)
"""After any member id."""

RETRY_MS: Final = 500
"""So soon if it was refused to join."""


class Member:
    """What both have in common."""

    def __init__(self, world: World, client: Client, reactions: Reactions) -> None:
        self.world, self.client, self.life, self.reactions = world, client, client.life, reactions
        self.member_id, self.owned = "", NOTHING
        self.refusals = 0
        self.run: Run | None = None
        self._number = 0
        self.had: set[str] = set()
        for run in client.runs:
            world.at(run.start, lambda run=run: self._start(run))  # type: ignore[misc]

    # -- a run

    def _start(self, run: Run) -> None:
        self._number += 1
        self.run, self.member_id, self.owned = run, "", NOTHING
        for since, until in run.stalls:
            self.later(until, self._resume_after(since))
        for _, until in run.deaf:
            self.later(until, self.resume)
        for moment in run.removals:
            self.world.at(moment, lambda: self.world.evict(self.member_id))
        if run.stop is not Stop.RUNS:
            self.world.at(run.end, self._end_of(self._number))
        self.join()

    def _end_of(self, number: int) -> Callable[[], None]:
        def end() -> None:
            run = self.run
            if run is None or number != self._number:
                return
            if self.member_id and run.stop is Stop.LEAVES:
                self.leave()
            elif self.member_id and run.stop is Stop.PAUSES:
                self.pause()
            self.run = None

        return end

    def later(self, moment: Millis, act: Callable[[], None]) -> None:
        """Then, or when it is not stalled any more; not in another run."""
        number = self._number

        def go() -> None:
            if number != self._number or self.run is None:
                return
            awake = self._awake_at(self.world.now)
            if awake > self.world.now:
                self.later(awake, act)
            else:
                act()

        if moment < NEVER:
            self.world.at(moment, go)

    def ask(self, answered: Callable[[Any], None]) -> events.Ticket:
        """A ticket; the reply is read once it is not stalled, and not in another run."""
        number = self._number

        def came(reply: Any) -> None:
            if number != self._number or self.run is None:
                return
            if self._awake_at(self.world.now) > self.world.now:
                self.later(self.world.now, lambda: answered(reply))
            else:
                answered(reply)

        return self.world.ticket(self, came)

    def join_again(self, after_ms: Millis) -> None:
        """It was refused: it joins as a new member, later each time."""
        wait = min(after_ms << min(self.refusals, DOUBLED_MAX), AGAIN_MS_MAX)
        self.refusals += 1
        self.later(self.able_at(self.world.now + wait), self.join)

    def _awake_at(self, now: Millis) -> Millis:
        assert self.run is not None
        found = span_at(self.run.stalls, now)
        return now if found is None or found[0] > now else found[1]

    def able_at(self, now: Millis) -> Millis:
        """When it does what it is asked for."""
        assert self.run is not None
        found = span_at(self.run.deaf, now)
        return now if found is None or found[0] > now else found[1]

    def silent_from(self, now: Millis) -> Millis:
        """When it falls silent, or fell, if it is."""
        run = self.run
        if run is None:
            return now
        coming = span_at(run.stalls, now)
        dies = run.end if run.stop in (Stop.DIES, Stop.PAUSES) else NEVER
        return dies if coming is None else min(coming[0], dies)

    def _resume_after(self, since: Millis) -> Callable[[], None]:
        def back() -> None:
            life = self.world.ledger.life_of(self.member_id)
            if life is not None:
                self.world.stalls.append((life, (since, self.world.now)))
            self.resume()

        return back

    def recorded_id(self) -> str:
        """The member id that it had then; "" if none is known."""
        place = bisect_right(self.client.ids, (self.world.now, LAST))
        return self.client.ids[place - 1][1] if place else ""

    def topics(self) -> tuple[str, ...]:
        """What it subscribes to."""
        return self.life.topics or ()

    def join(self) -> None:
        """Become a member."""
        raise NotImplementedError

    def leave(self) -> None:
        """Leave the group."""
        leaver = events.Leaver(self.member_id, self.life.instance_id)
        self.world.step(events.LeaveGroup(members=(leaver,)))

    def pause(self) -> None:
        """Go away, and come back under the same instance id."""

    def resume(self) -> None:
        """It was away, and does not know whether it is still a member."""
        raise NotImplementedError

    def called(self, since: Millis) -> None:
        """The group wants something of its members since then."""
        raise NotImplementedError

    def refresh(self) -> None:
        """A topic has grown, and this one's next heartbeat is now."""


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


class ConsumerMember(Member):
    """A member of the consumer protocol."""

    def __init__(self, world: World, client: Client, reactions: Reactions) -> None:
        super().__init__(world, client, reactions)
        self.epoch = 0
        self._next: Millis | None = None
        self._is_revoking = False

    def join(self) -> None:
        recorded = self.recorded_id()
        self.member_id = recorded or f"{self.client.name}-{self.world.rng.getrandbits(64):016x}"
        self.had.add(self.member_id)
        self.world.listeners[self.member_id] = self
        self.epoch, self.owned, self._is_revoking, self._next = 0, NOTHING, False, None
        self._beat()

    def _event(self, epoch: int) -> events.ConsumerHeartbeat:
        life, joins, stays = self.life, epoch == 0, epoch >= 0
        by_topic: dict[str, list[int]] = {}
        for topic, number in sorted(self.owned):
            by_topic.setdefault(topic, []).append(number)
        return events.ConsumerHeartbeat(
            ticket=self.ask(self._beaten) if stays else None,
            member_id=self.member_id,
            member_epoch=epoch,
            instance_id=life.instance_id,
            rack_id=None,
            client_id=life.client_id,
            client_host=life.client_host,
            rebalance_timeout_ms=life.rebalance_ms if joins else -1,
            subscribed_topic_names=self.topics() if joins else None,
            server_assignor=life.protocols[0] if joins and life.protocols else None,
            owned={topic: tuple(numbers) for topic, numbers in by_topic.items()} if stays else None,
            topics=self.world.topics,
            client=Software(*life.software),
        )

    def _beat(self) -> None:
        self._next = None
        self.world.step(self._event(self.epoch))

    def _beaten(self, reply: ConsumerBeaten) -> None:
        now = self.world.now
        if reply.error is not ErrorCode.NONE:
            self.join_again(AGAIN_MS if self.epoch else RETRY_MS)
            return
        self.refusals, self.epoch = 0, reply.member_epoch
        if reply.assignment is not None:
            target = frozenset((t, p) for t, ps in reply.assignment.items() for p in ps)
            if self.owned - target:
                self._revoke(target)
                return
            self.owned = target
        if not self._is_settled():
            within = self.world.rules.group_consumer_pending_heartbeat_interval_ms
            self._beat_at(self.reactions.contact(self.member_id, now, within) or now + within)

    def _is_settled(self) -> bool:
        """Whether nothing is to come: a heartbeat would change nothing."""
        group = self.world.group
        known = group.members.get(self.member_id)
        if known is None or known.state != STABLE:
            return False
        return bool(known.epoch == group.durable.group.generation)

    def _revoke(self, target: Parts) -> None:
        now, self._is_revoking = self.world.now, True
        takes = self.reactions.of(self.member_id, Act.REVOKE, now)
        given_up = self.reactions.contact(self.member_id, now, takes) or now + takes

        def done() -> None:
            self.owned, self._is_revoking = target, False
            self._beat()

        self.later(self.able_at(max(given_up, now + 1)), done)

    def called(self, since: Millis) -> None:
        if self.run is None or self._is_revoking or self._next is not None:
            return
        takes = self.reactions.of(self.member_id, Act.HEARTBEAT, since)
        self._beat_at(max(since + takes, self.world.now + 1))

    def _beat_at(self, moment: Millis) -> None:
        """The next heartbeat is at the latest then."""
        if self._next is not None and self._next <= moment:
            return
        self._next = moment

        def go() -> None:
            if self._next == moment and not self._is_revoking:
                self._beat()

        self.later(moment, go)

    def resume(self) -> None:
        if self.member_id not in self.world.group.durable.members:
            self.join()  # what the reply to a heartbeat would tell it
        elif not self._is_revoking:
            self._beat()

    def refresh(self) -> None:
        if self.run is not None and not self._is_revoking:
            self._beat_at(self.world.now)

    def leave(self) -> None:
        self.world.step(self._event(-1))

    def pause(self) -> None:
        if self.life.instance_id is not None:
            self.world.step(self._event(-2))


CLASSES: Final[Mapping[str, type[Member]]] = {"classic": ClassicMember, "consumer": ConsumerMember}
"""By the protocol that a life's member spoke."""


def member(world: World, client: Client, reactions: Reactions) -> Any:
    """The machine of a client."""
    return CLASSES[client.life.kind](world, client, reactions)
