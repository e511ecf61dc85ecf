"""How long a group of fifty takes to settle again when one joins, and when one leaves.

Members over raw sockets, all in this process, with stock timing: heartbeats every three seconds
in the classic protocol, and as often as the coordinator says in the consumer protocol. There are
two kinds of client: those that count the interval from their last request, as Java's and
librdkafka do, and those that count it from the last answer. The group has been quiet before each
change; or, with ``--every SECONDS``, changes follow each other as in a rolling deploy. The same, at
the same time, against Apache Kafka where an address is given, or one can be started.
"""

import asyncio
import statistics
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Protocol
from uuid import UUID, uuid4

from benchmarks import kafka, start
from benchmarks.commits import folder_on_disk
from benchmarks.options import Options
from benchmarks.shapes import serving
from benchmarks.wire import STOCK_SESSION_MS, Member, Peer, create_topic
from launcher import ports
from launcher.installation import Installation
from rollcall.wire.messages.api_versions import ApiVersionsRequest
from rollcall.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.leave_group import LeaveGroupRequest
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic

TOPIC = "settling"
MEMBERS = 50
PARTITIONS = 100
ROUNDS, DEPLOY_ROUNDS = 3, 6
BEAT_S = 3.0
REST_S = 15.0
"""Before each change, and up to an interval more: everybody has come to the usual interval."""
DEPLOY_SPREAD_S = 1.0
"""Changes of a deploy are as far apart as is asked for, and up to this much more."""
SETTLED_S_MAX = 120.0
REBALANCING, GENERATION_OVER = 27, 22
KINDS = ("from the request", "from the answer")


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens to the group: so many joins and leaves in turn, each after so many seconds of
    rest, and up to ``spread_s`` more."""

    rounds: int = ROUNDS
    rest_s: float = REST_S
    spread_s: float = BEAT_S
    members: int = MEMBERS


def plan(options: Options) -> Plan:
    """A quiet group, or a deploy."""
    members = options.members or MEMBERS
    if options.every is None:
        rest_s = options.seconds or REST_S
        return Plan(options.rounds or ROUNDS, rest_s, members=members)
    return Plan(options.rounds or DEPLOY_ROUNDS, options.every, DEPLOY_SPREAD_S, members)


class Client(Protocol):
    """A member that lives until its task is cancelled."""

    peer: Peer
    share: tuple[int, int] | None
    """Its generation or epoch, and how many partitions it has; None while it has no say."""

    async def live(self) -> None: ...
    async def leave(self, peer: Peer) -> None: ...


class Pace:
    """When a client's next heartbeat is due."""

    def __init__(self, from_answer: bool) -> None:
        self._from_answer = from_answer
        self._sent_at = 0.0

    def sends(self) -> None:
        """A heartbeat goes out."""
        self._sent_at = asyncio.get_running_loop().time()

    async def pause(self, interval_s: float) -> None:
        """The answer is there: wait for the next."""
        now = asyncio.get_running_loop().time()
        since = now if self._from_answer else self._sent_at
        await asyncio.sleep(max(0.0, since + interval_s - now))


class Classic(Member):
    """A member of the classic protocol. Its leader hands out nothing: partitions do not count."""

    def __init__(self, peer: Peer, group_id: str, _topic: UUID, pace: Pace) -> None:
        super().__init__(peer, group_id, STOCK_SESSION_MS)
        self.pace = pace
        self.share: tuple[int, int] | None = None

    async def live(self) -> None:
        """Join, get an assignment, beat until there is a rebalance; and again."""
        while True:
            self.share = None
            joined = await self.join()
            if not await self.try_sync([member.member_id for member in joined.members]):
                self.share = (self.generation, 0)
                await self._beats()

    async def _beats(self) -> None:
        beat = HeartbeatRequest(
            group_id=self.group_id, generation_id=self.generation, member_id=self.member_id
        )
        self.pace.sends()
        while True:
            await self.pause()
            self.pace.sends()
            answer = await self.peer.call(beat, 3)
            if answer.error_code in (REBALANCING, GENERATION_OVER):
                return
            assert answer.error_code == 0, answer

    async def pause(self) -> None:
        await self.pace.pause(BEAT_S)

    async def leave(self, peer: Peer) -> None:
        """Over another connection: its own may have a heartbeat out."""
        request = LeaveGroupRequest(group_id=self.group_id, member_id=self.member_id)
        assert (await peer.call(request, 1)).error_code == 0


class Consumer:
    """A member of the consumer protocol."""

    def __init__(self, peer: Peer, group_id: str, topic: UUID, pace: Pace) -> None:
        self.peer, self.group_id, self.topic, self.pace = peer, group_id, topic, pace
        self.member_id = str(uuid4())
        self.share: tuple[int, int] | None = None

    async def live(self) -> None:
        """Heartbeats: at once where there is something to acknowledge, else at its pace."""
        epoch, owned, says = 0, frozenset[int](), True
        while True:
            self.pace.sends()
            answer = await self.peer.call(self._heartbeat(epoch, owned if says else None), 1)
            assert answer.error_code == 0, answer
            says = answer.assignment is not None
            if says:
                parts = answer.assignment.topic_partitions
                owned = frozenset(p for topic in parts for p in topic.partitions)
            epoch = answer.member_epoch
            self.share = (epoch, len(owned))
            if not says:
                await self.pace.pause(answer.heartbeat_interval_ms / 1000)

    def _heartbeat(self, epoch: int, owned: frozenset[int] | None) -> ConsumerGroupHeartbeatRequest:
        parts = [TopicPartitions(topic_id=self.topic, partitions=sorted(owned))] if owned else []
        return ConsumerGroupHeartbeatRequest(
            group_id=self.group_id,
            member_id=self.member_id,
            member_epoch=epoch,
            rebalance_timeout_ms=60_000 if epoch == 0 else -1,
            subscribed_topic_names=[TOPIC] if epoch == 0 else None,
            topic_partitions=None if owned is None else parts,
        )

    async def leave(self, peer: Peer) -> None:
        """Over another connection: its own may have a heartbeat out."""
        request = ConsumerGroupHeartbeatRequest(
            group_id=self.group_id, member_id=self.member_id, member_epoch=-1
        )
        assert (await peer.call(request, 1)).error_code == 0


class Crowd:
    """The living members of one group."""

    def __init__(self, bootstrap: str, protocol: str, topic: UUID, from_answer: bool) -> None:
        self._bootstrap = bootstrap
        self._of = Classic if protocol == "classic" else Consumer
        self._topic, self._from_answer = topic, from_answer
        self._group_id = f"settling-{uuid4().hex[:8]}"
        self._last = -1
        self.members: dict[Client, asyncio.Task[None]] = {}

    async def one_more(self) -> None:
        peer = await Peer.connect(self._bootstrap)
        software = KINDS[self._from_answer].replace(" ", "-")
        hello = ApiVersionsRequest(client_software_name=software, client_software_version="1")
        await peer.call(hello, 3)
        member = self._of(peer, self._group_id, self._topic, Pace(self._from_answer))
        self.members[member] = asyncio.create_task(member.live())

    async def one_less(self) -> None:
        member = next(iter(self.members))
        peer = await Peer.connect(self._bootstrap)
        self.members.pop(member).cancel()
        await member.leave(peer)
        peer.close()
        member.peer.close()

    async def settled(self) -> float:
        """Seconds until every member has its part of a generation that none had before."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        while not self._is_settled():
            for task in self.members.values():
                if task.done():
                    task.result()
            if loop.time() - began > SETTLED_S_MAX:
                raise RuntimeError(f"{self._group_id} never settled")
            await asyncio.sleep(0.002)
        self._last = max(member.share[0] for member in self.members if member.share)
        return loop.time() - began

    def _is_settled(self) -> bool:
        shares = [member.share for member in self.members if member.share]
        if len(shares) < len(self.members):
            return False
        if self._of is Classic:
            generations = {generation for generation, _count in shares}
            return len(generations) == 1 and min(generations) > self._last
        counts = [count for _epoch, count in shares]
        return sum(counts) == PARTITIONS and max(counts) - min(counts) <= 1

    async def end(self) -> None:
        """Without a leave: no test waits for the group."""
        for member, task in self.members.items():
            task.cancel()
            member.peer.close()


@asynccontextmanager
async def new_group(
    bootstrap: str, protocol: str, topic: UUID, from_answer: bool, size: int
) -> AsyncIterator[Crowd]:
    """The members of a new group, who have begun to join."""
    members = Crowd(bootstrap, protocol, topic, from_answer)
    try:
        await asyncio.gather(*(members.one_more() for _ in range(size)))
        yield members
    finally:
        await members.end()


async def measure(
    bootstrap: str, protocol: str, from_answer: bool, what: Plan
) -> dict[str, list[float]]:
    """Seconds by what happened: all start, one joins, one leaves."""
    topic, rng = await _topic(bootstrap), Random(1)
    took: dict[str, list[float]] = {"all start": [], "one joins": [], "one leaves": []}
    async with new_group(bootstrap, protocol, topic, from_answer, what.members) as members:
        took["all start"].append(await members.settled())
        for _ in range(what.rounds):
            for name, change in (
                ("one joins", members.one_more),
                ("one leaves", members.one_less),
            ):
                await asyncio.sleep(what.rest_s + rng.uniform(0, what.spread_s))
                await change()
                took[name].append(await members.settled())
    return took


async def _topic(bootstrap: str) -> UUID:
    await create_topic(bootstrap, TOPIC, PARTITIONS)
    peer = await Peer.connect(bootstrap)
    request = MetadataRequest(topics=[MetadataRequestTopic(name=TOPIC)])
    for _ in range(100):  # Kafka's brokers hear of it a moment after its controller
        found = (await peer.call(request, 12)).topics[0]
        if not found.error_code:
            peer.close()
            return UUID(bytes=found.topic_id.bytes)
        await asyncio.sleep(0.05)
    raise RuntimeError(f"{TOPIC} was created and is not there")


async def beside(
    addresses: Sequence[str], protocol: str, from_answer: bool, what: Plan
) -> Sequence[dict[str, list[float]]]:
    """The same of each server, at the same time."""
    measured = (measure(address, protocol, from_answer, what) for address in addresses)
    return await asyncio.gather(*measured)


def main(options: Options) -> bool:
    """Print the table, with the ratio to Kafka's where there is one."""
    what = plan(options)
    with ExitStack() as stack:
        addresses = [stack.enter_context(Installation()).kafka, *_kafka(options, stack)]
        for address in addresses:
            asyncio.run(serving(address))
        for protocol in ("classic", "consumer"):
            for from_answer, kind in enumerate(KINDS):
                ours, *theirs = asyncio.run(beside(addresses, protocol, bool(from_answer), what))
                for change, seconds in ours.items():
                    other = theirs[0][change] if theirs else None
                    line = f"{protocol}, {kind}: {change}: {_line(seconds, other)}"
                    print(line, flush=True)
    return True


def _kafka(options: Options, stack: ExitStack) -> list[str]:
    """The address of the Kafka to compare with, if there is one."""
    if options.against:
        return [options.against]
    if options.every is None or not (options.kafka or kafka.can_run()):
        return []
    program = stack.enter_context(kafka.serving_program(options.kafka))
    data = Path(stack.enter_context(folder_on_disk()))
    [port] = ports.free(1)
    stack.enter_context(start.kafka(program, port, data))
    return [f"127.0.0.1:{port}"]


def _line(ours: Sequence[float], theirs: Sequence[float] | None) -> str:
    mine = statistics.median(ours)
    text = f"{mine:.2f} s ({_all(ours)})"
    if not theirs:
        return text
    other = statistics.median(theirs)
    return f"{text}, Kafka {other:.2f} s ({_all(theirs)}): {mine / other:.2f}"


def _all(seconds: Sequence[float]) -> str:
    return " ".join(f"{each:.2f}" for each in seconds)
