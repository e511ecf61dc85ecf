"""Requests at work: as many as there are places; others wait a moment, then come again."""

import asyncio
from typing import Any

from coordinator_site.concurrency import Concurrency


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


async def test_who_finds_no_place_in_time_is_told_to_come_again() -> None:
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


async def test_who_goes_away_keeps_its_place_until_its_work_has_ended() -> None:
    """The work is in a thread that nobody can stop, with a connection that it must give back."""
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
