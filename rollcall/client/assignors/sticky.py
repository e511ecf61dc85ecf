"""Sticky: as even as subscriptions allow, and everybody keeps what it has where that is possible.

Two assignors share it: ``sticky`` (eager: what members had stands in their user data) and
``cooperative-sticky`` (KIP-429: they still own it, and nothing goes straight from one member to
another). Java's results may differ in which partition moves; its members understand these.
"""

from collections.abc import Mapping, Sequence

from rollcall.client.assignors.formats import read_generation_user_data, read_sticky_user_data
from rollcall.client.assignors.shape import Assignment, Candidate, Counts, subscribers
from rollcall.client.core.words import Partitions, TopicPartition

Claims = Mapping[str, tuple[Partitions, int]]
"""By member id: what it had, and since which generation."""


def assign(counts: Counts, members: Sequence[Candidate]) -> Assignment:
    """The eager form."""
    claims = {
        each.member_id: (
            read_sticky_user_data(each.claim.user_data)
            if each.claim.user_data
            else (each.claim.owned, each.claim.generation)
        )
        for each in members
    }
    return _assign(counts, members, claims)


def assign_cooperatively(counts: Counts, members: Sequence[Candidate]) -> Assignment:
    """The cooperative form: what is somebody's and shall be another's is nobody's for a round.

    Its owner sees that it is missing, gives it up and joins again; only then is it given away.
    Every claim counts for that, however old: who is not sure is asked.
    """
    claims = {
        each.member_id: (
            each.claim.owned,
            max(each.claim.generation, read_generation_user_data(each.claim.user_data)),
        )
        for each in members
    }
    given = _assign(counts, members, claims)
    for member_id, partitions in given.items():
        for other, (owned, _) in claims.items():
            if other != member_id:
                partitions -= owned
    return given


def _assign(counts: Counts, members: Sequence[Candidate], claims: Claims) -> Assignment:
    wanting = {
        topic: [each.member_id for each in found]
        for topic, found in subscribers(counts, members).items()
    }
    given: Assignment = {each.member_id: set() for each in members}
    for partition, member_id in _holders(claims).items():
        is_there = partition.partition < counts.get(partition.topic, 0)
        if is_there and member_id in wanting.get(partition.topic, ()):
            given[member_id].add(partition)
    held = set().union(*given.values()) if given else set()
    for topic, candidates in wanting.items():
        for number in range(counts[topic]):
            partition = TopicPartition(topic, number)
            if partition not in held:
                given[min(candidates, key=lambda each: len(given[each]))].add(partition)
    _balance(given, wanting)
    return given


def _holders(claims: Claims) -> dict[TopicPartition, str]:
    """Whose each partition was: the newest claim's; nobody's where two are equally new."""
    best: dict[TopicPartition, tuple[int, str | None]] = {}
    for member_id in sorted(claims):
        owned, generation = claims[member_id]
        for partition in owned:
            newest = best.get(partition, (-2, None))[0]
            if generation > newest:
                best[partition] = generation, member_id
            elif generation == newest:
                best[partition] = generation, None
    return {partition: who for partition, (_, who) in best.items() if who is not None}


def _balance(given: Assignment, wanting: Mapping[str, Sequence[str]]) -> None:
    """Move partitions from who has more to who has at least two less, until nobody has.

    Every move makes the sum of the squares smaller, so it ends.
    """
    is_moving = True
    while is_moving:
        is_moving = False
        for member_id in sorted(given, key=lambda each: -len(given[each])):
            for partition in sorted(given[member_id], reverse=True):
                least = min(wanting[partition.topic], key=lambda each: len(given[each]))
                if len(given[least]) + 1 < len(given[member_id]):
                    given[member_id].remove(partition)
                    given[least].add(partition)
                    is_moving = True
