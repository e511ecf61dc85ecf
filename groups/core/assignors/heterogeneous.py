"""The uniform assignor for members with different subscriptions (KIP-848).

Members keep the partitions that they may keep; the others go to the least loaded subscribers; then
a limited number of passes moves single partitions from fuller members to emptier ones.
"""

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import chain

from groups.core.assignors.partition_bitmap import PartitionBitmap
from groups.core.assignors.quotas import filled
from groups.core.assignors.rack_aware import Room
from groups.core.assignors.types import Part, Parts, Subscriber

PASSES_MAX = 16
"""Balancing passes over all rooms, as in Kafka. Balancing one room may unbalance another; nearly
all the gain comes from the first passes."""


def assign_unlike(
    members: Sequence[Subscriber], counts: Mapping[str, int]
) -> tuple[Mapping[str, Parts], Sequence[Room]]:
    """All shares, and the rooms."""
    rooms = _rooms(members, counts)
    shares = _Shares(members, counts, rooms)
    for room in range(len(rooms)):
        shares.fill(room)
    for _ in range(PASSES_MAX):
        # A sum, so that every room has its turn even if an earlier one moved something.
        if not sum(shares.level(room) for room in range(len(rooms))):
            break
    return shares.given(), rooms


def _rooms(members: Sequence[Subscriber], counts: Mapping[str, int]) -> list[Room]:
    """The rooms, those with the fewest members first."""
    places: dict[frozenset[str], list[int]] = {}
    for place, member in enumerate(members):
        places.setdefault(member.topics, []).append(place)
    having: dict[str, list[int]] = {}
    for i, subscribed in enumerate(places):
        for topic in subscribed & counts.keys():
            having.setdefault(topic, []).append(i)
    topics_of: dict[tuple[int, ...], list[str]] = {}
    for topic in sorted(having):
        topics_of.setdefault(tuple(having[topic]), []).append(topic)
    of, rooms = list(places.values()), []
    for subscriptions, topics in topics_of.items():
        found = sorted(chain.from_iterable(of[i] for i in subscriptions))
        rooms.append(Room(tuple(topics), tuple(members[place].member_id for place in found)))
    return sorted(rooms, key=lambda room: (len(room.members), room.topics))


class _Shares:
    """The shares while they are computed: by member and room, and each member's load.

    ``touched``: members whose share differs from what they held.
    """

    def __init__(
        self, members: Sequence[Subscriber], counts: Mapping[str, int], rooms: Sequence[Room]
    ) -> None:
        self.rooms = rooms
        self.weight = {member.member_id: member.weight for member in members}
        self.held = {member.member_id: member.held for member in members}
        self.claims = PartitionBitmap((topic for room in rooms for topic in room.topics), counts)
        self.load: dict[str, int] = {}
        self.has: dict[str, dict[int, list[Part]]] = {}
        self.touched: set[str] = set()
        room_of = {topic: i for i, room in enumerate(rooms) for topic in room.topics}
        for member in members:
            kept = self.claims.claim(member.held, member.topics)
            if kept is not member.held:
                self.touched.add(member.member_id)
            mine: dict[int, list[Part]] = {}
            for part in kept:
                mine.setdefault(room_of[part[0]], []).append(part)
            self.has[member.member_id] = mine
            self.load[member.member_id] = len(kept)

    def fill(self, room: int) -> None:
        """Give the free partitions of a room to its least loaded members."""
        free = list(self.claims.free(self.rooms[room].topics))
        if not free:
            return
        ids = self.rooms[room].members
        amounts = filled([self.weight[m] for m in ids], [self.load[m] for m in ids], len(free))
        at = 0
        for member_id, amount in zip(ids, amounts, strict=True):
            if amount:
                self.has[member_id].setdefault(room, []).extend(free[at : at + amount])
                self.load[member_id] += amount
                self.touched.add(member_id)
                at += amount

    def level(self, room: int) -> bool:
        """Move partitions of the room from the fullest member that has some to the emptiest, while
        that improves the balance."""
        ids = self.rooms[room].members
        poor = [(self._with_one_more(m), m) for m in ids]
        rich = [(-self._as_is(m), m) for m in ids if self.has[m].get(room)]
        heapify(poor)
        heapify(rich)
        ordered: set[str] = set()
        moved = False
        while rich and -rich[0][0] > poor[0][0]:
            giver, taker = rich[0][1], poor[0][1]
            if self._as_is(giver) != -rich[0][0]:
                heapreplace(rich, (-self._as_is(giver), giver))  # it received some in the meantime
            elif self._with_one_more(taker) != poor[0][0]:
                heapreplace(poor, (self._with_one_more(taker), taker))
            else:
                self._move(room, giver, taker, ordered)
                moved = True
                heapreplace(poor, (self._with_one_more(taker), taker))
                if self.has[giver][room]:
                    heapreplace(rich, (-self._as_is(giver), giver))
                else:
                    heappop(rich)
        return moved

    def _as_is(self, member_id: str) -> float:
        return self.load[member_id] / self.weight[member_id]

    def _with_one_more(self, member_id: str) -> float:
        return (self.load[member_id] + 1) / self.weight[member_id]

    def _move(self, room: int, giver: str, taker: str, ordered: set[str]) -> None:
        has = self.has[giver][room]
        if giver not in ordered:
            has.sort()  # sets have no order, and the result must not depend on it
            ordered.add(giver)
        self.has[taker].setdefault(room, []).append(has.pop())
        ordered.discard(taker)
        self.load[giver] -= 1
        self.load[taker] += 1
        self.touched.update((giver, taker))

    def given(self) -> Mapping[str, Parts]:
        """All shares; an unchanged share is the same object as before."""
        return {
            member_id: frozenset(part for parts in has.values() for part in parts)
            if member_id in self.touched
            else self.held[member_id]
            for member_id, has in self.has.items()
        }
