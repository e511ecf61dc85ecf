"""What holds of a whole classic group between two steps, whatever happened.

The group itself checks after each step what is cheap to check (``check_change``).
"""

from collections import Counter
from itertools import pairwise

from groups.core.classic.group import check_row
from groups.core.classic.live import Live
from groups.core.classic.states import COMPLETING, PREPARING, STABLE
from groups.core.rows import Durable
from groups.core.subscription import protocol_names


def check_thoroughly(durable: Durable, live: Live) -> None:
    """Check one value completely."""
    check_row(durable.group, durable.members)
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
    if durable.group.state in (COMPLETING, STABLE):
        name = durable.group.protocol_name
        for row in durable.members.values():
            assert name in protocol_names(row.subscription), "a member lacks the protocol"


def _check_joins(durable: Durable, live: Live) -> None:
    if durable.group.state != PREPARING:
        assert live.join_phase is None, f"a join phase goes on in {durable.group.state}"
        assert not live.joins or live.put_off is not None, f"joins in {durable.group.state}"
        if not live.recovering:
            owed = live.is_owed(durable.group)
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
    names = Counter(protocol_names(row.subscription) for row in rows.values())
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
        assert state in (COMPLETING, STABLE), f"a sync timer runs in {state}"
    elif not live.recovering:
        assert state != COMPLETING, "CompletingRebalance without a sync timer"
