"""What a heartbeat and a commit cost a node here, beside another checkout of Rollcall.

Both serve at once, and the same load goes to one and the other in turn, burst by burst, so that
what else the machine does falls on both alike. The figure is the median of the bursts' ratios of
the node's CPU; above 1 this checkout costs more. ``--than FOLDER`` names the other one, whose own
`.venv` runs it.

Two processes of the same code differ by chance, for as long as they live: 1.06 was seen, and of the
same two versions 0.96 to 1.13 in seven runs. Ask several times, with the places swapped, and
believe the median of the runs.
"""

import asyncio
import statistics
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import uvloop

from benchmarks import closed_loop, heartbeats
from benchmarks.commits import MEMBERS, TOPIC, Committer, folder_on_disk
from benchmarks.machine import coordinators, cpu_seconds
from benchmarks.options import Options
from benchmarks.wire import create_topic, form_groups
from launcher.installation import Installation

ROUNDS = 12
SECONDS = 2.0
COMMIT_SHAPES = (1, 500)

Burst = Callable[[float], Awaitable[int]]
"""A load for so many seconds; how many requests were answered."""


class Pacer(Committer):
    """A committer that can be paused."""

    going = False
    stood_still: "asyncio.Event | None" = None

    def commit(self) -> None:
        """Send the next one, unless it is to stand still."""
        if self.going:
            super().commit()
        elif self.stood_still is not None:
            self.stood_still.set()

    def start(self) -> None:
        """Commit until ``stop``."""
        self.latencies_ms.clear()
        self.going = True
        self.commit()

    async def stop(self) -> int:
        """Wait for the last reply; how many there were."""
        self.stood_still, self.going = asyncio.Event(), False
        await self.stood_still.wait()
        return len(self.latencies_ms)


@dataclass(slots=True)
class Side:
    """One checkout that serves. ``costs_us``: of the node's CPU, for one request, by burst."""

    running: Installation
    costs_us: list[float] = field(default_factory=list)

    async def measure(self, burst: Burst, seconds: float) -> None:
        """One burst."""
        nodes = coordinators(self.running.pids())
        before = cpu_seconds(nodes)
        answered = await burst(seconds)
        self.costs_us.append((cpu_seconds(nodes) - before) / answered * 1e6)


async def commits(running: Installation, groups: int) -> Burst:
    """500 members in so many groups, one commit of one partition outstanding each."""
    await create_topic(running.kafka, TOPIC, MEMBERS)
    members = await form_groups(running.kafka, f"commits-{groups}", groups, MEMBERS // groups)
    host, _, port = running.kafka.rpartition(":")
    pacers: list[Pacer] = []
    for partition, member in enumerate(members):
        made = partial(Pacer, member, partition)
        _, pacer = await asyncio.get_running_loop().create_connection(made, host, int(port))
        pacers.append(pacer)

    async def burst(seconds: float) -> int:
        for pacer in pacers:
            pacer.start()
        await asyncio.sleep(seconds)
        answered = await asyncio.gather(*(pacer.stop() for pacer in pacers))
        if any(pacer.wrong for pacer in pacers):
            raise RuntimeError("a commit was answered wrong")
        return sum(answered)

    return burst


async def beats(running: Installation, program: Path) -> Burst:
    """A heartbeat outstanding on each of 500 connections, one in fifty wrong on purpose."""
    groups, size = heartbeats.GROUPS, heartbeats.GROUP_SIZE
    members = await form_groups(running.kafka, "beats", groups, size)
    fed, port = heartbeats.frames(members), int(running.kafka.rpartition(":")[2])

    async def burst(seconds: float) -> int:
        nobody = partial(list[int])
        done = await asyncio.to_thread(heartbeats.load, program, port, seconds, fed, nobody)
        return done.replies

    return burst


async def compare(
    here: Side, there: Side, make: Callable[[Installation], Awaitable[Burst]], options: Options
) -> list[float]:
    """The ratios of the bursts; who goes first alternates. One burst each is not counted."""
    ours, theirs = [(side, await make(side.running)) for side in (here, there)]
    for round_number in range(-1, options.rounds or ROUNDS):
        order = (ours, theirs) if round_number % 2 else (theirs, ours)
        for side, burst in order:
            await side.measure(burst, options.seconds or SECONDS)
        if round_number < 0:
            here.costs_us.clear()
            there.costs_us.clear()
    return [a / b for a, b in zip(here.costs_us, there.costs_us, strict=True)]


@contextmanager
def serving(checkout: Path | None = None) -> Iterator[Installation]:
    """An installation of this checkout, or of another one."""
    with folder_on_disk() as name, Installation(data_dir=Path(name), checkout=checkout) as it:
        yield it


async def report(name: str, here: Side, there: Side, comparing: Awaitable[list[float]]) -> None:
    """Print one line."""
    ratios = sorted(await comparing)
    low, high = ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]
    print(
        f"{name:22} {statistics.median(here.costs_us):5.1f} us here,"
        f" {statistics.median(there.costs_us):5.1f} us there;"
        f" ratio {statistics.median(ratios):.3f} ({low:.2f} to {high:.2f})",
        flush=True,
    )


async def all_of_it(options: Options, than: Path) -> None:
    """Heartbeats, then each shape of commits."""
    with tempfile.TemporaryDirectory() as folder, serving() as mine, serving(than) as other:
        shapes: list[tuple[str, Callable[[Installation], Awaitable[Burst]]]] = [
            (f"a commit, {groups} groups", partial(commits, groups=groups))
            for groups in COMMIT_SHAPES
        ]
        if closed_loop.can_run():
            program = closed_loop.compile_c("load", Path(folder))
            shapes.insert(0, ("a heartbeat", partial(beats, program=program)))
        for name, make in shapes:
            here, there = Side(mine), Side(other)
            await report(name, here, there, compare(here, there, make, options))


def main(options: Options) -> bool:
    """Print a line for each kind of request."""
    if options.than is None:
        print("nothing to compare with: --than FOLDER", file=sys.stderr)
        return True
    uvloop.run(all_of_it(options, Path(options.than).resolve()))
    return True
