"""Sticky: as even as subscriptions allow, and everybody keeps what it has where that is possible.

Two assignors share it: ``sticky`` (eager: what members had stands in their user data) and
``cooperative-sticky`` (KIP-429: they still own it, and nothing goes straight from one member to
another). Java's results may differ in which partition moves; its members understand these.
"""

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush, heapreplace

from rollcall.client.assignors.formats import read_generation_user_data, read_sticky_user_data
from rollcall.client.assignors.shape import Assignment, Candidate, Counts, subscribers
from rollcall.client.core.events import Partitions, TopicPartition

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


Heap = list[tuple[int, int, str]]
"""Candidates: how many each has at least, its place in Java's order, its id."""


class Takers:
    """Who has least, for each topic. Topics that the same members want share a heap."""

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
        """The first of those who have least. Who has more than its entry says is put right."""
        heap = self._by_topic[topic]
        while True:
            known, place, member_id = heap[0]
            if len(self._given[member_id]) <= known:
                return member_id
            heapreplace(heap, (len(self._given[member_id]), place, member_id))


def _balance(given: Assignment, wanting: Mapping[str, tuple[str, ...]]) -> None:
    """Move partitions from who has more to who has at least two less, until nobody has.

    Every move makes the sum of the squares smaller, so it ends.
    """
    while _moves(given, Takers(given, wanting)):
        continue


def _moves(given: Assignment, takers: Takers) -> bool:
    """Let whoever has most give one, again and again; whether anybody could.

    Nobody who gives can be a taker in the same round: whoever gives later has one more at most.
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
