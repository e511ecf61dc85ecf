"""What the coordinator would assign in a group of the 0.9 draft: the built-in strategies."""

from collections.abc import Mapping, Sequence
from typing import Final

from console.foresight.foresight import (
    FOREIGN,
    MOVING,
    Accuracy,
    Assign,
    Rules,
    Scene,
    Seat,
    Software,
)
from groups.core import drains, row_packing
from groups.core.assignors.types import Parts, Racks, Subscriber
from groups.core.draft import strategies
from groups.core.draft.states import STABLE
from groups.core.rows import Durable, MemberRow
from groups.core.strategy import Strategy


def _by(strategy: Strategy) -> Assign:
    def assign(
        seats: Sequence[Seat], counts: Mapping[str, int], _racks: Racks
    ) -> Mapping[str, Parts]:
        topics = {seat.member_id: seat.as_seen.topics for seat in seats}
        return strategies.deal(strategy, topics, counts)

    return assign


ASSIGNORS: Final[Mapping[str, Rules]] = {
    name: Rules(_by(strategy), Accuracy.EXACT, stops=True)
    for name, strategy in strategies.BUILT_IN.items()
}


def scene(durable: Durable, counts: Mapping[str, int], _racks: Racks, _software: Software) -> Scene:
    """The group as its rows describe it; ``counts`` by topic name."""
    group, name = durable.group, durable.group.protocol_name or ""
    rules = ASSIGNORS.get(name) or (None, Accuracy.UNKNOWN, FOREIGN.format(name))
    assign, accuracy, why, *_ = rules
    found = Scene(
        group.kind,
        name,
        [_seat(row) for row in durable.members.values()],
        counts,
        assign,
        accuracy,
        why,
        stops=True,
        assignors=ASSIGNORS,
    )
    return found if group.state == STABLE else found.doubts(Accuracy.ESTIMATED, MOVING)


def _seat(row: MemberRow) -> Seat:
    topics, held = row_packing.topics_in(row.subscription), row_packing.parts_in(row.assignment)
    seen = Subscriber(row.member_id, row.instance_id, topics, held)
    is_drained = drains.of(row) is not None
    return Seat(seen, row.client_id, row.client_host, row.session_timeout_ms, is_drained)
