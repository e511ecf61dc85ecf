"""Programs of random commits and trouble: what was acknowledged is neither lost nor written over by
an older commit of the same client, and everyone is answered."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from random import Random

import pytest

from groups.core.errors import ErrorCode
from groups.core.events import OffsetCommit, OffsetDelete, OffsetWrite
from groups.core.replies import Reply
from groups.core.rows import slot_of
from groups.postgres import connections
from proof.simulation.repeats import AUTHOR
from tests import rows
from tests.factories import ids_in_slots
from tests.node.running import Running, running
from tests.node.test_committer import END_BACKENDS, HOLD

Other = connections.Connection

SEEDS = range(*map(int, os.environ.get("ROLLCALL_TROUBLE_SEEDS", "0 3").split()))
"""Each is a program; a long run: ``ROLLCALL_TROUBLE_SEEDS="0 500" ROLLCALL_TROUBLE_STEPS=200``."""

STEPS = int(os.environ.get("ROLLCALL_TROUBLE_STEPS", "25"))

GROUPS, PARTITIONS = 4, 3
WRITTEN = (
    "SELECT committed_offset FROM rollcall_offset_history"
    " WHERE group_id = %s AND topic = %s ORDER BY at"
)
HOLD_OFFSETS = "SELECT FROM rollcall_offset WHERE group_id = %s FOR UPDATE"
CHANGE = "UPDATE rollcall_group SET revision = revision + 1 WHERE group_id = %s"
CHANGE_OWNER = "UPDATE rollcall_slot SET epoch = epoch + 1 WHERE slot = %s"


class Writer:
    """A client that commits one partition, each time with a greater offset. It may give a commit
    up, as when its connection breaks, and commits again at once."""

    def __init__(self, nodes: Sequence[Running], group_id: str, topic: str, rng: Random) -> None:
        self.nodes, self.group_id, self.topic, self.rng = nodes, group_id, topic, rng
        self.sent = self.acknowledged = 0
        self.answers: list[asyncio.Future[Reply]] = []

    async def run(self) -> None:
        for _ in range(STEPS):
            self.sent += 1
            answer = self._commit()
            self.answers.append(answer)
            if self.rng.random() < 0.4:
                await asyncio.sleep(self.rng.random() * 0.002)
            elif (await answer).error is ErrorCode.NONE:
                self.acknowledged = self.sent
            else:
                await asyncio.sleep(0.02)

    def _commit(self) -> "asyncio.Future[Reply]":
        owners = [one for one in self.nodes if one.node.coordinator.owns(self.group_id)]
        one = (owners or self.nodes)[0]
        one.are_repeats = self.rng.random() < 0.7
        note = "a\0b" if self.rng.random() < 0.02 else ""
        write = OffsetWrite(self.topic, 0, self.sent, -1, note, None, None, AUTHOR)
        event = OffsetCommit(
            ticket=one.counter.ticket(),
            generation_id=-1,
            member_id="",
            instance_id=None,
            offsets=(write,),
            version=8,
        )
        return one.ask(self.group_id, event)

    async def check(self, other: Other) -> None:
        committed = (await rows.offsets(other)).get((self.group_id, self.topic, 0), 0)
        assert self.acknowledged <= committed <= self.sent
        found = await other.execute(WRITTEN, [self.group_id, self.topic])
        written = [offset for (offset,) in await found.fetchall()]
        assert written == sorted(written), "an older one was written later"


class Trouble:
    """What goes wrong meanwhile, until cancelled."""

    def __init__(
        self, nodes: Sequence[Running], other: Other, ids: Sequence[str], rng: Random
    ) -> None:
        self.nodes, self.other, self.ids, self.rng = nodes, other, ids, rng

    async def run(self) -> None:
        kinds: list[Callable[[Running, str], Awaitable[object]]] = [
            self._lost_connection,
            self._another_revision,
            self._another_epoch,
            self._expired_lease,
            self._held_row,
            self._slow_batch,
            self._other_event,
        ]
        while True:
            await asyncio.sleep(self.rng.random() * 0.03)
            await self.rng.choice(kinds)(self.rng.choice(self.nodes), self.rng.choice(self.ids))

    async def _lost_connection(self, _one: Running, _group_id: str) -> None:
        await self.other.execute(END_BACKENDS, ["rollcall node offsets"])

    async def _another_revision(self, _one: Running, group_id: str) -> None:
        await self.other.execute(CHANGE, [group_id])

    async def _another_epoch(self, _one: Running, group_id: str) -> None:
        if self.rng.random() < 0.3:
            await self.other.execute(CHANGE_OWNER, [slot_of(group_id)])

    async def _expired_lease(self, one: Running, _group_id: str) -> None:
        in_batches = self.rng.random() < 0.5
        one.node.coordinator.unpark(ErrorCode.NOT_COORDINATOR, in_batches=in_batches)

    async def _held_row(self, _one: Running, group_id: str) -> None:
        async with self.other.transaction():
            await self.other.execute(self.rng.choice([HOLD, HOLD_OFFSETS]), [group_id])
            await asyncio.sleep(self.rng.random() * 0.15)

    async def _slow_batch(self, one: Running, _group_id: str) -> None:
        point = self.rng.choice(["before", "connected", "inside", "after"])
        let_go = one.points.hold(f"offsets:{point}")
        try:
            await asyncio.sleep(self.rng.random() * 0.05)
        finally:
            let_go()

    async def _other_event(self, one: Running, group_id: str) -> None:
        gone = OffsetDelete(ticket=one.counter.ticket(), partitions=(("other", 0),))
        one.ask(group_id, gone)


async def at_rest(nodes: Sequence[Running]) -> None:
    """Wait until nothing of any group waits or is being written."""
    while any(
        entry.busy or entry.inbox or entry.repeats or entry.suspended
        for one in nodes
        for entry in one.node.coordinator.entries.values()
    ):
        await asyncio.sleep(0.01)


@pytest.mark.usefixtures("_prepared")
@pytest.mark.parametrize("seed", SEEDS)
async def test_acknowledged_commits_survive_every_failure(other: Other, seed: int) -> None:
    rng, ids = Random(seed), ids_in_slots(GROUPS)
    async with AsyncExitStack() as stack:
        nodes = [await stack.enter_async_context(running(0))]
        for group_id in ids:
            await nodes[0].kept(group_id)
        if seed % 3 == 2:
            nodes.append(await stack.enter_async_context(running(1)))
        topics = [f"t{number}" for number in range(PARTITIONS)]
        writers = [Writer(nodes, g, t, Random(rng.random())) for g in ids for t in topics]
        trouble = asyncio.create_task(Trouble(nodes, other, ids, rng).run())
        await asyncio.gather(*(writer.run() for writer in writers))
        trouble.cancel()
        await asyncio.wait([trouble])
        assert trouble.cancelled()
        for writer in writers:
            await asyncio.gather(*writer.answers)
        await at_rest(nodes)
        for writer in writers:
            await writer.check(other)
        for one in nodes:
            assert not one.stopped
            one.counter.check()
