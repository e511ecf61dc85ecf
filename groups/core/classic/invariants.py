"""Invariants of a classic group.

``check`` runs after every step, in production too: it costs nothing if nothing durable changed, and
no more than the step itself otherwise. A violation is an ``AssertionError``: a mistake
in the rules, never of a member.
"""

from collections.abc import Mapping, Sequence

from groups.core.classic.states import COMPLETING, EMPTY, PREPARING, STABLE
from groups.core.group import Answer
from groups.core.rows import Durable, GroupRow, MemberRow
from groups.core.shared import may_differ

SETTLED = (COMPLETING, STABLE)


def check(before: Durable, after: Durable, answers: Sequence[Answer]) -> None:
    """Compare the rows before and after one step."""
    tickets = [answer.ticket for answer in answers]
    assert len(tickets) == len(set(tickets)), "a ticket was answered twice"
    if after is before:
        return
    check_row(after.group, after.members)
    if after.revision == 0 and before.exists:
        return  # deleted, and perhaps created again
    assert after.group.generation >= before.group.generation, "the generation fell"
    if after.group.generation == before.group.generation and after.members is not before.members:
        _check_same_generation(before, after)


def check_row(group: GroupRow, members: Mapping[str, MemberRow]) -> None:
    """The group's row agrees with its members."""
    assert group.state in (EMPTY, PREPARING, COMPLETING, STABLE), group.state
    assert group.leader is None or group.leader in members, "the leader is no member"
    if group.state in SETTLED:
        assert members, f"{group.state} without members"
        assert group.protocol_name is not None, f"{group.state} without a protocol"
        # A rebalance may be put off in Stable, and its leader may be the removed member.
        owes = "must_rebalance" in group.details
        assert group.state == STABLE or not owes, "a rebalance is owed while one goes on"
        assert owes or group.leader is not None, f"{group.state} without a leader"
    if group.state == EMPTY:
        assert not members, "an empty group has members"


def _check_same_generation(before: Durable, after: Durable) -> None:
    """Within a generation members are removed, or replaced by instance id; none is added."""
    was, now = before.members, after.members
    added = [m for m in may_differ(was, now) if m in now and m not in was]
    if added:
        instances = {row.instance_id for row in was.values() if row.instance_id}
        assert all(now[m].instance_id in instances for m in added), "a member joined a generation"
    removed = len(before.members) - len(after.members)
    if removed > 0:
        assert "must_rebalance" in after.group.details, "a member went, and no rebalance is owed"
