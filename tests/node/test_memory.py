"""The node's memory while batches are on their way: stalls, lost slots, rows in doubt."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest.mock import PropertyMock, patch

import pytest

from groups.cluster.availability import LEASE_WAIT_MS
from groups.cluster.lease_end import IN_DOUBT_MS, LeaseEnd
from groups.core.errors import ErrorCode
from groups.core.replies import Committed
from groups.core.rows import SLOTS, slot_of
from groups.event_loop import monotonic_ms
from groups.postgres import connections
from groups.runtime.runtime import CoordinatorRuntime
from tests.loading import reseat
from tests.node.running import Running, running

Other = connections.Connection


class Clock:
    """The real clock, which a test may set forward as if the process had slept."""

    def __init__(self) -> None:
        self.slept_ms = 0

    def __call__(self) -> int:
        """Monotonic milliseconds."""
        return monotonic_ms() + self.slept_ms


class StoppedClock(Clock):
    """A clock that a busy machine does not move: the test sets it forward."""

    def __init__(self) -> None:
        super().__init__()
        self.stands_at = monotonic_ms()

    def __call__(self) -> int:
        """Monotonic milliseconds."""
        return self.stands_at + self.slept_ms


@pytest.mark.usefixtures("_prepared")
async def test_a_due_timer_of_a_group_in_doubt_does_not_stop_the_loop() -> None:
    """While a group's rows are read again its timers wait; the loop goes round."""
    clock = Clock()
    async with running(clock=clock) as one:
        await one.settled("g")
        coordinator = one.node.coordinator
        coordinator.doubt(coordinator.entries["g"])
        clock.slept_ms = 60_000

        coordinator.tick()


@pytest.mark.usefixtures("_prepared")
async def test_time_in_doubt_costs_no_session() -> None:
    """Its heartbeats met an error and could not count: no member is evicted for that."""
    clock = Clock()
    async with running(clock=clock) as one:
        await one.settled("g")
        coordinator = one.node.coordinator
        entry = coordinator.entries["g"]
        coordinator.doubt(entry)
        clock.slept_ms = 60_000

        reseat(coordinator, entry, entry.group.durable)

        due = entry.group.due(coordinator.clock())
        assert due is not None and due > coordinator.clock()


@pytest.mark.usefixtures("_prepared")
async def test_repeated_doubts_keep_no_dead_member_alive() -> None:
    """A doubt sets the group's timers forward by as long as it lasted, and no further."""
    clock = Clock()
    async with running(clock=clock, has_timers=False) as one:
        await one.settled("g", session_timeout_ms=10_000)
        coordinator = one.node.coordinator
        entry = coordinator.entries["g"]
        for _ in range(3):
            clock.slept_ms += 4_000
            coordinator.listened_at = coordinator.monotonic()  # time has passed; it was no stall
            coordinator.doubt(entry)
            reseat(coordinator, entry, entry.group.durable)

        due = entry.group.due(coordinator.clock())
        assert due is not None and due <= coordinator.clock()


@pytest.mark.usefixtures("_prepared")
async def test_one_stall_is_counted_once_whoever_reports_it() -> None:
    """The loop that ticks and the one that beats notice the same stall."""
    clock = Clock()
    async with running(clock=clock, has_timers=False) as one:
        await one.settled("g")
        coordinator = one.node.coordinator
        due = coordinator.entries["g"].group.due(coordinator.clock())
        assert due is not None
        before = due - coordinator.clock()
        clock.slept_ms += 60_000
        coordinator.awake()
        coordinator.awake()

        assert before - 10_000 < due - coordinator.clock() <= before + 1_000
        assert coordinator.missed >= 60_000


@pytest.mark.usefixtures("_prepared")
async def test_a_stall_is_logged_once_for_any_number_of_groups() -> None:
    """By the node itself; what the timers do about it touches no group."""
    clock = StoppedClock()
    async with running(clock=clock) as one:
        await one.settled("g")
        coordinator = one.node.coordinator
        group, view = coordinator.entries["g"].group, coordinator.heartbeat_views["g"]
        clock.slept_ms += 2_000
        with ticks(coordinator) as seen:
            while len(seen) < 5:
                await asyncio.sleep(0.01)

        assert coordinator.missed == 2_000
        assert coordinator.entries["g"].group is group and coordinator.heartbeat_views["g"] is view


@pytest.mark.usefixtures("_prepared")
async def test_a_stall_between_two_slices_of_timers_costs_no_session() -> None:
    clock = StoppedClock()
    async with running(clock=clock) as one:
        await one.settled("g")
        coordinator = one.node.coordinator

        def stall() -> bool:
            """The first slice is not enough, and the process sleeps behind it."""
            clock.slept_ms += 0 if clock.slept_ms else 2_000
            return len(seen) == 1

        with ticks(coordinator, stall) as seen:
            while len(seen) < 2:
                await asyncio.sleep(0.01)

        assert coordinator.missed == 2_000


@contextmanager
def ticks(
    coordinator: CoordinatorRuntime, instead: Callable[[], bool] | None = None
) -> Iterator[list[None]]:
    """One more element with each check of the timers."""
    seen: list[None] = []
    look = instead or coordinator.tick

    def counted() -> bool:
        seen.append(None)
        return look()

    with patch.object(coordinator, "tick", counted):
        yield seen


@pytest.mark.usefixtures("_prepared")
async def test_repeated_stalls_keep_no_dead_member_alive() -> None:
    """A session of two seconds is over after two in which the member could have been heard."""
    clock = Clock()
    async with running(clock=clock) as one:
        await one.settled("g", session_timeout_ms=2_000)
        coordinator = one.node.coordinator
        for _ in range(6):  # a second that passes, then a stall
            clock.slept_ms += 900
            await asyncio.sleep(0.1)
            clock.slept_ms += 5_000
            await asyncio.sleep(0.1)
        while coordinator.entries["g"].group.durable.members:
            await asyncio.sleep(0.01)


async def test_a_stall_during_a_commit_costs_no_session(one: Running) -> None:
    """No session is shorter for it, those of groups inside a batch included."""
    joined = await one.settled("g")
    coordinator = one.node.coordinator
    let_go = one.points.hold("offsets:before")
    commit = one.commit("g", 1, joined)
    await one.points.reached["offsets:before"].wait()

    coordinator.listened_at -= 60_000
    coordinator.awake()
    due = coordinator.entries["g"].group.due(coordinator.clock())
    let_go()

    assert await commit == Committed()
    after = coordinator.entries["g"].group.due(coordinator.clock())
    assert due is not None and after is not None and after >= due


async def test_a_batch_that_ends_after_its_slot_was_lost_leaves_no_view(one: Running) -> None:
    """Heartbeats of a group that another node owns now are not answered from memory."""
    await one.settled("g")
    coordinator = one.node.coordinator
    let_go = one.points.hold("membership:after")
    second = one.join("g")
    await one.points.reached["membership:after"].wait()

    coordinator.drop([slot_of("g")], ErrorCode.NOT_COORDINATOR)
    let_go()

    assert (await second).error is ErrorCode.NOT_COORDINATOR
    await one.settled(next(f"h{n}" for n in range(999) if slot_of(f"h{n}") != slot_of("g")))
    assert "g" not in coordinator.heartbeat_views


async def test_a_group_that_cannot_be_loaded_blocks_no_other(one: Running, other: Other) -> None:
    """Rows of a kind that this version does not know: the other slots are served."""
    await one.settled("g")
    await other.execute(
        "INSERT INTO rollcall_group VALUES ('odd', %s, 'unheard-of', 'Empty', 0, '', NULL, NULL,"
        " '{}', 1, now(), now(), now())",
        [slot_of("odd")],
    )
    await other.execute(
        "UPDATE rollcall_slot SET node_id = NULL, incarnation = NULL, epoch = epoch + 1"
    )
    while not _all_taken_again(one.node.coordinator.epochs):
        assert not one.stopped, "the node ended over one group"
        await asyncio.sleep(0.01)


def _all_taken_again(epochs: dict[int, int]) -> bool:
    return len(epochs) == SLOTS and min(epochs.values()) >= 3


async def test_slots_of_a_replaced_incarnation_are_claimed_once_it_stops_beating(
    one: Running, other: Other
) -> None:
    """A node registered again and died before it claimed its old slots: they are not orphans."""
    await other.execute(
        "INSERT INTO rollcall_node VALUES (5, gen_random_uuid(), 1, 'gone', 1, now(), now())"
    )
    await other.execute(
        "UPDATE rollcall_slot SET node_id = 5, incarnation = gen_random_uuid(), epoch = epoch + 1"
        " WHERE slot < 8"
    )
    while any(slot in one.node.coordinator.epochs for slot in range(8)):
        await asyncio.sleep(0.005)  # they are lost first

    while len(one.node.coordinator.epochs) < SLOTS:
        await asyncio.sleep(0.005)
    cursor = await other.execute("SELECT DISTINCT node_id FROM rollcall_slot WHERE slot < 8")
    assert await cursor.fetchall() == [(one.node.node_id,)]
    assert all(one.node.coordinator.epochs[slot] >= 4 for slot in range(8))


async def test_an_operation_whose_outcome_was_unknown_is_dispatched_again(
    one: Running, other: Other
) -> None:
    """An operator's verb outlives a lost connection: it is decided in the end, once."""
    await one.settled("g")
    let_go = one.points.hold("membership:connected")
    await other.execute(
        "INSERT INTO rollcall_operation"
        " (group_id, slot, verb, member_id, reason, actor, state, detail, created_at)"
        " VALUES ('g', %s, 'rebalance', '', 'why', 'who', 'pending', '', now())",
        [slot_of("g")],
    )
    await one.node.operator.look()
    await one.points.reached["membership:connected"].wait()
    await other.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ="
        " 'rollcall node membership' AND datname = current_database()"
    )
    let_go()

    state = "pending"
    while state == "pending":
        row = await (await other.execute("SELECT state FROM rollcall_operation")).fetchone()
        state = row[0] if row else state
        await asyncio.sleep(0.01)
    assert state == "running"


async def test_nobody_waits_for_a_batch_after_the_lease_ended(one: Running) -> None:
    """A group at rest is notified at once; one in a batch has half a second to end; then
    its requests get an unknown outcome, and the end of the batch is no second reply."""
    joined = await one.settled("busy")
    coordinator, lease_end = one.node.coordinator, LeaseEnd(one.node.coordinator)
    assert lease_end.look()
    let_go = one.points.hold("offsets:after")
    commit = one.commit("busy", 7, joined)
    await one.points.reached["offsets:after"].wait()

    ended_at = coordinator.lease_until = coordinator.monotonic()
    with patch.object(coordinator, "monotonic", lambda: ended_at + 100):
        assert not lease_end.look()
        assert not commit.done()
    with patch.object(coordinator, "monotonic", lambda: ended_at + 100 + IN_DOUBT_MS):
        assert not lease_end.look()
    assert (await commit).error is ErrorCode.COORDINATOR_NOT_AVAILABLE

    let_go()


async def test_a_request_waits_for_a_lease_for_a_second_at_most(one: Running) -> None:
    """A node that is cut off may not know for long that its database is away."""
    coordinator, availability = one.node.coordinator, one.node.availability
    with patch.object(CoordinatorRuntime, "holds_lease", PropertyMock(return_value=False)):
        began = coordinator.clock()
        assert (
            await availability.of_slot(slot_of("g"), 60_000) is ErrorCode.COORDINATOR_NOT_AVAILABLE
        )
        assert await availability.of_list(60_000) is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert 2 * LEASE_WAIT_MS <= coordinator.clock() - began < 60_000

    assert await availability.of_slot(slot_of("g"), 60_000) is ErrorCode.NONE
