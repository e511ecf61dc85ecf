"""Invariants of a draft group.

``check`` runs after every step, in production too. A violation is a defect in Rollcall, never
of a consumer.
"""

from collections.abc import Mapping, Sequence

from groups.core import row_packing
from groups.core.draft.states import EMPTY, PREPARING, STABLE
from groups.core.draft.work import OWED
from groups.core.group import Answer
from groups.core.rows import Durable, MemberRow


def check(before: Durable, after: Durable, answers: Sequence[Answer]) -> None:
    """Compare the rows before and after one step."""
    tickets = [answer.ticket for answer in answers]
    assert len(tickets) == len(set(tickets)), "a ticket was answered twice"
    if after is before or (after.revision == 0 and before.exists):
        return
    group = after.group
    assert group.state in (EMPTY, PREPARING, STABLE), group.state
    assert group.state != EMPTY or not after.members, "an empty group has members"
    assert group.generation >= before.group.generation, "the generation fell"
    if group.generation == before.group.generation:
        added = after.members.keys() - before.members.keys()
        assert not added, "a consumer joined a generation"
        gone = len(before.members) > len(after.members)
        owed = group.state == EMPTY or OWED in group.details
        assert owed or not gone, "a consumer went, and no rebalance is owed"
    else:
        check_owners(after.members)


def check_owners(members: Mapping[str, MemberRow]) -> None:
    """No partition has two owners."""
    parts = [part for row in members.values() for part in row_packing.parts_in(row.assignment)]
    assert len(parts) == len(set(parts)), "a partition has two owners"
