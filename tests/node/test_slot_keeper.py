"""What a slot keeper publishes after each read of the rows."""

import asyncio
from random import Random
from unittest.mock import patch
from uuid import UUID, uuid4

import pytest

from groups.cluster import slot_loader
from groups.cluster.beats import BEATS_PER_LEASE, OVERDUE, STAY_LEASES, NodeRow, SlotRow
from groups.cluster.slot_keeper import DRAINED_PATIENCE_LEASES, HAND_OVER_SLOTS_MAX, SlotKeeper
from groups.cluster.slot_loader import SlotLoader
from groups.cluster.view import Cluster, NodeAddress
from groups.core.errors import ErrorCode
from groups.core.group import Rules
from groups.core.rows import SLOTS, slot_of
from groups.event_loop import Slices
from groups.postgres import connections
from groups.runtime.collaborators import Collaborators
from groups.runtime.runtime import CoordinatorRuntime
from groups.store.sql import slots as sql
from tests.factories import ids_in_slots
from tests.node.running import Running

Other = connections.Connection

LEASE_MS = 3_000
ME, YOU = NodeAddress(0, "here", 1), NodeAddress(1, "there", 2)
THEIRS = uuid4()
OWNED = "SELECT slot FROM rollcall_slot WHERE node_id = 0 ORDER BY slot"
RELEASED = "SELECT details FROM rollcall_journal WHERE kind = 'slots-released'"


class Clock:
    """A clock that a test sets."""

    now = 1_000_000

    def __call__(self) -> int:
        """Milliseconds."""
        return self.now


class Keeper:
    """A keeper without its task, and all that it published."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.published: list[Cluster] = []
        coordinator = CoordinatorRuntime(Rules(), self.clock, Random(1), Collaborators())
        self.keeper = SlotKeeper(ME, coordinator, LEASE_MS, self.published.append)
        self.nodes = [row(ME, self.keeper.incarnation), row(YOU, THEIRS)]
        self.slots = [
            SlotRow(0, ME.node_id, self.keeper.incarnation, 1),
            SlotRow(1, YOU.node_id, THEIRS, 1),
            SlotRow(2, None, None, 1),
            SlotRow(3, YOU.node_id, uuid4(), 1),  # its owner was replaced
        ]
        self.look()

    def look(self) -> None:
        """Rows as they are; neither node's beat has moved."""
        now = self.clock.now
        self.keeper._observer.look(self.nodes, self.slots, now, now)

    def publish(self) -> Cluster:
        """The view of this moment."""
        self.keeper._publish(self.nodes, self.slots)
        return self.published[-1]


def you_beat(one: Running) -> None:
    """The other node was seen to beat."""
    observer, now = one.node.keeper._observer, one.node.coordinator.monotonic()
    for beat in (1, 2):
        observer.look([row(YOU, THEIRS)._replace(beat=beat)], [], now, now)


def row(broker: NodeAddress, incarnation: UUID) -> NodeRow:
    """A node that beats no more."""
    return NodeRow(broker.node_id, incarnation, 7, broker.host, broker.port, lease_ms=LEASE_MS)


@pytest.fixture
def kept() -> Keeper:
    return Keeper()


async def test_clients_are_not_sent_to_a_node_whose_beat_is_overdue(kept: Keeper) -> None:
    """Its slots are its own until the lease is over; until then it is one of the cluster."""
    overdue_ms = OVERDUE * LEASE_MS // BEATS_PER_LEASE
    kept.clock.now += overdue_ms - 1
    assert kept.publish().owners == {0: 0, 1: 1}
    kept.clock.now += 1
    assert kept.publish().owners == {0: 0}
    kept.clock.now += LEASE_MS - overdue_ms - 1
    assert kept.publish().brokers == (ME, YOU)
    kept.clock.now += 1
    assert kept.publish().brokers == (ME,), "a node does not take itself for dead"
    assert kept.publish().owners == {0: 0}


async def test_observations_from_before_a_missed_beat_are_dropped(kept: Keeper) -> None:
    """The database was away: the others could not beat either."""
    kept.clock.now += LEASE_MS
    assert kept.keeper._observer.lease_is_over(YOU.node_id, kept.clock.now)

    await kept.keeper.lease_loop.missed(OSError("away"))

    assert kept.keeper._observer.of(YOU.node_id) is None
    kept.look()
    assert not kept.keeper._observer.lease_is_over(YOU.node_id, kept.clock.now)


async def test_requests_waiting_for_an_expired_lease_are_answered_once(kept: Keeper) -> None:
    availability = kept.keeper.availability
    availability.away = False
    kept.keeper.coordinator.lease_until = kept.clock.now + 1
    waiting = availability.changed
    await kept.keeper.lease_loop.missed(OSError("away"))
    assert (waiting.is_set(), availability.away) == (False, False), "the lease holds yet"

    kept.clock.now += 1
    await kept.keeper.lease_loop.missed(OSError("away"))
    assert (waiting.is_set(), availability.away) == (True, True)

    waiting = availability.changed
    await kept.keeper.lease_loop.missed(OSError("away"))
    assert not waiting.is_set()


async def test_the_log_line_of_an_expired_lease_gives_the_reason(
    kept: Keeper, caplog: pytest.LogCaptureFixture
) -> None:
    """Of the errors before it the log has the first: that its connection ended."""
    kept.keeper.availability.away = False
    kept.clock.now = kept.keeper.coordinator.lease_until + 1

    await kept.keeper.lease_loop.missed(OSError("Too many open files\nIs the server running?"))

    assert "it is renewed (Too many open files)" in caplog.text


async def test_observations_from_before_a_suspension_are_dropped(one: Running) -> None:
    keeper = one.node.keeper
    now = one.node.coordinator.monotonic()
    keeper._observer.look([row(YOU, THEIRS)], [], now, now)
    until = one.node.coordinator.lease_until + LEASE_MS

    await keeper.lease_loop.recovered(until)

    assert keeper._observer.of(YOU.node_id) is None
    assert one.node.coordinator.lease_until >= until


async def test_a_node_asks_which_slots_it_has_before_it_goes_on_after_an_outage(
    one: Running, other: Other
) -> None:
    """Before it answers anything from memory: another node may have taken some of them, and the
    next check may wait for a PostgreSQL that hangs."""
    keeper, coordinator = one.node.keeper, one.node.coordinator
    kept = set(coordinator.epochs) - {7}
    async with keeper._looking:
        await other.execute(
            "UPDATE rollcall_slot SET epoch = epoch + 1, node_id = 9,"
            " incarnation = gen_random_uuid() WHERE slot = 7"
        )

        await keeper.lease_loop.recovered(coordinator.lease_until)

        assert set(coordinator.epochs) == kept


async def test_few_slots_are_handed_over_at_a_time(one: Running, other: Other) -> None:
    """The lowest of them, without those that its node would not take and those that are ours."""
    keeper, coordinator = one.node.keeper, one.node.coordinator
    ours = [1, 3]
    wanted = {slot: ME.node_id if slot in ours else YOU.node_id for slot in range(SLOTS)}
    keeper._observer.rescued([0, 2], coordinator.monotonic())
    gone = [4 + at for at in range(HAND_OVER_SLOTS_MAX)]
    waiting = keeper.availability.changed
    async with keeper._looking:
        keeper._observer.forget()
        await keeper._hand_over(other, [], wanted)
        assert len(coordinator.epochs) == SLOTS, "nobody may be there to take them"
        you_beat(one)
        await keeper._hand_over(other, [], wanted)

        assert set(coordinator.epochs) == set(range(SLOTS)) - set(gone)
        kept = [slot for (slot,) in await (await other.execute(OWNED)).fetchall()]
        assert kept == sorted(coordinator.epochs)
        assert waiting.is_set()
        [(details,)] = await (await other.execute(RELEASED)).fetchall()
        assert details == {"slots": gone}


async def test_nothing_is_handed_over_in_a_balanced_cluster(one: Running, other: Other) -> None:
    keeper = one.node.keeper
    async with keeper._looking:
        waiting = keeper.availability.changed
        await keeper._hand_over(other, [], {})
        assert len(one.node.coordinator.epochs) == SLOTS
        assert not waiting.is_set()


async def test_clients_are_sent_here_once_claimed_slots_are_served(
    one: Running, other: Other
) -> None:
    """In the same check: the next one may wait for a PostgreSQL that hangs. What is known of other
    nodes stays."""
    keeper, views = one.node.keeper, list[Cluster]()
    async with keeper._looking:
        you_beat(one)
        await keeper._hand_over(other, [], dict.fromkeys([3, 4], YOU.node_id))
        rows = await (await other.execute(sql.SLOTS.encode())).fetchall()
        keeper._view = Cluster("c", (ME, YOU), {5: YOU.node_id})
        keeper.published = views.append

        await keeper._claim(other, [SlotRow(*row) for row in rows], (), {3: ME.node_id})

    assert views == [Cluster("c", (ME, YOU), {3: ME.node_id, 5: YOU.node_id})]
    assert 3 in one.node.coordinator.epochs


async def test_clients_are_not_sent_here_for_a_slot_lost_during_the_load(
    one: Running,
) -> None:
    keeper, views = one.node.keeper, list[Cluster]()
    keeper._view, keeper.published = Cluster("c", (ME, YOU)), views.append
    keeper.coordinator.drop([4], ErrorCode.NOT_COORDINATOR)

    keeper._publish_own([3, 4])

    assert views == [Cluster("c", (ME, YOU), {3: ME.node_id})]


async def test_served_slots_are_not_reported_as_loading(one: Running) -> None:
    """A client of the draft would have to wait for the others; a request for one that is lost
    by then would wait instead of being sent away."""
    keeper, loading = one.node.keeper, list[set[int]]()
    loader = SlotLoader(
        ME.node_id, one.node.coordinator, lambda: loading.append(set(loader.loading))
    )
    async with keeper._looking:
        epochs = {slot: one.node.coordinator.epochs[slot] for slot in (3, 5)}
        one.node.coordinator.drop(epochs, ErrorCode.NOT_COORDINATOR)
        with patch.object(slot_loader, "LOAD_SLOTS_MAX", 1):
            await loader.load(epochs)

    assert loading == [{5}, set(), set()]


@pytest.mark.parametrize(("is_over", "pauses"), [(False, 0), (True, 3)])
async def test_the_loop_runs_between_the_groups_of_a_load(
    one: Running, monkeypatch: pytest.MonkeyPatch, is_over: bool, pauses: int
) -> None:
    """Where they take long: else a pause for each of ten thousand would let everything else run ten
    thousand times before the slots are served."""
    keeper, coordinator = one.node.keeper, one.node.coordinator
    group_ids = ids_in_slots(3)
    for group_id in group_ids:
        await one.kept(group_id)
    counted = 0

    class Counted(Slices):
        async def pause(self) -> None:
            nonlocal counted
            counted += 1

    monkeypatch.setattr(Counted, "is_over", is_over)
    monkeypatch.setattr(slot_loader, "Slices", Counted)
    loader = SlotLoader(ME.node_id, coordinator, lambda: None)
    async with keeper._looking:
        epochs = {slot: coordinator.epochs[slot] for slot in map(slot_of, group_ids)}
        coordinator.drop(epochs, ErrorCode.NOT_COORDINATOR)
        await loader.load(epochs)

        assert set(group_ids) <= set(coordinator.entries)
    assert counted == pauses


@pytest.mark.parametrize(
    ("drains", "leases", "is_taken"),
    [(False, 1, True), (True, 1, False), (True, DRAINED_PATIENCE_LEASES, True)],
)
async def test_a_slot_meant_for_another_node_is_taken_after_a_lease_or_two_if_drained(
    one: Running, other: Other, drains: bool, leases: int, is_taken: bool
) -> None:
    keeper, coordinator = one.node.keeper, one.node.coordinator
    async with keeper._looking:
        you_beat(one)
        await keeper._hand_over(other, [], {3: YOU.node_id})
        rows = await (await other.execute(sql.SLOTS.encode())).fetchall()
        now = coordinator.monotonic()
        with patch.object(coordinator, "monotonic", lambda: now):
            found = [SlotRow(*row) for row in rows]
            keeper._observer.look_at_free([found[3]], now - leases * keeper.lease_ms)
            keeper._drains = drains

            await keeper._claim(other, found, (), {3: YOU.node_id})

        assert (3 in coordinator.epochs) == is_taken


async def test_a_load_that_fails_leaves_nothing_of_its_slots(one: Running, other: Other) -> None:
    """They may be another node's by now, which changes what this one has read of them."""
    keeper, coordinator = one.node.keeper, one.node.coordinator
    await other.execute(
        "INSERT INTO rollcall_pause (group_id, slot, scope, name, pause_id, actor, reason, since)"
        " VALUES ('g', %s, 'group', '', 1, 'olga', 'a test', now())",
        [slot_of("g")],
    )
    loader = SlotLoader(ME.node_id, coordinator, lambda: None)

    async def doubt(_connection: Other) -> None:
        loader.doubt()

    async with keeper._looking:
        epochs = {slot_of("g"): coordinator.epochs[slot_of("g")]}
        coordinator.drop(epochs, ErrorCode.NOT_COORDINATOR)
        await loader.load(epochs)
        assert coordinator.own.paused.of("g")
        coordinator.drop(epochs, ErrorCode.NOT_COORDINATOR)
        loader.prepare = doubt

        with pytest.raises(slot_loader.InDoubt):
            await loader.load(epochs)

        assert not coordinator.own.paused.of("g")


async def test_a_slot_not_taken_by_anybody_is_offered_again_later(kept: Keeper) -> None:
    kept.keeper._observer.rescued([5], kept.clock.now)
    assert kept.keeper._observer.stays(5, kept.clock.now + STAY_LEASES * LEASE_MS - 1)
    assert not kept.keeper._observer.stays(5, kept.clock.now + STAY_LEASES * LEASE_MS)
    assert not kept.keeper._observer.stays(6, kept.clock.now)


async def test_a_request_for_a_slot_of_another_node_is_refused_at_once(kept: Keeper) -> None:
    kept.keeper.availability.away = False
    async with asyncio.timeout(LEASE_MS / 1000):
        assert await kept.keeper.availability.of_slot(9, 60_000) is ErrorCode.NOT_COORDINATOR
