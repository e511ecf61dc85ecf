"""What one event costs a group of any size, and how long the largest assignments hold the loop.

A group is stepped as a node steps it, one event at a time, without PostgreSQL: the decision, its
next deadline, its view. A line that is not flat is a cost that grows with the group. Then shapes of
members, topics, subscriptions, racks and weights are assigned while a timer looks how long the
event loop stood still.
"""

import asyncio
import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from time import perf_counter, process_time

from benchmarks.options import Options
from groups.core import events
from groups.core.consumer.group import ConsumerGroup
from groups.core.conversion.step import decide
from groups.core.group import Decision, Group, Rules
from groups.core.kinds import KINDS
from groups.core.replies import ConsumerBeaten, DraftJoined, Joined, Registered
from groups.topics import assignor_worker

SIZES = (100, 1_000, 10_000)

SAMPLE = 200
"""Events of one sort that are measured in a group of each size."""

GAP_MS_MAX = 50
"""What an event loop may stand still."""

LOOK_S = 0.001


class Stepped:
    """One group as a node has it."""

    def __init__(self, kind: str, rules: Rules) -> None:
        self.now = 1_000
        self.rng = Random(1)
        self.requests = 0
        self.rules = rules
        self.group: Group = KINDS[kind].absent("g", rules, self.now)

    def ticket(self) -> events.Ticket:
        self.requests += 1
        return events.Ticket(self.requests, 1)

    def step(self, *some: events.Event) -> Decision:
        """Decide, as if the batch had committed."""
        decision = decide(self.group, some, self.now, self.rng)
        before, self.group = self.group.durable, decision.group
        if self.group.durable is not before:
            self.group = self.group.with_revision(before.revision + 1)
        self.group.due(self.now)
        self.group.heartbeat_view()
        self.now += 1
        return decision

    def tick(self) -> None:
        """Time goes by until the next deadline."""
        self.now = max(self.now, self.group.due(self.now) or 0)
        self.step(events.Tick())


Act = Callable[[], object]

Measure = Callable[[int], Iterator[tuple[str, float]]]
"""From a group's size to sorts of events, each with microseconds for one."""


def timed(acts: Sequence[Act]) -> float:
    """Microseconds of CPU for each of these."""
    gc.collect()
    began = process_time()
    for act in acts:
        act()
    return (process_time() - began) / len(acts) * 1e6


# -- events


def classic(size: int) -> Iterator[tuple[str, float]]:
    """A whole round, one request after the other."""
    on = Stepped("classic", Rules(group_max_size=size + 1))
    ids: list[str] = []

    def join(member_id: str) -> Decision:
        return on.step(
            events.JoinGroup(
                ticket=on.ticket(), member_id=member_id, instance_id=None, client_id="c",
                client_host="/h", session_timeout_ms=45_000, rebalance_timeout_ms=300_000,
                protocol_type="consumer", protocols=(("range", bytes(50)),), needs_member_id=True,
            )
        )  # fmt: skip

    def ask() -> None:
        reply = join("").answers[0].reply
        assert isinstance(reply, Joined)
        ids.append(reply.member_id)

    def sync(member_id: str, assignments: Mapping[str, bytes]) -> None:
        generation = on.group.durable.group.generation
        on.step(
            events.SyncGroup(
                ticket=on.ticket(), generation_id=generation, member_id=member_id,
                instance_id=None, assignments=assignments,
            )
        )  # fmt: skip

    yield "classic: member id", timed([ask] * size)
    yield "classic: join", timed([lambda m=m: join(m) for m in ids])  # type: ignore[misc]
    while on.group.durable.group.state != "CompletingRebalance":
        on.tick()
    leader = on.group.durable.group.leader or ""
    others = [m for m in ids if m != leader]
    yield "classic: sync", timed([lambda m=m: sync(m, {}) for m in others])  # type: ignore[misc]
    sync(leader, dict.fromkeys(ids, bytes(50)))
    join(leader)
    yield "classic: join again", timed([lambda m=m: join(m) for m in others])  # type: ignore[misc]


def consumer(size: int) -> Iterator[tuple[str, float]]:
    """Members of the consumer protocol: they join, acknowledge, beat."""
    on = Stepped("consumer", Rules(group_consumer_max_size=size + SAMPLE + 1))
    topics = {"t": ("0" * 32, size)}
    names = frozenset(topics)
    told: dict[str, ConsumerBeaten] = {}

    def beat(member_id: str, *, joins: bool = False) -> None:
        last = told.get(member_id)
        epoch = 0 if joins or last is None else last.member_epoch
        owned = None if last is None else last.assignment
        known = on.group.topics if isinstance(on.group, ConsumerGroup) else topics
        decision = on.step(
            events.ConsumerHeartbeat(
                ticket=on.ticket(), member_id=member_id, member_epoch=epoch, instance_id=None,
                rack_id=None, client_id="c", client_host="/h",
                rebalance_timeout_ms=-1 if epoch else 60_000,
                subscribed_topic_names=None if epoch else ("t",), server_assignor=None,
                owned=owned if epoch else {}, topics=known or topics, looked_up=names,
            )
        )  # fmt: skip
        reply = decision.answers[0].reply
        assert isinstance(reply, ConsumerBeaten) and not reply.error, reply
        kept = None if last is None else last.assignment
        told[member_id] = reply if reply.assignment is not None else replace(reply, assignment=kept)

    ids = [f"m{i:05}" for i in range(size)]
    on.rules = replace(on.rules, group_consumer_assignment_interval_ms=3_600_000)
    on.group = on.group.with_rules(on.rules)
    for member_id in ids:
        beat(member_id, joins=True)
    on.now += 3_600_000
    on.group = on.group.with_rules(replace(on.rules, group_consumer_session_timeout_ms=10**9))
    yield "consumer: join, and the target", timed([lambda: beat("new", joins=True)])
    some = ids[:SAMPLE]
    yield "consumer: acknowledge", timed([lambda m=m: beat(m) for m in some])  # type: ignore[misc]
    for _ in range(2):
        for member_id in (*ids, "new"):
            beat(member_id)
    yield "consumer: quiet heartbeat", timed([lambda m=m: beat(m) for m in some])  # type: ignore[misc]


def draft(size: int) -> Iterator[tuple[str, float]]:
    """Consumers of the 0.9 draft join, then all join again."""
    on = Stepped("draft", Rules())
    ids: list[str] = []

    def join(consumer_id: str) -> None:
        decision = on.step(
            events.DraftJoin(
                ticket=on.ticket(),
                consumer_id=consumer_id,
                client_id="c",
                client_host="/h",
                session_timeout_ms=30_000,
                topics=("t",),
                strategy="range",
                counts={"t": size},
            )
        )
        replies = [answer.reply for answer in decision.answers]
        ids.extend(r.consumer_id for r in replies if isinstance(r, DraftJoined) and not r.error)

    join("")
    first = ids.pop()
    yield "draft: join", timed([lambda: join("")] * size)
    yield "draft: the round's end", timed([lambda: join(first)])
    again = ids[1:]
    join(ids[0])
    join("")
    yield "draft: join again", timed([lambda c=c: join(c) for c in again])  # type: ignore[misc]


def commanded(size: int) -> Iterator[tuple[str, float]]:
    """Consumers of a commanded group register, then acknowledge."""
    on = Stepped("commanded", Rules(group_max_size=size + 1))
    ids: list[str] = []

    def register() -> None:
        decision = on.step(
            events.RegisterConsumer(
                ticket=on.ticket(),
                consumer_id="",
                generation_id=-1,
                client_id="c",
                client_host="/h",
                session_timeout_ms=30_000,
                threads={"t": 1},
                counts={"t": size},
            )
        )
        reply = decision.answers[0].reply
        assert isinstance(reply, Registered) and not reply.error
        ids.append(reply.consumer_id)

    def acknowledge(consumer_id: str) -> None:
        command = on.group.durable.members[consumer_id].commands[-1]
        on.step(
            events.AcknowledgeCommand(
                ticket=on.ticket(), member_id=consumer_id, command_id=command.command_id
            )
        )

    yield "commanded: register", timed([register] * size)
    waiting = [c for c in ids if on.group.durable.members[c].commands][:SAMPLE]
    if waiting:
        cost = timed([lambda c=c: acknowledge(c) for c in waiting])  # type: ignore[misc]
        yield "commanded: acknowledge", cost


KINDS_MEASURED: tuple[Measure, ...] = (classic, consumer, draft, commanded)


# -- gaps


@dataclass(frozen=True, slots=True)
class Shape:
    """One group to be assigned again. ``each``: topics of a member, 0: all of them."""

    members: int
    topics: int
    partitions: int
    each: int = 0
    assignor: str = "uniform"
    has_racks: bool = False
    weights: int = 1

    def __str__(self) -> str:
        of = f"{self.each} of {self.topics}" if self.each else f"all {self.topics}"
        more = (", racks" if self.has_racks else "") + (", weights" if self.weights > 1 else "")
        return f"{self.members} members, {of} topics of {self.partitions}, {self.assignor}{more}"


SHAPES = (
    Shape(60, 5_000, 1, 1_500),
    Shape(60, 5_000, 1, 1_500, "range"),
    Shape(60, 5_000, 1, 1_500, "uniform-rack", has_racks=True),
    Shape(60, 5_000, 1, 1_500, weights=5),
    Shape(1_000, 1_000, 2, 20),
    Shape(1_000, 1_000, 2, 20, "range"),
    Shape(1_000, 100, 100),
    Shape(1_000, 100, 100, assignor="uniform-rack", has_racks=True),
    Shape(10_000, 10, 5_000),
    Shape(10_000, 10, 5_000, assignor="range"),
    Shape(10_000, 100, 100, 10),
)


def group_without_target(shape: Shape) -> Stepped:
    """A group of that shape that has no target yet."""
    rng = Random(3)
    topics = {f"t{i}": (f"{i:032x}", shape.partitions) for i in range(shape.topics)}
    near = tuple(frozenset({"abc"[p % 3]}) for p in range(shape.partitions))
    racks = {topic: near for topic, _ in topics.values()} if shape.has_racks else {}
    rules = Rules(
        group_consumer_max_size=shape.members,
        group_consumer_assignment_interval_ms=3_600_000,
        group_consumer_assignor_offload_enable=True,
        group_consumer_assignors=("uniform", "range", "uniform-rack"),
    )
    on = Stepped("consumer", rules)
    joins = [
        events.ConsumerHeartbeat(
            ticket=on.ticket(), member_id=f"m{i:05}", member_epoch=0, instance_id=None,
            rack_id="abc"[i % 3] if shape.has_racks else None, client_id="c", client_host="/h",
            rebalance_timeout_ms=60_000,
            subscribed_topic_names=tuple(rng.sample(sorted(topics), shape.each or shape.topics)),
            server_assignor=f"{shape.assignor}*{rng.randint(1, shape.weights)}",
            owned={}, topics=topics, looked_up=frozenset(topics), racks=racks,
        )
        for i in range(shape.members)
    ]  # fmt: skip
    on.step(*joins)
    on.group = on.group.with_rules(replace(rules, group_consumer_assignment_interval_ms=0))
    on.now += 3_600_000
    return on


async def longest_gap(shape: Shape) -> tuple[float, float, float]:
    """Milliseconds: of the step that asks, of the step that goes by the answer, and of the longest
    that the loop stood still meanwhile."""
    on = group_without_target(shape)
    gc.collect()
    gc.freeze()  # as a node does once it serves
    gaps: list[float] = []
    watching = asyncio.create_task(_watch(gaps))
    await asyncio.sleep(0.05)
    gaps.clear()
    began = perf_counter()
    verb = events.ForceRebalance(operation_id=1, actor="a", reason="r")
    decision = on.step(verb)
    asked = perf_counter() - began
    await asyncio.sleep(0)
    installed = 0.0
    if decision.question is not None:
        with assignor_worker.short_turns():
            answer = await asyncio.to_thread(assignor_worker.answer, "g", decision.question)
        began = perf_counter()
        on.step(answer)
        installed = perf_counter() - began
    await asyncio.sleep(2 * LOOK_S)
    watching.cancel()
    gc.unfreeze()
    return asked * 1_000, installed * 1_000, max(gaps) * 1_000


async def _watch(gaps: list[float]) -> None:
    while True:
        began = perf_counter()
        await asyncio.sleep(LOOK_S)
        gaps.append(perf_counter() - began - LOOK_S)


def main(options: Options) -> bool:
    """Print both tables. ``--rounds 1`` leaves the largest size out."""
    sizes = SIZES if (options.rounds or 2) > 1 else SIZES[:-1]
    print(f"{'us of CPU an event, members:':34}" + "".join(f"{size:>9}" for size in sizes))
    for kind in KINDS_MEASURED:
        lines: dict[str, list[float]] = {}
        for size in sizes:
            for what, cost in kind(size):
                lines.setdefault(what, []).append(cost)
        for what, costs in lines.items():
            print(f"{what:34}" + "".join(f"{cost:9.0f}" for cost in costs), flush=True)
    print(f"{'ms of the event loop':72}{'ask':>7}{'go by':>7}{'longest gap':>13}")
    for shape in SHAPES if (options.rounds or 2) > 1 else SHAPES[:4]:
        asked, installed, gap = asyncio.run(longest_gap(shape))
        mark = "*" if gap > GAP_MS_MAX else ""
        print(f"{shape!s:72}{asked:7.0f}{installed:7.0f}{gap:12.0f}{mark}", flush=True)
    return True
