"""What the whole installation costs while 500 members do nothing but beat every 3 s.

All processes of ``make run``, database included: CPU of one core, and proportional memory.
"""

import asyncio
import multiprocessing
import time
from multiprocessing.connection import Connection

from benchmarks.machine import proportional_mib, spending
from benchmarks.wire import Member, form_group, frame
from protocol.messages.heartbeat import HeartbeatRequest
from rollcall.installation import Installation

GOAL_CORES = 0.1
MEMBERS, GROUPS = 500, 50
INTERVAL_S = 3.0


async def _beat(member: Member, place: int, until: float) -> int:
    """One member's life; the members are spread over the interval."""
    loop, count = asyncio.get_running_loop(), 0
    request = HeartbeatRequest(
        group_id=member.group_id, generation_id=member.generation, member_id=member.member_id
    )
    next_at = loop.time() + INTERVAL_S * place / MEMBERS
    while next_at < until:
        await asyncio.sleep(next_at - loop.time())
        member.peer.writer.write(frame(request, 4, count))
        reply = await member.peer.reader.readexactly(16)
        assert reply[-3:-1] == b"\0\0", reply
        count, next_at = count + 1, next_at + INTERVAL_S
    return count


async def _live(bootstrap: str, seconds: float, ready: Connection) -> None:
    formed = await asyncio.gather(
        *(form_group(bootstrap, f"idle-{n}", MEMBERS // GROUPS) for n in range(GROUPS))
    )
    members = [member for group in formed for member in group]
    ready.send("formed")
    until = asyncio.get_running_loop().time() + seconds
    counts = await asyncio.gather(*(_beat(m, n, until) for n, m in enumerate(members)))
    ready.send(sum(counts))


def _process(bootstrap: str, seconds: float, ready: Connection) -> None:
    asyncio.run(_live(bootstrap, seconds, ready))


def main(seconds: float = 30.0) -> None:
    """Print what it costs."""
    with Installation() as running:
        here, there = multiprocessing.Pipe()
        load = multiprocessing.get_context("spawn").Process(
            target=_process, args=(running.kafka, seconds, there)
        )
        load.start()
        assert here.recv() == "formed"
        started = time.monotonic()
        with spending(running.pids()) as spent:
            beats = here.recv()
        load.join()
        assert spent.wall <= time.monotonic() - started + 1
        print(
            f"{beats:,} heartbeats in {spent.wall:.0f} s: {spent.cpu / spent.wall:.3f} of a core"
            f" (goal {GOAL_CORES}), {proportional_mib(running.pids()):.0f} MiB"
        )
