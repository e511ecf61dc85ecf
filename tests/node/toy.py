"""A toy kind of group: a lock with a queue, unknown to every other file of Rollcall.

The holder is a member row and the generation its fencing token; those who wait are parked
tickets. It is here to show that a kind is a class and a line in ``groups.core.kinds``, no more.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Self

from groups.core.earlier import Earlier
from groups.core.errors import ErrorCode
from groups.core.events import DeleteGroup, Event, LeaveGroup, OffsetCommit, Tick, Ticket
from groups.core.group import (
    NOBODY,
    Answer,
    Beat,
    Decision,
    HeartbeatView,
    JournalEntry,
    Millis,
    Rules,
    Session,
    forgiven,
)
from groups.core.journal import EntryKind
from groups.core.replies import Committed, Deleted, ErrorReply, Joined, Left, Reply
from groups.core.rows import Durable, GroupRow, MemberRow
from groups.core.signs_of_life import Sign
from groups.core.waiting import Waiting

KIND = "lock"
SESSION_MS = 1_000
"""A holder that is not heard of for so long loses the lock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acquire(Event):
    """Somebody wants the lock, and waits for it."""

    member_id: str


@dataclass(frozen=True, slots=True)
class Live:
    """The holder's beat, and who waits, in order."""

    beat: Beat
    queue: tuple[tuple[Ticket, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LockGroup:
    """A lock at one instant."""

    durable: Durable
    live: Live
    rules: Rules

    @property
    def idle(self) -> bool:
        return not self.live.queue

    @property
    def breadth(self) -> int:
        return len(self.live.queue)

    @property
    def holder(self) -> str | None:
        return self.durable.group.leader

    @classmethod
    def absent(cls, group_id: str, rules: Rules, now: Millis) -> Self:
        return cls(Durable(GroupRow(group_id, KIND, "Free"), {}), Live(Beat(now)), rules)

    @classmethod
    def merge(
        cls,
        durable: Durable,
        live: Live | None,
        rules: Rules,
        now: Millis,
        earlier: Earlier | None = None,
    ) -> Self:
        return cls(durable, live or Live(Beat(now)), rules)

    def judge(self, commit: OffsetCommit, now: Millis) -> ErrorCode | None:
        return None

    def step(self, events: Sequence[Event], now: Millis, rng: Random) -> Decision:
        group: LockGroup = self
        said = [Decision(group)]
        for event in events:
            group, decision = group._decide(event, now)
            said.append(decision)
        return replace(
            said[-1],  # a committer gives nothing behind a deletion
            group=group,
            answers=tuple(answer for one in said for answer in one.answers),
            journal=tuple(entry for one in said for entry in one.journal),
            offsets=tuple(offset for one in said for offset in one.offsets),
        )

    def due(self, now: Millis) -> Millis | None:
        return self.live.beat.at + SESSION_MS if self.holder else None

    def resume(self, tickets: Iterable[Ticket]) -> tuple[Answer, ...]:
        known = {ticket for ticket, _ in self.live.queue}
        gone = ErrorReply(ErrorCode.NOT_COORDINATOR)
        return tuple(Answer(ticket, gone) for ticket in tickets if ticket not in known)

    def rearm(self, now: Millis, missed: Millis = 0) -> Self:
        beat = Beat(forgiven(self.live.beat.at, now, missed))
        return replace(self, live=replace(self.live, beat=beat))

    def let_go(self, code: ErrorCode) -> tuple[Answer, ...]:
        return tuple(Answer(ticket, ErrorReply(code)) for ticket, _ in self.live.queue)

    def with_revision(self, revision: int) -> Self:
        return replace(self, durable=replace(self.durable, revision=revision))

    def with_rules(self, rules: Rules) -> Self:
        return replace(self, rules=rules)

    def heartbeat_view(self) -> HeartbeatView:
        if self.holder is None:
            return NOBODY
        beats = {self.holder: self.live.beat}
        return HeartbeatView(self.durable.group.generation, ErrorCode.NONE, beats, {})

    def beat_of(self, sign: Sign) -> Beat | None:
        return None

    def sessions(self, now: Millis) -> Iterator[Session]:
        if self.holder is not None:
            yield Session(self.holder, self.live.beat.at, 10_000)

    def waits(self) -> Mapping[str, Millis]:
        return {}

    def waiting(self, now: Millis) -> Waiting | None:
        return None

    def _decide(self, event: Event, now: Millis) -> "tuple[LockGroup, Decision]":
        match event:
            case Acquire(ticket=ticket, member_id=member_id) if ticket is not None:
                queue = (*self.live.queue, (ticket, member_id))
                more = replace(self, live=replace(self.live, queue=queue))
                return (more, Decision(more)) if self.holder else more._grant(now)
            case LeaveGroup(members=members) if members[0].member_id == self.holder:
                free, said = self._grant(now)
                left = _reply(free, event, Left(ErrorCode.NONE))
                return free, replace(said, answers=left.answers + said.answers)
            case Tick() if self.holder and self.live.beat.at + SESSION_MS <= now:
                return self._grant(now)
            case OffsetCommit(generation_id=token, offsets=offsets):
                if token != self.durable.group.generation:
                    return self, _reply(self, event, Committed(ErrorCode.ILLEGAL_GENERATION))
                return self, replace(_reply(self, event, Committed()), offsets=offsets)
            case DeleteGroup() if not self.holder:
                return self, replace(_reply(self, event, Deleted()), deleted=True)
        return self, _reply(self, event, ErrorReply(ErrorCode.INVALID_REQUEST))

    def _grant(self, now: Millis) -> "tuple[LockGroup, Decision]":
        """The lock goes to the first who waits, or is free."""
        row, queue = self.durable.group, self.live.queue
        if not queue:
            row = replace(row, state="Free", leader=None)
            free = LockGroup(replace(self.durable, group=row, members={}), self.live, self.rules)
            return free, Decision(free, journal=(JournalEntry(EntryKind.EMPTIED),))
        (ticket, member_id), *rest = queue
        row = replace(row, state="Held", leader=member_id, generation=row.generation + 1)
        member = MemberRow(member_id, None, "c", "/h", SESSION_MS, SESSION_MS, 0)
        durable = replace(self.durable, group=row, members={member_id: member})
        held = LockGroup(durable, Live(Beat(now), tuple(rest)), self.rules)
        answer = Answer(ticket, Joined(member_id=member_id, generation_id=row.generation))
        return held, Decision(held, (answer,), (JournalEntry(EntryKind.STABLE),))


def _reply(group: LockGroup, event: Event, reply: Reply) -> Decision:
    return Decision(group, (Answer(event.ticket, reply),) if event.ticket else ())
