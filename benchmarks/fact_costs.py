"""What facts cost a rebalance: CPU of the node and of PostgreSQL, with facts and without, in pairs.

Two groups of the same size in one installation, members over raw sockets: one as it is, of the
other nothing is recorded (``benchmarks.fact_switch``, in the node). Rounds of both alternate: all
members join again and sync, and their partitions stay, or each gets another one's.
"""

import asyncio
import os
import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.fact_switch import GAPS, OFF
from benchmarks.machine import coordinators, databases
from benchmarks.options import Options
from benchmarks.wire import SESSION_MS, Peer
from groups.core.assignment import assignment_of
from launcher.installation import CHECKOUT, Installation
from rollcall.client.assignors.formats import Claim, subscription
from rollcall.wire.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from rollcall.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

SIZES: Final = ((1, 10, 40), (50, 200, 12), (500, 5_000, 4), (5_000, 50_000, 1))
"""Members, partitions, and rounds of a group that are measured at once."""

PAIRS: Final = 7
TOPIC: Final = "orders"
GOALS: Final = {False: 1.05, True: 1.15}
"""By whether everything moves."""

REBALANCE_MS: Final = 300_000
AT_ONCE: Final = 200
SITE: Final = "import benchmarks.fact_switch as switch; switch.install()\n"


Gap = tuple[float, float]
"""Milliseconds for which a loop stood still, by the clock and of a processor."""


class Member:
    """A classic member with a connection of its own, and a subscription that can be read."""

    def __init__(self, peer: Peer, group_id: str) -> None:
        self.peer, self.group_id = peer, group_id
        self.member_id, self.generation = "", -1

    async def join(self) -> Any:
        """JoinGroup v3: no step for the member id."""
        metadata = subscription(Claim((TOPIC,)))
        request = JoinGroupRequest(
            group_id=self.group_id,
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=REBALANCE_MS,
            member_id=self.member_id,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name="range", metadata=metadata)],
        )
        answer = await self.peer.call(request, 3)
        assert answer.error_code == 0, answer
        self.member_id, self.generation = answer.member_id, answer.generation_id
        return answer

    async def sync(self, shares: Sequence[SyncGroupRequestAssignment]) -> None:
        """SyncGroup; the leader has the shares."""
        request = SyncGroupRequest(
            group_id=self.group_id,
            generation_id=self.generation,
            member_id=self.member_id,
            assignments=shares,
        )
        answer = await self.peer.call(request, 2)
        assert answer.error_code == 0, answer


class Group:
    """The members of one group; each has as many partitions. ``turn``: whose they are now."""

    def __init__(self, members: Sequence[Member], partitions: int) -> None:
        self.members, self.each = members, partitions // len(members)
        self.turn = 0

    async def rounds(self, count: int, *, moves: bool) -> None:
        """So many rebalances."""
        for _ in range(count):
            self.turn += moves
            await self.settle()

    async def settle(self) -> None:
        """Let all join until one generation holds them, and sync: the leader last, since it assigns
        first what the others ask for at once."""
        while True:
            answers = await asyncio.gather(*(member.join() for member in self.members))
            leader = next(a for a in answers if a.leader == a.member_id)
            generations = {answer.generation_id for answer in answers}
            if len(generations) == 1 and len(leader.members) == len(self.members):
                break
        shares = [*self._shares()]
        leading = [m for m in self.members if m.member_id == leader.leader]
        others = (m.sync(()) for m in self.members if m not in leading)
        await asyncio.gather(*others, *(m.sync(shares) for m in leading))

    def _shares(self) -> Iterator[SyncGroupRequestAssignment]:
        for number, member in enumerate(self.members):
            first = (number + self.turn) % len(self.members) * self.each
            share = [(TOPIC, p) for p in range(first, first + self.each)]
            yield SyncGroupRequestAssignment(
                member_id=member.member_id, assignment=assignment_of(share, 0)
            )


def main(options: Options) -> bool:
    """The figures, as ratios of pairs; whether they are good depends on the machine."""
    sizes = [size for size in SIZES if options.members in (None, size[0])]
    with _switched() as environ, Installation(environ) as running:
        for members, partitions, rounds in sizes:
            pairs = options.rounds or PAIRS
            watched = Watched(running, Path(environ[GAPS]))
            asyncio.run(_compare(watched, members, partitions, rounds, pairs))
    return True


@contextmanager
def _switched() -> Iterator[dict[str, str]]:
    """The environment in which every process has the switch."""
    with tempfile.TemporaryDirectory(prefix="rollcall-switch-") as folder:
        Path(folder).chmod(0o755)
        Path(folder, "sitecustomize.py").write_text(SITE)
        Path(folder, "gaps").mkdir(mode=0o777)
        yield {
            GAPS: str(Path(folder, "gaps")),
            "PYTHONPATH": os.pathsep.join((folder, str(CHECKOUT))),
            "ROLLCALL_GROUP_INITIAL_REBALANCE_DELAY_MS": "3000",
            "ROLLCALL_GROUP_MAX_SIZE": "10000",
        }


class Watched(NamedTuple):
    """The installation, and the folder of its gaps (``benchmarks.fact_switch``)."""

    running: Installation
    gaps: Path

    def longest(self) -> Gap:
        """The longest that the node's loop stood still since this was asked last."""
        found: Gap = (0.0, 0.0)
        for pid in coordinators(self.running.pids()):
            file = self.gaps / str(pid)
            for line in file.read_text().splitlines():
                wall, cpu = map(float, line.split())
                found = max(found[0], wall), max(found[1], cpu)
            os.truncate(file, 0)
        return found


async def _compare(
    watched: Watched, members: int, partitions: int, rounds: int, pairs: int
) -> None:
    running = watched.running
    groups = [
        await _formed(running.kafka, f"{prefix}{members}", members, partitions)
        for prefix in ("", OFF)
    ]
    for moves in (False, True):
        found: Spent = [[], []]
        gaps: list[list[Gap]] = [[], []]
        watched.longest()
        for pair in range(pairs + 1):
            for which in (0, 1) if pair % 2 else (1, 0):
                spent = await _spent(running, groups[which], rounds, moves=moves)
                gap = watched.longest()
                if pair:  # the first one is to warm up
                    found[which].append(spent)
                    gaps[which].append(gap)
        print(_line(members, partitions, found, moves=moves), flush=True)
        print(_gaps(gaps), flush=True)
    for member in (member for group in groups for member in group.members):
        member.peer.close()


async def _formed(bootstrap: str, group_id: str, size: int, partitions: int) -> Group:
    peers: list[Peer] = []
    while len(peers) < size:
        some = range(min(AT_ONCE, size - len(peers)))
        peers += await asyncio.gather(*(Peer.connect(bootstrap) for _ in some))
    group = Group([Member(peer, group_id) for peer in peers], partitions)
    await group.settle()
    return group


async def _spent(
    running: Installation, group: Group, rounds: int, *, moves: bool
) -> tuple[float, float]:
    """CPU milliseconds a round, of the node and of PostgreSQL."""
    pids = running.pids()
    watched = coordinators(pids), databases(pids)
    before = [*map(cpu_ms, watched)]
    await group.rounds(rounds, moves=moves)
    after = [*map(cpu_ms, watched)]
    node, database = ((b - a) / rounds for a, b in zip(before, after, strict=True))
    return node, database


def cpu_ms(pids: Iterable[int]) -> float:
    """What all threads of the processes have used, in milliseconds, as the scheduler knows it."""
    total = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            with suppress(OSError):
                total += int(task.read_text().split()[0])
    return total / 1e6


Spent = list[list[tuple[float, float]]]
"""With facts and without: of each pair, the node's milliseconds and PostgreSQL's."""


def _line(members: int, partitions: int, found: Spent, *, moves: bool) -> str:
    ratios = [sum(a) / sum(b) for a, b in zip(*found, strict=True)]
    (node, database), (node_off, database_off) = (
        tuple(statistics.median(spent[n] for spent in each) for n in (0, 1)) for each in found
    )
    return (
        f"{members:,} members, {partitions:,} partitions, {'all' if moves else 'none'} move:"
        f" {statistics.median(ratios):.3f} ({min(ratios):.2f} to {max(ratios):.2f}) of what it"
        f" costs without facts (goal {GOALS[moves]}); node {node:.1f} and {node_off:.1f} ms,"
        f" PostgreSQL {database:.1f} and {database_off:.1f} ms of CPU"
    )


def _gaps(gaps: Sequence[Sequence[Gap]]) -> str:
    (on, on_cpu), (off, off_cpu) = (
        map(statistics.median, zip(*each, strict=True)) for each in gaps
    )
    return (
        f"  the node's loop stood still for {on:.0f} ms at the most ({on_cpu:.0f} of CPU),"
        f" without facts {off:.0f} ({off_cpu:.0f})"
    )


if __name__ == "__main__":
    sys.exit(not main(Options()))
