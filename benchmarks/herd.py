"""A herd: one of three nodes dies under thousands of members, and all of them come back at once.

Classic members with the session of stock clients (45 s) and their pace (3 s), each with a
connection of its own. kill -9 takes the node that serves the most groups; its members look for
their coordinator as clients do, with a pause between attempts. What counts: how long until every
member got a good heartbeat response again, and that no eviction and no rebalance came in between.
"""

import asyncio
import os
import random
import signal
import statistics
import time
from collections import Counter
from dataclasses import dataclass, field

import psutil

from benchmarks.machine import coordinators
from benchmarks.options import Options
from benchmarks.wire import STOCK_SESSION_MS, Member, Peer, form_group
from groups.core.errors import ErrorCode
from launcher.installation import Installation
from rollcall.wire.errors import WireError
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from rollcall.wire.messages.heartbeat import HeartbeatRequest

GOAL_S = 15.0
"""Every member heartbeats again so soon."""

NODES = 3
GROUPS, GROUP_SIZE = 100, 50
BEAT_S = 3.0
RETRY_S = 0.1
"""retry.backoff.ms of stock clients."""

CALL_S = 30.0
"""request.timeout.ms of stock clients."""

FORMING_AT_ONCE = 10
FORM_S, AFTER_S = 300.0, 60.0

MOVED = {ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE}
BROKEN = (OSError, asyncio.IncompleteReadError, TimeoutError, WireError, AssertionError)


@dataclass
class Herd:
    """All members. ``good_at``: when each last got a good response, by the monotonic clock."""

    bootstraps: list[str]
    members: list[Member] = field(default_factory=list)
    good_at: dict[str, float] = field(default_factory=dict)
    codes: Counter[int] = field(default_factory=Counter)

    async def find(self, group_id: str) -> str:
        """HOST:PORT of the coordinator, as some node says; raises ``BROKEN``'s."""
        while True:
            peer = await Peer.connect(random.choice(self.bootstraps))
            try:
                request = FindCoordinatorRequest(key=group_id, key_type=0)
                async with asyncio.timeout(CALL_S):
                    reply = await peer.call(request, 2)
            finally:
                peer.close()
            if not reply.error_code:
                return f"{reply.host}:{reply.port}"
            await asyncio.sleep(RETRY_S)

    async def form(self, groups: int, size: int) -> None:
        """So many stable groups, each formed at its own coordinator."""
        gate = asyncio.Semaphore(FORMING_AT_ONCE)

        async def one(group_id: str) -> None:
            async with gate:
                where = await self.find(group_id)
                self.members += await form_group(where, group_id, size, STOCK_SESSION_MS)

        async with asyncio.timeout(FORM_S), asyncio.TaskGroup() as tasks:
            for number in range(groups):
                tasks.create_task(one(f"herd-{number}"))

    async def live(self, member: Member) -> None:
        """Beat until cancelled; after a break find the coordinator and beat at once."""
        await asyncio.sleep(random.random() * BEAT_S)
        while True:
            try:
                code = await self._beat(member)
            except BROKEN:
                code = ErrorCode.NOT_COORDINATOR
            self.codes[code] += 1
            if code == ErrorCode.NONE:
                self.good_at[member.member_id] = time.monotonic()
                await asyncio.sleep(BEAT_S)
            elif code in MOVED:
                await self._move(member)
            else:
                return  # evicted, or told to rejoin: counted by its code

    async def _beat(self, member: Member) -> int:
        request = HeartbeatRequest(
            group_id=member.group_id,
            generation_id=member.generation,
            member_id=member.member_id,
        )
        async with asyncio.timeout(CALL_S):
            answer = await member.peer.call(request, 3)
        return int(answer.error_code)

    async def _move(self, member: Member) -> None:
        member.peer.close()
        while True:
            await asyncio.sleep(RETRY_S * (1 + random.random()))
            try:
                member.peer = await Peer.connect(await self.find(member.group_id))
            except BROKEN:
                continue
            return

    async def back_since(self, instant: float) -> list[float]:
        """Seconds from the instant until the next good response of all members."""
        back: dict[str, float] = {}
        while len(back) < len(self.members) and time.monotonic() < instant + AFTER_S:
            await asyncio.sleep(0.05)
            for member_id, at in self.good_at.items():
                if at > instant and member_id not in back:
                    back[member_id] = at - instant
        return sorted(back.values())


def _busiest(running: Installation, herd: Herd) -> tuple[int, int]:
    """The pid of the node with the most members, and how many those are."""
    ports = Counter(m.peer.writer.get_extra_info("peername")[1] for m in herd.members)
    port, members = ports.most_common(1)[0]
    for pid in coordinators(running.pids()):
        if f"--port={port}" in psutil.Process(pid).cmdline():
            return pid, members
    raise RuntimeError(f"no node listens on {port}")


async def _measure(running: Installation, groups: int, size: int) -> bool:
    herd = Herd([running.kafka])
    await herd.form(groups, size)
    herd.bootstraps = sorted(
        {"{}:{}".format(*m.peer.writer.get_extra_info("peername")) for m in herd.members}
    )
    async with asyncio.TaskGroup() as tasks:
        lives = [tasks.create_task(herd.live(member)) for member in herd.members]
        await herd.back_since(time.monotonic())
        herd.codes.clear()
        pid, moved = _busiest(running, herd)
        killed = time.monotonic()
        os.kill(pid, signal.SIGKILL)
        back = await herd.back_since(killed)
        for life in lives:
            life.cancel()
    lost = groups * size - len(back)
    evicted, rebalanced = herd.codes[ErrorCode.UNKNOWN_MEMBER_ID], ErrorCode.REBALANCE_IN_PROGRESS
    print(f"{groups * size:,} members in {groups} groups, {moved:,} of them at the node that died")
    print(f"told to go on again: median {statistics.median(back):.2f} s, all after {back[-1]:.2f} s"
          f" (goal {GOAL_S:.0f} s)")  # fmt: skip
    print(f"evicted {evicted}, rebalances heard of {herd.codes[rebalanced]}, not back {lost}")
    return not (lost or evicted or herd.codes[rebalanced])


def main(options: Options) -> bool:
    """Print the figures; whether all members came back without losing anything."""
    import uvloop

    right = True
    for _ in range(options.rounds or 1):
        with Installation({"ROLLCALL_NODES": str(NODES)}) as running:
            right &= uvloop.run(_measure(running, GROUPS, GROUP_SIZE))
    return right
