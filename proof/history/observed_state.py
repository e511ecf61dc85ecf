"""The state that the records imply so far: groups as in their rows, offsets, who owns what.

Each record is applied here after every rule has judged it. Nothing is judged in this file.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from proof.history.format import REFUSALS, Part, Place, Record

COMMITS: Final = frozenset({"OffsetCommit", "TxnOffsetCommit"})

ENDS_TRANSACTIONS: Final = frozenset({"EndTxn", "InitProducerId"})


@dataclass(slots=True)
class Group:
    """One group as in its rows so far. ``gone_at``: when a member's row was deleted; ``came_at``:
    when it was first written, perhaps again; ``raised_at``: when a generation was followed by the
    next; ``answered_at``: when a response first contained one; ``names``: the instance id, or else
    the id, of every member. Of a consumer group's members:
    ``holds``, what they may work on; ``kept``, that and what they gave up without the coordinator
    knowing yet; ``epochs``, the last two that they got, newest first."""

    generation: int = -1
    revision: int = 0
    state: str = ""
    kind: str = ""
    members: Mapping[str, str | None] = field(default_factory=dict)
    seated: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    instances: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    states: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    gone_at: dict[str, float] = field(default_factory=dict)
    came_at: dict[str, float] = field(default_factory=dict)
    raised_at: dict[int, float] = field(default_factory=dict)
    answered_at: dict[int, float] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    holds: dict[str, set[Part]] = field(default_factory=dict)
    kept: dict[str, set[Part]] = field(default_factory=dict)
    epochs: dict[str, tuple[int, int]] = field(default_factory=dict)

    def take(self, record: Record) -> None:
        """The row as it is now."""
        generation, members = record["generation"], record["members"]
        if generation != self.generation >= 0:
            self.raised_at.setdefault(self.generation, record["at"])
        for member in self.members.keys() - members.keys():
            self.gone_at[member] = record["at"]
            self.holds.pop(member, None)
            self.kept.pop(member, None)
        for member in members.keys() - self.members.keys():
            self.gone_at.pop(member, None)
            self.came_at[member] = record["at"]
        self.names.update((m, instance or m) for m, instance in members.items())
        self.generation, self.revision = generation, record["revision"]
        self.state, self.kind, self.members = record["state"], record["kind"], members
        self.seated[generation] |= members.keys()
        self.instances[generation] |= {i for i in members.values() if i}
        self.states[generation].add(self.state)

    def old_since(self, generation: int) -> float | None:
        """When a response first contained a later generation."""
        return min(
            (at for later, at in self.answered_at.items() if later > generation), default=None
        )

    def take_epoch(self, member: str, epoch: int) -> None:
        """A member got its epoch."""
        newest, before = self.epochs.get(member, (-1, -1))
        if epoch > newest:
            self.epochs[member] = (epoch, newest)
        elif epoch > before and epoch != newest:
            self.epochs[member] = (newest, epoch)


@dataclass(slots=True)
class Register:
    """The values of one partition's row, and since when; and what may still be written."""

    at: list[float] = field(default_factory=list)
    values: list[int] = field(default_factory=list)
    open: set[int] = field(default_factory=set)
    written: dict[int, float] = field(default_factory=dict)
    refused: set[int] = field(default_factory=set)
    notes: dict[int, int] = field(default_factory=dict)

    @property
    def last(self) -> float:
        """When the row was last written."""
        return self.at[-1] if self.at else -1.0

    def put(self, offset: int | None, at: float) -> None:
        """The row has this value from now on."""
        self.at.append(at)
        self.values.append(-1 if offset is None else offset)
        if offset is not None:
            self.written[offset] = at

    def between(self, since: float, until: float) -> set[int]:
        """Every value that the row had at some instant of the span."""
        first = max(0, bisect_left(self.at, since) - 1)
        found = {v for at, v in zip(self.at[first:], self.values[first:], strict=True)
                 if at <= until}  # fmt: skip
        if not self.at or self.at[0] >= since:
            found.add(-1)
        return found


class Story:
    """The run so far. ``calls``: those without a response yet; ``ended``: when a group's row was
    last deleted; ``excused``: when a fault explains a client's silence; ``pending``: by
    transactional id, what was added to transactions that may not have ended. ``lateness``: when the
    recorder itself was blocked."""

    def __init__(self) -> None:
        self.groups: dict[str, Group] = defaultdict(Group)
        self.slots: dict[int, int] = {}
        self.calls: dict[int, Record] = {}
        self.offsets: dict[Place, Register] = defaultdict(Register)
        self.pending: dict[str, list[Record]] = defaultdict(list)
        self.ended: dict[str, float] = {}
        self.excused: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self.lateness: list[tuple[float, float]] = []

    def is_excused(self, process: str, since: float, until: float) -> bool:
        """Whether a client had a fault of its own at some instant of the span."""
        return any(a <= until and b >= since for a, b in self.excused[process])

    def late_between(self, since: float, until: float) -> float:
        """How long the recorder was blocked in a span."""
        spans = [(max(a, since), min(b, until)) for a, b in self.lateness]
        return sum(b - a for a, b in spans if b > a)

    def is_about_another(self, call: Record) -> bool:
        """Whether the group was deleted between request and response."""
        at: float = call["at"]
        return self.ended.get(call["group"], -1.0) >= at

    def take(self, record: Record, call: Record) -> None:
        """Apply one record; ``call`` is the request that it answers, if any."""
        kind = record["type"]
        rule = TAKE.get(f"row {record['table']}" if kind == "row" else kind)
        if rule is not None:
            rule(self, record, call)

    # -- rows

    def slot_row(self, record: Record, _call: Record) -> None:
        """A slot's epoch."""
        self.slots[record["slot"]] = record["epoch"]

    def group_row(self, record: Record, _call: Record) -> None:
        """A group's own row and its members."""
        self.groups[record["group"]].take(record)

    def deleted_row(self, record: Record, _call: Record) -> None:
        """The group is deleted with all its state; a new one may get its name."""
        self.ended[record["group"]] = record["at"]
        self.groups.pop(record["group"], None)

    def offset_row(self, record: Record, _call: Record) -> None:
        """One partition's committed offset."""
        place = (record["group"], record["topic"], record["partition"])
        self.offsets[place].put(record["offset"], record["at"])

    def back_row(self, record: Record, _call: Record) -> None:
        """The rows that a failover lost are undone, and what they assigned to members is unknown:
        the next row of the group raises all numbers."""
        for topic, partition, offset in record["offsets"]:
            self.offsets[record["group"], topic, partition].put(offset, record["at"])
        group = self.groups[record["group"]]
        group.holds.clear()
        group.kept.clear()

    # -- calls

    def invoke(self, record: Record, _call: Record) -> None:
        """A client sends a request."""
        self.calls[record["call"]] = record
        notes = record.get("notes", ())
        for number, (register, offset) in enumerate(self.registers(record)):
            register.open.add(offset)
            if notes:
                register.notes[offset] = notes[number]
        if record["api"] == "TxnOffsetCommit":
            self.pending[record["producer"]].append(record)
        if record.get("owned") is not None:
            reported = {(t, p) for t, p in record["owned"]}
            holds = self.groups[record["group"]].holds
            holds[record["member"]] = holds.get(record["member"], set()) & reported

    def ok(self, record: Record, call: Record) -> None:
        """A request succeeded."""
        if call["api"] in ENDS_TRANSACTIONS:
            self._end_transactions(call)
        elif call["api"] != "TxnOffsetCommit":
            self._close(call)
        if self.is_about_another(call):
            return
        group = self.groups[call["group"]]
        if call["api"] == "JoinGroup":
            group.answered_at.setdefault(record["generation"], record["at"])
        elif call["api"] == "ConsumerGroupHeartbeat":
            self._consumed(group, record, call)
        elif call["api"] == "PollCommands" and record["owned"] is not None:
            if call["member"] in group.members:
                group.holds[call["member"]] = {(t, p) for t, p in record["owned"]}

    def _end_transactions(self, call: Record) -> None:
        """What was added earlier to a transaction of this id counts by now, or never."""
        waiting = self.pending[call["producer"]]
        over = [put for put in waiting if put["at"] < call["at"]]
        for put in over:
            self._close(put)
        self.pending[call["producer"]] = [put for put in waiting if put not in over]

    def stopped(self, record: Record, _call: Record) -> None:
        """A commanded consumer stopped by itself."""
        self.groups[record["group"]].holds.pop(record["member"], None)

    @staticmethod
    def _consumed(group: Group, record: Record, call: Record) -> None:
        member = record["member"]
        if call["generation"] < 0:
            group.holds.pop(call["member"], None)
            return
        group.take_epoch(member, record["generation"])
        if member not in group.members:
            return
        if member not in group.kept and record["owned"] is None:
            return  # the assignment came in a response of a group that was deleted since
        kept = group.kept.get(member, set())
        if call["owned"] is not None:
            kept = kept & {(t, p) for t, p in call["owned"]}
        if record["owned"] is not None:
            group.holds[member] = {(t, p) for t, p in record["owned"]}
            kept = kept | group.holds[member]
        group.kept[member] = kept

    def fail(self, record: Record, call: Record) -> None:
        """A request was rejected."""
        if record["code"] in REFUSALS:
            for register, offset in self.registers(call):
                register.refused.add(offset)
            self._close(call)

    def registers(self, call: Record) -> list[tuple[Register, int]]:
        """Of a commit: each partition's register, and its offset."""
        return (
            [(self.offsets[call["group"], t, p], o) for t, p, o in call.get("offsets", ())]
            if call["api"] in COMMITS
            else []
        )

    def _close(self, call: Record) -> None:
        for register, offset in self.registers(call):
            register.open.discard(offset)

    # -- the run

    def fault(self, record: Record, _call: Record) -> None:
        """A client's own fault explains its silence."""
        self.excused[record["process"]].append((record["since"], record["until"]))

    def late(self, record: Record, _call: Record) -> None:
        """No client could send or receive anything."""
        self.lateness.append((record["since"], record["until"]))


TAKE: Final[Mapping[str, Callable[[Story, Record, Record], None]]] = {
    "row slot": Story.slot_row,
    "row group": Story.group_row,
    "row deleted": Story.deleted_row,
    "row offset": Story.offset_row,
    "row back": Story.back_row,
    "invoke": Story.invoke,
    "ok": Story.ok,
    "fail": Story.fail,
    "stopped": Story.stopped,
    "fault": Story.fault,
    "late": Story.late,
}
