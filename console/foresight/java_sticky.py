"""What a leader of Java's own ``sticky`` or ``cooperative-sticky`` assigns, where all members
subscribe to the same topics (``AbstractStickyAssignor``, Kafka 3.7.1 to 4.4.0, without racks).

Members keep what they own, up to a share; who may keep one more is decided by the order of Java's
``HashMap``, which is that of the ids' hashes. The rest goes to members in the order of their ids.
"""

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Final

from groups.core.assignors.types import Part, Parts, Subscriber

SOFTWARE: Final = "apache-kafka-java"
"""As ``ApiVersions`` names it (KIP-511)."""

SINCE: Final = (3, 7, 1)
"""Older ones choose others of what a member owns."""

_VERSION: Final = re.compile(r"(\d+)\.(\d+)\.(\d+)")

_TABLE: Final = 16
_HASH_BITS: Final = 0xFFFFFFFF


def is_known(software: tuple[str, str]) -> bool:
    """Whether a client of this name and version assigns like this."""
    name, version = software
    found = _VERSION.match(version)
    return name == SOFTWARE and found is not None and tuple(map(int, found.groups())) >= SINCE


def assign(members: Sequence[Subscriber], counts: Mapping[str, int]) -> Mapping[str, Parts]:
    """Each member's share by ``sticky``. ``members`` are in the order of the group."""
    return {member: frozenset(parts) for member, parts in _shared(members, counts).items()}


def assign_cooperatively(
    members: Sequence[Subscriber], counts: Mapping[str, int]
) -> Mapping[str, Parts]:
    """The same by ``cooperative-sticky``, when all is settled: what one member has to give to
    another is assigned in a second rebalance (KIP-429), when nobody owns it any more."""
    first = _shared(members, counts)
    owned = {part: one.member_id for one in members for part in one.held}
    settled = [
        Subscriber(
            one.member_id,
            one.instance_id,
            one.topics,
            frozenset(
                part
                for part in first[one.member_id]
                if owned.get(part, one.member_id) == one.member_id
            ),
        )
        for one in members
    ]
    return assign(settled, counts)


def _shared(members: Sequence[Subscriber], counts: Mapping[str, int]) -> dict[str, list[Part]]:
    wanted = sorted(members[0].topics & counts.keys()) if members else []
    least, larger = divmod(sum(counts[topic] for topic in wanted), len(members) or 1)
    shares, spare = _kept(members, frozenset(wanted), least, larger)
    kept = {part for parts in shares.values() for part in parts}
    turns = deque(_sorted(one for one, parts in shares.items() if len(parts) < least))
    for topic in wanted:
        for number in range(counts[topic]):
            if (topic, number) in kept:
                continue
            member = turns.popleft() if turns else spare.popleft()
            shares[member].append((topic, number))
            if len(shares[member]) <= least:
                (spare if len(shares[member]) == least else turns).append(member)
    return shares


def _kept(
    members: Sequence[Subscriber], topics: frozenset[str], least: int, larger: int
) -> tuple[dict[str, list[Part]], deque[str]]:
    """What members keep, and those that may get one more than ``least``. So many as ``larger`` may
    have that."""
    shares: dict[str, list[Part]] = {}
    spare: list[str] = []
    for one in _hashed(members):
        owned = sorted(
            (part for part in one.held if part[0] in topics), key=lambda part: (part[1], part[0])
        )
        may_be_larger = larger > 0
        if may_be_larger and len(owned) > least:
            larger -= 1
            shares[one.member_id] = owned[: least + 1]
            spare = spare if larger else []
            continue
        shares[one.member_id] = owned[:least]
        if may_be_larger and len(owned) >= least:
            spare.append(one.member_id)
    return shares, deque(_sorted(spare))


def _sorted(ids: Iterable[str]) -> list[str]:
    """In the order of Java's strings."""
    return sorted(ids, key=lambda each: each.encode("utf-16-be"))


def _hashed(members: Sequence[Subscriber]) -> list[Subscriber]:
    """In the order of a ``HashMap`` that has got them one after the other: by the slots of its
    table, which doubles when it is three quarters full."""
    table = _TABLE
    while 4 * len(members) > 3 * table:
        table *= 2
    return sorted(members, key=lambda one: _hash(one.member_id) & (table - 1))


def _hash(text: str) -> int:
    """``String.hashCode`` as ``HashMap`` spreads it."""
    units = text.encode("utf-16-be")
    code = reduce(
        lambda found, at: (31 * found + (units[at] << 8 | units[at + 1])) & _HASH_BITS,
        range(0, len(units), 2),
        0,
    )
    return code ^ code >> 16
