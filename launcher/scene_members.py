"""``python -m launcher.scene_members BOOTSTRAP GROUP NAME [COUNT]``: members for a picture, until
they are killed. One is a stock consumer; several are those of our library, all in this process.

The group's topic has the group's name. Needs kafka-python, which is one of the development tools.
"""

import asyncio
import sys
import time
from contextlib import suppress
from typing import Final

from rollcall.client import Member

SESSION_MS: Final = 300_000
"""Long enough to take pictures of a member that is silent."""

HEARTBEAT_MS: Final = 1_000
COMMIT_S: Final = 2.0


def stock(bootstrap: str, group: str, name: str) -> None:
    """A consumer that commits what it has processed."""
    from kafka import KafkaConsumer
    from kafka.errors import KafkaError
    from kafka.structs import OffsetAndMetadata

    consumer = KafkaConsumer(
        bootstrap_servers=bootstrap,
        group_id=group,
        client_id=name,
        session_timeout_ms=SESSION_MS,
        heartbeat_interval_ms=HEARTBEAT_MS,
        enable_auto_commit=False,
    )
    consumer.subscribe([group])
    done, last = 0, time.monotonic()
    while True:
        consumer.poll(500)
        owned = consumer.assignment()
        if owned and time.monotonic() - last > COMMIT_S:
            done, last = done + 7, time.monotonic()
            with suppress(KafkaError):  # a rebalance has begun: the next poll joins it
                consumer.commit({part: OffsetAndMetadata(done, "", -1) for part in owned})


async def one(bootstrap: str, group: str, name: str) -> None:
    """A member of our library."""
    async with Member(bootstrap, group, [group], client_id=name) as member:
        async for _change in member:
            pass


async def crowd(bootstrap: str, group: str, name: str, count: int) -> None:
    """Several members of our library."""
    await asyncio.gather(*(one(bootstrap, group, f"{name}-{n:03}") for n in range(count)))


def main() -> None:
    """Run until the process is killed."""
    bootstrap, group, name, *count = sys.argv[1:]
    if count:
        asyncio.run(crowd(bootstrap, group, name, int(count[0])))
    else:
        stock(bootstrap, group, name)


if __name__ == "__main__":
    main()
