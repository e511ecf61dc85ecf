"""The uniform assignor: first balanced, then as few moves as possible (KIP-848).

If all members subscribe to the same topics, quotas are exact: sizes differ by at most one.
Otherwise see ``heterogeneous``. ``assign_near`` is the same, but partitions that move anyway, and
those far from their owner, go to members in their racks (``rack_aware``). A member's weight scales
its share.
"""

from collections.abc import Mapping, Sequence

from groups.core.assignors.heterogeneous import assign_unlike
from groups.core.assignors.partition_bitmap import PartitionBitmap
from groups.core.assignors.quotas import quotas
from groups.core.assignors.rack_aware import Exchange, bring_home, complete
from groups.core.assignors.types import NOWHERE, Part, Parts, Racks, Subscriber


def assign_uniformly(
    members: Sequence[Subscriber], counts: Mapping[str, int], _racks: Racks = NOWHERE
) -> Mapping[str, Parts]:
    """Balance first, stickiness second."""
    if not _are_alike(members):
        shares, _rooms = assign_unlike(members, counts)
        return shares
    alike = _Alike(members, counts, NOWHERE)
    alike.fill()
    return alike.shares


def assign_near(
    members: Sequence[Subscriber], counts: Mapping[str, int], racks: Racks = NOWHERE
) -> Mapping[str, Parts]:
    """Balance first, then nearness, stickiness third. Without racks: ``assign_uniformly``."""
    if not any(racks.values()) or all(member.rack_id is None for member in members):
        return assign_uniformly(members, counts)
    if not _are_alike(members):
        shares, rooms = assign_unlike(members, counts)
        return bring_home(members, shares, rooms, counts, racks)
    alike = _Alike(members, counts, complete(counts, counts, racks))
    alike.fill_near()
    return alike.shares


def _are_alike(members: Sequence[Subscriber]) -> bool:
    return len({member.topics for member in members}) <= 1


class _Alike:
    """Members with one subscription, and the partitions that each keeps: at most its quota.

    ``vacant``: how many it lacks. With ``racks``, ``away`` are its partitions far from its rack,
    and a member with too many keeps those that are near.
    """

    def __init__(
        self, members: Sequence[Subscriber], counts: Mapping[str, int], racks: Racks
    ) -> None:
        topics = members[0].topics & counts.keys() if members else frozenset[str]()
        self.members = members
        self.racks = racks
        self.claims = PartitionBitmap(topics, counts)
        self.shares: dict[str, Parts] = {}
        self.away: dict[str, list[Part]] = {}
        self.vacant: dict[str, int] = {}
        for member in members:
            self._claim(member, topics)
        sizes = list(map(len, self.shares.values()))
        quota = quotas([member.weight for member in members], self.claims.total, sizes)
        for member, size, most in zip(members, sizes, quota, strict=True):
            if size > most:
                self._cut(member, most)
            elif size < most:
                self.vacant[member.member_id] = most - size

    def _claim(self, member: Subscriber, topics: frozenset[str]) -> None:
        if not self.racks:
            self.shares[member.member_id] = self.claims.claim(member.held, topics)
            return
        share, away = self.claims.claim_near(member.held, topics, member.rack_id, self.racks)
        self.shares[member.member_id], self.away[member.member_id] = share, sorted(away)

    def _cut(self, member: Subscriber, most: int) -> None:
        away = frozenset(self.away.get(member.member_id, ()))
        ordered = sorted(self.shares[member.member_id])
        ordered.sort(key=away.__contains__)
        kept = ordered[:most]
        self.claims.release(ordered[most:])
        self.shares[member.member_id] = frozenset(kept)
        self.away[member.member_id] = [part for part in kept if part in away]

    def fill(self) -> None:
        """Give the free partitions to members that lack some."""
        free = self.claims.free()
        for member_id, lacks in self.vacant.items():
            got = (part for _, part in zip(range(lacks), free, strict=False))
            self.shares[member_id] = self.shares[member_id].union(got)

    def fill_near(self) -> None:
        """The same by rack, together with the members' far partitions."""
        rack_of = {member.member_id: member.rack_id for member in self.members}
        handing_out = Exchange(self.away, self.vacant, rack_of, self.racks)
        handing_out.seat(self.claims.free())
        handing_out.write(self.shares)
