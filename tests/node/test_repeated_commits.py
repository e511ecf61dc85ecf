"""Commits that repeat an earlier one: they take another way than events, with the same results."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from random import Random

import pytest

from groups.core.classic.group import ClassicGroup
from groups.core.errors import ErrorCode
from groups.core.events import (
    DeleteGroup,
    OffsetCommit,
    OffsetDelete,
    Ticket,
)
from groups.core.replies import Committed
from groups.core.rows import slot_of
from groups.event_loop import Slices
from groups.postgres import connections
from groups.runtime import committer
from groups.runtime.entries import Repeat, Repeatable
from groups.runtime.repeated_commits import AT_ONCE, AcceptedRepeats, Part, RepeatedCommits
from tests import rows
from tests.factories import ids_in_slots
from tests.node.running import Running
from tests.node.test_committer import END_BACKENDS

Other = connections.Connection

RESET = """
INSERT INTO rollcall_operation
    (group_id, slot, verb, member_id, reason, actor, state, detail, created_at, offsets)
VALUES ('g', %s, 'reset-offsets', '', 'a mistake', 'olga', 'pending', '', now(), %s)
"""

HISTORY = (
    "SELECT committed_offset, client_id, client_host FROM rollcall_offset_history"
    " WHERE group_id = %s ORDER BY committed_offset"
)


STALE = 99


@pytest.fixture(autouse=True)
def _repeats(one: Running) -> None:
    one.are_repeats = True


async def test_they_are_written_with_their_history_and_raise_no_revision(
    one: Running, other: Other
) -> None:
    joined = await one.settled("g")
    before = (await rows.groups(other))["g"]

    for at in (1, 2, 3):
        assert await one.commit("g", at, joined) == Committed()

    assert (await rows.offsets(other))["g", "t", 0] == 3
    assert (await rows.groups(other))["g"] == before
    noted = await (await other.execute(HISTORY, ["g"])).fetchall()
    assert noted == [(at, "a-client", "/127.0.0.1") for at in (1, 2, 3)]


async def test_in_one_batch_the_last_commit_of_a_partition_counts(
    one: Running, other: Other
) -> None:
    """The groups are in one batch, and so are several commits to one partition."""
    ids = ids_in_slots(4)
    for group_id in ids:
        await one.kept(group_id)
    let_go = one.points.hold("offsets:before")
    first = one.commit(ids[0], 1)
    await one.points.reached["offsets:before"].wait()
    batches = one.points.passed["offsets:before"]
    others = [one.commit(group_id, at) for at in (7, 9, 8) for group_id in ids]
    let_go()

    assert await asyncio.gather(first, *others) == [Committed()] * 13
    assert one.points.passed["offsets:before"] == batches + 1
    assert await rows.offsets(other) == {(group_id, "t", 0): 8 for group_id in ids}


async def test_the_next_commit_of_a_client_joins_those_that_waited_for_its_last_one(
    one: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise two halves of the clients would take turns, in twice as many batches."""
    monkeypatch.setattr(committer, "LINGER_S", 1.0)
    first, second = ids_in_slots(2)
    for group_id in (first, second):
        await one.kept(group_id)
    let_go = one.points.hold("offsets:before")
    written = one.commit(first, 1)
    await one.points.reached["offsets:before"].wait()
    batches = one.points.passed["offsets:before"]
    waited = one.commit(second, 1)
    let_go()
    assert await written == Committed()
    again = one.commit(first, 2)

    assert await waited == await again == Committed()
    assert one.points.passed["offsets:before"] == batches + 1


async def test_a_group_refuses_them_as_it_refuses_events(one: Running, other: Other) -> None:
    joined = await one.settled("g")
    stale = replace(joined, generation_id=joined.generation_id - 1)
    stranger = replace(joined, member_id="nobody")

    answers = [one.commit("g", 1, joined), one.commit("g", 2, stale), one.commit("g", 3, stranger)]

    assert [(await answer).error for answer in answers] == [
        ErrorCode.NONE,
        ErrorCode.ILLEGAL_GENERATION,
        ErrorCode.UNKNOWN_MEMBER_ID,
    ]
    assert (await rows.offsets(other))["g", "t", 0] == 1


@pytest.mark.parametrize("is_refused", [False, True])
async def test_a_group_whose_rules_fail_does_not_affect_the_others(
    one: Running, monkeypatch: pytest.MonkeyPatch, is_refused: bool
) -> None:
    """A defect, whether its group accepts the commit or refuses all that wait. The others are those
    of the same round, too: they had no reply, and were never released."""
    joined = await one.settled("bad")
    await one.kept("good")
    due = ClassicGroup.due

    def fails(group: ClassicGroup, now: int) -> int | None:
        if group.durable.group.group_id == "bad":
            raise ValueError("a defect")
        return due(group, now)

    monkeypatch.setattr(ClassicGroup, "due", fails)
    one.node.coordinator.entries["bad"].wake_at = None
    stale = replace(joined, generation_id=joined.generation_id - 1)
    good, bad = one.commit("good", 1), one.commit("bad", 1, stale if is_refused else joined)

    assert await good == Committed()
    said = ErrorCode.UNKNOWN_SERVER_ERROR if is_refused else ErrorCode.NONE
    assert (await bad).error is said
    assert await one.commit("good", 2) == Committed()
    assert one.node.coordinator.entries["bad"].broken


@pytest.mark.parametrize("is_before", [False, True])
async def test_they_and_the_events_of_their_group_are_decided_in_the_order_of_arrival(
    one: Running, other: Other, is_before: bool
) -> None:
    """If they overtook it, clients that commit without a pause would keep a group from every other
    event; if it overtook them, a group that was deleted would be there again."""
    await one.kept("g")
    let_go = one.points.hold("offsets:before")
    first = one.commit("g", 1)
    await one.points.reached["offsets:before"].wait()
    answers = [one.commit("g", 2)] if is_before else []
    answers.append(one.ask("g", DeleteGroup(ticket=one.counter.ticket())))
    if not is_before:
        answers.append(one.commit("g", 2))
    let_go()

    assert await first == Committed()
    assert [(await each).error for each in answers] == [ErrorCode.NONE] * 2
    assert await rows.offsets(other) == ({} if is_before else {("g", "t", 0): 2})
    one.counter.check()


async def test_groups_beyond_the_row_limit_of_a_batch_wait_for_the_next(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(committer, "BATCH_ROWS_MAX", 4)
    ids = ids_in_slots(7)
    for group_id in ids:
        await one.kept(group_id)

    assert await asyncio.gather(*(one.commit(g, 1) for g in ids)) == [Committed()] * 7
    assert await rows.offsets(other) == {(group_id, "t", 0): 1 for group_id in ids}


@pytest.mark.parametrize("rows_max", [2_000, 4])
async def test_a_later_event_does_not_overtake_waiting_commits(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch, rows_max: int
) -> None:
    """A client whose connection broke commits again by a new one, and so by an event: an older
    commit of it that still waits must not be written over the newer one."""
    monkeypatch.setattr(committer, "BATCH_ROWS_MAX", rows_max)
    await one.kept("g")
    let_go = one.points.hold("offsets:before")
    first = one.commit("g", 1)
    await one.points.reached["offsets:before"].wait()
    earlier = [one.commit("g", at) for at in range(2, 9)]
    one.are_repeats = False
    later = one.commit("g", 9)
    let_go()

    assert await asyncio.gather(first, *earlier, later) == [Committed()] * 9
    assert (await rows.offsets(other))["g", "t", 0] == 9
    one.counter.check()


async def test_a_commit_whose_lease_ends_while_it_is_written_is_answered_once(
    one: Running, other: Other
) -> None:
    await one.kept("g")
    let_go = one.points.hold("offsets:after")
    first = one.commit("g", 1)
    await one.points.reached["offsets:after"].wait()

    one.node.coordinator.unpark(ErrorCode.COORDINATOR_NOT_AVAILABLE, in_batches=True)
    let_go()

    assert (await first).error is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert await one.commit("g", 2) == Committed()
    assert (await rows.offsets(other))["g", "t", 0] == 2
    one.counter.check()


async def test_their_rows_count_towards_the_limit_of_a_group(one: Running) -> None:
    await one.kept("g")
    coordinator, suspected = one.node.coordinator, one.node.totals.offsets.suspected
    coordinator.entries["g"].written = 0
    coordinator.written_max = 2

    for at in (1, 2, 3):
        assert not suspected.is_set()
        assert await one.commit("g", at) == Committed()

    assert suspected.is_set() and coordinator.entries["g"].written == 0


async def test_a_commit_waiting_for_a_reload_is_written(one: Running, other: Other) -> None:
    await one.kept("g")
    let_go = one.points.hold("offsets:before")
    first = one.commit("g", 1)
    await one.points.reached["offsets:before"].wait()
    waiting = one.commit("g", 2)
    await other.execute("UPDATE rollcall_group SET revision = revision + 1")
    let_go()

    assert [await first, await waiting] == [Committed()] * 2
    assert (await rows.offsets(other))["g", "t", 0] == 2
    one.counter.check()


async def test_a_commit_waiting_for_an_unknown_outcome_is_written(
    one: Running, other: Other
) -> None:
    await one.kept("g")
    let_go = one.points.hold("offsets:connected")
    first = one.commit("g", 1)
    await one.points.reached["offsets:connected"].wait()
    waiting = one.commit("g", 2)
    await other.execute(END_BACKENDS, ["rollcall node offsets"])
    let_go()

    assert (await first).error is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert await waiting == Committed()
    assert (await rows.offsets(other))["g", "t", 0] == 2
    one.counter.check()


async def test_more_commits_of_a_group_than_are_judged_at_once_are_all_answered(
    one: Running, other: Other
) -> None:
    """Of a large group some are refused, and some come while the group is asked about others."""
    joined = await one.settled("g")
    stale = replace(joined, generation_id=STALE)
    let_go = one.points.hold("offsets:before")
    first = one.commit("g", 1, joined)
    await one.points.reached["offsets:before"].wait()
    asked = [one.commit("g", at, joined if at % 7 else stale) for at in range(2, 3 * AT_ONCE + 2)]
    let_go()

    codes = [(await each).error for each in (first, *asked)]
    assert codes == [
        ErrorCode.NONE if at % 7 else ErrorCode.ILLEGAL_GENERATION
        for at in range(1, 3 * AT_ONCE + 2)
    ]
    assert (await rows.offsets(other))["g", "t", 0] == 3 * AT_ONCE + 1
    one.counter.check()


async def test_the_loop_runs_between_the_replies_of_a_batch(one: Running) -> None:
    """After so many of them; not after each, which would take longer than the replies."""
    await one.kept("g")
    coordinator = one.node.coordinator
    entry, pauses = coordinator.entries["g"], 0

    class Over(Slices):
        is_over = True

        async def pause(self) -> None:
            nonlocal pauses
            pauses += 1

    commit = OffsetCommit(generation_id=-1, member_id="", instance_id=None, offsets=(), version=8)
    repeat = Repeat(Repeatable(commit, ()), Ticket(0, 0), ())
    part = Part("g", entry, entry.group.durable.revision, [repeat] * (3 * AT_ONCE + 1))
    repeats = RepeatedCommits(coordinator, coordinator.offsets, Over())

    await repeats.done(AcceptedRepeats([part], len(part.repeats)))

    assert pauses == 3


async def test_a_large_group_does_not_fill_a_batch_beyond_its_limit(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(committer, "BATCH_ROWS_MAX", 2 * AT_ONCE)
    await one.kept("g")
    let_go = one.points.hold("offsets:before")
    first = one.commit("g", 1)
    await one.points.reached["offsets:before"].wait()
    batches = one.points.passed["offsets:before"]
    asked = [one.commit("g", at) for at in range(2, 3 * AT_ONCE + 2)]
    let_go()

    assert await asyncio.gather(first, *asked) == [Committed()] * (3 * AT_ONCE + 1)
    assert one.points.passed["offsets:before"] == batches + 2
    assert (await rows.offsets(other))["g", "t", 0] == 3 * AT_ONCE + 1


async def test_commits_of_a_lost_slot_are_answered_once(one: Running, other: Other) -> None:
    """The one that is being written has an unknown end, the one that waits is not written."""
    await one.kept("g")
    let_go = one.points.hold("offsets:before")
    first = one.commit("g", 1)
    await one.points.reached["offsets:before"].wait()
    waiting = one.commit("g", 2)

    one.node.coordinator.drop([slot_of("g")], ErrorCode.NOT_COORDINATOR)

    assert [(await each).error for each in (first, waiting)] == [ErrorCode.NOT_COORDINATOR] * 2
    let_go()
    await one.kept(ids_in_slots(1)[0])  # the queue continues
    assert (await rows.offsets(other)).get(("g", "t", 0), 0) < 2
    one.counter.check()


@pytest.mark.parametrize("seed", range(6))
async def test_in_any_mix_each_commit_is_answered_once_and_accepted_ones_are_stored(
    one: Running, other: Other, seed: int
) -> None:
    """Members, non-members, deletions and reloads in any order, commits by both paths."""
    rng, ids = Random(seed), ids_in_slots(5)
    members = {group_id: await one.settled(group_id) for group_id in ids[:3]}
    for group_id in ids[3:]:
        await one.kept(group_id)
    asked = []
    for at in range(1, 80):
        group_id = rng.choice(ids)
        one.are_repeats = rng.random() < 0.7
        chance = rng.random()
        if chance < 0.05:
            gone = OffsetDelete(ticket=one.counter.ticket(), partitions=(("other", 0),))
            one.ask(group_id, gone)
        elif chance < 0.1:
            await other.execute(
                "UPDATE rollcall_group SET revision = revision + 1 WHERE group_id = %s", [group_id]
            )
        else:
            joined = members.get(group_id)
            if joined is not None and chance < 0.2:
                joined = replace(joined, generation_id=STALE)
            asked.append((group_id, at, one.commit(group_id, at, joined), joined))
        if rng.random() < 0.2:
            await asyncio.sleep(0)

    accepted: dict[str, set[int]] = {group_id: {0} for group_id in ids}
    for group_id, at, answer, joined in asked:
        code = (await answer).error
        is_stale = joined is not None and joined.generation_id == STALE
        assert code is (ErrorCode.ILLEGAL_GENERATION if is_stale else ErrorCode.NONE)
        if not is_stale:
            accepted[group_id].add(at)
    found = await rows.offsets(other)
    for group_id, those in accepted.items():
        committed = found.get((group_id, "t", 0), 0)
        assert committed in those and bool(committed) is (len(those) > 1)
    one.counter.check()


async def test_a_commit_during_an_operations_read_is_decided_after_it(
    one: Running, other: Other
) -> None:
    """What the operation read is what it decides about: otherwise it would take back a commit that
    was acknowledged after it looked."""
    await one.kept("g")
    looked, go_on = asyncio.Event(), asyncio.Event()
    rows_of_operations = one.node.operator.rows
    readers = rows_of_operations.readers

    @asynccontextmanager
    async def slow() -> AsyncIterator[Other]:
        async with readers() as connection:
            yield connection
        looked.set()
        await go_on.wait()

    rows_of_operations.readers = slow
    offsets = {"how": "so", "to": [["t", 0, 5]], "before": [["t", 0, 0]]}
    await other.execute(RESET, [slot_of("g"), json.dumps(offsets)])
    await one.node.operator.look()
    await looked.wait()
    commit = one.commit("g", 7)
    go_on.set()

    assert await commit == Committed()
    assert await one.commit("g", 1, topic="other") == Committed()  # behind both
    assert (await rows.offsets(other))["g", "t", 0] == 7


async def test_an_event_for_another_queue_waits_for_those_before_it(
    one: Running, other: Other
) -> None:
    """The committer of members is free, and that of offsets busy with another group."""
    first, second = ids_in_slots(2)
    await one.kept(first)
    await one.kept(second)
    let_go = one.points.hold("offsets:before")
    held = one.commit(first, 1)
    await one.points.reached["offsets:before"].wait()
    commit = one.commit(second, 1)
    deletion = one.ask(second, DeleteGroup(ticket=one.counter.ticket()))
    await one.join("a third")  # the other committer has had its turn
    let_go()

    assert [(await each).error for each in (held, commit, deletion)] == [ErrorCode.NONE] * 3
    assert await rows.offsets(other) == {(first, "t", 0): 1}


RUNS = (
    "SELECT committed_offset, 1 + coalesce(cardinality(more_partitions), 0), client_id"
    " FROM rollcall_offset_history WHERE group_id = %s ORDER BY committed_offset"
)


async def test_commits_of_many_partitions_are_written_with_their_history(
    one: Running, other: Other
) -> None:
    """Alone and several in a batch; the last of them counts in each partition that both have."""
    await one.kept("g")
    assert await one.commit("g", 1, partitions=100) == Committed()
    let_go = one.points.hold("offsets:before")
    first = one.commit("g", 2, partitions=100)
    await one.points.reached["offsets:before"].wait()
    later = [one.commit("g", 3, partitions=100), one.commit("g", 4, partitions=40)]
    let_go()

    assert await asyncio.gather(first, *later) == [Committed()] * 3
    found = await rows.offsets(other)
    assert [found["g", "t", p] for p in range(100)] == [4] * 40 + [3] * 60
    noted = await (await other.execute(RUNS, ["g"])).fetchall()
    assert [each for each in noted if each[0] in (1, 2)] == [
        (1, 100, "a-client"),
        (2, 100, "a-client"),
    ]
    assert sum(each[1] for each in noted if each[0] > 2) == 100
    one.counter.check()


async def test_large_commits_do_not_fill_a_batch_beyond_its_limit(
    one: Running, other: Other, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(committer, "BATCH_ROWS_MAX", 200)
    await one.kept("g")
    let_go = one.points.hold("offsets:before")
    first = one.commit("g", 1)
    await one.points.reached["offsets:before"].wait()
    batches = one.points.passed["offsets:before"]
    asked = [one.commit("g", at, partitions=100) for at in range(2, 8)]
    let_go()

    assert await asyncio.gather(first, *asked) == [Committed()] * 7
    assert one.points.passed["offsets:before"] == batches + 3
    assert (await rows.offsets(other))["g", "t", 99] == 7
