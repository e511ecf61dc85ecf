"""Invariants of a classic group.

``check`` runs after every step, in production too: it costs nothing if nothing durable changed, and
no more than the step itself otherwise. ``check_thoroughly`` checks everything, for tests. A
violation is an ``AssertionError``: a mistake in the rules, never of a member.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from groups.core.classic import packing
from groups.core.classic.guards import is_owed
from groups.core.classic.live import Live
from groups.core.classic.states import COMPLETING, EMPTY, PREPARING, STABLE
from groups.core.group import Answer
from groups.core.rows import Durable, GroupRow, MemberRow
from groups.core.shared import may_differ

_SETTLED = (COMPLETING, STABLE)


def check(before: Durable, after: Durable, answers: Sequence[Answer]) -> None:
    """Compare the rows before and after one step."""
    tickets = [answer.ticket for answer in answers]
    assert len(tickets) == len(set(tickets)), "a ticket was answered twice"
    if after is before:
        return
    _check_row(after.group, after.members)
    if after.revision == 0 and before.exists:
        return  # deleted, and perhaps created again
    assert after.group.generation >= before.group.generation, "the generation fell"
    if after.group.generation == before.group.generation and after.members is not before.members:
        _check_same_generation(before, after)


def _check_row(group: GroupRow, members: Mapping[str, MemberRow]) -> None:
    assert group.state in (EMPTY, PREPARING, COMPLETING, STABLE), group.state
    assert group.leader is None or group.leader in members, "the leader is no member"
    if group.state in _SETTLED:
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


def check_thoroughly(durable: Durable, live: Live) -> None:
    """Check one value completely."""
    _check_row(durable.group, durable.members)
    _check_members(durable)
    _check_joins(durable, live)
    _check_maps(durable, live)
    _check_timers(durable, live)
    tickets = list(live.tickets())
    assert len(tickets) == len(set(tickets)), "a ticket waits twice"


def _check_members(durable: Durable) -> None:
    for member_id, row in durable.members.items():
        assert row.member_id == member_id, "a row lies under another member's id"
    positions = [row.position for row in durable.members.values()]
    assert all(a < b for a, b in pairwise(positions)), "members are not in order of arrival"
    if durable.group.state in _SETTLED:
        name = durable.group.protocol_name
        for row in durable.members.values():
            assert name in packing.names_of(row.subscription), "a member lacks the protocol"


def _check_joins(durable: Durable, live: Live) -> None:
    if durable.group.state != PREPARING:
        assert live.join_phase is None, f"a join phase goes on in {durable.group.state}"
        assert not live.joins or live.put_off is not None, f"joins in {durable.group.state}"
        if not live.recovering:
            owed = is_owed(durable.group, live)
            assert owed is (live.put_off is not None), "what is put off is not what is owed"
    elif not live.recovering:
        assert live.join_phase is not None, "PreparingRebalance without a join phase"
    assert live.fresh == sum(1 for join in live.joins.values() if join.is_new)
    for member_id, join in live.joins.items():
        assert join.row.member_id == member_id, "a join is parked under another id"
        assert join.is_new is (member_id not in durable.members), "a newcomer has a row"
    for connection, member_id in live.awaited.items():
        handed_out = live.pending.get(member_id)
        assert handed_out is not None, "an id is awaited that was not handed out"
        assert handed_out.connection == connection, "an id is awaited over another connection"
    assert not live.pending.keys() & (durable.members.keys() | live.joins.keys())


def _check_maps(durable: Durable, live: Live) -> None:
    """The indexes of ``Live`` agree with the rows and the joins."""
    rows = {**durable.members, **{m: join.row for m, join in live.joins.items()}}
    assert live.beats.keys() == rows.keys(), "beats are not the members'"
    instances = [(row.instance_id, row.member_id) for row in rows.values() if row.instance_id]
    assert len(instances) == len(live.instances), "two members have one instance id"
    assert dict(instances) == live.instances, "the instance map is not the members'"
    names = Counter(packing.names_of(row.subscription) for row in rows.values())
    assert names == live.preferences, "protocol names are miscounted"
    size = sum(len(row.subscription) for row in rows.values())
    assert size == live.metadata_bytes, "what members brought along is miscounted"
    assert live.generation == durable.group.generation, "live is of another generation"
    assert all(row.position < live.next_position for row in rows.values())


def _check_timers(durable: Durable, live: Live) -> None:
    state = durable.group.state
    assert live.unsynced.keys() <= durable.members.keys(), "a stranger is to sync"
    assert live.syncs.keys() <= durable.members.keys(), "a stranger's sync is held"
    assert not live.unsynced.keys() & live.syncs.keys(), "a held sync is waited for"
    if state == COMPLETING and not live.recovering:
        everyone = live.unsynced.keys() | live.syncs.keys()
        assert everyone == durable.members.keys(), "a member that has not synced is not waited for"
    if state != COMPLETING:
        assert not live.syncs, f"syncs are held in {state}"
    if live.sync is not None:
        assert state in _SETTLED, f"a sync timer runs in {state}"
    elif not live.recovering:
        assert state != COMPLETING, "CompletingRebalance without a sync timer"
