"""A member of the library as a program: ``-m tests.client_library.worker HOW BOOTSTRAP NAME``.

HOW is ``consumer`` or an assignor of the classic protocol. It speaks the same few lines of JSON as
the stock clients' workers (``tests.clients.workers``); SIGTERM lets it leave.
"""

import asyncio
import json
import signal
import sys
from typing import Any

from rollcall.client import Member, TopicPartition
from tests.clients.workers import HEARTBEAT_MS

SESSION_MS = 6_000


def say(event: str, **facts: Any) -> None:
    """One line for the test."""
    print(json.dumps({"event": event, **facts}), flush=True)


def numbers(partitions: frozenset[TopicPartition]) -> list[int]:
    """Partition indexes, sorted."""
    return sorted(each.partition for each in partitions)


async def live(how: str, bootstrap: str, name: str) -> None:
    """Work until SIGTERM; a line on standard input is an offset to commit for all it has."""
    options: dict[str, Any] = {"protocol": "consumer"}
    if how != "consumer":
        options = {
            "protocol": "classic",
            "assignor": how.split(","),
            "session_timeout_ms": SESSION_MS,
            "heartbeat_interval_ms": HEARTBEAT_MS,
        }
    ending = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)
    member = Member(
        bootstrap,
        name,
        [name],
        on_assigned=lambda _: say("assigned", partitions=numbers(member.assigned)),
        on_revoked=lambda gone: say("revoked", partitions=numbers(gone)),
        on_lost=lambda gone: say("revoked", partitions=numbers(gone)),
        **options,
    )
    async with member:
        orders = asyncio.ensure_future(obey(member))
        await ending.wait()
        orders.cancel()


async def obey(member: Member) -> None:
    """Commit what the test says."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        await member.commit(dict.fromkeys(member.assigned, int(line)))
        say("committed", offsets={p.partition: o for p, o in (await member.committed()).items()})


if __name__ == "__main__":
    asyncio.run(live(*sys.argv[1:4]))
