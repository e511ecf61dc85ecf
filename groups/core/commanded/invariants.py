"""Invariants of a commanded group.

``check`` runs after every step, in production too. A violation is a defect in Rollcall, never
of a consumer.
"""

from collections.abc import Mapping, Sequence

from groups.core import commands
from groups.core.commanded import thread_offers
from groups.core.commanded.states import EMPTY
from groups.core.group import Answer
from groups.core.rows import Durable, MemberRow
from groups.core.shared import may_differ


def check(before: Durable, after: Durable, answers: Sequence[Answer]) -> None:
    """Compare the rows before and after one step."""
    tickets = [answer.ticket for answer in answers]
    assert len(tickets) == len(set(tickets)), "a ticket was answered twice"
    if after is before or (after.revision == 0 and before.exists):
        return
    group = after.group
    assert (group.state == EMPTY) == (not after.members), "Empty, and only then nobody"
    risen = group.generation - before.group.generation
    assert risen >= 0, "the generation fell"
    if risen:
        check_owners(after.members)
        _check_handed_over(after)
    else:
        for consumer_id in may_differ(before.members, after.members):
            had, row = before.members.get(consumer_id), after.members.get(consumer_id)
            if row is None:
                continue
            gained = had is not row and thread_offers.parts_in(row) - (
                thread_offers.parts_in(had) if had is not None else frozenset()
            )
            assert not gained, "partitions were given outside of a new generation"


def check_owners(members: Mapping[str, MemberRow]) -> None:
    """No partition has two owners."""
    parts = [part for row in members.values() for part in thread_offers.parts_in(row)]
    assert len(parts) == len(set(parts)), "a partition has two owners"


def _check_handed_over(after: Durable) -> None:
    """No consumer may start partitions that another one may still work on."""
    for row in after.members.values():
        assert len(row.commands) <= 1, "started before stop-fetcher was acknowledged"
        assert all(c.option == commands.START for c in row.commands), "started while stopping"
