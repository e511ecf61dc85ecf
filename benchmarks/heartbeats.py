"""Heartbeats per CPU-second of the server, beside a ceiling in C, in one interleaved run.

A closed loop: 500 connections, each the heartbeat of a member of its own, one outstanding. Every
reply is checked; one beat in fifty is wrong on purpose. CPU is that of all coordinator
processes and their threads, as the operating system counts it.
"""

import asyncio
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import closed_loop
from benchmarks.closed_loop import Frame, Pair, Round, can_run, compile_c, connections
from benchmarks.machine import Pids, coordinators
from benchmarks.options import Options
from benchmarks.wire import Member, form_groups, frame
from launcher.installation import Installation
from rollcall.wire.codec import encode, response_frame
from rollcall.wire.messages.heartbeat import HeartbeatRequest, HeartbeatResponse

GOAL = 0.27
"""Of the ceiling's heartbeats per CPU-second."""

GROUPS = 50
GROUP_SIZE = 10
ROUNDS = 5
SECONDS = 4.0

WRONG_EVERY = 50
WRONG_GENERATION = 999_999
NOBODY = "!nobody"
ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID = 22, 25

VERSION = 4


def frames(members: list[Member]) -> bytes:
    """What the load generator reads: a right and a wrong heartbeat for each member."""
    pairs: list[Pair] = []
    for place, member in enumerate(members):
        right = _beat(member.group_id, member.generation, member.member_id, 0)
        if place % 2:
            other = (member.group_id, WRONG_GENERATION, member.member_id, ILLEGAL_GENERATION)
        else:
            other = (member.group_id, member.generation, NOBODY, UNKNOWN_MEMBER_ID)
        pairs.append((right, _beat(*other)))
    return connections(pairs)


def _beat(group_id: str, generation: int, member_id: str, code: int) -> Frame:
    request = HeartbeatRequest(group_id=group_id, generation_id=generation, member_id=member_id)
    reply = encode(HeartbeatResponse(error_code=code), VERSION)
    return Frame(frame(request, VERSION, 0), response_frame(0, reply, flexible=True))


def load(program: Path, port: int, seconds: float, fed: bytes, pids: Pids) -> Round:
    """One round against a server whose processes are known."""
    return closed_loop.load(program, port, seconds, fed, pids, WRONG_EVERY)


@contextmanager
def ceiling(folder: Path) -> Iterator[tuple[int, int]]:
    """The server in C: its process id and its port."""
    with subprocess.Popen([compile_c("ceiling", folder)], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            yield process.pid, int(process.stdout.readline())
        finally:
            process.kill()


def measure(
    running: Installation,
    rounds: int = ROUNDS,
    seconds: float = SECONDS,
    groups: int = GROUPS,
    size: int = GROUP_SIZE,
) -> list[tuple[Round, Round]]:
    """Rounds of (Rollcall, ceiling); which of them goes first alternates."""
    members = asyncio.run(form_groups(running.kafka, "heartbeats", groups, size))
    fed, port = frames(members), int(running.kafka.rpartition(":")[2])
    nodes = coordinators(running.pids())
    pairs = []
    with tempfile.TemporaryDirectory() as name, ceiling(Path(name)) as (pid, ceiling_port):
        program = compile_c("load", Path(name))

        def ours() -> Round:
            return load(program, port, seconds, fed, lambda: nodes)

        def theirs() -> Round:
            return load(program, ceiling_port, seconds, fed, lambda: [pid])

        for turn in range(rounds):
            if turn % 2:
                second, first = theirs(), ours()
            else:
                first, second = ours(), theirs()
            pairs.append((first, second))
    return pairs


def main(options: Options) -> bool:
    """Print the figures and the ratio; whether every reply was right."""
    if not can_run():
        print("not run: its load and its ceiling need Linux and a C compiler (cc)")
        return True
    with Installation() as running:
        pairs = measure(running, options.rounds or ROUNDS, options.seconds or SECONDS)
    for name, rounds in (("rollcall", [a for a, _ in pairs]), ("ceiling", [b for _, b in pairs])):
        print(f"{name:9}{describe(rounds)}")
    ratios = sorted(a.per_cpu_second / b.per_cpu_second for a, b in pairs)
    print(
        f"ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}),"
        f" goal {GOAL:.2f}"
    )
    return not any(r.wrong for pair in pairs for r in pair)


def describe(rounds: list[Round]) -> str:
    """One server's rounds in a line."""
    figures = sorted(r.per_cpu_second for r in rounds)
    wall = statistics.median(r.replies / r.wall_s for r in rounds)
    return (
        f"{statistics.median(figures):9,.0f} heartbeats per CPU-second"
        f" ({figures[0]:,.0f} to {figures[-1]:,.0f}), {wall:9,.0f} a second,"
        f" {sum(r.wrong for r in rounds)} wrong replies"
    )
