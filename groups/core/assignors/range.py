"""The range assignor: contiguous ranges per topic, static members first (KIP-848).

Topics of equal size are split alike, so that partitions of the same number meet in one member.
"""

from collections.abc import Mapping, Sequence

from groups.core.assignors import Part, Parts, Subscriber


def assign_ranges(members: Sequence[Subscriber], counts: Mapping[str, int]) -> Mapping[str, Parts]:
    """Split each topic among its subscribers; the first ones get one more where it does not fit."""
    given: dict[str, list[Part]] = {member.member_id: [] for member in members}
    ordered = sorted(members, key=_place)
    for topic, count in counts.items():
        subscribers = [member for member in ordered if topic in member.topics]
        if subscribers:
            _split(topic, count, subscribers, given)
    return {member_id: frozenset(parts) for member_id, parts in given.items()}


def _place(member: Subscriber) -> tuple[bool, str]:
    """Static members by instance id, then the others by member id."""
    return member.instance_id is None, member.instance_id or member.member_id


def _split(
    topic: str, count: int, subscribers: Sequence[Subscriber], given: Mapping[str, list[Part]]
) -> None:
    quota, more = divmod(count, len(subscribers))
    at = 0
    for place, member in enumerate(subscribers):
        size = quota + (place < more)
        given[member.member_id] += [(topic, p) for p in range(at, at + size)]
        at += size
