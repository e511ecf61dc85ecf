"""What DescribeGroups tells of a member that a downgrade has left in a rebalance: its target.

Its ``assignment`` is what it works on until it has rejoined, and an upgrade in between gives none
of that to others (docs/decisions/0015-migration.md). Clients that describe the group see, as with
Kafka, where the group was going. Gone with the next assignment.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from typing import Final

from groups.core.assignment import assignment_for
from groups.core.rows import Details, MemberRow
from groups.core.subscription import subscription_of, unpack_protocols

DESCRIBED_AS: Final = "described_as"
"""Key of the row's details: a list of topic name and partitions."""


def described_as(parts: Iterable[tuple[str, int]]) -> Details:
    """The details of a member that is described with these (topic name, partition) pairs."""
    topics = groupby(sorted(parts), lambda part: part[0])
    return {DESCRIBED_AS: [[name, [p for _, p in some]] for name, some in topics]}


def described(row: MemberRow) -> MemberRow:
    """The member as DescribeGroups tells of it."""
    target = row.details.get(DESCRIBED_AS)
    if target is None:
        return row
    subscription = subscription_of(unpack_protocols(row.subscription)[0][1])
    parts = ((name, partition) for name, partitions in target for partition in partitions)
    return replace(row, assignment=assignment_for(parts, subscription))
