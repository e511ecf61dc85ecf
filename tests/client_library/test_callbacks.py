"""What an application may do in a callback, or in a loop's body, and what becomes of its mistakes.

Members of every protocol before a server of this process: whatever the application does, its
partitions go to their new owners, and the member works on or reports why it does not.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from benchmarks.wire import create_topic
from rollcall.client import BlockingMember, Closed, Ended, Kind, Member, MemberError
from rollcall.client.core.events import Partitions
from tests.in_process import prepare
from tests.server.serving import Serving, until

PROTOCOLS = ("consumer", "classic", "draft", "commanded")
TIMES: dict[str, Any] = {
    "session_timeout_ms": 10_000,
    "heartbeat_interval_ms": 200,
    "heartbeat_frequency": 50,
}


class Oddity(BaseException):
    """Something that is no ``Exception``."""


@pytest.fixture
def _prepared(database_url: str, settings: Any) -> None:
    """Members of the consumer protocol get short heartbeat intervals, too."""
    prepare(database_url, settings)
    settings.GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS = 100
    settings.GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS = 200


@pytest.fixture
async def options(served: Serving) -> dict[str, Any]:
    """Four partitions, and short intervals so that rebalances are reported soon."""
    await create_topic(served.address, "t", 4)
    return dict(TIMES)


def at(served: Serving, protocol: str) -> str:
    return served.draft_address if protocol == "draft" else served.address


def halves(*members: Member | BlockingMember) -> bool:
    """Two and two, and nothing twice."""
    owned = [each.assigned for each in members]
    return all(len(each) == 2 for each in owned) and len(frozenset().union(*owned)) == 4


async def raises(partitions: Partitions) -> None:
    raise ValueError("the application's own")


async def cancels_its_own_work(partitions: Partitions) -> None:
    work = asyncio.ensure_future(asyncio.sleep(3600))
    await asyncio.sleep(0)
    work.cancel()
    await work


def is_cancelled_before_it_waits(partitions: Partitions) -> None:
    raise asyncio.CancelledError


def has_no_more(partitions: Partitions) -> None:
    raise StopIteration


async def test_an_exception_in_a_callback_does_not_affect_the_group(
    served: Serving, options: dict[str, Any]
) -> None:
    async def scenario(protocol: str, mistake: Callable[..., Any]) -> None:
        where, group = at(served, protocol), f"{protocol}-{mistake.__name__}"
        callbacks: Any = dict.fromkeys(("on_assigned", "on_revoked", "on_lost"), mistake)
        anna = Member(where, group, ["t"], protocol=protocol, **callbacks, **options)
        ben = Member(where, group, ["t"], protocol=protocol, **options)
        async with anna:
            await until(lambda: len(anna.assigned) == 4)
            async with ben:
                await until(lambda: halves(anna, ben))
            await until(lambda: len(anna.assigned) == 4)
        assert anna.failure is None

    mistakes = (raises, cancels_its_own_work, is_cancelled_before_it_waits, has_no_more)
    await asyncio.gather(*(scenario(protocol, each) for protocol in PROTOCOLS for each in mistakes))


async def test_an_exception_in_a_blocking_callback_does_not_end_the_member(
    served: Serving, options: dict[str, Any]
) -> None:
    def scenario(error: type[BaseException]) -> None:
        def odd(partitions: Partitions) -> None:
            raise error

        with BlockingMember(served.address, "g", ["t"], on_assigned=odd, **options) as anna:
            for change in anna.changes():
                assert change.kind is Kind.ASSIGNED
                break
            anna.commit(dict.fromkeys(anna.assigned, 1))
            assert anna.failure is None

    for error in (SystemExit, KeyboardInterrupt, Oddity, StopIteration):
        await asyncio.to_thread(scenario, error)


async def test_a_blocking_callback_that_returns_a_coroutine_is_a_mistake_that_is_told(
    served: Serving, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing would run it: a lambda around a coroutine function does not look like one."""

    async def flush() -> None: ...

    flushing = flush()

    def scenario() -> None:
        callback: Any = lambda _: flushing  # noqa: E731
        with BlockingMember(served.address, "g", ["t"], on_assigned=callback, **options) as anna:
            next(anna.changes())
            assert len(anna.assigned) == 4

    await asyncio.to_thread(scenario)
    flushing.close()
    assert "on_assigned must be a plain function" in caplog.text


async def test_a_member_whose_task_is_cancelled_from_outside_reports_it(
    served: Serving, options: dict[str, Any]
) -> None:
    """Not a mistake of the callback's: code that cancels all tasks ends the member."""
    begun = asyncio.Event()

    async def forever(partitions: Partitions) -> None:
        begun.set()
        await asyncio.sleep(3600)

    before = asyncio.all_tasks()
    anna = Member(served.address, "g", ["t"], on_assigned=forever, **options)
    await anna.start()
    await begun.wait()
    for task in anna._tasks._running:
        task.cancel()
    await until(lambda: anna.failure is not None)

    assert isinstance(anna.failure, Ended) and not anna.assigned
    for refused in (anna.commit(), anna.committed(), anna.start(), anext(aiter(anna))):
        with pytest.raises(Ended):
            await refused
    await anna.close()
    await until(lambda: not _of_members(asyncio.all_tasks() - before))


def _of_members(tasks: set[asyncio.Task[Any]]) -> list[str]:
    """Those that run the library's own code."""
    names = [task.get_coro().__qualname__ for task in tasks]  # type: ignore[union-attr]
    return [each for each in names if each.split(".")[0] in ("Pump", "Orders", "Connection")]


async def test_close_in_a_callback_returns_at_once_and_the_member_leaves_in_order(
    served: Serving, options: dict[str, Any]
) -> None:
    async def scenario(protocol: str) -> None:
        told: list[str] = []
        closed = asyncio.Event()

        async def leave(partitions: Partitions) -> None:
            await anna.close()
            await asyncio.wait_for(asyncio.create_task(anna.close()), None)
            told.append("assigned")
            closed.set()

        def gone(partitions: Partitions) -> None:
            told.append("revoked")

        where = at(served, protocol)
        kind: dict[str, Any] = {"protocol": protocol}
        anna = Member(where, protocol, ["t"], on_assigned=leave, on_revoked=gone, **kind, **options)
        await anna.start()
        await closed.wait()
        await anna.close()

        assert told == ["assigned", "revoked"] and not anna.assigned
        async with Member(where, protocol, ["t"], **kind, **options) as ben:
            await until(lambda: len(ben.assigned) == 4)

    await asyncio.gather(*map(scenario, PROTOCOLS))


async def test_close_in_a_loop_ends_the_loop_from_any_task(
    served: Serving, options: dict[str, Any]
) -> None:
    seen = []
    async with Member(served.address, "g", ["t"], **options) as anna:
        async for change in anna:
            seen.append(change.kind)
            await asyncio.wait_for(asyncio.create_task(anna.close()), None)
    assert seen == [Kind.ASSIGNED]


async def test_a_worker_started_by_a_callback_closes_its_member_in_order(
    served: Serving, options: dict[str, Any]
) -> None:
    """It is within the callback no longer, since that has returned."""
    told: list[str] = []
    workers: list[asyncio.Task[None]] = []

    def begin(partitions: Partitions) -> None:
        told.append("assigned")
        workers.append(asyncio.create_task(work()))

    async def work() -> None:
        await until(lambda: anna.workable)
        await anna.close()
        told.append("closed")

    anna = Member(
        served.address,
        "g",
        ["t"],
        on_assigned=begin,
        on_revoked=lambda _: told.append("revoked"),
        **options,
    )
    await anna.start()
    await until(lambda: workers)
    await workers[0]

    assert told == ["assigned", "revoked", "closed"]


async def test_a_blocking_member_closes_in_its_callback(
    served: Serving, options: dict[str, Any]
) -> None:
    before = set(threading.enumerate())
    told: list[str] = []

    def leave(partitions: Partitions) -> None:
        anna.close()
        told.append("assigned")

    anna = BlockingMember(
        served.address,
        "g",
        ["t"],
        on_assigned=leave,
        on_revoked=lambda _: told.append("revoked"),
        **options,
    )
    await asyncio.to_thread(anna.start)
    await asyncio.to_thread(anna._thread.join)

    assert told == ["assigned", "revoked"]
    anna.close()
    await until(lambda: not _ours(set(threading.enumerate()) - before))


def _ours(threads: set[threading.Thread]) -> list[str]:
    return [each.name for each in threads if each.name.startswith("rollcall-")]


def breaks(member: BlockingMember) -> None:
    for _ in member.changes():
        break


def raises_in_the_body(member: BlockingMember) -> None:
    with suppress(ZeroDivisionError):
        for _ in member.changes():
            raise ZeroDivisionError


def takes_one(member: BlockingMember) -> None:
    next(iter(member))


async def test_nothing_waits_for_an_abandoned_loop(
    served: Serving, options: dict[str, Any]
) -> None:
    def scenario(leaves: Callable[[BlockingMember], None]) -> None:
        with BlockingMember(served.address, "g", ["t"], **options) as anna:
            leaves(anna)
            with BlockingMember(served.address, "g", ["t"], **options) as ben:
                _wait(lambda: halves(anna, ben))
            # A new loop starts with the current assignment.
            change = next(anna.changes())
            assert change.kind is Kind.ASSIGNED and change.partitions

    for leaves in (breaks, raises_in_the_body, takes_one):
        await asyncio.to_thread(scenario, leaves)


async def test_a_change_waits_a_while_for_a_loop_that_ended_by_its_timeout(
    served: Serving, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It resumes where it ended, unless it takes too long to come back."""
    monkeypatch.setattr("rollcall.client.change_stream.RETURN_S", 1.0)

    def scenario() -> None:
        anna = BlockingMember(served.address, "g", ["t"], **options)
        ben = BlockingMember(served.address, "g", ["t"], **options)
        with anna:
            heard: list[Kind] = []
            while not heard:
                heard += [change.kind for change in anna.changes(timeout_s=0.01)]
            with ben:
                while heard == [Kind.ASSIGNED]:
                    heard += [change.kind for change in anna.changes(timeout_s=0.01)]
                assert heard[:2] == [Kind.ASSIGNED, Kind.REVOKED]
                list(anna.changes(timeout_s=0.01))
                _wait(lambda: halves(anna, ben))
            _wait(lambda: len(anna.assigned) == 4)  # it does not come back at all

    await asyncio.to_thread(scenario)


def _wait(claim: Callable[[], object]) -> None:
    """Look again until it is so; pytest's time limit ends what never comes."""
    tick = threading.Event()
    while not claim():
        tick.wait(0.01)


async def test_one_thread_iterates_at_a_time_and_all_may_commit(
    served: Serving, options: dict[str, Any]
) -> None:
    def scenario() -> None:
        with BlockingMember(served.address, "g", ["t"], **options) as anna:
            following: Iterator[Any] = anna.changes()
            next(following)
            with pytest.raises(RuntimeError, match="another loop"):
                next(anna.changes())
            threads = [
                threading.Thread(target=anna.commit, args=({p: n},))
                for n in range(8)
                for p in anna.assigned
            ]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
            assert all(offset in range(8) for offset in anna.committed().values())

    await asyncio.to_thread(scenario)


async def test_a_closed_member_raises(served: Serving, options: dict[str, Any]) -> None:
    async def scenario(end: str) -> None:
        anna = Member(served.address, end, ["t"], **options)
        await anna.start()
        await until(lambda: anna.assigned)
        partition = min(anna.assigned)
        if (ending := getattr(anna, end)()) is not None:
            await ending

        assert not anna.assigned and not anna.workable and anna.failure is None
        assert [change async for change in anna] == []
        anna.unsubscribe()
        refused: list[Callable[[], object]] = [
            lambda: anna.subscribe(["t"]),
            lambda: anna.assign([partition]),
            lambda: anna.token(partition),
            lambda: anna.note(partition, 1),
        ]
        for each in refused:
            with pytest.raises(MemberError):
                each()
        for awaited in (anna.start(), anna.commit({partition: 1}), anna.committed([partition])):
            with pytest.raises(Closed):
                await awaited
        await anna.close()
        anna.abandon()

    await asyncio.gather(scenario("close"), scenario("abandon"))


async def test_a_closed_blocking_member_raises(served: Serving, options: dict[str, Any]) -> None:
    def scenario(end: Callable[[BlockingMember], None]) -> None:
        anna = BlockingMember(served.address, "g", ["t"], **options)
        anna.start()
        takes_one(anna)
        partition = min(anna.assigned)
        end(anna)
        assert not anna.assigned and anna.failure is None and list(anna.changes()) == []
        assert not anna.paused and anna.order is None and anna.member_id
        for refused in (
            anna.start,
            anna.commit,
            anna.committed,
            lambda: anna.subscribe(["t"]),
            lambda: anna.note(partition, 1),
            lambda: anna.token(partition),
        ):
            with pytest.raises(MemberError):
                refused()
        anna.close()
        anna.abandon()
        assert not anna._thread.is_alive()

    await asyncio.to_thread(scenario, BlockingMember.close)
    await asyncio.to_thread(scenario, BlockingMember.abandon)
