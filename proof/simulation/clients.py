"""Members as stock clients are, and what they record: the part that both protocols share.

A client finds its coordinator, calls, gives up after a while, and tries again. Every call is
written down as ``proof.history`` says.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from groups.core.errors import ErrorCode
from proof.simulation.network import Link, Network, Request
from proof.simulation.world import Process, World

PARTITIONS: Final = 4
REQUEST_TIMEOUT_S: Final = 100.0
"""Longer than a life: whoever waits at its end was forgotten. (Each sleep of a node starts its
timers anew, so that a join phase may last for several of its timeouts.)"""

LOST: Final = frozenset({ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE})

Part = tuple[str, int]


class Numbers:
    """What must be unique in a run: calls and committed offsets."""

    def __init__(self) -> None:
        self.calls = 0
        self.offset = 0


class Channel:
    """One connection's worth of a client: one call at a time."""

    def __init__(self, client: "Client", name: str) -> None:
        self.client = client
        self.name = name
        self.link: Link | None = None

    async def call(
        self, api: str, body: Any, timeout_s: float = REQUEST_TIMEOUT_S, **told: Any
    ) -> Any:
        """Call the group's coordinator; None where nobody knows what became of it."""
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
            session_ms=client.session_ms,
            **told,
        )
        reply = await self._ask(link, Request(api, client.group_id, body), timeout_s)
        self._note(common, reply)
        if reply is None or reply is TIMEOUT:
            self.close()
            return None
        if _code(reply) in LOST:
            self.close()
        return reply

    async def _coordinator(self) -> Link | None:
        if self.link is not None and self.link.is_open:
            return self.link
        client = self.client
        nodes = sorted(client.network.nodes)
        if nodes:
            asked = Link(
                client.network, client.process, client.name, client.world.rng.choice(nodes)
            )
            request = Request("FindCoordinator", client.group_id, None)
            found = await self._ask(asked, request, 2.0)
            asked.close()
            if found is not None and found is not TIMEOUT:
                self.link = Link(client.network, client.process, client.name, found.node_id)
                if self.link.is_open:
                    return self.link
        if client.member_id:
            client.world.record("seek", group=client.group_id, member=client.member_id)
        await asyncio.sleep(client.world.rng.uniform(0.1, 0.4))
        return None

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

    def _note(self, common: dict[str, Any], reply: Any) -> None:
        world = self.client.world
        if reply is None or reply is TIMEOUT:
            why = "closed" if reply is None else "timeout"
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


class Client:
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

    def start(self) -> None:
        """Live until told otherwise."""
        self.process.spawn(self.live())

    async def live(self) -> None:
        """The protocol."""
        raise NotImplementedError

    def facts(self, reply: Any) -> dict[str, Any]:
        """What the history is told of a good answer."""
        if isinstance(reply, dict):
            wanted = [(self.topic, p) for p in range(PARTITIONS)]
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

    def commit_of(self, told: Sequence[Sequence[Any]]) -> Any:
        """The commit as an event."""
        raise NotImplementedError
