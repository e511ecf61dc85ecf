"""Rack awareness: partitions go to members in their own rack; the number of each member is
unchanged.

Kafka removed rack awareness from its server-side assignors because of its cost (KAFKA-16694). Here
balance is computed first; within a room partitions are interchangeable, so free ones, and those far
from their owner, are distributed once more, by rack and in slices.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

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
        homeless: list[Part] = []
        # Partitions with the fewest racks come first.
        for near in sorted(by_racks, key=lambda near: (len(near), sorted(near))):
            homeless += self._bring(near, by_racks[near])
        self._put_up(homeless, owned)

    def _bring(self, near: frozenset[str], parts: list[Part]) -> list[Part]:
        """Fill the places of members in these racks; returns the partitions without a place."""
        at = 0
        while at < len(parts):
            open_racks = [rack for rack in near if self.homes.get(rack)]
            if not open_racks:
                break
            homes = self.homes[max(open_racks, key=lambda rack: (len(self.homes[rack]), rack))]
            some = parts[at : at + self.places[homes[-1]]]
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
