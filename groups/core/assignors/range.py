"""The range assignor: contiguous ranges per topic, static members first (KIP-848).

Topics of equal size are split equally, so that partitions with the same number go to the same
member. Weights and racks are ignored, since they would separate these.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

from groups.core.assignors.types import NOWHERE, Part, Parts, Racks, Subscriber


def assign_ranges(
    members: Sequence[Subscriber], counts: Mapping[str, int], _racks: Racks = NOWHERE
) -> Mapping[str, Parts]:
    """Split each topic among its subscribers; the first ones get one more if it does not divide
    evenly."""
    shares: dict[str, list[Part]] = {member.member_id: [] for member in members}
    ordered = sorted(members, key=_place)
    places = _places(ordered)
    of, having = list(places.values()), _having(list(places), counts)
    known: dict[tuple[int, ...], list[str]] = {}
    for topic in sorted(having):
        # Few different subscriptions exist, so a topic's subscribers are looked up once for many
        # topics.
        subscriptions = tuple(having[topic])
        if subscriptions not in known:
            found = sorted(chain.from_iterable(of[i] for i in subscriptions))
            known[subscriptions] = [ordered[place].member_id for place in found]
        _split(topic, counts[topic], known[subscriptions], shares)
    return {member_id: frozenset(parts) for member_id, parts in shares.items()}


def _places(ordered: Sequence[Subscriber]) -> dict[frozenset[str], list[int]]:
    """The positions of the members of each subscription."""
    places: dict[frozenset[str], list[int]] = {}
    for place, member in enumerate(ordered):
        places.setdefault(member.topics, []).append(place)
    return places


def _having(
    subscriptions: Sequence[frozenset[str]], counts: Mapping[str, int]
) -> dict[str, list[int]]:
    """By topic: the subscriptions that contain it."""
    having: dict[str, list[int]] = {}
    for i, topics in enumerate(subscriptions):
        for topic in topics & counts.keys():
            having.setdefault(topic, []).append(i)
    return having


def _place(member: Subscriber) -> tuple[bool, str]:
    """Static members by instance id, then the others by member id."""
    return member.instance_id is None, member.instance_id or member.member_id


def _split(
    topic: str, count: int, subscribers: Sequence[str], shares: Mapping[str, list[Part]]
) -> None:
    quota, more = divmod(count, len(subscribers))
    at = 0
    for place, member_id in enumerate(subscribers):
        size = quota + (place < more)
        if not size:
            break  # the following members get none
        shares[member_id] += [(topic, p) for p in range(at, at + size)]
        at += size
