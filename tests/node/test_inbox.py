"""What a committer takes from an inbox and answers without writing: the lease and the clock decide
whether memory is trusted, and whether a timer that expired is evidence against a member."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from random import Random

import pytest

from groups.core.classic.group import ClassicGroup
from groups.core.classic.live import Told
from groups.core.errors import ErrorCode
from groups.core.events import SyncGroup, Tick, Ticket
from groups.core.group import Rules
from groups.core.replies import Reply
from groups.core.rows import Durable, GroupRow, MemberRow, slot_of
from groups.core.subscription import pack_protocols
from groups.runtime import loading
from groups.runtime.collaborators import Collaborators
from groups.runtime.committer import Committer
from groups.runtime.retries import Reloader
from groups.runtime.runtime import STALL_MS, CoordinatorRuntime
from tests.loading import adopt, reseat

SESSION_MS = 10_000
LEASE_MS = 2_000

SUBSCRIPTION = pack_protocols((("range", b""),))
GROUP = GroupRow("g", "classic", "Stable", 7, "consumer", "range", "m", {"synced": True})
MEMBER = MemberRow("m", None, "c", "/h", SESSION_MS, 300_000, 0, SUBSCRIPTION, b"all")


class Clock:
    """A clock that a test sets."""

    now = 1_000_000

    def __call__(self) -> int:
        """Milliseconds."""
        return self.now


class Alone:
    """A coordinator of one Stable group, and one committer, whose node keeps no lease."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.answers: dict[Ticket, asyncio.Future[Reply]] = {}
        others = Collaborators(answer=self._answer)
        self.coordinator = CoordinatorRuntime(Rules(), self.clock, Random(1), others)
        self.coordinator.lease_until = self.clock.now + LEASE_MS
        adopt(self.coordinator, {slot_of("g"): 1}, {"g": Durable(GROUP, {"m": MEMBER}, 5)})
        self.entry = self.coordinator.entries["g"]
        # The facts have what it owns: after a load the first SyncGroup of a member writes that.
        group = self.entry.group
        assert isinstance(group, ClassicGroup)
        group.live.told["m"] = Told(MEMBER.assignment, has_all=True)
        queue = self.coordinator.membership
        reloader = Reloader(self.coordinator)
        self.committer = Committer(0, self.coordinator, queue, reloader, lambda: None)

    def _answer(self, ticket: Ticket, reply: Reply) -> None:
        self.answers[ticket].set_result(reply)

    async def sync(self) -> ErrorCode:
        """The member requests its assignment, which changes nothing."""
        ticket = Ticket(1, len(self.answers))
        reply = self.answers[ticket] = asyncio.get_running_loop().create_future()
        event = SyncGroup(
            ticket=ticket, generation_id=7, member_id="m", instance_id=None, assignments={}
        )
        self.coordinator.submit("g", event)
        return ErrorCode((await reply).error)

    def later(self, ms: int, *, heard: bool) -> None:
        """So much time has passed. ``heard``: in which members could be heard."""
        self.clock.now += ms
        if heard:
            self.coordinator.listened_at = self.clock.now

    def falls_due(self) -> None:
        """The group's timer has come."""
        self.entry.inbox.append(Tick())
        self.coordinator.schedule(self.entry)


@pytest.fixture
async def alone() -> AsyncIterator[Alone]:
    made = Alone()
    task = asyncio.create_task(made.committer.run())
    yield made
    task.cancel()
    await asyncio.wait([task])


async def test_memory_is_trusted_only_while_the_lease_holds(alone: Alone) -> None:
    assert await alone.sync() is ErrorCode.NONE
    alone.later(LEASE_MS, heard=True)
    assert await alone.sync() is ErrorCode.COORDINATOR_NOT_AVAILABLE
    alone.coordinator.lease_until = alone.clock.now + LEASE_MS
    assert await alone.sync() is ErrorCode.NONE, "the group was left in the committer's hands"


async def test_a_timer_that_expires_with_the_lease_evicts_nobody(alone: Alone) -> None:
    alone.later(2 * SESSION_MS, heard=True)
    alone.falls_due()

    assert await alone.sync() is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert not alone.entry.suspended and "m" in alone.entry.group.durable.members


async def test_a_timer_that_expires_in_a_stall_evicts_nobody(alone: Alone) -> None:
    """The process slept past the session, and took the event before anything else ran."""
    alone.coordinator.lease_until += 10 * SESSION_MS
    alone.later(2 * SESSION_MS, heard=False)
    alone.falls_due()

    assert await alone.sync() is ErrorCode.NONE
    assert not alone.entry.suspended and "m" in alone.entry.group.durable.members
    assert alone.coordinator.missed == 2 * SESSION_MS


async def test_a_short_stall_extends_no_session(alone: Alone) -> None:
    """Time in which members could be heard, but for a moment, counts."""
    alone.coordinator.lease_until += 10 * SESSION_MS
    alone.later(STALL_MS, heard=False)

    assert await alone.sync() is ErrorCode.NONE
    assert alone.coordinator.missed == 0


async def test_a_stall_while_a_group_was_in_doubt_counts_once(alone: Alone) -> None:
    """The reloader ran before the ticker: this group gets no more than the others."""
    coordinator, entry = alone.coordinator, alone.entry
    alone.later(SESSION_MS // 2, heard=True)
    coordinator.doubt(entry)
    alone.later(2 * SESSION_MS, heard=False)

    reseat(coordinator, entry, entry.group.durable)
    if coordinator.stood_still_ms > STALL_MS:
        coordinator.awake()  # as the ticker would, now

    assert coordinator.missed == 2 * SESSION_MS
    assert entry.group.due(coordinator.clock()) == coordinator.clock() + SESSION_MS // 2


@pytest.mark.parametrize("is_back", [False, True])
async def test_rows_assembled_for_a_lost_slot_are_dropped(alone: Alone, is_back: bool) -> None:
    """Nor if the slot came back meanwhile, with a group of another generation."""
    coordinator, entry, slots = alone.coordinator, alone.entry, [slot_of("g")]
    coordinator.doubt(entry)
    merge = loading.reseating(coordinator, entry, entry.group.durable)
    coordinator.drop(slots, ErrorCode.NOT_COORDINATOR)
    if is_back:
        durable = Durable(replace(GROUP, generation=8), {"m": MEMBER}, 6)
        adopt(coordinator, dict.fromkeys(slots, 2), {"g": durable})

    merge.run()
    loading.reseated(coordinator, entry, merge)

    view = coordinator.heartbeat_views.get("g")
    assert entry.suspended and (view.generation if view else None) == (8 if is_back else None)
