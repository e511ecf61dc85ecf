"""``BlockingMember`` ended by several threads at once: each returns, and none raises."""

import asyncio
import threading
from collections.abc import Callable
from typing import Final

import pytest

from rollcall.client import BlockingMember
from tests.server.serving import Serving

THREADS: Final = 6
LIVES: Final = 5
A_WHILE_S: Final = 0.2

Ending = Callable[[BlockingMember], None]


def ended_by_many(member: BlockingMember, ends: list[Ending]) -> list[BaseException]:
    """What the threads raised that end it in the same moment."""
    start = threading.Barrier(len(ends))
    raised: list[BaseException] = []

    def run(end: Ending) -> None:
        start.wait()
        _collect(lambda: end(member), raised)

    threads = [threading.Thread(target=run, args=(end,)) for end in ends]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return raised


def _collect(doing: Callable[[], None], raised: list[BaseException]) -> None:
    try:
        doing()
    except BaseException as error:
        raised.append(error)


@pytest.mark.parametrize("others", [BlockingMember.close, BlockingMember.abandon])
async def test_ending_a_member_that_another_thread_ends_raises_nothing(
    served: Serving, others: Ending
) -> None:
    def scenario() -> None:
        for _ in range(LIVES):
            member = BlockingMember(served.address, "g", ["t"])
            member.start()
            ends = [BlockingMember.close, *[others] * (THREADS - 1)]
            assert ended_by_many(member, ends) == []
            assert not member._thread.is_alive()

    await asyncio.to_thread(scenario)


async def test_a_late_end_returns_at_once(served: Serving) -> None:
    """It saw the member open, and another thread was quicker."""

    def scenario() -> None:
        member = BlockingMember(served.address, "g", ["t"])
        member.start()
        member.close()
        member._stop()
        assert not member._thread.is_alive() and member._loop.is_closed()

    await asyncio.to_thread(scenario)


async def test_leaving_a_loop_while_another_thread_ends_the_member_raises_nothing(
    served: Serving,
) -> None:
    """Its thread does not take orders any more, and has not ended yet."""

    def scenario() -> None:
        member = BlockingMember(served.address, "g", ["t"])
        member.start()
        following = member.changes(timeout_s=0)
        assert list(following) == []
        reached, go_on = threading.Event(), threading.Event()

        async def last() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                reached.set()
                go_on.wait()

        member._begin(last)
        abandoning = threading.Thread(target=member.abandon)
        abandoning.start()
        reached.wait()
        raised: list[BaseException] = []
        leaving = threading.Thread(target=_collect, args=(member._leave, raised))
        leaving.start()
        leaving.join(A_WHILE_S)  # it waits for the end, or has raised
        go_on.set()
        leaving.join()
        abandoning.join()
        assert raised == []

    await asyncio.to_thread(scenario)
