"""Members as stock clients are, and what they record: the part that all protocols share.

A client finds its coordinator, calls, gives up after a while, and tries again. Every call is
written down as ``proof.history`` says. What clients do wrong is elsewhere (``late``).
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final

from groups.core.errors import ErrorCode
from proof.simulation.network import Link, Network, Request
from proof.simulation.world import Process, World

REQUEST_TIMEOUT_S: Final = 100.0
"""Longer than a life: whoever waits at its end was forgotten. (Each sleep of a node starts its
timers anew, so that a join phase may last for several of its timeouts.)"""

SEEKS_MAX: Final = 8
"""Nodes that a client asks, one after the other, before it lets a call wait for its next turn."""

SEEK_TIMEOUT_S: Final = 0.6
"""A node that is paused must not cost a member a good part of its session."""

AGAIN_S: Final = 0.15
"""After a beat that found no coordinator."""

LOST: Final = frozenset({ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE})

Part = tuple[str, int]


class Numbers:
    """What must be unique in a run: calls and committed offsets."""

    def __init__(self) -> None:
        self.calls = 0
        self.offset = 0
        self.shades = 0


class Channel:
    """One connection's worth of a client: one call at a time."""

    def __init__(self, client: "Client", name: str) -> None:
        self.client = client
        self.name = name
        self.link: Link | None = None
        self._silent: set[int] = set()

    async def call(self, api: str, body: Any, patience_s: float | None = None, **told: Any) -> Any:
        """Call the group's coordinator; None where nobody knows what became of it.

        After ``patience_s`` the client looks for another coordinator, as clients do when a
        session has gone by; None: it waits for an answer.
        """
        client, world = self.client, self.client.world
        member, generation = client.member_id, client.generation  # as the body has them
        link = await self._coordinator()
        if link is None:
            return None
        client.numbers.calls += 1
        number = client.numbers.calls
        common = {"process": self.name, "call": number}
        world.record(
            "invoke",
            **common,
            api=api,
            group=client.group_id,
            member=member,
            instance=client.instance,
            generation=generation,
            **client.session(),
            **told,
        )
        request = Request(api, client.group_id, body)
        reply = await self._ask(link, request, patience_s or REQUEST_TIMEOUT_S)
        self._note(common, reply, is_patient=patience_s is None)
        if reply is None or reply is TIMEOUT:
            self.close()
            return None
        if _code(reply) in LOST:
            self.close()
        return reply

    async def _coordinator(self) -> Link | None:
        """The connection to the coordinator; None after several nodes were asked in vain."""
        for _ in range(SEEKS_MAX):
            if self.link is not None and self.link.is_open:
                return self.link
            await self._seek()
        return None

    async def _seek(self) -> None:
        client = self.client
        found = await self._coordinator_by(self._next_node())
        if found is not None:
            self.link = Link(client.network, client.process, client.name, found.node_id)
            if self.link.is_open:
                return
        if client.member_id and not client.is_shade:
            client.world.record("seek", group=client.group_id, member=client.member_id)
        await asyncio.sleep(client.world.rng.uniform(0.1, 0.3))

    def _next_node(self) -> int | None:
        """Any node, but one that was asked in vain only when all others were, too."""
        nodes = self.client.network.nodes.keys()
        if self._silent >= nodes:
            self._silent.clear()
        left = sorted(nodes - self._silent)
        return self.client.world.rng.choice(left) if left else None

    async def _coordinator_by(self, node_id: int | None) -> Any:
        """What a node says; None where it says nothing."""
        client = self.client
        if node_id is None:
            return None
        asked = Link(client.network, client.process, client.name, node_id)
        request = Request("FindCoordinator", client.group_id, None)
        found = await self._ask(asked, request, SEEK_TIMEOUT_S)
        asked.close()
        if found is None or found is TIMEOUT:
            self._silent.add(node_id)
            return None
        self._silent.clear()
        return found

    async def _ask(self, link: Link, request: Request, timeout_s: float) -> Any:
        loop = self.client.process.loop
        future = loop.create_future()

        def answered(reply: Any) -> None:
            loop.call_soon(_resolve, future, reply)

        link.send(request, answered)
        handle = loop.call_later(timeout_s, answered, TIMEOUT)
        reply = await future
        handle.cancel()
        return reply

    def _note(self, common: dict[str, Any], reply: Any, *, is_patient: bool) -> None:
        world = self.client.world
        if reply is None or reply is TIMEOUT:
            why = "closed" if reply is None else "timeout" if is_patient else "left"
            world.record("info", **common, why=why)
        elif (code := _code(reply)) is not ErrorCode.NONE:
            world.record("fail", **common, code=int(code))
        else:
            world.record("ok", **common, **self.client.facts(reply))

    def close(self) -> None:
        """Start over with another connection."""
        if self.link is not None:
            self.link.close()
            self.link = None


TIMEOUT: Final = object()


def _resolve(future: "asyncio.Future[Any]", reply: Any) -> None:
    if not future.done():
        future.set_result(reply)


def _code(reply: Any) -> ErrorCode:
    if isinstance(reply, dict):
        return ErrorCode.NONE
    return reply if isinstance(reply, ErrorCode) else reply.error


class Client(ABC):
    """One member of one group; the protocol's own part is in the subclasses."""

    def __init__(
        self,
        world: World,
        network: Network,
        numbers: Numbers,
        name: str,
        group_id: str,
        instance: str | None,
        session_ms: int,
    ) -> None:
        self.world, self.network, self.numbers = world, network, numbers
        self.name, self.group_id, self.instance = name, group_id, instance
        self.session_ms = session_ms
        self.member_id = ""
        self.generation = -1
        self.turns = 0
        self.is_shade = False
        self.owned: frozenset[Part] = frozenset()
        self.is_stable = False
        self.is_leaving = False
        self.is_over = False
        self.process = Process(world, name)
        self.main = Channel(self, name)
        self.beats = Channel(self, f"{name}-beats")

    @property
    def topic(self) -> str:
        """The one topic of the group."""
        return f"topic-{self.group_id}"

    @property
    def partitions(self) -> int:
        """How many its topic has by now."""
        return self.network.partitions[self.topic]

    @property
    def patience_s(self) -> float:
        """How long it waits for an answer to a beat before it looks for another coordinator."""
        return self.session_ms / 1000

    def is_at(self, node_id: int) -> bool:
        """Whether it beats at that node."""
        link = self.beats.link
        return link is not None and link.is_open and link.node_id == node_id

    def session(self) -> Mapping[str, int]:
        """What the history is told of how long it may be silent."""
        return {} if self.is_shade else {"session_ms": self.session_ms}

    def start(self) -> None:
        """Live until told otherwise."""
        self.process.spawn(self.live())

    @abstractmethod
    async def live(self) -> None:
        """The protocol."""

    def facts(self, reply: Any) -> dict[str, Any]:
        """What the history is told of a good answer."""
        if isinstance(reply, dict):
            wanted = [(self.topic, p) for p in range(self.partitions)]
            return {"offsets": [[*place, reply.get(place, -1)] for place in wanted]}
        return {}

    def die(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.is_over, self.is_stable = True, False
        self.main.close()
        self.beats.close()

    # -- offsets

    async def work(self) -> None:
        """Commit something, or read what was committed."""
        if self.world.rng.random() < 0.3 or not self.owned:
            await self.main.call("OffsetFetch", None)
            return
        partition = self.world.rng.choice(sorted(self.owned))[1]
        await self.commit([partition])

    async def commit(self, partitions: Sequence[int]) -> Any:
        """Commit offsets that were never committed before."""
        self.numbers.offset += 1
        told = [[self.topic, p, self.numbers.offset] for p in partitions]
        return await self.main.call("OffsetCommit", self.commit_of(told), offsets=told)

    @abstractmethod
    def commit_of(self, told: Sequence[Sequence[Any]]) -> Any:
        """The commit as an event."""
