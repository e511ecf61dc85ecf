"""What a whole installation takes while 500 members only beat: CPU and memory.

Every process of ``make run`` counts, the database included; the members do not, they are a
process of their own (``beats.py``).
"""

import subprocess
import sys
import time
from dataclasses import dataclass

from benchmarks.machine import coordinators, databases, proportional_mib, spending
from benchmarks.options import Options
from launcher.installation import CHECKOUT, Installation

GOAL = 0.1
"""Of one core, for everything together."""

GROUPS, GROUP_SIZE = 50, 10
SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Result:
    """Shares of one core, and memory; replies since the members began, wrong ones among them."""

    share: float
    node_share: float
    database_share: float
    mib: float
    processes: int
    replies: int
    wrong: int


def measure(
    running: Installation, seconds: float = SECONDS, groups: int = GROUPS, size: int = GROUP_SIZE
) -> Result:
    """Let so many members beat, and watch for so long."""
    members = beating(running.kafka, groups, size)
    try:
        with (
            spending(running.pids) as all_of_it,
            spending(lambda: coordinators(running.pids())) as node,
            spending(lambda: databases(running.pids())) as database,
        ):
            time.sleep(seconds)
        pids = running.pids()
        mib = proportional_mib(pids)
        replies, wrong = map(int, members.communicate(timeout=30)[0].split())
    finally:
        members.kill()
        members.wait()
    return Result(
        share=all_of_it.cpu_s / all_of_it.wall_s,
        node_share=node.cpu_s / node.wall_s,
        database_share=database.cpu_s / database.wall_s,
        mib=mib,
        processes=len(pids),
        replies=replies,
        wrong=wrong,
    )


def beating(bootstrap: str, groups: int, size: int) -> "subprocess.Popen[str]":
    """So many members in a process of their own, once each has been answered; they beat until
    their input ends, and then say how many replies there were and how many were wrong."""
    members = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.beats", bootstrap, str(groups), str(size)],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert members.stdout is not None
    said = members.stdout.readline()
    if said != "beating\n":
        members.kill()
        members.wait()
        raise RuntimeError(f"the members did not come to beat: {said!r}")
    return members


def main(options: Options) -> bool:
    """Print the figures; whether every heartbeat was answered rightly."""
    right = True
    for _ in range(options.rounds or 1):
        with Installation() as running:
            result = measure(running, options.seconds or SECONDS)
        print(
            f"{GROUPS * GROUP_SIZE} members: {result.share:.3f} of a core (goal {GOAL}):"
            f" node {result.node_share:.3f}, database {result.database_share:.3f};"
            f" {result.mib:.0f} MiB in {result.processes} processes;"
            f" {result.replies} heartbeats, {result.wrong} wrong replies",
            flush=True,
        )
        right &= not result.wrong
    return right
