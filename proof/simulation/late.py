"""Requests that come late: what members do that were asleep, cut off or replaced meanwhile.

A shade is a member as it was at one instant, with a connection of its own. It sends what that
member would have sent, after a while: nobody can tell the two apart, and what has become stale
must be refused. A shade never lies for a living member: it gives nothing up for it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import copy
from typing import Final

from groups.core.events import DraftHeartbeat, SyncGroup
from proof.simulation.classic_client import ClassicClient, assignment
from proof.simulation.clients import Channel, Client
from proof.simulation.commanded_client import CommandedClient
from proof.simulation.consumer_client import ConsumerClient
from proof.simulation.desk_commands import Poll
from proof.simulation.draft_client import DraftClient
from proof.simulation.network import Link
from proof.simulation.world import MS, Process

PATIENCE_S: Final = 6.0
ROUNDS: Final = 3
"""How often a shade tries, some seconds apart."""

OLD_TURNS: Final = 2
"""So many epochs ago: no answer of that time can be on its way any more."""


class Shade:
    """One member as it was. ``own_process`` False: the member's process sends it, so that what
    falls due while that sleeps goes out first when it wakes."""

    def __init__(self, client: Client, *, own_process: bool) -> None:
        world = client.world
        client.numbers.shades += 1
        name = f"{client.name}-late{client.numbers.shades}"
        self.now, self.was = client, copy(client)
        self.was.is_shade = True
        if own_process:
            self.was.process = Process(world, name)
        self.was.main = Channel(self.was, name)
        # Its silence means nothing: nobody waits for it.
        world.record("fault", process=name, since=world.now / MS, until=1e12)

    def keep_connection(self) -> None:
        """Send to where the member's coordinator is now, whoever that may be later."""
        link, was = self.now.beats.link, self.was
        if link is not None and link.is_open:
            was.main.link = Link(was.network, was.process, was.name, link.node_id)

    @property
    def is_old(self) -> bool:
        """Whether the member has gone on, so that a beat as it was can mean nothing any more."""
        return self.now.is_over or self.now.turns >= self.was.turns + OLD_TURNS

    async def wake(self) -> None:
        """Commit all that the member owned, first of all."""
        await asyncio.sleep(0.01)
        await _commit(self)

    async def beat_after(self, seconds: float) -> None:
        """One beat, whatever the member has come to."""
        await asyncio.sleep(seconds)
        await ACTS[type(self.now)][1](self)

    async def haunt(self) -> None:
        """Commit, beat and sync for a while."""
        rng = self.was.world.rng
        acts = ACTS[type(self.now)]
        for _ in range(ROUNDS):
            await asyncio.sleep(rng.uniform(0.2, 3))
            await rng.choice(acts)(self)


async def _commit(shade: Shade) -> None:
    await shade.was.commit([p for _, p in sorted(shade.was.owned)])


async def _classic_beat(shade: Shade) -> None:
    was = shade.was
    await was.main.call("Heartbeat", (was.member_id, was.instance, was.generation), PATIENCE_S)


async def _sync(shade: Shade) -> None:
    """An assignment by a leader of that time: everything to itself."""
    was = shade.was
    everything = assignment((was.topic, p) for p in range(was.partitions))
    event = SyncGroup(
        generation_id=was.generation,
        member_id=was.member_id,
        instance_id=was.instance,
        assignments={was.member_id: everything},
    )
    await was.main.call("SyncGroup", event, PATIENCE_S)


async def _consumer_beat(shade: Shade) -> None:
    was = shade.was
    if shade.is_old and isinstance(was, ConsumerClient):
        told = sorted(map(list, was.owned))
        event = was.beat_of(told)
        await was.main.call("ConsumerGroupHeartbeat", event, PATIENCE_S, owned=told)


async def _draft_beat(shade: Shade) -> None:
    was = shade.was
    beat = DraftHeartbeat(consumer_id=was.member_id, generation_id=was.generation)
    await was.main.call("Heartbeat", beat, PATIENCE_S)


async def _poll(shade: Shade) -> None:
    """A poll of a consumer that is no more keeps nobody alive; one that lives polls itself."""
    was = shade.was
    if shade.is_old and isinstance(was, CommandedClient):
        await was.main.call("PollCommands", Poll(was.member_id, was.received, 0), PATIENCE_S)


ACTS: Final[Mapping[type[Client], Sequence[Callable[[Shade], Awaitable[None]]]]] = {
    ClassicClient: (_commit, _classic_beat, _sync),
    ConsumerClient: (_commit, _consumer_beat),
    DraftClient: (_commit, _draft_beat),
    CommandedClient: (_commit, _poll),
}
"""What shades do, by the protocol that their member spoke."""
