"""The uniform assignor: as even as can be, then as little moved as can be (KIP-848).

Where all members subscribe to the same topics, quotas are exact: sizes differ by one at
most. Otherwise partitions go to their least loaded subscriber, and a bounded number of passes
moves single partitions from fuller members to emptier ones.
"""

from collections.abc import Iterable, Mapping, Sequence

from groups.core.assignors import Part, Parts, Subscriber

PASSES_MAX = 16
"""Balancing passes over all partitions, as in Kafka: each costs partitions times subscribers,
and nearly all gain comes from the first."""


def assign_uniformly(
    members: Sequence[Subscriber], counts: Mapping[str, int]
) -> Mapping[str, Parts]:
    """Balance first, stickiness second."""
    if not members:
        return {}
    if len({member.topics for member in members}) == 1:
        return _alike(members, counts)
    return _unlike(members, counts)


def _all(topics: Iterable[str], counts: Mapping[str, int]) -> list[Part]:
    return [(topic, p) for topic in sorted(topics) for p in range(counts.get(topic, 0))]


def _alike(members: Sequence[Subscriber], counts: Mapping[str, int]) -> Mapping[str, Parts]:
    """Every member keeps what it has up to its quota; what is left fills the others."""
    everything = _all(members[0].topics, counts)
    exists = set(everything)
    quota, more = divmod(len(everything), len(members))
    kept: dict[str, list[Part]] = {}
    # Those who hold most keep the larger shares: that moves least.
    for member in sorted(members, key=lambda m: (-len(m.held & exists), m.member_id)):
        mine = sorted(member.held & exists)
        room = quota + (1 if more > 0 and len(mine) > quota else 0)
        more -= room - quota
        kept[member.member_id] = mine[:room]
        exists.difference_update(kept[member.member_id])
    free = iter([part for part in everything if part in exists])
    for member in members:
        mine = kept[member.member_id]
        missing = quota - len(mine)
        if missing >= 0 and more > 0:
            missing, more = missing + 1, more - 1
        mine.extend(part for _, part in zip(range(missing), free, strict=False))
    return {member.member_id: frozenset(kept[member.member_id]) for member in members}


def _unlike(members: Sequence[Subscriber], counts: Mapping[str, int]) -> Mapping[str, Parts]:
    topics = {topic for member in members for topic in member.topics}
    subscribers = {
        topic: [member.member_id for member in members if topic in member.topics]
        for topic in topics
    }
    owner = _kept(members, counts)
    load = {member.member_id: 0 for member in members}
    for member_id in owner.values():
        load[member_id] += 1
    # The fewer may own a partition, the earlier it is given away.
    free = [part for part in _all(topics, counts) if part not in owner]
    for part in sorted(free, key=lambda p: (len(subscribers[p[0]]), p)):
        lightest = min(subscribers[part[0]], key=lambda m: (load[m], m))
        owner[part] = lightest
        load[lightest] += 1
    _balance(owner, load, subscribers)
    given: dict[str, list[Part]] = {member.member_id: [] for member in members}
    for part, member_id in owner.items():
        given[member_id].append(part)
    return {member_id: frozenset(parts) for member_id, parts in given.items()}


def _kept(members: Sequence[Subscriber], counts: Mapping[str, int]) -> dict[Part, str]:
    return {
        (topic, p): member.member_id
        for member in members
        for topic, p in sorted(member.held)
        if topic in member.topics and p < counts.get(topic, 0)
    }


def _balance(
    owner: dict[Part, str], load: dict[str, int], subscribers: Mapping[str, Sequence[str]]
) -> None:
    for _ in range(PASSES_MAX):
        moved = False
        for part, holder in sorted(owner.items()):
            lightest = min(subscribers[part[0]], key=lambda m: (load[m], m))
            if load[holder] - load[lightest] > 1:
                owner[part] = lightest
                load[holder] -= 1
                load[lightest] += 1
                moved = True
        if not moved:
            return
