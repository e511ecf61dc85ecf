"""Heartbeats per CPU-second of the server, beside a ceiling in C, in one interleaved run.

A closed loop: 500 connections, each the heartbeat of a member of its own, one outstanding. Every
reply is checked; one beat in fifty is wrong on purpose. CPU is that of all coordinator
processes and their threads, as the operating system counts it.
"""

import asyncio
import shutil
import statistics
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.machine import node_pids, spending
from benchmarks.wire import Member, form_group, frame
from protocol.messages.heartbeat import HeartbeatRequest
from rollcall.installation import Installation

GOAL = 0.27
"""Of the ceiling's heartbeats per CPU-second."""

WRONG_EVERY = 50
WRONG_GENERATION = 999_999
ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID = 22, 25

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Round:
    """One round of load: replies, wrong ones among them, and what the server spent."""

    replies: int
    bad: int
    cpu_s: float
    wall_s: float

    @property
    def per_cpu_second(self) -> float:
        """The figure."""
        return self.replies / self.cpu_s


def compile_c(name: str, folder: Path) -> Path:
    """Compile one of the C programs beside this file."""
    program = folder / name
    compiler = shutil.which("cc")
    if compiler is None:
        raise SystemExit("this benchmark needs a C compiler (cc) for its load and its ceiling")
    subprocess.run([compiler, "-O2", "-o", program, FOLDER / f"{name}.c"], check=True)
    return program


def frames(members: list[Member]) -> bytes:
    """What the load generator reads: a right and a wrong heartbeat for each member."""
    parts = [struct.pack("=i", len(members))]
    for place, member in enumerate(members):
        right = _beat(member.group_id, member.generation, member.member_id)
        if place % 2:
            wrong, code = _beat(member.group_id, WRONG_GENERATION, member.member_id), 22
        else:
            wrong, code = _beat(member.group_id, member.generation, "!nobody"), 25
        for raw, expected in ((right, 0), (wrong, code)):
            parts += (struct.pack("=i", len(raw)), raw, struct.pack("=h", expected))
    return b"".join(parts)


def _beat(group_id: str, generation: int, member_id: str) -> bytes:
    request = HeartbeatRequest(group_id=group_id, generation_id=generation, member_id=member_id)
    return frame(request, 4, 0)


def load(program: Path, port: int, seconds: float, fed: bytes, pids: list[int]) -> Round:
    """One round against a server whose processes are known."""
    with spending(pids) as spent:
        done = subprocess.run(
            [program, str(port), str(seconds), str(WRONG_EVERY)],
            input=fed,
            capture_output=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"the load ended early: {done.stderr.decode()}")
    replies, bad, _wall = done.stdout.split()
    return Round(int(replies), int(bad), spent.cpu, spent.wall)


async def _members(bootstrap: str, groups: int, size: int) -> list[Member]:
    formed = await asyncio.gather(
        *(form_group(bootstrap, f"bench-{n}", size) for n in range(groups))
    )
    members = [member for group in formed for member in group]
    for member in members:
        member.peer.close()
    return members


def measure(
    rounds: int = 5, seconds: float = 4.0, groups: int = 50, size: int = 10
) -> tuple[list[Round], list[Round]]:
    """Interleaved rounds of (Rollcall, ceiling)."""
    ours: list[Round] = []
    ceilings: list[Round] = []
    with tempfile.TemporaryDirectory() as folder, Installation() as running:
        program = compile_c("load", Path(folder))
        ceiling = subprocess.Popen([compile_c("ceiling", Path(folder))], stdout=subprocess.PIPE)
        try:
            assert ceiling.stdout is not None
            ceiling_port = int(ceiling.stdout.readline())
            fed = frames(asyncio.run(_members(running.kafka, groups, size)))
            port, nodes = int(running.kafka.rpartition(":")[2]), node_pids(running.pids())
            for _ in range(rounds):
                ours.append(load(program, port, seconds, fed, nodes))
                ceilings.append(load(program, ceiling_port, seconds, fed, [ceiling.pid]))
        finally:
            ceiling.kill()
            ceiling.communicate()
    return ours, ceilings


def main() -> None:
    """Print the figures and the ratio."""
    ours, ceilings = measure()
    for name, rounds in (("rollcall", ours), ("ceiling", ceilings)):
        figures = sorted(r.per_cpu_second for r in rounds)
        bad = sum(r.bad for r in rounds)
        print(
            f"{name:9} {statistics.median(figures):9,.0f} heartbeats per CPU-second"
            f"  ({figures[0]:,.0f} to {figures[-1]:,.0f}),"
            f" {statistics.median(r.replies / r.wall_s for r in rounds):9,.0f} a second,"
            f" {bad} wrong replies"
        )
    ratios = sorted(
        a.per_cpu_second / b.per_cpu_second for a, b in zip(ours, ceilings, strict=True)
    )
    print(
        f"ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}),"
        f" goal {GOAL:.2f}"
    )
