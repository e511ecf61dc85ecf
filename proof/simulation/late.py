"""Requests that come late: from members that were paused, cut off or replaced meanwhile.

A shade is a copy of a member at one instant, with its own connection. It sends the member's
requests of that time, after a while: the server cannot tell the two apart, and must reject what has
become stale. A shade sends nothing wrong for a live member: it revokes nothing for it.
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
"""So many epochs ago: no response of that time can still be in transit."""


class Shade:
    """One member in an earlier state. ``own_process`` False: the member's process sends it, so that
    requests that are due during its pause are sent first when it resumes."""

    def __init__(self, client: Client, *, own_process: bool) -> None:
        world = client.world
        client.numbers.shades += 1
        name = f"{client.name}-late{client.numbers.shades}"
        self.now, self.was = client, copy(client)
        self.was.is_shade = True
        if own_process:
            self.was.process = Process(world, name)
        self.was.main = Channel(self.was, name)
        # Its silence has no meaning: no request of it has to be answered.
        world.record("fault", process=name, since=world.now / MS, until=1e12)

    def keep_connection(self) -> None:
        """Send to the member's current coordinator, even if the group moves later."""
        link, was = self.now.beats.link, self.was
        if link is not None and link.is_open:
            was.main.link = Link(was.network, was.process, was.name, link.node_id)

    @property
    def is_old(self) -> bool:
        """Whether the member has advanced so far that its old heartbeat has no effect any more."""
        return self.now.is_over or self.now.turns >= self.was.turns + OLD_TURNS

    async def wake(self) -> None:
        """First commit all that the member owned."""
        await asyncio.sleep(0.01)
        await _commit(self)

    async def beat_after(self, seconds: float) -> None:
        """One heartbeat, whatever state the member is in."""
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
    """A leader's assignment of that time: everything to itself."""
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
        owned = sorted(map(list, was.owned))
        event = was.beat_of(owned)
        await was.main.call("ConsumerGroupHeartbeat", event, PATIENCE_S, owned=owned)


async def _draft_beat(shade: Shade) -> None:
    was = shade.was
    beat = DraftHeartbeat(consumer_id=was.member_id, generation_id=was.generation)
    await was.main.call("Heartbeat", beat, PATIENCE_S)


async def _poll(shade: Shade) -> None:
    """A poll of a consumer that has left keeps no member alive; a live one polls itself."""
    was = shade.was
    if shade.is_old and isinstance(was, CommandedClient):
        await was.main.call("PollCommands", Poll(was.member_id, was.received, 0), PATIENCE_S)


ACTS: Final[Mapping[type[Client], Sequence[Callable[[Shade], Awaitable[None]]]]] = {
    ClassicClient: (_commit, _classic_beat, _sync),
    ConsumerClient: (_commit, _consumer_beat),
    DraftClient: (_commit, _draft_beat),
    CommandedClient: (_commit, _poll),
}
"""What shades do, by the protocol of their member."""
