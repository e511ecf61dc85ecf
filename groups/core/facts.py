"""Facts of a step: which members' lives began and ended, and what each owns from now on. Pure.

Rules yield them in the order in which they happened; ``settled`` makes of a step's facts what there
is to write (``groups.store.records``). What they mean for each kind of group is in docs/facts.md.
Ages are milliseconds before the step, by the rules' clock: the store subtracts them from the
database's.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, NamedTuple

from groups.core.assignment import numbers_of
from groups.core.authors import UNKNOWN_CLIENT, Client
from groups.core.journal import Trigger
from groups.core.rounds import Round
from groups.core.rows import MemberRow
from groups.core.topics import name_problem
from groups.core.values import quick

Owned = Mapping[str, Sequence[int]]
"""Topic name to partitions; one that is repeated counts once."""

NOTHING: Final[Owned] = {}

PARTITION_MAX: Final = 2**31 - 2
"""The greatest partition that a range of PostgreSQL can end with. Kafka's are an int32."""


class Departure(StrEnum):
    """How a life ended."""

    LEFT = "left"
    EXPIRED = "expired"
    REPLACED = "replaced"
    EVICTED = "evicted"
    EXPELLED = "expelled"
    REFUSED = "refused"
    NOT_ACKNOWLEDGED = Trigger.NOT_ACKNOWLEDGED.value
    UNKNOWN = "unknown"


class Origin(StrEnum):
    """How a life began; ``KNOWN``: it was found, so its beginning was earlier."""

    JOINED = "joined"
    RETURNED = "returned"
    KNOWN = "known"


DEPARTURES: Final[Mapping[str, Departure]] = {
    Trigger.MEMBER_LEFT: Departure.LEFT,
    Trigger.SESSION_EXPIRED: Departure.EXPIRED,
    Trigger.OPERATOR: Departure.EVICTED,
    Trigger.MEMBER_REFUSED: Departure.REFUSED,
    Trigger.JOIN_TIMED_OUT: Departure.NOT_ACKNOWLEDGED,
    Trigger.SYNC_EXPIRED: Departure.NOT_ACKNOWLEDGED,
    Trigger.REBALANCE_TIMEOUT: Departure.NOT_ACKNOWLEDGED,
    Trigger.NOT_ACKNOWLEDGED: Departure.NOT_ACKNOWLEDGED,
}
"""The departure that the trigger of a removal means."""


@quick
@dataclass(frozen=True, slots=True)
class Began:
    """A life began. ``topics`` None: what it subscribes to cannot be read. ``protocols``: the names
    of its assignors, in its order. ``kind``: the protocol that it speaks."""

    row: MemberRow
    kind: str
    generation: int
    age_ms: int = 0
    origin: Origin = Origin.JOINED
    client: Client = UNKNOWN_CLIENT
    topics: tuple[str, ...] | None = ()
    pattern: str = ""
    protocols: tuple[str, ...] = ()
    rack_id: str | None = None


@quick
@dataclass(frozen=True, slots=True)
class Ended:
    """A life ended; ``silent_ms``: since its last sign of life."""

    member_id: str
    departure: Departure
    generation: int
    silent_ms: int = 0


@quick
@dataclass(frozen=True, slots=True)
class Owns:
    """The member owns no other partitions than these from now on: what it owned before and is not
    among them it has lost, ``lost_ms`` ago. ``gains``: it owns all of them; otherwise only those
    that it owned before. ``assignment``: bytes whose partitions it owns besides ``parts``; they are
    decoded where the fact is used, which in a large group is in a thread."""

    member_id: str
    generation: int
    parts: Owned
    lost_ms: int = 0
    gains: bool = True
    assignment: bytes = b""

    def owned(self) -> Owned:
        """All of them."""
        return both(owned_in(self.assignment), self.parts) if self.assignment else self.parts


Fact = Began | Ended | Owns | Round


class Flash(NamedTuple):
    """A life that began and ended in one step."""

    began: Began
    ended: Ended


@dataclass(slots=True)
class Settled:
    """What a step's facts amount to: lives of before that ended, lives that began and are not over,
    lives of no length, the last ownership of each member that is there, and rounds that ended."""

    ended: list[Ended] = field(default_factory=list)
    began: dict[str, Began] = field(default_factory=dict)
    flashes: list[Flash] = field(default_factory=list)
    owns: dict[str, Owns] = field(default_factory=dict)
    rounds: list[Round] = field(default_factory=list)


def settled(facts: Iterable[Fact]) -> Settled:
    """The facts of one group's step, combined."""
    result = Settled()
    for fact in facts:
        match fact:
            case Began(row=row):
                result.began[row.member_id] = fact
            case Ended(member_id=member_id):
                result.owns.pop(member_id, None)
                began = result.began.pop(member_id, None)
                if began is None:
                    result.ended.append(fact)
                else:
                    result.flashes.append(Flash(began, fact))
            case Owns(member_id=member_id):
                result.owns[member_id] = _last(result.owns.get(member_id), fact)
            case Round():
                result.rounds.append(fact)
    return result


def _last(earlier: Owns | None, later: Owns) -> Owns:
    """What a member owns at the end of a step in which two facts say it: what it lost by the first,
    it has lost since then."""
    if earlier is None or earlier.lost_ms <= later.lost_ms:
        return later
    return replace(later, lost_ms=earlier.lost_ms)


def grouped(parts: Iterable[tuple[str, int]]) -> Owned:
    """(topic name, partition) pairs by topic, in order: the same decision has the same facts."""
    found: dict[str, list[int]] = {}
    for topic, partition in sorted(parts):
        found.setdefault(topic, []).append(partition)
    return found


def both(some: Owned, more: Owned) -> Owned:
    """The partitions of either."""
    if not some or not more:
        return some or more
    return {**some, **{topic: (*some.get(topic, ()), *each) for topic, each in more.items()}}


def owned_in(assignment: bytes) -> Owned:
    """The partitions of an assignment; none at all if it is opaque."""
    return known(numbers_of(assignment) or NOTHING)


def known(found: Owned) -> Owned:
    """These partitions of an assignment. None at all if it is opaque: undecodable, or with names or
    numbers that no topic of a catalogue has."""
    if any(map(name_problem, found)):
        return NOTHING
    for numbers in found.values():
        if min(numbers) < 0 or max(numbers) > PARTITION_MAX:
            return NOTHING
    return found
