"""Members that beat as stock clients do: joined, then one heartbeat every three seconds each.

    python -m benchmarks.beats HOST:PORT GROUPS SIZE

A separate process, so that its CPU time is separate too. Prints "beating" when every member
has been answered once, and "REPLIES WRONG" when its standard input ends.
"""

import asyncio
import sys

import uvloop

from benchmarks.wire import STOCK_SESSION_MS, Member, form_group
from rollcall.wire.messages.heartbeat import HeartbeatRequest

EVERY_S = 3.0
VERSION = 4


class Pulse:
    """Counts what all members are answered; ``whole`` once there are as many replies as members."""

    def __init__(self, members: int) -> None:
        self.members = members
        self.replies = 0
        self.wrong = 0
        self.whole = asyncio.Event()

    async def keep(self, member: Member, first_in_s: float) -> None:
        """One member's heartbeats, at a steady pace."""
        loop = asyncio.get_running_loop()
        beat = HeartbeatRequest(
            group_id=member.group_id,
            generation_id=member.generation,
            member_id=member.member_id,
        )
        next_at = loop.time() + first_in_s
        while True:
            await asyncio.sleep(next_at - loop.time())
            answer = await member.peer.call(beat, VERSION)
            self.replies += 1
            self.wrong += answer.error_code != 0
            if self.replies >= self.members:
                self.whole.set()
            next_at += EVERY_S


async def run(bootstrap: str, groups: int, size: int) -> None:
    """Beat until standard input ends."""
    formed = await asyncio.gather(
        *(form_group(bootstrap, f"beats-{n}", size, STOCK_SESSION_MS) for n in range(groups))
    )
    members = [member for group in formed for member in group]
    pulse = Pulse(len(members))
    async with asyncio.TaskGroup() as tasks:
        beating = [
            tasks.create_task(pulse.keep(member, EVERY_S * place / len(members)))
            for place, member in enumerate(members)
        ]
        await pulse.whole.wait()
        print("beating", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        for task in beating:
            task.cancel()
    print(pulse.replies, pulse.wrong, flush=True)


if __name__ == "__main__":
    uvloop.run(run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
