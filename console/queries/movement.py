"""How many partitions a forced rebalance would move, and how certain that is.

Members and topics are unchanged since the last rebalance, or a new one would have begun by itself.
So an assignor whose result depends only on them returns the same assignment again; partitions
without an owner get one.
"""

from collections.abc import Sequence
from typing import Any, Final

from console.queries.groups import (
    CLASSIC,
    CONSUMER,
    MemberView,
    partition_counts,
    topics_of_members,
)
from console.queries.situation_text import many

EXACT: Final = frozenset(["range", "roundrobin"])
"""Assignors whose result depends only on members and topics (Kafka's names)."""

ESTIMATED: Final = frozenset(["sticky", "cooperative-sticky", "uniform"])
"""Assignors that also use the current assignment, and move as little as balance allows."""


def expected(group: Any, members: Sequence[MemberView]) -> str:
    """A sentence; "" if there is nothing to report. One statement."""
    if group.kind not in (CLASSIC, CONSUMER) or not members:
        return ""
    if any(member.assignment is None for member in members):
        return "How many partitions would move is unknown: what members own cannot be read."
    assignor = group.protocol_name or group.details.get("assignor") or ""
    if not assignor:
        return "How many partitions would move is unknown: no assignor is chosen yet."
    if assignor not in EXACT | ESTIMATED:
        return f"How many partitions would move is unknown: the assignor {assignor} decides it."
    if group.state != "Stable":
        return "How many partitions would move is unknown until the current rebalance ends."
    counts = partition_counts(topics_of_members(members))
    free = max(0, sum(counts.values()) - sum(member.partition_count for member in members))
    how = "Exact" if assignor in EXACT and not free else "Estimated"
    if not free:
        return f"{how}: no partition would move, since members and topics are the same."
    get = "gets an owner" if free == 1 else "get owners"
    return f"{how}: {many(free, 'partition')} without owner {get}; others may move to balance that."
