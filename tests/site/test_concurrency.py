"""Requests at work: as many as there are places; others wait a moment, then come again."""

import asyncio
from typing import Any

from web.concurrency import Concurrency
from web.forwarded import address_of


class Answers(list[dict[str, Any]]):
    """What was sent to a client."""

    async def __call__(self, message: dict[str, Any]) -> None:
        self.append(message)


class Work:
    """An application whose requests end when a test says so."""

    def __init__(self) -> None:
        self.at_work = 0
        self.begun = asyncio.Event()
        self.end = asyncio.Event()

    async def __call__(self, _scope: Any, _receive: Any, send: Any) -> None:
        self.at_work += 1
        self.begun.set()
        await self.end.wait()
        self.at_work -= 1
        await send({"type": "http.response.start", "status": 200, "headers": []})


async def nothing() -> dict[str, Any]:
    """A client that says no more."""
    return {"type": "http.disconnect"}


async def test_a_request_without_a_place_in_time_gets_retry_after() -> None:
    work = Work()
    limited = Concurrency(work, 1)
    first, second = Answers(), Answers()
    served = asyncio.create_task(limited({}, nothing, first))
    await work.begun.wait()

    await limited({}, nothing, second)

    assert second[0]["status"] == 503
    assert (b"retry-after", b"1") in second[0]["headers"]
    work.end.set()
    await served
    assert first[0]["status"] == 200


async def test_a_disconnected_request_keeps_its_place_until_its_work_has_ended() -> None:
    """The work is in a thread that cannot be stopped, with a connection that it must give back."""
    work = Work()
    limited = Concurrency(work, 1)
    gone = asyncio.create_task(limited({}, nothing, Answers()))
    await work.begun.wait()
    gone.cancel()
    await asyncio.wait([gone])
    assert work.at_work == 1
    waiting = asyncio.create_task(limited({}, nothing, answers := Answers()))

    work.end.set()
    await waiting

    assert work.at_work == 0
    assert answers[0]["status"] == 200


def asked_by(address: str, **headers: str) -> dict[str, Any]:
    """A request of this client."""
    sent = [(name.replace("_", "-").encode(), said.encode()) for name, said in headers.items()]
    return {"client": (address, 1), "headers": sent}


async def test_a_busy_address_does_not_delay_others() -> None:
    """Its requests waited first, and the other's is served as soon as one place is free."""
    work = Work()
    limited = Concurrency(work, 1)
    crowd = [
        asyncio.create_task(limited(asked_by("192.0.2.1"), nothing, Answers())) for _ in range(50)
    ]
    await work.begun.wait()
    other = asyncio.create_task(limited(asked_by("192.0.2.2"), nothing, answers := Answers()))
    await asyncio.sleep(0)

    work.end.set()
    await other

    assert answers[0]["status"] == 200
    assert sum(not each.done() for each in crowd) > 40
    await asyncio.wait(crowd)


def test_the_address_comes_from_a_trusted_proxy_only(settings: Any) -> None:
    forwarded = asked_by("127.0.0.1", x_forwarded_for="198.51.100.9, 192.0.2.7")
    assert address_of(forwarded) == "127.0.0.1"  # without TLS no header is trusted
    settings.BEHIND_TLS = True
    assert address_of(forwarded) == "192.0.2.7"
    assert address_of(forwarded | {"client": ("203.0.113.1", 1)}) == "203.0.113.1"
    assert address_of(asked_by("127.0.0.1")) == "127.0.0.1"
    assert address_of({"client": None}) == ""
