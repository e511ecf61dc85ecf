"""The history of a run, and the checker that says whether the invariants held (I1 to I7, I10).

Pure: records come in, violations go out; one pass, standard library only, no clock and no I/O.
The simulator and the chaos runner write the same records and are judged by this one file.

**A record** is a JSON object. Every record has ``at``: milliseconds of one monotonic clock that
all recorders of a run share, and ``type``. Records are given in the order of ``at``; of equal
ones, rows come before answers.

*Calls of clients*: ``type`` is "invoke", then "ok", "fail" (the service has answered with an
error) or "info" (the outcome is unknown: the connection closed, or nobody answered). All have
``process`` (who calls; one call at a time) and ``call`` (unique in the run).

- invoke: ``api``, ``group``, ``member`` ("" where there is none yet), ``instance`` (or None),
  ``generation`` (or member epoch; -1: none), ``session_ms``. OffsetCommit: ``offsets`` as
  [[topic, partition, offset], ...], each offset used once per partition and run.
  ConsumerGroupHeartbeat: ``owned``, what it says it holds, [[topic, partition], ...] or None.
- ok: JoinGroup: ``member``, ``generation``, ``leader``. SyncGroup: ``owned``.
  ConsumerGroupHeartbeat: ``member``, ``generation``, ``owned`` (or None: unchanged).
  OffsetFetch: ``offsets`` (-1: nothing is committed). Others: nothing more.
- fail: ``code``, Kafka's number. info: ``why``, "closed" or "timeout".

A client that finds no coordinator to call writes "seek" with ``group`` and ``member``: it is not
silent.

*Committed rows*: ``type`` is "row"; order of records is order of commits.

- ``table`` "slot": ``slot``, ``epoch``, ``node`` (or None).
- ``table`` "group": ``group``, ``kind``, ``generation``, ``revision``, ``state``, ``members``
  (member id to instance id or None); where known ``slot`` and ``epoch``, under which the
  *writer* holds it, and ``seen``, the revision from which it decided. ``deleted`` true: the row
  went.
- ``table`` "offset": ``group``, ``topic``, ``partition``, ``offset`` (None: deleted); where known
  ``slot`` and ``epoch``.
- ``table`` "removed": ``group``, ``member``, ``trigger``: a journal entry took it out.

*What was done to the run*: ``type`` "fault", ``process`` a client's: from ``since`` to ``until``
(written when it begins; the latest end) it sleeps or is cut off: its silence is its own.
``type`` "mishap", ``what``: an exception reached a node's loop. ``type`` "end": the faults
ended ``healed_ms`` ago; ``groups`` maps each group with living members to whether all of them
are settled.
"""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, NamedTuple

Record = Mapping[str, Any]
Place = tuple[str, str, int]
"""Group, topic, partition."""

REFUSALS: Final = frozenset({22, 25, 82, 110, 113})
"""Codes that say for certain that nothing was changed: illegal generation, unknown member,
fenced instance, fenced and stale member epoch."""

REBALANCE_IN_PROGRESS: Final = 27
PATIENCE: Final = 0.75
"""The part of the peaceful end after which no request may still wait for its answer."""
BEATS: Final = frozenset({"JoinGroup", "SyncGroup", "Heartbeat", "ConsumerGroupHeartbeat"})
"""Requests that keep a member alive; in a classic group a commit does, too."""

CLOCKS_AGREE: Final = 0.97
"""How much shorter than it says a session may be: the node's clock is not the recorder's."""

LEAVES: Final = {"LeaveGroup": 1 << 31, "ConsumerGroupHeartbeat": 0}
"""Requests that say goodbye, where the generation is below this."""

FENCED: Final = ("OffsetCommit", "SyncGroup")
"""Requests that name a generation and go through the rows: stale means stale by the rows. What
a heartbeat is told comes from the face, which follows the rows by the way of an answer; it must
not lag behind what others were told."""


class Violation(NamedTuple):
    """An invariant that did not hold; ``at`` and ``record`` say where it showed."""

    invariant: str
    what: str
    at: float
    record: Record

    def __str__(self) -> str:
        return f"{self.invariant} at {self.at:.0f} ms: {self.what}"


@dataclass(slots=True)
class Group:
    """One group as its rows have told it so far."""

    generation: int = -1
    revision: int = 0
    state: str = ""
    kind: str = ""
    members: Mapping[str, str | None] = field(default_factory=dict)
    seated: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    instances: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    states: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    gone_at: dict[str, float] = field(default_factory=dict)
    raised_at: dict[int, float] = field(default_factory=dict)
    leaders: dict[int, str] = field(default_factory=dict)
    told_at: dict[int, float] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def old_since(self, generation: int) -> float | None:
        """When somebody was first told of a later generation."""
        return min((at for later, at in self.told_at.items() if later > generation), default=None)


@dataclass(slots=True)
class Register:
    """What one partition's row has held, and since when; and what may still be written."""

    at: list[float] = field(default_factory=list)
    values: list[int] = field(default_factory=list)
    open: set[int] = field(default_factory=set)
    written: dict[int, float] = field(default_factory=dict)

    @property
    def last(self) -> float:
        """When the row was last written."""
        return self.at[-1] if self.at else -1.0

    def between(self, since: float, until: float) -> set[int]:
        """Every value that stood at some instant of the span."""
        first = max(0, bisect_left(self.at, since) - 1)
        found = {v for at, v in zip(self.at[first:], self.values[first:], strict=True)
                 if at <= until}  # fmt: skip
        if not self.at or self.at[0] >= since:
            found.add(-1)
        return found


class Checker:
    """Takes records one by one; ``violations`` is what did not hold."""

    def __init__(self, *, has_rows: bool = True) -> None:
        self.has_rows = has_rows
        self.violations: list[Violation] = []
        self._groups: dict[str, Group] = defaultdict(Group)
        self._epochs: dict[int, int] = {}
        self._calls: dict[int, Record] = {}
        self._offsets: dict[Place, Register] = defaultdict(Register)
        self._owners: dict[tuple[str, int, str, int], str] = {}
        self._holds: dict[str, dict[str, set[tuple[str, int]]]] = defaultdict(dict)
        self._holders: dict[tuple[str, str], tuple[str, float]] = {}
        self._sent: dict[tuple[str, str], list[float]] = defaultdict(list)
        self._sessions: dict[tuple[str, str], tuple[str, float]] = {}
        self._ended: dict[str, float] = {}
        self._heard: dict[tuple[str, str], list[float]] = defaultdict(list)
        self._excused: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self._refused: dict[Place, set[int]] = defaultdict(set)

    def take(self, record: Record) -> None:
        """Judge one record."""
        TAKE[record["type"]](self, record)

    def _say(self, invariant: str, what: str, record: Record) -> None:
        self.violations.append(Violation(invariant, what, record["at"], record))

    # -- rows

    def row(self, record: Record) -> None:
        """A committed row, in order of commits."""
        epoch: int = record.get("epoch", -1)
        if record["table"] == "slot":
            if epoch <= self._epochs.get(record["slot"], -1):
                self._say("I3", f"the epoch of slot {record['slot']} did not rise", record)
            self._epochs[record["slot"]] = epoch
            return
        if epoch >= 0 and epoch != self._epochs.get(record["slot"], epoch):
            now = self._epochs[record["slot"]]
            self._say("I3", f"a write under epoch {epoch} landed in epoch {now}", record)
        TABLES[record["table"]](self, record)

    def group_row(self, record: Record) -> None:
        """A group's own row and who its members are."""
        name, at = record["group"], record["at"]
        if record.get("deleted"):
            self._begin_anew(name, at)
            return
        group, generation = self._groups[name], record["generation"]
        if generation < group.generation:
            self._say("I2", f"the generation fell from {group.generation}", record)
        seen = record.get("seen", record["revision"] - 1)
        if not seen == record["revision"] - 1 >= group.revision:
            self._say("I2", f"revision {group.revision} was overwritten unseen", record)
        members = record["members"]
        if generation == group.generation:
            self._same_generation(group, members, record)
        elif group.generation >= 0:
            group.raised_at.setdefault(group.generation, at)
        for member in group.members.keys() - members.keys():
            group.gone_at[member] = at
            self._holds[name].pop(member, None)
        for member in members.keys() - group.members.keys():
            group.gone_at.pop(member, None)
        group.names.update((m, instance or m) for m, instance in members.items())
        group.generation, group.revision = generation, record["revision"]
        group.state, group.kind, group.members = record["state"], record["kind"], members
        group.seated[generation] |= members.keys()
        group.instances[generation] |= {i for i in members.values() if i}
        group.states[generation].add(group.state)

    def _begin_anew(self, name: str, at: float) -> None:
        """The group is gone with all it promised; another may come under its name."""
        self._ended[name] = at
        self._groups.pop(name, None)
        self._holds.pop(name, None)
        self._owners = {key: who for key, who in self._owners.items() if key[0] != name}
        self._holders = {key: who for key, who in self._holders.items() if key[0] != name}

    def _same_generation(self, group: Group, members: Mapping[str, Any], record: Record) -> None:
        instances = group.instances[group.generation]
        for member in members.keys() - group.seated[group.generation]:
            if members[member] not in instances:
                self._say("I2", f"{member} joined generation {group.generation} late", record)

    def offset_row(self, record: Record) -> None:
        """One partition's committed offset."""
        place = (record["group"], record["topic"], record["partition"])
        register, offset = self._offsets[place], record["offset"]
        if offset is None:
            if self._groups[place[0]].members:
                self._say("I5", f"{place} was deleted in a group with members", record)
        elif offset not in register.open:
            self._say("I5", f"{place}: nobody asks for {offset} any more", record)
        elif offset in register.written and offset != register.values[-1]:
            self._say("I5", f"{place}: {offset} was written a second time", record)
        elif offset in self._refused[place]:
            self._say("I4", f"{place}: {offset} was refused, and written", record)
        register.at.append(record["at"])
        register.values.append(-1 if offset is None else offset)
        if offset is not None:
            register.written[offset] = record["at"]

    def removed_row(self, record: Record) -> None:
        """A member was taken out for its silence: it must have been silent."""
        key = (record["group"], record["member"])
        known = self._sessions.get(key)
        if record["trigger"] != "session-expired" or known is None:
            return
        process, session = known
        until = record["at"]
        if not self._was_silent(key, until, session):
            self._say("I6", f"{key[1]} was removed within a session of being heard", record)
        elif self._kept_sending(self._sent[key], until, session) and not self._is_excused(
            process, until - 2 * session, until
        ):
            self._say("I6", f"{key[1]} was removed although it never fell silent", record)

    def _was_silent(self, key: tuple[str, str], until: float, session: float) -> bool:
        """Whether a whole session went by unheard; its end may be decided before the last beat
        was answered, and committed after it."""
        heard = [-1e12, *self._heard[key], until]
        return any(b - a >= session for a, b in pairwise(heard[-4:]))

    @staticmethod
    def _kept_sending(sent: list[float], until: float, session: float) -> bool:
        """Whether no half of the last session went by without a request."""
        recent = [at for at in sent if at >= until - 1.5 * session]
        if not recent or recent[0] > until - session:
            return False
        return all(b - a <= session / 2 for a, b in zip(recent, [*recent[1:], until], strict=True))

    def _is_excused(self, process: str, since: float, until: float) -> bool:
        return any(a <= until and b >= since for a, b in self._excused[process])

    # -- calls

    def invoke(self, record: Record) -> None:
        """A client sends a request."""
        self._calls[record["call"]] = record
        key = (record["group"], record["member"])
        if record["member"] and "session_ms" in record and self._is_beat(record):
            self.seek(record)
            self._sessions[key] = (record["process"], record["session_ms"] * CLOCKS_AGREE)
        if record["api"] in LEAVES and record["generation"] < LEAVES[record["api"]]:
            self._sessions.pop(key, None)  # from here on it need not be heard of
        for topic, partition, offset in record.get("offsets", ()):
            self._offsets[record["group"], topic, partition].open.add(offset)
        if record.get("owned") is not None:
            said = {(t, p) for t, p in record["owned"]}
            held = self._holds[record["group"]]
            held[record["member"]] = held.get(record["member"], set()) & said

    def seek(self, record: Record) -> None:
        """A client does what it can to be heard."""
        sent = self._sent[record["group"], record["member"]]
        sent.append(record["at"])
        del sent[:-200]

    def ok(self, record: Record) -> None:
        """A request succeeded."""
        call = self._calls.pop(record["call"])
        if self._ended.get(call["group"], -1.0) >= call["at"]:
            self._close_offsets(call)
            return  # the group was deleted while the answer was on its way
        self._hear(call)
        if call["api"] in FENCED:
            self._check_fresh(call, record)
        if (rule := SUCCEEDED.get(call["api"])) is not None:
            rule(self, call, record)
        self._close_offsets(call)

    def fail(self, record: Record) -> None:
        """A request was refused."""
        call, code = self._calls.pop(record["call"]), record["code"]
        if code == REBALANCE_IN_PROGRESS:
            self._hear(call)
        if code in REFUSALS:
            self._refuse_offsets(call, record)
            self._close_offsets(call)
        if call["api"] == "Heartbeat" and self.has_rows:
            self._check_told(call, record)

    def info(self, record: Record) -> None:
        """Nobody knows what became of a request. It may still take effect."""
        call = self._calls.pop(record["call"])
        if record["why"] == "timeout" and not self._is_excused(
            call["process"], call["at"], record["at"]
        ):
            self._say("I7", f"{call['api']} of {call['process']} was never answered", record)

    def _is_beat(self, call: Record) -> bool:
        is_classic = self._groups[call["group"]].kind == "classic"
        return call["api"] in BEATS or (is_classic and call["api"] == "OffsetCommit")

    def _hear(self, call: Record) -> None:
        if not self._is_beat(call):
            return
        key = (call["group"], call["member"])
        insort(self._heard[key], call["at"])
        del self._heard[key][:-4]

    def _check_fresh(self, call: Record, record: Record) -> None:
        """A stale request must not succeed: judged by what was committed before it was sent."""
        group, sent, generation = self._groups[call["group"]], call["at"], call["generation"]
        if group.gone_at.get(call["member"], sent) < sent:
            self._say("I4", f"{call['api']} of {call['member']}, who had gone, succeeded", record)
        if group.kind == "classic" and group.raised_at.get(generation, sent) < sent:
            self._say("I4", f"{call['api']} of old generation {generation} succeeded", record)
        self._check_instance(call, record)

    def beaten(self, call: Record, record: Record) -> None:
        """Heartbeat: not after others were told of a later generation."""
        since = self._groups[call["group"]].old_since(call["generation"])
        if since is not None and since < call["at"]:
            self._say("I4", f"a heartbeat of old generation {call['generation']} succeeded", record)
        self._check_instance(call, record)

    def _check_instance(self, call: Record, record: Record) -> None:
        holder, since = self._holders.get((call["group"], call["instance"] or ""), ("", 0.0))
        if holder and holder != call["member"] and since < call["at"]:
            self._say("I4", f"{call['api']} of a replaced instance succeeded", record)

    def joined(self, call: Record, record: Record) -> None:
        """JoinGroup: its generation was committed before anybody was told."""
        group, generation = self._groups[call["group"]], record["generation"]
        member = record["member"]
        is_seated = member in group.seated.get(generation, ()) or (
            # Replaced in the same commit by the next one with its instance id.
            call["instance"] in group.instances.get(generation, ())
        )
        if self.has_rows and not is_seated:
            self._say("I10", f"{member} was told of generation {generation} too soon", record)
        # A static leader that was replaced twice in one commit is in no row in between.
        leader = group.names.get(record["leader"]) or ("" if call["instance"] else record["leader"])
        if leader and group.leaders.setdefault(generation, leader) != leader:
            self._say("I2", f"generation {generation} was given out twice", record)
        if call["instance"] and (member in group.members or not self.has_rows):
            key = (call["group"], call["instance"])
            if self._holders.get(key, ("", 0.0))[0] != member:
                self._holders[key] = (member, record["at"])
        group.told_at.setdefault(generation, record["at"])

    def synced(self, call: Record, record: Record) -> None:
        """SyncGroup: one owner of each partition in a generation, and not before it is stored."""
        group = self._groups[call["group"]]
        # A rebalance may begin in the very commit that stores the assignment.
        stored = {"Stable", "PreparingRebalance"} & group.states.get(call["generation"], set())
        if self.has_rows and not stored:
            self._say("I10", "an assignment was told before it was stored", record)
        owner = call["instance"] or call["member"]
        for topic, partition in record["owned"]:
            key = (call["group"], call["generation"], topic, partition)
            if self._owners.setdefault(key, owner) != owner:
                self._say("I1", f"{key} has two owners, {self._owners[key]} and {owner}", record)

    def consumed(self, call: Record, record: Record) -> None:
        """ConsumerGroupHeartbeat: nobody is given what another still holds."""
        name, member = call["group"], record["member"]
        group = self._groups[name]
        if call["generation"] < 0:
            self._holds[name].pop(call["member"], None)
            return
        if self.has_rows and member not in group.members and member not in group.gone_at:
            self._say("I10", f"{member} was let in before it was stored", record)
        if self.has_rows and record["generation"] > group.generation:
            self._say("I10", f"epoch {record['generation']} was told too soon", record)
        if self.has_rows and group.gone_at.get(member, call["at"]) < call["at"]:
            self._say("I4", f"a heartbeat of {member}, who had gone, succeeded", record)
        if record["owned"] is None or member not in group.members:
            return
        owned = {(t, p) for t, p in record["owned"]}
        for other, held in self._holds[name].items():
            if other != member and owned & held:
                self._say("I1", f"{other} and {member} hold {sorted(owned & held)}", record)
        self._holds[name][member] = owned

    def committed(self, call: Record, record: Record) -> None:
        """OffsetCommit: what is acknowledged is stored."""
        for topic, partition, offset in call["offsets"]:
            register = self._offsets[call["group"], topic, partition]
            # Of several commits to one partition in one batch the last one stands.
            is_stored = offset in register.written or register.last >= call["at"]
            if self.has_rows and not is_stored:
                self._say("I10", f"offset {offset} was acknowledged before it was stored", record)

    def fetched(self, call: Record, record: Record) -> None:
        """OffsetFetch: what stood in the row at some instant while it was asked."""
        for topic, partition, offset in record["offsets"] if self.has_rows else ():
            register = self._offsets[call["group"], topic, partition]
            if offset not in register.between(call["at"], record["at"]):
                self._say("I5", f"{topic}-{partition} read {offset}, which did not stand", record)

    def _check_told(self, call: Record, record: Record) -> None:
        """Nobody hears of what is not committed (heartbeats are answered from the face)."""
        group, generation = self._groups[call["group"]], call["generation"]
        code, member = record["code"], call["member"]
        if code == REBALANCE_IN_PROGRESS and "PreparingRebalance" not in group.states.get(
            generation, ()
        ):
            self._say("I10", "a heartbeat told of a rebalance that is not stored", record)
        if code == 22 and group.generation == generation:
            self._say("I10", f"generation {generation} was said to be over", record)
        if code == 25 and member in group.members and group.state != "Empty":
            self._say("I10", f"{member} was said to be no member", record)

    def _refuse_offsets(self, call: Record, record: Record) -> None:
        for topic, partition, offset in call.get("offsets", ()):
            place = (call["group"], topic, partition)
            self._refused[place].add(offset)
            if offset in self._offsets[place].written:
                self._say("I4", f"{place}: {offset} was refused, but written", record)

    def _close_offsets(self, call: Record) -> None:
        for topic, partition, offset in call.get("offsets", ()):
            self._offsets[call["group"], topic, partition].open.discard(offset)

    # -- the run

    def fault(self, record: Record) -> None:
        """A client's own trouble excuses its silence."""
        self._excused[record["process"]].append((record["since"], record["until"]))

    def mishap(self, record: Record) -> None:
        """Something reached a loop that should have been caught."""
        self._say("I8", record["what"], record)

    def end(self, record: Record) -> None:
        """Faults have ended long ago: everybody has what it needs, and an answer."""
        for call in self._calls.values():
            asked = call["at"] + PATIENCE * record["healed_ms"]
            if asked < record["at"] and not self._is_excused(
                call["process"], call["at"], record["at"]
            ):
                self._say("I7", f"{call['api']} of {call['process']} was forgotten", record)
        for name, settled in record["groups"].items():
            if not settled:
                self._say("I7", f"{name} has not settled {record['healed_ms']:.0f} ms after the "
                          "last fault", record)  # fmt: skip


TAKE: Final = {
    name: getattr(Checker, name)
    for name in ("row", "invoke", "seek", "ok", "fail", "info", "fault", "mishap", "end")
}
TABLES: Final = {
    "group": Checker.group_row,
    "offset": Checker.offset_row,
    "removed": Checker.removed_row,
}
SUCCEEDED: Final = {
    "JoinGroup": Checker.joined,
    "SyncGroup": Checker.synced,
    "Heartbeat": Checker.beaten,
    "ConsumerGroupHeartbeat": Checker.consumed,
    "OffsetCommit": Checker.committed,
    "OffsetFetch": Checker.fetched,
}


def check(records: Iterable[Record], *, has_rows: bool = True) -> list[Violation]:
    """Everything that did not hold in a history. ``has_rows`` False: no rows were recorded, and
    what needs them is not judged."""
    checker = Checker(has_rows=has_rows)
    for record in records:
        checker.take(record)
    return checker.violations
