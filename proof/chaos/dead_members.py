"""Dead members under a fault that repeats: how long until they are removed, and is a live one?

One member of each group ends without a word; then the fault strikes again and again, for three
minutes at most. The rows show when the dead are removed.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from random import Random
from typing import Final, LiteralString, NamedTuple

import psycopg

from proof.chaos import report
from proof.chaos.draft import DraftMember
from proof.chaos.failover import SETTLE_S, crash, hand_over
from proof.chaos.faults import DRAIN, END_BACKENDS, LEASE_S
from proof.chaos.fleet import Fleet, Size
from proof.chaos.member import Member
from proof.chaos.network import Network
from proof.chaos.probe import PAUSE_S, Prober, Served
from proof.chaos.processes import send
from proof.chaos.record import now
from proof.chaos.world import World

SIZE: Final = Size(
    classic_groups=4,
    consumer_groups=3,
    cooperative_groups=1,
    draft_groups=2,
    commanded_groups=2,
    members=2,
)
LIMIT_S: Final = 240.0
STOPPED_S: Final = 4.0

GRACE_S: Final = 40.0
"""``coordinator.restart.grace.ms``: once in a silence, after an outage longer than a lease."""

LATE_S: Final = 3.0
"""A timer is looked at, and its step committed, this late at most, where the run itself is not."""

MEMBERS: LiteralString = "SELECT member_id FROM rollcall_member"

Strike = Callable[[World, int], Awaitable[None]]
"""Causes the fault once more, for the so manieth time."""


def _victim(world: World, turn: int) -> int:
    return sorted(world.ports)[turn % len(world.ports)]


async def _kill(world: World, _turn: int) -> None:
    with suppress(AssertionError):  # it has not started yet
        await crash(world, _victim(world, 0))


async def _stop(world: World, _turn: int) -> None:
    node = world.node(_victim(world, 0))
    send(node, signal.SIGSTOP)
    await asyncio.sleep(STOPPED_S)
    send(node, signal.SIGCONT)


async def _restart_next(world: World, turn: int) -> None:
    if turn < len(world.ports):
        await hand_over(world, _victim(world, turn))
        await world.whole(SETTLE_S)


async def _drain(world: World, turn: int) -> None:
    await world.rows(DRAIN.format("undrain"), _victim(world, turn - 1))
    await world.rows(DRAIN.format("drain"), _victim(world, turn))


async def _end_backends(world: World, _turn: int) -> None:
    await world.rows(END_BACKENDS)


class Repeated(NamedTuple):
    """A fault: the number of nodes, how often it strikes, and what it does. ``session_s``: of the
    members that name one."""

    nodes: int
    every_s: float
    strike: Strike
    session_s: float = 6.0


FAULTS: Final[Mapping[str, Repeated]] = {
    "kill-the-only-node": Repeated(1, 15, _kill),
    "kill-one-of-two": Repeated(2, 20, _kill),
    "rolling-restart": Repeated(3, 0, _restart_next),
    "stop-one-of-two": Repeated(2, 8, _stop),
    "stop-the-only-node": Repeated(1, 8, _stop, 20.0),
    "drains": Repeated(2, 15, _drain, 20.0),
    "end-backends": Repeated(1, 1, _end_backends),
}


@dataclass(slots=True)
class Outcome:
    """``removed_s``: until each dead member was removed; None: it is still there. ``away_s``: how
    long its group was not served meanwhile; ``late``: those that were removed later than after
    their session, that, one grace where an outage was longer than a lease, and in the draft a
    heartbeat interval of the others. ``evicted``: how
    often one was that beat in time. ``strikes``: until the last one was removed."""

    removed_s: dict[str, float | None] = field(default_factory=dict)
    away_s: dict[str, float] = field(default_factory=dict)
    late: list[str] = field(default_factory=list)
    evicted: int = 0
    strikes: int = 0


async def run(name: str, seed: int, size: Size = SIZE, limit_s: float = LIMIT_S) -> Outcome:
    """One fault, in an installation of its own."""
    fault, rng = FAULTS[name], Random(seed)
    size = replace(size, session_s=(fault.session_s, fault.session_s))
    async with World(fault.nodes) as world:
        network = Network(world.bootstraps, rng)
        fleet = Fleet(network, size, rng, drafts=await world.drafts())
        try:
            await fleet.start()
            await fleet.settle(SETTLE_S)
            await world.whole(SETTLE_S)
            async with Prober(fleet.network, fleet.groups) as served:
                return await _repeat(world, fleet, fault, limit_s, served)
        finally:
            await fleet.stop()


async def _repeat(
    world: World, fleet: Fleet, fault: Repeated, limit_s: float, served: Served
) -> Outcome:
    dead = [fleet.of(group_id)[0] for group_id in fleet.groups]
    for member in dead:
        fleet.tasks[member].cancel()
    outcome, begun = Outcome(dict.fromkeys(m.name for m in dead)), now()
    striking = asyncio.create_task(_strike(world, fault, outcome))
    try:
        while None in outcome.removed_s.values() and now() - begun < limit_s:
            await asyncio.sleep(0.1)
            await _look(world, dead, outcome, begun)
    finally:
        striking.cancel()
        await asyncio.wait([striking])
        for node_id in world.ports:
            send(world.node(node_id), signal.SIGCONT)
    outcome.evicted = report.beating(fleet.record)
    account(outcome, dead, begun, served)
    return outcome


def account(outcome: Outcome, dead: list[Member], begun: float, served: Served) -> None:
    """Fill in how long each dead member's group was not served, and who was removed too late."""
    for member in dead:
        took = outcome.removed_s[member.name]
        until = now() if took is None else begun + took
        gaps = outages(served.at[member.group_id], begun, until)
        away = outcome.away_s[member.name] = sum(gaps)
        grace_s = GRACE_S if max(gaps, default=0.0) > LEASE_S else 0.0
        allowed_s = member.session_s + away + grace_s + _told_s(member) + LATE_S
        if took is None or took > allowed_s:
            outcome.late.append(member.name)


def _told_s(member: Member) -> float:
    """A member of the draft is removed at the end of the rebalance that its silence begins: the
    others join it when their next heartbeats have told them."""
    return member.beats_s if isinstance(member, DraftMember) else 0.0


def outages(times: list[float], since: float, until: float) -> list[float]:
    """The times in this span in which no probe of a group was answered."""
    seen = [since, *(at for at in times if since < at < until), until]
    return [b - a for a, b in pairwise(seen) if b - a > PAUSE_S]


async def _strike(world: World, fault: Repeated, outcome: Outcome) -> None:
    while True:
        due = now() + fault.every_s
        with suppress(psycopg.Error, OSError, TimeoutError):
            await fault.strike(world, outcome.strikes)
        outcome.strikes += 1
        await asyncio.sleep(max(0.5, due - now()))


async def _look(world: World, dead: list[Member], outcome: Outcome, begun: float) -> None:
    with suppress(psycopg.Error, OSError):
        there = {member_id for (member_id,) in await world.rows(MEMBERS)}
        for member in dead:
            if outcome.removed_s[member.name] is None and member.member_id not in there:
                outcome.removed_s[member.name] = now() - begun


def line(name: str, outcome: Outcome) -> str:
    """The result in one line."""
    times = sorted(s for s in outcome.removed_s.values() if s is not None)
    middle, most = (f"{times[len(times) // 2]:.1f}", f"{times[-1]:.1f}") if times else ("-", "-")
    return (
        f"{name:20} {len(times)} of {len(outcome.removed_s)} dead members removed, half within"
        f" {middle} s, all within {most} s, {outcome.strikes} strikes; not served meanwhile: at"
        f" most {max(outcome.away_s.values(), default=0):.1f} s; later than session, outages and"
        f" one grace: {outcome.late or 0}; live members evicted: {outcome.evicted}"
    )
