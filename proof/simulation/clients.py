"""Members that behave as stock clients, and what they record: the part that all protocols share.

A client finds its coordinator, calls it, times out, and tries again. Every call is recorded in the
format of ``proof.history``. Clients with defects are elsewhere (``late``).
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final

from groups.core.errors import ErrorCode
from groups.core.events import OffsetWrite
from proof.simulation import odd
from proof.simulation.network import Link, Network, Request
from proof.simulation.world import MS, Process, World

REQUEST_TIMEOUT_S: Final = 100.0
"""Longer than a life: a request that waits at its end was forgotten. (Each pause of a node restarts
its timers, so that a join phase may last for several of its timeouts.)"""

SEEKS_MAX: Final = 8
"""How many nodes a client asks, one after the other, before the call waits for its next turn."""

SEEK_TIMEOUT_S: Final = 0.6
"""A paused node must not cost a member a large part of its session."""

AGAIN_S: Final = 0.15
"""After a heartbeat that found no coordinator."""

BEATS_PER_SESSION: Final = 5

FETCHES_MAX: Final = 12
"""How many partitions' offsets a client fetches at most; with more, only those of its own
partitions."""

OFFSET_MAX: Final = (1 << 63) - 1

NOTHING: Final = (-1, "")
"""The result for a partition without a committed offset."""

LOST: Final = frozenset({ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE})

Part = tuple[str, int]


class Numbers:
    """What must be unique in a run: calls, committed offsets, transactions. ``is_odd``: offsets are
    at the end of the int64 range, with notes that are hard to store."""

    def __init__(self, *, is_odd: bool = False) -> None:
        self.is_odd = is_odd
        self.calls = 0
        self.offsets = 0
        self.shades = 0
        self.transactions = 0

    def next_offset(self) -> int:
        """An offset that was not committed before."""
        self.offsets += 1
        return OFFSET_MAX - self.offsets if self.is_odd else self.offsets

    def note_of(self, offset: int) -> str:
        """The note (Kafka's "metadata") of an offset, whichever client commits it."""
        return odd.NOTES[offset % len(odd.NOTES)] if self.is_odd else ""

    def writes(self, offsets: Sequence[Sequence[Any]]) -> tuple[OffsetWrite, ...]:
        """[topic, partition, offset] in the form of a commit."""
        return tuple(OffsetWrite(t, p, o, -1, self.note_of(o)) for t, p, o in offsets)

    def facts_of(self, offsets: Sequence[Sequence[Any]]) -> dict[str, Any]:
        """The fields of a commit in the history."""
        if not self.is_odd:
            return {"offsets": offsets}
        return {"offsets": offsets, "notes": [odd.digest(self.note_of(o)) for _, _, o in offsets]}


class Channel:
    """One connection of a client: one call at a time. ``key``: the group, or the transactional id,
    whose coordinator is called."""

    def __init__(self, client: "Caller", name: str, key: str | None = None) -> None:
        self.client = client
        self.name = name
        self.key = client.group_id if key is None else key
        self.link: Link | None = None
        self._silent: set[int] = set()

    async def call(
        self, api: str, body: Any, patience_s: float | None = None, **fields: Any
    ) -> Any:
        """Call the group's coordinator; None if the outcome is unknown.

        After ``patience_s`` the client looks for another coordinator, as clients do when a session
        has passed; None: it waits for a response.
        """
        client, world = self.client, self.client.world
        member, generation = client.member_id, client.generation  # as the body has them
        link = await self._coordinator()
        if link is None:
            return None
        client.numbers.calls += 1
        number = client.numbers.calls
        common = {"process": self.name, "call": number}
        facts = {
            "api": api,
            "group": self.key,
            "member": member,
            "instance": client.instance,
            "generation": generation,
            "node": link.node_id,
            "connected": link.opened_at / MS,
        }
        world.record("invoke", **common, **(facts | dict(client.session()) | fields))
        request = Request(api, self.key, body)
        reply = await self._request(link, request, patience_s or REQUEST_TIMEOUT_S)
        self._note(common, reply, is_patient=patience_s is None)
        if reply is None or reply is TIMEOUT:
            self.close()
            return None
        if _code(reply) in LOST:
            self.close()
        return reply

    async def _coordinator(self) -> Link | None:
        """The connection to the coordinator; None after several attempts."""
        for _ in range(SEEKS_MAX):
            if self.link is not None and self.link.is_open:
                return self.link
            await self._seek()
        return None

    async def _seek(self) -> None:
        client, node_id = self.client, self._next_node()
        found = await self._coordinator_by(node_id)
        if found is not None:
            self.link = Link(client.network, client.process, client.name, found.node_id)
            if self.link.is_open:
                return
        if client.member_id and not client.is_shade:
            client.world.record("seek", group=self.key, member=client.member_id, node=node_id)
        await asyncio.sleep(client.world.rng.uniform(0.1, 0.3))

    def _next_node(self) -> int | None:
        """Any node; one that did not answer only after all others."""
        nodes = self.client.network.nodes.keys()
        if self._silent >= nodes:
            self._silent.clear()
        left = sorted(nodes - self._silent)
        return self.client.world.rng.choice(left) if left else None

    async def _coordinator_by(self, node_id: int | None) -> Any:
        """The coordinator according to a node; None if it does not say."""
        client = self.client
        if node_id is None:
            return None
        link = Link(client.network, client.process, client.name, node_id)
        request = Request("FindCoordinator", self.key, None)
        found = await self._request(link, request, SEEK_TIMEOUT_S)
        link.close()
        if found is None or found is TIMEOUT:
            self._silent.add(node_id)
            return None
        self._silent.clear()
        return found

    async def _request(self, link: Link, request: Request, timeout_s: float) -> Any:
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
        """Use another connection from now on."""
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


class Caller:
    """A process that calls coordinators. ``group_id``: its group, unless its channels have
    another."""

    instance: str | None = None
    member_id = ""
    generation = -1
    is_shade = False
    is_over = False

    def __init__(
        self, world: World, network: Network, numbers: Numbers, name: str, group_id: str
    ) -> None:
        self.world, self.network, self.numbers = world, network, numbers
        self.name, self.group_id = name, group_id
        self.process = Process(world, name)

    def session(self) -> Mapping[str, int]:
        """How long it may be silent, for the history."""
        return {}

    def facts(self, reply: Any) -> dict[str, Any]:
        """The fields of a success in the history."""
        return {}


class Client(Caller, ABC):
    """One member of one group; the subclasses have each protocol's own part."""

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
        super().__init__(world, network, numbers, name, group_id)
        self.instance = instance
        self.session_ms = session_ms
        self.turns = 0
        self.owned: frozenset[Part] = frozenset()
        self.is_stable = False
        self.is_leaving = False
        self.main = Channel(self, name)
        self.beats = Channel(self, f"{name}-beats")

    unreleased_at: int | None = None
    """Since when it has been requesting an instance id that another member has."""

    is_idle = False
    """Whether it waits without a generation, because there are no partitions for it."""

    @property
    def beat_s(self) -> float:
        """The approximate time between two heartbeats: several fit into a session, as with stock
        clients."""
        return self.session_ms / 1000 / BEATS_PER_SESSION

    @property
    def topics(self) -> tuple[str, ...]:
        """What it subscribes to: its topic and, for odd ones, some that do not exist."""
        return (self.topic, *odd.TOPICS, self.topic) if self.numbers.is_odd else (self.topic,)

    @property
    def topic(self) -> str:
        """The one topic of the group."""
        return f"topic-{self.group_id}"

    @property
    def partitions(self) -> int:
        """How many partitions its topic has by now."""
        return self.network.partitions[self.topic]

    @property
    def patience_s(self) -> float:
        """How long it waits for the response to a heartbeat before it looks for another
        coordinator."""
        return self.session_ms / 1000

    def is_at(self, node_id: int) -> bool:
        """Whether it sends its heartbeats to that node."""
        link = self.beats.link
        return link is not None and link.is_open and link.node_id == node_id

    def session(self) -> Mapping[str, int]:
        """How long it may be silent, for the history."""
        return {} if self.is_shade else {"session_ms": self.session_ms}

    def start(self) -> None:
        """Run until stopped."""
        self.process.spawn(self.live())

    @abstractmethod
    async def live(self) -> None:
        """The protocol."""

    def facts(self, reply: Any) -> dict[str, Any]:
        """The fields of a success in the history."""
        if not isinstance(reply, dict):
            return {}
        wanted = self.owned
        if self.partitions <= FETCHES_MAX or not wanted:
            wanted = frozenset((self.topic, p) for p in range(min(self.partitions, FETCHES_MAX)))
        found = {place: reply.get(place, NOTHING) for place in sorted(wanted)}
        facts: dict[str, Any] = {"offsets": [[*place, row[0]] for place, row in found.items()]}
        if self.numbers.is_odd:
            facts["notes"] = [odd.digest(row[1]) for row in found.values()]
        return facts

    def die(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.is_over, self.is_stable = True, False
        self.main.close()
        self.beats.close()

    # -- offsets

    async def work(self) -> None:
        """Commit an offset, or read what was committed."""
        if self.world.rng.random() < 0.3 or not self.owned:
            await self.main.call("OffsetFetch", None)
            return
        partition = self.world.rng.choice(sorted(self.owned))[1]
        await self.commit([partition])

    async def commit(self, partitions: Sequence[int]) -> Any:
        """Commit offsets that were not committed before."""
        offset = self.numbers.next_offset()
        written = [[self.topic, p, offset] for p in partitions]
        facts = self.numbers.facts_of(written)
        return await self.main.call("OffsetCommit", self.commit_of(written), **facts)

    @abstractmethod
    def commit_of(self, offsets: Sequence[Sequence[Any]]) -> Any:
        """The commit as an event."""
