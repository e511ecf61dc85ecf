"""The committers under bad luck: held rows, refused values, lost connections, held commits."""

import asyncio
from pathlib import Path

import pytest

from groups.core.errors import ErrorCode
from groups.core.events import DeleteGroup
from groups.core.replies import Committed, Joined
from groups.postgres import connections
from groups.reporting.observers import BELL
from tests import rows
from tests.factories import ids_in_slots
from tests.node.running import Running

Other = connections.Connection

HOLD = "SELECT FROM rollcall_group WHERE group_id = %s FOR UPDATE"
END_BACKENDS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE application_name = %s AND datname = current_database()"
)


@pytest.fixture(autouse=True, params=["events", "repeats"])
def _way(one: Running, request: pytest.FixtureRequest) -> None:
    """Commits come as events, or as repeats of earlier ones."""
    one.are_repeats = request.param == "repeats"


def code_of(node: Running, group_id: str, joined: Joined) -> ErrorCode | None:
    """The current response to a heartbeat."""
    view = node.node.coordinator.heartbeat_views.get(group_id)
    if view is None:
        return None
    return view.heartbeat(joined.member_id, None, joined.generation_id, 0)


async def test_a_locked_group_delays_no_other(one: Running, other: Other) -> None:
    """A locked row delays its own group; other groups join and commit in the meantime."""
    held = await one.settled("held")
    stranger = await one.settled("stranger")
    async with other.transaction():
        await other.execute(HOLD, ["held"])
        late = one.commit("held", 1, held)
        late_too = one.join("held")

        assert await one.commit("stranger", 1, stranger) == Committed()
        newcomer = await one.settled("newcomer")
        assert await one.commit("newcomer", 1, newcomer) == Committed()
        assert not late.done() and not late_too.done()

    assert await late == Committed()
    assert (await rows.offsets(other))["held", "t", 0] == 1
    late_too.cancel()


@pytest.mark.parametrize("companions", [0, 1, 9])
async def test_a_refused_value_fails_only_its_own_request(
    one: Running, other: Other, companions: int
) -> None:
    """U+0000 passes every check of ours and is refused by PostgreSQL: one request fails."""
    ids = ids_in_slots(1 + companions)
    for group_id in ids:
        await one.kept(group_id)
    let_go = one.points.hold("offsets:before")
    first = one.commit(ids[0], 1)
    await one.points.reached["offsets:before"].wait()
    bad = one.commit(ids[0], 2, metadata="a\0b", topic="bad")
    good = [one.commit(group_id, 3) for group_id in ids for _ in range(3)]
    let_go()

    assert await first == Committed()
    assert (await bad).error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert [await future for future in good] == [Committed()] * len(good)
    assert await rows.offsets(other) == {(g, "t", 0): 3 for g in ids}


async def test_a_locked_offset_row_fails_and_delays_no_other_group(
    one: Running, other: Other
) -> None:
    """Deleting a topic holds offset rows for long: a commit to it waits for its turn, and those
    of other groups in the same batch are written."""
    theirs, *strangers = ids_in_slots(9)
    for group_id in (theirs, *strangers):
        await one.kept(group_id)
    async with other.transaction():
        await other.execute("SELECT FROM rollcall_offset WHERE group_id = %s FOR UPDATE", [theirs])
        let_go = one.points.hold("offsets:before")
        first = one.commit(strangers[0], 1)
        await one.points.reached["offsets:before"].wait()
        late = one.commit(theirs, 1)
        others = [one.commit(group_id, 2) for group_id in strangers]
        let_go()

        assert await asyncio.gather(first, *others) == [Committed()] * 9
        assert not late.done(), "it was refused for a lock that somebody holds for a moment"

    assert await late == Committed()


@pytest.mark.parametrize("point", ["membership:before", "membership:after"])
async def test_no_reply_of_a_rebalance_before_its_commit(one: Running, point: str) -> None:
    """The view is swapped behind the commit: 0 while the batch is held, 27 afterwards."""
    joined = await one.settled("g")
    let_go = one.points.hold(point)
    second = one.join("g")
    await one.points.reached[point].wait()

    assert code_of(one, "g", joined) is ErrorCode.NONE

    let_go()
    again = one.join("g", joined.member_id)
    await asyncio.gather(second, again)
    assert code_of(one, "g", joined) is ErrorCode.ILLEGAL_GENERATION


@pytest.mark.parametrize("point", ["membership:before", "membership:connected", "membership:after"])
async def test_an_unknown_outcome_is_retriable_and_loses_nothing(
    one: Running, other: Other, point: str
) -> None:
    """The connection dies around the COMMIT; the group is read again and continues."""
    joined = await one.settled("g")
    let_go = one.points.hold(point)
    second = one.join("g")
    await one.points.reached[point].wait()
    await other.execute(END_BACKENDS, ["rollcall node membership"])
    let_go()

    rejoined = await one.join("g", joined.member_id)
    while rejoined.error is ErrorCode.COORDINATOR_NOT_AVAILABLE:  # as its client would
        rejoined = await one.join("g", joined.member_id)
    first = await second

    assert first.error in (ErrorCode.NONE, ErrorCode.COORDINATOR_NOT_AVAILABLE)
    assert isinstance(rejoined, Joined) and rejoined.error is ErrorCode.NONE
    assert rejoined.generation_id == joined.generation_id + 1
    assert (await rows.groups(other))["g"][1] == rejoined.generation_id


async def test_observers_are_notified_of_a_group_whose_outcome_was_unknown(
    one: Running, other: Other
) -> None:
    """Its rows may have changed without its committer knowing: every observer reads them itself."""
    await one.settled("g")
    await other.execute(f"LISTEN {BELL}")
    let_go = one.points.hold("membership:connected")
    second = one.join("g")
    await one.points.reached["membership:connected"].wait()
    await other.execute(END_BACKENDS, ["rollcall node membership"])
    let_go()

    assert await anext(told async for told in other.notifies() if told.payload == "{}")
    second.cancel()


async def test_a_connection_closed_while_idle_costs_no_response(one: Running, other: Other) -> None:
    """PostgreSQL was restarted in a quiet moment: the next batch goes by a new connection."""
    joined = await one.settled("g")
    await _ended(other, "rollcall node membership")

    again = await one.join("g", joined.member_id)

    assert isinstance(again, Joined) and again.error is ErrorCode.NONE


async def _ended(other: Other, name: str) -> None:
    """End the backends of that name, and wait until their processes, and so their sockets, are
    closed: a view of PostgreSQL's forgets them a moment earlier."""
    pids = (
        "SELECT pid FROM pg_stat_activity"
        " WHERE application_name = %s AND datname = current_database()"
    )
    found = await (await other.execute(pids, [name])).fetchall()
    assert found
    await other.execute(END_BACKENDS, [name])
    while any(_runs(pid) for (pid,) in found):
        await asyncio.sleep(0.01)


def _runs(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


async def test_a_group_changed_by_others_delays_no_other_in_its_batch(
    one: Running, other: Other
) -> None:
    """One group of a batch has another revision than remembered: nothing of the batch is written,
    then the others at once, and that one when it has been read again."""
    held, changed, *companions = ids_in_slots(5)
    for group_id in (held, changed, *companions):
        await one.kept(group_id)
    let_go = one.points.hold("offsets:before")
    first = one.commit(held, 1)
    await one.points.reached["offsets:before"].wait()
    late = one.commit(changed, 2)
    others = [one.commit(group_id, 3) for group_id in companions]
    raised = "UPDATE rollcall_group SET revision = revision + 1 WHERE group_id = %s"
    await other.execute(raised, [changed])
    let_go()

    assert await asyncio.gather(first, late, *others) == [Committed()] * 5
    assert await rows.offsets(other) == {
        (held, "t", 0): 1,
        (changed, "t", 0): 2,
        **{(group_id, "t", 0): 3 for group_id in companions},
    }


async def test_events_after_a_deletion_belong_to_a_new_group(one: Running, other: Other) -> None:
    """A deletion and a join wait in one inbox: the group goes with its offsets, and the member
    founds another of the same name."""
    await one.kept("g")
    let_go = one.points.hold("membership:before")
    busy = one.join("busy")
    await one.points.reached["membership:before"].wait()
    deleted = one.ask("g", DeleteGroup(ticket=one.counter.ticket()))
    joined = one.join("g")
    let_go()

    assert (await deleted).error is ErrorCode.NONE
    founder = await joined
    assert isinstance(founder, Joined) and founder.error is ErrorCode.NONE
    assert await rows.offsets(other) == {}
    assert {group_id for group_id, _ in await rows.members(other)} == {"busy", "g"}
    kinds = [kind for group_id, kind, _ in await rows.journal(other) if group_id == "g"]
    assert kinds[:3] == ["group-created", "group-deleted", "group-created"]
    await busy
