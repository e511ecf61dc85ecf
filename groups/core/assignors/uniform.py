"""The uniform assignor: as even as can be, then as little moved as can be (KIP-848).

Where all members subscribe to the same topics, quotas are exact: sizes differ by one at
most. Otherwise partitions go to their least loaded subscriber, and a bounded number of passes
moves single partitions from fuller members to emptier ones.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace

from groups.core.assignors import Part, Parts, Subscriber

PASSES_MAX = 16
"""Balancing passes over all rooms, as in Kafka. What is evened out in one room may tip another;
nearly all gain comes from the first passes."""


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
    """Keep what may be kept, give the rest to the least loaded, then move singly until even."""
    shares = _Shares(members, counts)
    rooms = _rooms(members, counts)
    for room in rooms:
        shares.fill(room)
    for _ in range(PASSES_MAX):
        # A sum, since every room shall have its turn, also when an earlier one moved something.
        if not sum(shares.level(room) for room in rooms):
            break
    return shares.given()


@dataclass(frozen=True, slots=True)
class _Room:
    """Topics that have the same subscribers: within a room any partition may go to anyone."""

    topics: tuple[str, ...]
    members: tuple[str, ...]


def _rooms(members: Sequence[Subscriber], counts: Mapping[str, int]) -> list[_Room]:
    """The fewer may own its partitions, the earlier a room gives them away."""
    subscribers: dict[str, list[str]] = {}
    for member in members:
        for topic in member.topics & counts.keys():
            subscribers.setdefault(topic, []).append(member.member_id)
    rooms: dict[tuple[str, ...], list[str]] = {}
    for topic in sorted(subscribers):
        rooms.setdefault(tuple(subscribers[topic]), []).append(topic)
    found = [_Room(tuple(topics), ids) for ids, topics in rooms.items()]
    return sorted(found, key=lambda room: (len(room.members), room.topics))


class _Shares:
    """Who has what while it is being decided: by member and topic, and each member's load."""

    def __init__(self, members: Sequence[Subscriber], counts: Mapping[str, int]) -> None:
        self.counts = counts
        self.load: dict[str, int] = {}
        self.has: dict[str, dict[str, list[int]]] = {}
        self.taken: dict[str, set[int]] = {topic: set() for topic in counts}
        for member in members:
            self.load[member.member_id] = 0
            self.has[member.member_id] = {}
            for topic, p in sorted(member.held):
                if topic in member.topics and p < counts.get(topic, 0):
                    self._give(member.member_id, topic, p)

    def _give(self, member_id: str, topic: str, p: int) -> None:
        if p not in self.taken[topic]:
            self.taken[topic].add(p)
            self.has[member_id].setdefault(topic, []).append(p)
            self.load[member_id] += 1

    def fill(self, room: _Room) -> None:
        """Give what nobody has, each time to the least loaded."""
        heap = [(self.load[m], m) for m in room.members]
        heapify(heap)
        for topic in room.topics:
            for p in sorted(set(range(self.counts[topic])) - self.taken[topic]):
                member_id = heap[0][1]
                self._give(member_id, topic, p)
                heapreplace(heap, (self.load[member_id], member_id))

    def level(self, room: _Room) -> bool:
        """Move from the fullest that has something here to the emptiest, while that evens out."""
        poor = [(self.load[m], m) for m in room.members]
        rich = [(-self.load[m], m) for m in room.members if self._has_in(m, room)]
        heapify(poor)
        heapify(rich)
        moved = False
        while rich and -rich[0][0] - poor[0][0] > 1:
            giver, taker = rich[0][1], poor[0][1]
            if self.load[giver] != -rich[0][0]:
                heapreplace(rich, (-self.load[giver], giver))  # it was given to meanwhile
            elif self.load[taker] != poor[0][0]:
                heapreplace(poor, (self.load[taker], taker))
            else:
                self._move(room, giver, taker)
                moved = True
                heapreplace(poor, (self.load[taker], taker))
                if self._has_in(giver, room):
                    heapreplace(rich, (-self.load[giver], giver))
                else:
                    heappop(rich)
        return moved

    def _has_in(self, member_id: str, room: _Room) -> bool:
        has = self.has[member_id]
        return any(has.get(topic) for topic in room.topics)

    def _move(self, room: _Room, giver: str, taker: str) -> None:
        has = self.has[giver]
        topic = max(room.topics, key=lambda topic: len(has.get(topic, ())))
        self.has[taker].setdefault(topic, []).append(has[topic].pop())
        self.load[giver] -= 1
        self.load[taker] += 1

    def given(self) -> Mapping[str, Parts]:
        """Everyone's share."""
        return {
            member_id: frozenset((topic, p) for topic, ps in has.items() for p in ps)
            for member_id, has in self.has.items()
        }
