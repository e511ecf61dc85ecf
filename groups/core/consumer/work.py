"""One step's working copy of a consumer group, and what the step has gathered so far.

Means, not rules: nothing is copied before it is changed. The rules are in ``heartbeat``,
``leaving`` and ``offsets``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from groups.core.assignors import Part, Subscriber, table
from groups.core.consumer.member import NOTHING, STABLE, Member
from groups.core.errors import ErrorCode
from groups.core.events import OffsetWrite, Ticket
from groups.core.group import Answer, Beat, JournalEntry, Millis, Rules
from groups.core.replies import Operated, Reply
from groups.core.rows import GroupRow

EMPTY = "Empty"
ASSIGNING = "Assigning"
RECONCILING = "Reconciling"
STABLE_GROUP = "Stable"

NAMED_MAX = 50
"""Ids that one journal entry names; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Timer:
    """A member must have given up its partitions by then, if it is still in this epoch."""

    deadline: Millis
    timeout_ms: int
    epoch: int


@dataclass(slots=True)
class Live:
    """What no row holds: beats, rebalance timers, and silence before ``floor`` that does not
    count. Never changed once committed, but for the beats (see ``Beat``)."""

    floor: Millis
    beats: dict[str, Beat] = field(default_factory=dict)
    timers: dict[str, Timer] = field(default_factory=dict)


class Work:
    """A consumer group while one step decides; thrown away if its batch fails."""

    def __init__(
        self,
        row: GroupRow,
        members: Mapping[str, Member],
        live: Live,
        rules: Rules,
        now: Millis,
        rng: Random,
    ) -> None:
        self.row = row
        self.members = dict(members)
        self.live = Live(live.floor, dict(live.beats), dict(live.timers))
        self.rules = rules
        self.now = now
        self.rng = rng
        self.answers: list[Answer] = []
        self.journal: list[JournalEntry] = []
        self.operations: list[Operated] = []
        self.offsets: dict[tuple[str, int], OffsetWrite] = {}
        self.offset_deletes: dict[tuple[str, int], None] = {}
        self.deleted = False
        self.members_changed = False
        self.exists = bool(row.details)
        self._holders: dict[Part, str] | None = None

    # -- what is

    @property
    def target_epoch(self) -> int:
        """The group epoch for which the target was computed."""
        return int(self.row.details.get("target_epoch", 0))

    @property
    def catalogue(self) -> Mapping[str, tuple[str, int]]:
        """The subscribed topics as last used: name to (topic id, partitions)."""
        known: Mapping[str, Any] = self.row.details.get("topics", {})
        return {name: (entry[0], entry[1]) for name, entry in known.items()}

    def holder(self, instance_id: str) -> Member | None:
        """The member that has an instance id."""
        return next((m for m in self.members.values() if m.row.instance_id == instance_id), None)

    def is_free_for(self, member_id: str) -> "Free":
        """Whether nobody else holds a partition."""
        if self._holders is None:
            self._holders = {p: m.row.member_id for m in self.members.values() for p in m.holds}
        return Free(self._holders, member_id)

    # -- what becomes

    def put(self, member: Member) -> None:
        """Set a member; its row follows its facts."""
        member_id = member.row.member_id
        before = self.members.get(member_id)
        self.members[member_id] = member.saved()
        self.members_changed = True
        self._hold(before, member)

    def take(self, member_id: str) -> Member:
        """Remove a member, what it held and its timers."""
        member = self.members.pop(member_id)
        self.members_changed = True
        self.live.beats.pop(member_id, None)
        self.live.timers.pop(member_id, None)
        self._hold(member, None)
        return member

    def _hold(self, before: Member | None, after: Member | None) -> None:
        if self._holders is None:
            return
        for part in before.holds if before else NOTHING:
            self._holders.pop(part, None)
        if after is not None:
            for part in after.holds:
                other = self._holders.setdefault(part, after.row.member_id)
                assert other == after.row.member_id, f"{part} is held by {other}"

    def set_row(self, **columns: Any) -> None:
        """Change columns of the group's row."""
        self.row = replace(self.row, **columns)

    def set_details(self, **facts: Any) -> None:
        """Change facts of the group's row."""
        self.set_row(details={**self.row.details, **facts})

    def bump(self, trigger: str, reason: str, member: Member | None = None) -> None:
        """Raise the group epoch by one, and say why."""
        epoch = self.row.generation
        self.set_row(generation=epoch + 1)
        self.journal.append(
            JournalEntry(
                "rebalance-started",
                trigger,
                reason,
                member.row.member_id if member else None,
                member.row.client_id if member else None,
                epoch,
                epoch + 1,
            )
        )

    def assign(self) -> None:
        """Compute the target of the present epoch for every member."""
        catalogue = self.catalogue
        name = self._assignor()
        subscribers = [_subscriber(m, catalogue) for m in self.members.values()]
        counts = dict(catalogue[topic] for topic in sorted(catalogue))
        for member_id, target in table()[name](subscribers, counts).items():
            member = self.members[member_id]
            if member.target != target:
                self.members[member_id] = replace(member, target=target).saved()
                self.members_changed = True
        self.set_details(target_epoch=self.row.generation, assignor=name)

    def _assignor(self) -> str:
        """The name that most members ask for; else the first configured."""
        votes: dict[str, int] = {}
        for member in self.members.values():
            if member.assignor is not None:
                votes[member.assignor] = votes.get(member.assignor, 0) + 1
        first = self.rules.group_consumer_assignors[0]
        return min(votes, key=lambda name: (-votes[name], name), default=first)

    def settle(self, before: GroupRow) -> None:
        """The state follows from the members; when it becomes Stable the journal says so."""
        state = self.derived()
        if state == STABLE_GROUP and before.state != STABLE_GROUP:
            self.journal.append(
                JournalEntry(
                    "rebalance-completed",
                    generation_before=before.generation,
                    generation_after=self.row.generation,
                    details={"members": len(self.members)},
                )
            )
        if state != self.row.state:
            self.set_row(state=state)

    def derived(self) -> str:
        """Kafka's state of a consumer group."""
        if not self.members:
            return EMPTY
        target = self.target_epoch
        if self.row.generation > target:
            return ASSIGNING
        settled = all(m.state == STABLE and m.epoch == target for m in self.members.values())
        return STABLE_GROUP if settled else RECONCILING

    # -- what follows

    def answer(self, ticket: Ticket | None, reply: Reply) -> None:
        """Send a reply once the batch has committed."""
        if ticket is not None:
            self.answers.append(Answer(ticket, reply))

    def operated(self, operation_id: int, error: ErrorCode, detail: str) -> None:
        """How an operator's verb ended."""
        generation = self.row.generation if error is ErrorCode.NONE else None
        self.operations.append(Operated(operation_id, error, detail, generation))


@dataclass(frozen=True, slots=True)
class Free:
    """The question whether a partition may be given to a member."""

    holders: Mapping[Part, str]
    member_id: str

    def __call__(self, part: Part) -> bool:
        return self.holders.get(part, self.member_id) == self.member_id


def _subscriber(member: Member, catalogue: Mapping[str, tuple[str, int]]) -> Subscriber:
    topics = frozenset(catalogue[name][0] for name in member.topics if name in catalogue)
    return Subscriber(member.row.member_id, member.row.instance_id, topics, member.target)
