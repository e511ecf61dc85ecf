"""What the leader of a classic group would assign: stock clients' assignors, by their
names. The coordinator only passes their results on."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from console.foresight import java_sticky
from console.foresight.foresight import (
    MOVING,
    Accuracy,
    Protocol,
    Rules,
    Scene,
    Seat,
    Software,
    Unreadable,
)
from groups.core.assignment import partitions_of
from groups.core.assignors.range import assign_ranges
from groups.core.assignors.types import NOWHERE, Parts, Racks, Subscriber
from groups.core.assignors.uniform import assign_uniformly
from groups.core.classic.states import STABLE
from groups.core.rows import Durable, MemberRow
from groups.core.subscription import Subscription, metadata_of, protocol_names, subscription_of

FOREIGN: Final = "its leader assigns by {}, which is not known here"
NONE_YET: Final = "no assignor is chosen yet"
STICKY: Final = "its leader also looks at what members own, as clients do differently"
UNLIKE: Final = "its leader also looks at what members own, and they subscribe to different topics"
MIXED: Final = "clients order static and dynamic members differently"
RACKS: Final = "clients may look at racks (KIP-881)"


def _range(seats: Sequence[Seat], counts: Mapping[str, int], _racks: Racks) -> Mapping[str, Parts]:
    return assign_ranges([seat.as_seen for seat in seats], counts, NOWHERE)


def _sticky(seats: Sequence[Seat], counts: Mapping[str, int], _racks: Racks) -> Mapping[str, Parts]:
    """Balanced first, then as few moves as possible: as the coordinator's own assignor is."""
    ordered = sorted((seat.as_seen for seat in seats), key=lambda one: one.member_id)
    return assign_uniformly(ordered, counts, NOWHERE)


def _java_sticky(
    seats: Sequence[Seat], counts: Mapping[str, int], _racks: Racks
) -> Mapping[str, Parts]:
    return java_sticky.assign([seat.as_seen for seat in seats], counts)


def _java_cooperative(
    seats: Sequence[Seat], counts: Mapping[str, int], _racks: Racks
) -> Mapping[str, Parts]:
    return java_sticky.assign_cooperatively([seat.as_seen for seat in seats], counts)


def _in_turn(
    seats: Sequence[Seat], counts: Mapping[str, int], _racks: Racks
) -> Mapping[str, Parts]:
    """All partitions in order, one to each member in turn; those that do not subscribe are
    skipped (Kafka's RoundRobinAssignor)."""
    ordered = sorted((seat.as_seen for seat in seats), key=_rank)
    shares: dict[str, list[tuple[str, int]]] = {one.member_id: [] for one in ordered}
    at = 0
    for topic in sorted(set().union(*(one.topics for one in ordered))):
        for number in range(counts.get(topic, 0)):
            while topic not in ordered[at % len(ordered)].topics:
                at += 1
            shares[ordered[at % len(ordered)].member_id].append((topic, number))
            at += 1
    return {member_id: frozenset(parts) for member_id, parts in shares.items()}


def _rank(one: Subscriber) -> tuple[bool, str]:
    return one.instance_id is None, one.instance_id or one.member_id


ASSIGNORS: Final[Mapping[str, Rules]] = {
    "range": Rules(_range, Accuracy.EXACT, stops=True),
    "roundrobin": Rules(_in_turn, Accuracy.EXACT, stops=True),
    "sticky": Rules(_sticky, Accuracy.ESTIMATED, STICKY, stops=True),
    "cooperative-sticky": Rules(_sticky, Accuracy.ESTIMATED, STICKY, is_cooperative=True),
}
"""Cooperative members keep what they own while they join (KIP-429)."""

JAVAS: Final[Mapping[str, Rules]] = {
    "sticky": Rules(_java_sticky, Accuracy.EXACT, stops=True),
    "cooperative-sticky": Rules(_java_cooperative, Accuracy.EXACT, is_cooperative=True),
}
"""Of members that subscribe to the same topics, and go on with what they own: so for the assignor
that is in use, and not for one that members would begin with."""

PROTOCOL: Final = Protocol("range", ASSIGNORS)
"""Stock clients offer ``range`` first."""


def scene(durable: Durable, counts: Mapping[str, int], _racks: Racks, software: Software) -> Scene:
    """The group as its rows describe it; ``counts`` by topic name. Raises ``Unreadable``."""
    group, name = durable.group, durable.group.protocol_name or ""
    subscriptions = {
        member_id: _subscription(row, name) for member_id, row in durable.members.items()
    }
    seats = [_seat(row, subscriptions[row.member_id]) for row in durable.members.values()]
    rules = _rules(name, seats, software)
    found = Scene(
        group.kind,
        name,
        seats,
        counts,
        rules.assign if rules else None,
        rules.accuracy if rules else Accuracy.UNKNOWN,
        rules.why if rules else _unknown(name),
        stops=rules.stops if rules else True,
        is_cooperative=bool(rules and rules.is_cooperative),
        assignors=ASSIGNORS,
    )
    return _doubted(found, group.state, subscriptions.values())


def _rules(name: str, seats: Sequence[Seat], software: Software) -> Rules | None:
    """Those of the group's assignor, as its members' clients have it."""
    rules = ASSIGNORS.get(name)
    are_known = bool(software) and all(map(java_sticky.is_known, software))
    if rules is None or name not in JAVAS or not are_known:
        return rules
    are_alike = len({seat.as_seen.topics for seat in seats}) <= 1
    return JAVAS[name] if are_alike else rules._replace(why=UNLIKE)


def _unknown(name: str) -> str:
    return FOREIGN.format(name) if name else NONE_YET


def _doubted(found: Scene, state: str, subscriptions: Iterable[Subscription]) -> Scene:
    static = {seat.as_seen.instance_id is not None for seat in found.seats}
    if len(static) > 1:
        found = found.doubts(Accuracy.ESTIMATED, MIXED)
    if any(one.rack_id for one in subscriptions):
        found = found.doubts(Accuracy.ESTIMATED, RACKS)
    return found if state == STABLE else found.doubts(Accuracy.ESTIMATED, MOVING)


def _subscription(row: MemberRow, name: str) -> Subscription:
    offered = name or next(iter(protocol_names(row.subscription)), "")
    found = subscription_of(metadata_of(row.subscription, offered))
    if found is None:
        raise Unreadable("what its members subscribe to cannot be read")
    return found


def _seat(row: MemberRow, subscription: Subscription) -> Seat:
    held = partitions_of(row.assignment)
    if held is None:
        raise Unreadable("what its members own cannot be read")
    topics = frozenset(subscription.topics)
    seen = Subscriber(row.member_id, row.instance_id, topics, held)
    return Seat(seen, row.client_id, row.client_host, row.session_timeout_ms)
