"""What a change would make of a group: who would own what, what would move, what would stand still.

One function for previews and questions (``console.queries.foresight``). Each kind says what its own
rules would assign (the module of its name, ``kinds.SCENES``): exactly where the coordinator
assigns, or a stock client by an assignor that depends on members and topics alone; estimated where
a leader also looks at what members own. Pure; it decides nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, NamedTuple

from groups.core.assignors.types import NOTHING, NOWHERE, Parts, Racks, Subscriber

Millis = int

NEW: Final = "~new-"
"""Ids of members that do not exist yet: a real one is a name or a UUID, and sorts before them."""

WORK_MAX: Final = 200_000
"""Members and partitions, times waves of a deploy, that are computed: half a second. The waves
after these count as those before them."""


class Accuracy(StrEnum):
    """How certain an answer is."""

    EXACT = "exact"
    ESTIMATED = "estimated"
    UNKNOWN = "unknown"


class Gone(StrEnum):
    """How members end."""

    SAID = "said"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Seat:
    """A member. ``held``: what it owns, or its target if the coordinator knows one. ``threads``: of
    a commanded consumer, by topic."""

    as_seen: Subscriber
    client_id: str
    host: str
    session_timeout_ms: Millis
    is_drained: bool = False
    threads: Mapping[str, int] = field(default_factory=dict)

    @property
    def member_id(self) -> str:
        """Its id."""
        return self.as_seen.member_id


Assign = Callable[[Sequence[Seat], Mapping[str, int], Racks], Mapping[str, Parts]]
"""From members that may have partitions, partition counts and racks to each member's share."""


Software = frozenset[tuple[str, str]]
"""Which clients members are, by name and version (KIP-511); empty texts where one did not say."""


class Rules(NamedTuple):
    """How an assignor of a protocol goes about it; the fields are those of ``Scene``."""

    assign: Assign
    accuracy: Accuracy
    why: str = ""
    stops: bool = False
    is_cooperative: bool = False


class Protocol(NamedTuple):
    """What members of another protocol are assigned by: its assignors, and the usual one."""

    assignor: str
    assignors: Mapping[str, Rules]


class Unreadable(ValueError):
    """The rows do not say what members want, or what they own; the text says what."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A group as its rows describe it. ``assign`` None: nobody here knows what would be assigned,
    for the reason ``why``. ``are_sticky``: it also depends on what members own. ``stops``: members
    give up all partitions in a rebalance. ``is_cooperative``: one gives up what another is to get,
    which is assigned in a second rebalance (KIP-429). ``assignors`` and ``protocols``: those that
    can be asked about, by name."""

    kind: str
    assignor: str
    seats: Sequence[Seat]
    counts: Mapping[str, int]
    assign: Assign | None
    accuracy: Accuracy
    why: str = ""
    racks: Racks = field(default_factory=lambda: NOWHERE)
    stops: bool = False
    is_cooperative: bool = False
    assignors: Mapping[str, Rules] = field(default_factory=dict)
    protocols: Mapping[str, Protocol] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    is_frozen: bool = False

    def named(self, topic: str) -> str:
        """The name of a topic of ``counts``, which may be an id."""
        return self.names.get(topic, topic)

    def doubts(self, accuracy: Accuracy, why: str) -> "Scene":
        """The same, known less well; the first reason stays."""
        if self.accuracy == Accuracy.UNKNOWN or self.accuracy == accuracy:
            return self
        return replace(self, accuracy=accuracy, why=why)


@dataclass(frozen=True, slots=True)
class Change:
    """What is asked about: members that end, and how; drained members and members whose drain ends;
    so many more members like those that are there; partitions that topics get; another assignor;
    another protocol, with its usual assignor unless one is named; another session timeout of all; a
    restart of all members, ``at_once`` at a time; members with instance ids."""

    gone: frozenset[str] = frozenset()
    how: Gone = Gone.SAID
    drained: frozenset[str] = frozenset()
    undrained: frozenset[str] = frozenset()
    newcomers: int = 0
    partitions: Mapping[str, int] = field(default_factory=dict)
    assignor: str = ""
    protocol: str = ""
    session_timeout_ms: Millis = 0
    at_once: int = 0
    are_static: bool = False


NO_CHANGE: Final = Change()


@dataclass(frozen=True, slots=True)
class Share:
    """A member's number of partitions before and after. ``gained``: of the latter, those that it
    did not have."""

    member_id: str
    name: str
    host: str
    before: int
    after: int
    gained: int


@dataclass(frozen=True, slots=True)
class Foresight:
    """The answer. ``moved``: partitions that get another owner than before, or one at all; as the
    journal counts them. ``unowned``: partitions without an owner afterwards. ``gone``: members that
    end, ``freed``: what they own, which stands still for at most ``still_ms``. ``stopped``:
    partitions that members give up for the time of a rebalance. Without ``shares`` nobody knows."""

    accuracy: Accuracy
    why: str
    rebalances: int
    moved: int = 0
    unowned: int = 0
    gone: int = 0
    freed: int = 0
    still_ms: Millis = 0
    stopped: int = 0
    members: int = 0
    shares: Sequence[Share] = ()

    @property
    def cost_ms(self) -> int:
        """Partitions times milliseconds in which nobody works on what silent members own, at
        most."""
        return self.freed * self.still_ms


FOREIGN: Final = "it is assigned by {}, which is not known here"
MOVING: Final = "the current rebalance has not ended"
FROZEN: Final = "the group is frozen: no rebalance begins until it is thawed"
NEW_IDS: Final = "ids of new members are not known, and assignors go by their order"
ANEW: Final = "members join under new ids, and assignors go by their order"
ALL_WAVES: Final = "only the first waves were computed"


def foresee(scene: Scene, change: Change = NO_CHANGE) -> Foresight:
    """What the change would make of the group. Raises ValueError for one that makes no sense."""
    _check(scene, change)
    if change.at_once:
        return _deploy(scene, change)
    after = _changed(scene, change)
    gone = [seat for seat in scene.seats if seat.member_id in change.gone]
    freed = sum(len(seat.as_seen.held) for seat in gone)
    session_ms = change.session_timeout_ms
    still_ms = max((session_ms or seat.session_timeout_ms for seat in gone), default=0)
    lost = Foresight(
        after.accuracy,
        after.why,
        rebalances=0 if scene.is_frozen or not after.seats else 1,
        gone=len(gone),
        freed=freed,
        still_ms=still_ms if change.how == Gone.SILENT else 0,
        members=len(after.seats),
    )
    shares = None if scene.is_frozen else _shares(after)
    if scene.is_frozen:
        lost = replace(lost, accuracy=Accuracy.EXACT, why=FROZEN)
        shares = {seat.member_id: seat.as_seen.held for seat in after.seats}
    if shares is None:
        return replace(lost, accuracy=Accuracy.UNKNOWN, stopped=_stopped(after))
    return replace(
        lost,
        rebalances=lost.rebalances + _are_handed_over(after, shares),
        stopped=0 if scene.is_frozen else _stopped(after),
        unowned=_wanted(after) - sum(map(len, shares.values())),
        moved=sum(len(shares[one.member_id] - one.as_seen.held) for one in after.seats),
        shares=_told(scene, after, shares),
    )


def _check(scene: Scene, change: Change) -> None:
    known = {seat.member_id for seat in scene.seats}
    unknown = (change.gone | change.drained | change.undrained) - known
    if unknown:
        raise ValueError(f"{min(unknown)} is no member")
    if change.newcomers < 0 or change.at_once < 0 or any(n < 1 for n in change.partitions.values()):
        raise ValueError("a number of members or partitions to add is not positive")
    if change.newcomers and not scene.seats:
        raise ValueError("the group has no members: nobody knows what a new one would subscribe to")
    topics = {scene.named(topic) for topic in scene.counts}
    if change.partitions.keys() - topics:
        raise ValueError(f"no member subscribes to {min(change.partitions.keys() - topics)}")
    if change.protocol and change.protocol not in scene.protocols:
        known_ones = " or ".join(scene.protocols) or "none"
        raise ValueError(f"members could change to {known_ones}, not to {change.protocol}")
    assignors = _assignors(scene, change)
    if change.assignor and change.assignor not in assignors:
        raise ValueError(f"the assignor {change.assignor} is not known for this kind of group")


def _assignors(scene: Scene, change: Change) -> Mapping[str, Rules]:
    return scene.protocols[change.protocol].assignors if change.protocol else scene.assignors


def _changed(scene: Scene, change: Change) -> Scene:
    """The group after the change, before its rebalance."""
    seats = [
        replace(seat, is_drained=(seat.is_drained or seat.member_id in change.drained)
                and seat.member_id not in change.undrained)
        for seat in scene.seats
        if seat.member_id not in change.gone
    ]  # fmt: skip
    like = seats or scene.seats
    seats += [_newcomer(like[n % len(like)], n) for n in range(change.newcomers)]
    counts = {
        topic: number + change.partitions.get(scene.named(topic), 0)
        for topic, number in scene.counts.items()
    }
    after = _by_other_rules(replace(scene, seats=seats, counts=counts), change)
    return after.doubts(Accuracy.ESTIMATED, NEW_IDS) if change.newcomers else after


def _by_other_rules(scene: Scene, change: Change) -> Scene:
    """The group with the assignor, or the protocol, that is asked about."""
    usual = scene.protocols[change.protocol].assignor if change.protocol else scene.assignor
    name = change.assignor or usual
    if not change.protocol and name == scene.assignor:
        return scene
    after = replace(scene, assignor=name, **_assignors(scene, change)[name]._asdict())
    return after.doubts(Accuracy.ESTIMATED, ANEW) if change.protocol else after


def _newcomer(like: Seat, number: int) -> Seat:
    member_id = f"{NEW}{number}"
    seen = replace(like.as_seen, member_id=member_id, instance_id=None, held=NOTHING)
    return replace(like, as_seen=seen, client_id="new member", is_drained=False)


def _shares(scene: Scene) -> Mapping[str, Parts] | None:
    """Every member's share; None if nobody knows."""
    if scene.assign is None:
        return None
    able = [seat for seat in scene.seats if not seat.is_drained]
    dealt = scene.assign(able, scene.counts, scene.racks) if able else {}
    return {seat.member_id: dealt.get(seat.member_id, NOTHING) for seat in scene.seats}


def _wanted(scene: Scene) -> int:
    """Partitions of the topics to which a member subscribes."""
    topics: set[str] = set()
    for subscription in {seat.as_seen.topics for seat in scene.seats}:
        topics |= subscription
    return sum(scene.counts.get(topic, 0) for topic in topics)


def _stopped(scene: Scene) -> int:
    """What members that stay give up for the time of the rebalance."""
    return sum(len(seat.as_seen.held) for seat in scene.seats) if scene.stops else 0


def _are_handed_over(after: Scene, shares: Mapping[str, Parts]) -> bool:
    """Whether a member of a cooperative group gives up what another one gets."""
    kept = ((one.as_seen.held, shares[one.member_id]) for one in after.seats)
    given_up = NOTHING.union(*(held - share for held, share in kept))
    return after.is_cooperative and any(given_up & share for share in shares.values())


def _told(before: Scene, after: Scene, shares: Mapping[str, Parts]) -> Sequence[Share]:
    new = {seat.member_id: seat for seat in after.seats}
    rows = [*before.seats, *(seat for seat in after.seats if seat.member_id.startswith(NEW))]
    return [
        Share(
            seat.member_id,
            seat.as_seen.instance_id or seat.client_id or seat.member_id,
            seat.host,
            len(seat.as_seen.held),
            len(share := shares[seat.member_id] if seat.member_id in new else NOTHING),
            len(share - seat.as_seen.held),
        )
        for seat in rows
    ]


def _deploy(scene: Scene, change: Change) -> Foresight:
    """Every member restarts, so many at a time: each wave leaves, and joins again under new ids. A
    member with an instance id that is back within its session changes nothing."""
    size, n = change.at_once, len(scene.seats)
    waves = -(-n // size)
    dynamic = [seat for seat in scene.seats if seat.as_seen.instance_id is None]
    if change.are_static or not dynamic:
        return Foresight(scene.accuracy, scene.why, rebalances=0, members=n)
    known = _by_other_rules(scene, change).doubts(Accuracy.ESTIMATED, NEW_IDS)
    if known.is_frozen or known.assign is None:
        why = FROZEN if known.is_frozen else known.why
        return Foresight(Accuracy.UNKNOWN, why, rebalances=2 * waves, members=n)
    computed = max(1, min(waves, WORK_MAX // (2 * max(1, n + sum(scene.counts.values())))))
    seats, moved, stopped = tuple(known.seats), 0, 0
    for wave in range(computed):
        first, last = wave * size, (wave + 1) * size
        back = tuple(_newcomer(seat, first + i) for i, seat in enumerate(seats[first:last]))
        staying, new, stops = _settled(known, seats[:first] + seats[last:])
        moved, stopped = moved + new, stopped + stops
        seats, new, stops = _settled(known, staying[:first] + back + staying[first:])
        moved, stopped = moved + new, stopped + stops
    if computed < waves:
        known = replace(known, accuracy=Accuracy.ESTIMATED, why=ALL_WAVES)
    return Foresight(
        known.accuracy,
        known.why,
        rebalances=2 * waves,
        moved=round(moved * waves / computed),
        stopped=round(stopped * waves / computed),
        gone=n,
        members=n,
    )


def _settled(scene: Scene, seats: tuple[Seat, ...]) -> tuple[tuple[Seat, ...], int, int]:
    """These members after a rebalance; how many partitions moved, and how many stood still."""
    among = replace(scene, seats=seats)
    shares = _shares(among) or {}
    moved = sum(len(shares[seat.member_id] - seat.as_seen.held) for seat in seats)
    return tuple(_holding(seat, shares[seat.member_id]) for seat in seats), moved, _stopped(among)


def _holding(seat: Seat, share: Parts) -> Seat:
    return replace(seat, as_seen=replace(seat.as_seen, held=share))
