"""Rack awareness: partitions go to members in their own rack; the number of each member is
unchanged.

Kafka removed rack awareness from its server-side assignors because of its cost (KAFKA-16694). Here
balance is computed first; within a room partitions are interchangeable, so free ones, and those far
from their owner, are distributed once more, by rack and in slices.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, repeat

from groups.core.assignors.types import Part, Parts, Racks, Subscriber


@dataclass(frozen=True, slots=True)
class Room:
    """Topics with the same subscribers: within a room any partition may go to any member."""

    topics: tuple[str, ...]
    members: tuple[str, ...]


def complete(topics: Iterable[str], counts: Mapping[str, int], racks: Racks) -> Racks:
    """The racks of every partition of these topics; an empty set if unknown."""
    found: dict[str, Sequence[frozenset[str]]] = {}
    for topic in topics:
        known = tuple(racks.get(topic, ()))
        found[topic] = known + tuple(repeat(frozenset[str](), counts[topic] - len(known)))
    return found


def far(share: Iterable[Part], rack_id: str | None, racks: Racks) -> list[Part]:
    """The partitions of a share that are not near to its owner, in order. ``racks`` are
    complete."""
    if rack_id is None:
        return sorted(share)
    # Sets have no order, and the result must not depend on it.
    return sorted([part for part in share if rack_id not in racks[part[0]][part[1]]])


def bring_home(
    members: Sequence[Subscriber],
    shares: Mapping[str, Parts],
    rooms: Iterable[Room],
    counts: Mapping[str, int],
    racks: Racks,
) -> Mapping[str, Parts]:
    """Exchange partitions that are far from their owner in a finished assignment, by room."""
    after = dict(shares)
    rooms = list(rooms)
    known = complete((topic for room in rooms for topic in room.topics), counts, racks)
    rack_of = {member.member_id: member.rack_id for member in members}
    away = {m: far(share, rack_of[m], known) for m, share in shares.items()}
    for room in rooms:
        if any(racks.get(topic) for topic in room.topics):
            here = frozenset(room.topics)
            mine = {m: [part for part in away[m] if part[0] in here] for m in room.members}
            exchange = Exchange(mine, {}, rack_of, known)
            exchange.seat(())
            exchange.write(after)
    return after


Numbers = dict[frozenset[str], dict[str, int]]
"""How many partitions with these racks get to each of them."""


def most_near(wanted: Mapping[frozenset[str], int], room: Mapping[str, int]) -> Numbers:
    """Distribute partitions, counted by their racks, so that as many as possible are near.

    ``room``: the places in each rack. A maximum flow, by shortest augmenting paths.

    O(racks) for each set of racks where there is room; a rack from which no path leads to room is
    not looked at again.
    """
    flow = _Flow(room)
    for near in sorted(wanted, key=lambda near: (len(near), sorted(near))):
        flow.place(near, wanted[near])
    return flow.numbers


class _Flow:
    """``numbers`` so far, and the room that is left in each rack."""

    def __init__(self, room: Mapping[str, int]) -> None:
        self.numbers: Numbers = {}
        self._left = dict(room)
        self._users: dict[str, list[frozenset[str]]] = {rack: [] for rack in room}
        self._closed: set[str] = set()

    def place(self, near: frozenset[str], count: int) -> None:
        """Place as many as possible of these; others may have to use another of their racks."""
        self.numbers[near] = dict.fromkeys(sorted(near & self._left.keys()), 0)
        for rack in self.numbers[near]:
            self._users[rack].append(near)
        while count and (path := self._path(near)):
            count -= self._shift(path, count)

    def _path(self, near: frozenset[str]) -> list[tuple[frozenset[str], str]]:
        """From these racks to one with room: each takes a place in a rack, whose former user takes
        one in the next. Empty if there is none."""
        came: dict[str, tuple[frozenset[str], str | None]] = {}
        self._open(near, None, came)
        for rack in (queue := list(came)):
            if self._left[rack]:
                return self._steps(rack, came)
            for user in self._users[rack]:
                if self.numbers[user][rack]:
                    queue += self._open(user, rack, came)
        self._closed.update(came)
        return []

    def _open(
        self,
        near: frozenset[str],
        before: str | None,
        came: dict[str, tuple[frozenset[str], str | None]],
    ) -> list[str]:
        """The racks that are reached for the first time, those with the most room first."""
        racks = [
            rack for rack in self.numbers[near] if rack not in came and rack not in self._closed
        ]
        racks.sort(key=lambda rack: -self._left[rack])
        came.update(dict.fromkeys(racks, (near, before)))
        return racks

    def _steps(
        self, rack: str, came: Mapping[str, tuple[frozenset[str], str | None]]
    ) -> list[tuple[frozenset[str], str]]:
        steps = list[tuple[frozenset[str], str]]()
        at: str | None = rack
        while at is not None:
            near, before = came[at]
            steps.append((near, at))
            at = before
        return steps

    def _shift(self, path: list[tuple[frozenset[str], str]], most: int) -> int:
        """Move along the path what fits; how many more are placed."""
        _, last = path[0]
        released = [(near, rack) for (near, _), (_, rack) in pairwise(path)]
        moved = min(most, self._left[last], *(self.numbers[n][rack] for n, rack in released))
        for near, rack in path:
            self.numbers[near][rack] += moved
        for near, rack in released:
            self.numbers[near][rack] -= moved
        self._left[last] -= moved
        return moved


class Exchange:
    """Distributes members' far partitions (``away``) and free ones again.

    A member gets as many as it has away, plus its ``vacant`` places. A partition leaves a member
    only to get near, or to make room for one that does.
    """

    def __init__(
        self,
        away: Mapping[str, list[Part]],
        vacant: Mapping[str, int],
        rack_of: Mapping[str, str | None],
        racks: Racks,
    ) -> None:
        self.away = away
        self.racks = racks
        self.places = {m: len(parts) + vacant.get(m, 0) for m, parts in away.items()}
        self.got: dict[str, list[Part]] = {member_id: [] for member_id in away}
        self.homes: dict[str, list[str]] = {}
        for member_id in reversed(self.places):
            rack_id = rack_of[member_id]
            if rack_id is not None and self.places[member_id]:
                self.homes.setdefault(rack_id, []).append(member_id)

    def seat(self, free: Iterable[Part]) -> None:
        """Find a place for every partition, near if possible."""
        owned: dict[Part, str] = {}
        for member_id, parts in self.away.items():
            owned.update(dict.fromkeys(parts, member_id))
        by_racks: dict[frozenset[str], list[Part]] = {}
        for part in chain(owned, free):
            near = self.racks[part[0]][part[1]]
            if near in by_racks:
                by_racks[near].append(part)
            else:
                by_racks[near] = [part]
        wanted = {near: len(parts) for near, parts in by_racks.items()}
        room = {rack: sum(map(self.places.__getitem__, m)) for rack, m in self.homes.items()}
        homeless: list[Part] = []
        for near, numbers in most_near(wanted, room).items():
            homeless += self._bring(by_racks[near], numbers)
        self._put_up(homeless, owned)

    def _bring(self, parts: list[Part], numbers: Mapping[str, int]) -> list[Part]:
        """Fill so many places in each rack; returns the partitions without a place."""
        at = 0
        for rack, number in numbers.items():
            homes, until = self.homes[rack], at + number
            while at < until:
                some = parts[at : min(until, at + self.places[homes[-1]])]
                self.got[homes[-1]].extend(some)
                self.places[homes[-1]] -= len(some)
                at += len(some)
                if not self.places[homes[-1]]:
                    homes.pop()
        return parts[at:]

    def _put_up(self, homeless: Iterable[Part], owned: Mapping[Part, str]) -> None:
        """A partition without a near place stays with its owner, unless the place is taken: then it
        goes to any free place."""
        guests = []
        for part in homeless:
            owner = owned.get(part)
            if owner is not None and self.places[owner]:
                self.places[owner] -= 1
                self.got[owner].append(part)
            else:
                guests.append(part)
        open_places = (m for m, count in self.places.items() for _ in range(count))
        for member_id, part in zip(open_places, guests, strict=True):
            self.got[member_id].append(part)

    def write(self, shares: dict[str, Parts]) -> None:
        """Write the results into ``shares``; an unchanged share stays the same object."""
        for member_id, parts in self.away.items():
            got = self.got[member_id]
            if got and sorted(got) != parts:
                shares[member_id] = shares[member_id].difference(parts).union(got)
