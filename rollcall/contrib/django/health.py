"""A port for probes of a worker: 200 while it is a member of its group, else 503.

It is served by the worker's own event loop: one that stands still does not answer, and the probe's
time limit ends the process.
"""

import asyncio
import json
from typing import Any, Final

from rollcall.client import Worker

REQUEST_S: Final = 5.0
"""How long a probe may take to send its request."""

LINE_BYTES_MAX: Final = 8_192
"""A probe's request has less than that."""


def state(worker: Worker) -> tuple[int, dict[str, Any]]:
    """The status, and what a person wants to know of it."""
    member = worker.member
    if member is None:
        return 503, {"member": None, "why": "not started"}
    failure = member.failure
    is_member = failure is None and member.epoch > 0
    found = {
        "member": member.member_id,
        "epoch": member.epoch,
        "partitions": sorted(f"{topic}-{number}" for topic, number in member.assigned),
        "paused": member.paused,
        "why": str(failure) if failure else "" if is_member else "not in the group",
    }
    return (200 if is_member else 503), found


async def serve(worker: Worker, host: str, port: int) -> asyncio.Server:
    """Listen for probes; every path is answered alike. ``OSError`` if the port is taken."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(REQUEST_S):
                await reader.readuntil(b"\r\n\r\n")
            status, found = state(worker)
            body = json.dumps(found).encode()
            reason = "OK" if status == 200 else "Service Unavailable"
            head = f"HTTP/1.1 {status} {reason}\r\nContent-Type: application/json\r\n"
            head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            writer.write(head.encode() + body)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    return await asyncio.start_server(answer, host, port, limit=LINE_BYTES_MAX)
