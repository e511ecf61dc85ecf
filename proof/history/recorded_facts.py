"""I12: the recorded lives and intervals are what the clients observed (docs/facts.md).

What begins is recorded between the request that was answered with it and its response; what ends,
between the request that gave it up and its response. So finely are both compared. Histories without
rows of facts are not judged.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import ClassVar, Final

from proof.history.family import Family, Rule
from proof.history.format import UNDECIDED, Part, Record, Violation
from proof.history.observed_state import Story

CLOCKS_MS: Final = 20.0
"""The database's clock and the recorder's differ by so much at most, when both are right."""

GIVES_UP: Final[Mapping[str, str]] = {
    "classic": "JoinGroup",
    "consumer": "ConsumerGroupHeartbeat",
}
"""The request by which a member of each kind gives up partitions."""

ASSIGNS: Final[Mapping[str, str]] = {
    "classic": "SyncGroup",
    "consumer": "ConsumerGroupHeartbeat",
}
"""The request whose response assigns partitions, of each kind."""


@dataclass(slots=True)
class Call:
    """A request of a member. ``ended``: when its response came; a request without one may be
    processed much later. ``is_undecided``: it was answered before its outcome was known, and the
    database may write it until the coordinator answers the member again. ``reported``: what it
    says that the member owns."""

    number: int
    api: str
    sent: float
    ended: float = inf
    is_undecided: bool = False
    reported: frozenset[Part] | None = None

    def may_be_at(self, at: float, late: float = 0.0) -> bool:
        """Whether it may have been processed then, or be recorded so much too late."""
        return self.sent - CLOCKS_MS <= at <= self.ended + CLOCKS_MS + late

    def may_give_up(self, part: Part, told: float) -> bool:
        """Whether it may be the end of an interval of this partition, which a response that came at
        ``told`` assigned: it was sent since, or has no response."""
        is_later = self.sent >= told or self.ended == inf
        return is_later and (
            self.api == "JoinGroup" or (self.reported is not None and part not in self.reported)
        )


@dataclass(slots=True)
class Interval:
    """For how long a life owned a partition, as it is recorded."""

    life: int
    since: float
    until: float = inf


@dataclass(slots=True)
class Facts:
    """One group's facts so far. ``lives``: the members of those that are open; ``owned``: what each
    of these owns, and since when; ``past``: the last interval of a partition of a member that is
    over; ``told``: when a response last assigned a partition to a member; ``calls``: of each member
    ("": of one without an id); ``back_at``: when the last rows were lost; ``slot``: the group's;
    ``leader``: of a classic group, which was told so at ``led_at``."""

    lives: dict[int, str] = field(default_factory=dict)
    owned: dict[Part, Interval] = field(default_factory=dict)
    past: dict[tuple[str, Part], Interval] = field(default_factory=dict)
    told: dict[tuple[str, Part], float] = field(default_factory=dict)
    calls: dict[str, list[Call]] = field(default_factory=lambda: defaultdict(list))
    back_at: float = -inf
    slot: int | None = None
    leader: str = ""
    led_at: float = -inf

    def decided_at(self, at: float) -> float:
        """No later was an assignment decided that is in the rows of this time: at the leader's last
        SyncGroup before."""
        syncs = [call.sent for call in self.calls[self.leader] if call.api == "SyncGroup"]
        return max((sent for sent in syncs if self.led_at <= sent <= at), default=at)

    def interval(self, member: str, part: Part) -> Interval | None:
        """The present interval, or the last one."""
        owned = self.owned.get(part)
        if owned is not None and self.lives.get(owned.life) == member:
            return owned
        return self.past.get((member, part))


CALLS_KEPT: Final = 200
"""Of each member: more than it sends within a rebalance."""


class RecordedFacts(Family):
    """Judges rows of facts against calls, and calls against rows of facts."""

    def __init__(self, story: Story, violations: list[Violation], *, has_rows: bool) -> None:
        super().__init__(story, violations, has_rows=has_rows)
        self._groups: dict[str, Facts] = defaultdict(Facts)
        self._is_recorded = False
        self._taken_at: dict[int | None, float] = {}

    def slot_row(self, record: Record, _call: Record) -> None:
        """Another node owns the slot's groups now, and has no notes of them."""
        self._taken_at[record["slot"]] = record["at"]

    # -- rows

    def life_row(self, record: Record, _call: Record) -> None:
        """A life opens once, and closes once, after everything that it owned."""
        self._is_recorded = True
        facts, life, member = self._groups[record["group"]], record["life"], record["member"]
        if not record["is_end"]:
            if life in facts.lives:
                self._say(record, f"life {life} of {member} began twice")
            facts.lives[life] = member
            self._check_beginning(facts, record)
            return
        if facts.lives.pop(life, None) is None:
            self._say(record, f"life {life} of {member} ended, and was not open")
        held = [part for part, owned in facts.owned.items() if owned.life == life]
        if held:
            self._say(record, f"{member} is over, and owns {sorted(held)}")

    def _check_beginning(self, facts: Facts, record: Record) -> None:
        at = record["at"] - record["began_ms"]
        calls = (*facts.calls[record["member"]], *facts.calls[""])
        if not any(call.may_be_at(at) for call in calls):
            self._say(record, f"no request of {record['member']} began its life at {at:.0f}")

    def owned_row(self, record: Record, _call: Record) -> None:
        """A partition has one owner, and each interval opens once and closes once."""
        facts, life = self._groups[record["group"]], record["life"]
        for part in ((record["topic"], p) for p in record["partitions"]):
            if record["is_end"]:
                self._closes(facts, life, part, record)
            else:
                self._opens(facts, life, part, record)

    def _opens(self, facts: Facts, life: int, part: Part, record: Record) -> None:
        member, at = facts.lives.get(life), record["at"] - record["since_ms"]
        owner = facts.owned.get(part)
        if member is None or owner is not None:
            self._say(record, f"life {life} owns {part}, which is of {owner or 'nobody'}")
            return
        facts.owned[part] = Interval(life, at)
        api = ASSIGNS.get(self.story.groups[record["group"]].kind)
        calls = [call for call in facts.calls[member] if call.api == api]
        if api and not any(call.may_be_at(at) for call in calls):
            self._say(record, f"{member} did not ask for {part}, recorded since {at:.0f}")

    def _closes(self, facts: Facts, life: int, part: Part, record: Record) -> None:
        owned = facts.owned.get(part)
        if owned is None or owned.life != life:
            self._say(record, f"life {life} ceased to own {part}, and did not own it")
            return
        del facts.owned[part]
        owned.until = record["at"] - record["until_ms"]
        member = facts.lives.get(life)
        if member is None:
            self._say(record, f"life {life} is over, and ceased to own {part} later")
            return
        facts.past[member, part] = owned
        if not record["is_last"]:
            self._check_end(facts, member, part, owned.until, record)

    def _check_end(
        self, facts: Facts, member: str, part: Part, until: float, record: Record
    ) -> None:
        """A member that stays gave up the partition in a request since it was assigned it. Where
        that was refused for a while and sent again, it ended anywhere in between: the time of the
        rules stands still while the coordinator cannot write. An owner that took the group over
        when all these had been answered knows only the assignment that followed. What a classic
        member gave up is written with that, as an age: it is later by as much as the write took."""
        api = GIVES_UP.get(self.story.groups[record["group"]].kind)
        told = facts.told.get((member, part), 0.0)
        calls = [call for call in facts.calls[member] if call.api == api]
        ends = [call for call in calls if call.may_give_up(part, told)]
        since = [call for call in ends if call.sent >= told]
        if since:
            sent, ended = min(c.sent for c in since), max(c.ended for c in since)
            ends.append(Call(0, since[0].api, sent, ended))
            if ended < self._taken_at.get(facts.slot, -inf):
                ends += [call for call in facts.calls[member] if call.api == "SyncGroup"]
        late = record["at"] - facts.decided_at(record["at"]) if api == "JoinGroup" else 0.0
        if api and not any(call.may_be_at(until, late) for call in ends):
            self._say(record, f"{member} did not give up {part} at {until:.0f}")

    def group_row(self, record: Record, _call: Record) -> None:
        """Members and open lives are the same."""
        facts = self._groups[record["group"]]
        facts.slot, lives = record.get("slot"), sorted(facts.lives.values())
        if self._is_recorded and lives != sorted(record["members"]):
            self._say(record, f"lives of {lives}, members {sorted(record['members'])}")

    def deleted(self, record: Record, _call: Record) -> None:
        """Only a group without members is deleted."""
        if self._groups[record["group"]].lives:
            self._say(record, "the group is deleted, and lives of it are open")

    def back(self, record: Record, _call: Record) -> None:
        """A replica lacks the last rows: what was recorded is what it has."""
        facts = self._groups[record["group"]]
        facts.lives = dict(record.get("lives", ()))
        facts.owned = {
            (topic, p): Interval(life, -inf) for life, topic, p in record.get("owned", ())
        }
        facts.back_at = record["at"]
        facts.told.clear()
        facts.past.clear()

    # -- calls

    def invoke(self, record: Record, _call: Record) -> None:
        """A member sends a request."""
        reported = record.get("owned")
        parts = None if reported is None else frozenset((t, p) for t, p in reported)
        facts, member = self._groups[record["group"]], record["member"]
        calls = facts.calls[member]
        calls.append(Call(record["call"], record["api"], record["at"], reported=parts))
        del calls[:-CALLS_KEPT]

    def ended(self, record: Record, call: Record) -> None:
        """The response, with which all that was undecided before is decided."""
        for each in self._groups[call["group"]].calls[call["member"]]:
            if each.number == call["call"] or each.is_undecided:
                each.ended, each.is_undecided = record["at"], False

    def fail(self, record: Record, call: Record) -> None:
        """A refusal. A node without a lease does not wait for the outcome of its last write."""
        if record["code"] not in UNDECIDED:
            self.ended(record, call)
            return
        for each in self._groups[call["group"]].calls[call["member"]]:
            each.is_undecided |= each.number == call["call"]

    def joined(self, record: Record, call: Record) -> None:
        """The response to JoinGroup."""
        facts, leader = self._groups[call["group"]], record.get("leader") or ""
        if leader == (record.get("member") or call["member"]):
            facts.leader, facts.led_at = leader, record["at"]
        self.ended(record, call)

    def told(self, record: Record, call: Record) -> None:
        """Who is told that it owns a partition is recorded as its owner at some time of the
        request."""
        self.ended(record, call)
        if not self._is_recorded or record.get("owned") is None or call["generation"] < 0:
            return
        facts, member = self._groups[call["group"]], record.get("member") or call["member"]
        if call["at"] <= facts.back_at:
            return
        for part in ((topic, p) for topic, p in record["owned"]):
            found = facts.interval(member, part)
            facts.told[member, part] = record["at"]
            if found is None or not (
                found.since - CLOCKS_MS <= record["at"] and found.until + CLOCKS_MS >= call["at"]
            ):
                self._say(record, f"{member} was told {part}, recorded is {found}")

    def _say(self, record: Record, what: str) -> None:
        self.say("I12", what, record)

    RULES: ClassVar[Mapping[str, Rule]] = {
        "row slot": slot_row,
        "row life": life_row,
        "row owned": owned_row,
        "row group": group_row,
        "row deleted": deleted,
        "row back": back,
        "invoke": invoke,
        "ok SyncGroup": told,
        "ok ConsumerGroupHeartbeat": told,
        "ok JoinGroup": joined,
        "fail": fail,
    }
