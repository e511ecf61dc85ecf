"""Sticky: as even as subscriptions allow, and members keep their partitions if possible.

Two assignors share it: ``sticky`` (eager: members' previous partitions are in their user data) and
``cooperative-sticky`` (KIP-429: members still own them, and none goes directly from one member to
another). Java's results may differ in which partition moves; its members understand these.
"""

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush, heapreplace

from rollcall.client.assignors.formats import read_generation_user_data, read_sticky_user_data
from rollcall.client.assignors.shape import Assignment, Candidate, Counts, subscribers
from rollcall.client.core.events import Partitions, TopicPartition

Claims = Mapping[str, tuple[Partitions, int]]
"""By member id: its previous partitions, and their generation."""


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
    """The cooperative form: a partition that moves from one member to another has no owner for one
    round.

    Its owner sees that it is missing, revokes it and joins again; only then is it assigned. Every
    claim counts for that, however old: an owner that is possibly outdated must revoke too.
    """
    claims = {
        each.member_id: (
            each.claim.owned,
            max(each.claim.generation, read_generation_user_data(each.claim.user_data)),
        )
        for each in members
    }
    given = _assign(counts, members, claims)
    claimed: dict[TopicPartition, set[str]] = {}
    for member_id, (owned, _) in claims.items():
        for partition in owned:
            claimed.setdefault(partition, set()).add(member_id)
    return {
        member_id: {each for each in partitions if claimed.get(each, set()) <= {member_id}}
        for member_id, partitions in given.items()
    }


def _assign(counts: Counts, members: Sequence[Candidate], claims: Claims) -> Assignment:
    wanting = {
        topic: tuple(each.member_id for each in found)
        for topic, found in subscribers(counts, members).items()
    }
    topics = {each.member_id: frozenset(each.claim.topics) for each in members}
    given: Assignment = {each.member_id: set() for each in members}
    for partition, member_id in _holders(claims).items():
        is_there = partition.partition < counts.get(partition.topic, 0)
        if is_there and partition.topic in topics[member_id]:
            given[member_id].add(partition)
    held = set().union(*given.values()) if given else set()
    takers = Takers(given, wanting)
    for topic in wanting:
        for number in range(counts[topic]):
            partition = TopicPartition(topic, number)
            if partition not in held:
                given[takers.least(topic)].add(partition)
    _balance(given, wanting)
    return given


def _holders(claims: Claims) -> dict[TopicPartition, str]:
    """The previous owner of each partition: that of the newest claim; none if two are equally
    new."""
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


Heap = list[tuple[int, int, str]]
"""Candidates: a lower bound of each one's number, its position in Java's order, its id."""


class Takers:
    """Finds the member with the fewest partitions for each topic. Topics with the same subscribers
    share a heap."""

    def __init__(self, given: Assignment, wanting: Mapping[str, tuple[str, ...]]) -> None:
        self._given = given
        shared: dict[tuple[str, ...], Heap] = {}
        for candidates in wanting.values():
            if candidates not in shared:
                heap = [(len(given[each]), place, each) for place, each in enumerate(candidates)]
                heapify(heap)
                shared[candidates] = heap
        self._by_topic = {topic: shared[candidates] for topic, candidates in wanting.items()}

    def least(self, topic: str) -> str:
        """The first member with the fewest. Outdated entries are corrected."""
        heap = self._by_topic[topic]
        while True:
            known, place, member_id = heap[0]
            if len(self._given[member_id]) <= known:
                return member_id
            heapreplace(heap, (len(self._given[member_id]), place, member_id))


def _balance(given: Assignment, wanting: Mapping[str, tuple[str, ...]]) -> None:
    """Move partitions from members to others that have at least two fewer, until there are none.

    Every move decreases the sum of the squares, so it ends.
    """
    while _moves(given, Takers(given, wanting)):
        continue


def _moves(given: Assignment, takers: Takers) -> bool:
    """Let the member with the most give one, repeatedly; returns whether any could.

    A member that gives cannot receive in the same round: later ones have at most one more.
    """
    givers = [(-len(partitions), member_id) for member_id, partitions in given.items()]
    heapify(givers)
    left = {each: iter(sorted(given[each], reverse=True)) for each in given}
    has_moved = False
    while givers:
        _, member_id = heappop(givers)
        mine = given[member_id]
        for partition in left[member_id]:
            least = takers.least(partition.topic)
            if len(given[least]) + 1 < len(mine):
                mine.remove(partition)
                given[least].add(partition)
                heappush(givers, (-len(mine), member_id))
                has_moved = True
                break
    return has_moved
