"""What the coordinator would assign in a consumer group: the rules' own conversion of members, and
the built-in assignors."""

from collections.abc import Mapping, Sequence
from typing import Final

from console.foresight.foresight import (
    FOREIGN,
    Accuracy,
    Assign,
    Protocol,
    Rules,
    Scene,
    Seat,
    Software,
)
from groups.core.assignors.registry import DEFAULT_NAMES, table
from groups.core.assignors.types import Assignor, Parts, Racks
from groups.core.consumer.index import Index
from groups.core.consumer.member import Member
from groups.core.consumer.targets import Subscribers
from groups.core.rows import Durable

BY_MEMBERS: Final = "members run the assignor"
BEHIND: Final = "a new target is being computed"


def _by(assignor: Assignor) -> Assign:
    def assign(
        seats: Sequence[Seat], counts: Mapping[str, int], racks: Racks
    ) -> Mapping[str, Parts]:
        ordered = sorted((seat.as_seen for seat in seats), key=lambda one: one.member_id)
        return assignor(ordered, counts, racks)

    return assign


ASSIGNORS: Final[Mapping[str, Rules]] = {
    name: Rules(_by(assignor), Accuracy.EXACT) for name, assignor in table().items()
}
PROTOCOL: Final = Protocol(DEFAULT_NAMES[0], ASSIGNORS)


def scene(durable: Durable, counts: Mapping[str, int], racks: Racks, _software: Software) -> Scene:
    """The group as its rows describe it. ``counts`` by topic name are those of the catalogue now;
    ``racks`` by topic id."""
    details = durable.group.details
    members = {key: Member.load(row) for key, row in durable.members.items()}
    index = Index.of(members.values(), details)
    subscribers = Subscribers(index)
    name = str(details.get("assignor") or DEFAULT_NAMES[0])
    rules = ASSIGNORS.get(name) or (None, Accuracy.UNKNOWN, FOREIGN.format(name))
    assign, accuracy, why, *_ = rules
    found = Scene(
        durable.group.kind,
        name,
        [
            Seat(
                subscribers.of(member),
                member.row.client_id,
                member.row.client_host,
                member.row.session_timeout_ms,
                member.drain is not None,
            )
            for member in members.values()
        ],
        {entry[0]: counts.get(topic, entry[1]) for topic, entry in index.catalogue.items()},
        assign,
        accuracy,
        why,
        racks,
        assignors=ASSIGNORS,
        names=index.names_by_id,
    )
    if details.get("assigned_by") or any(m.client_assignors for m in members.values()):
        return found.doubts(Accuracy.ESTIMATED, BY_MEMBERS)
    is_behind = details.get("target_epoch", 0) != durable.group.generation
    return found.doubts(Accuracy.ESTIMATED, BEHIND) if is_behind else found
