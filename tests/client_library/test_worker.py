"""``worker``: a function per owned partition, which ends before another member begins."""

import asyncio
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import wraps
from typing import Any

import pytest

from rollcall.client import Member, Metrics, TopicPartition, Unfenced, Work, Worker, worker
from rollcall.client.core.pausing import Order
from rollcall.testing import Coordinator
from rollcall.wire.messages.offset_fetch import OffsetFetchResponse
from tests.client_library.line import line_to
from tests.client_library.test_lies import instead

PATIENCE_S = 60
TOPIC = "orders"


@pytest.fixture
def coordinator() -> Iterator[Coordinator]:
    with Coordinator({TOPIC: 4}) as started:
        yield started


@asynccontextmanager
async def running(task: Worker, coordinator: Coordinator, **options: Any) -> Any:
    """The worker, until the block ends; then it leaves."""
    options = {"bootstrap": coordinator.bootstrap, "group": "g", **options}
    doing = asyncio.ensure_future(task.run(**options))
    try:
        yield doing
    finally:
        doing.cancel()
        with suppress(asyncio.CancelledError):
            await doing


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            await asyncio.sleep(0.005)


class Record:
    """Which functions run now, for which owner."""

    def __init__(self) -> None:
        self.now: dict[int, list[str]] = {}
        self.ended: list[tuple[int, bool]] = []
        self.offsets: list[int] = []
        self.tokens: dict[int, list[int]] = {}
        self.twice = 0

    def function(self, who: str) -> Callable[[Work], Any]:
        async def run(work: Work) -> None:
            number = work.partition.partition
            owners = self.now.setdefault(number, [])
            self.twice += bool(owners)
            owners.append(who)
            self.offsets.append(work.offset)
            self.tokens.setdefault(number, []).append(work.token.epoch)
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0.02)  # an end that takes its time
                work.note(work.offset + 1)
                owners.remove(who)
                self.ended.append((number, work.is_lost))

        return run

    def owned_by(self, who: str) -> set[int]:
        return {number for number, owners in self.now.items() if who in owners}


async def test_a_function_ends_before_the_next_owners_begins(coordinator: Coordinator) -> None:
    record = Record()
    anna, ben = (worker(TOPIC)(record.function(name)) for name in ("anna", "ben"))
    async with running(anna, coordinator):
        await until(lambda: record.owned_by("anna") == {0, 1, 2, 3})
        async with running(ben, coordinator):
            await until(lambda: len(record.owned_by("ben")) == 2)
            assert len(record.owned_by("anna")) == 2
            moved = record.owned_by("ben")
        await until(lambda: record.owned_by("anna") == {0, 1, 2, 3})
    assert record.twice == 0 and record.owned_by("anna") == set()
    for number in moved:
        assert record.tokens[number] == sorted(set(record.tokens[number])), (
            "each owner's is greater"
        )
        assert coordinator.offsets("g")[TopicPartition(TOPIC, number)] == 3, "noted by each owner"
    assert not any(is_lost for _, is_lost in record.ended)


async def test_a_lost_partition_ends_its_function_and_commits_nothing(
    coordinator: Coordinator,
) -> None:
    record = Record()
    async with running(worker(TOPIC)(record.function("anna")), coordinator):
        await until(lambda: record.owned_by("anna") == {0, 1, 2, 3})
        (member_id,) = coordinator.members("g")

        coordinator.evict("g", member_id)

        await until(lambda: [is_lost for _, is_lost in record.ended] == [True] * 4)
        await until(lambda: record.owned_by("anna") == {0, 1, 2, 3})
        assert coordinator.offsets("g") == {}
    assert set(coordinator.offsets("g").values()) == {1}


def raised(caplog: pytest.LogCaptureFixture) -> set[str]:
    """The errors in the log, whatever it makes of them as text: PySpark in the same process makes
    JSON."""
    return {repr(each.exc_info[1]) for each in caplog.records if each.exc_info}


async def test_a_function_that_fails_begins_again_at_the_committed_offset(
    coordinator: Coordinator, caplog: pytest.LogCaptureFixture
) -> None:
    begun: list[int] = []

    @worker(TOPIC, retry_s=0.01)
    async def fail(work: Work) -> None:
        if work.partition.partition:
            return
        begun.append(work.offset)
        await work.commit(work.offset + 1)
        work.note(99)  # what it did after the commit is not known to be done
        raise ValueError("broken")

    async with running(fail, coordinator):
        await until(lambda: len(begun) >= 3)
    assert begun[:3] == [0, 1, 2]
    assert "the function failed" in caplog.text and "ValueError('broken')" in raised(caplog)
    assert coordinator.offsets("g").get(TopicPartition(TOPIC, 0), 0) < 99


async def test_a_plain_function_runs_in_a_thread_until_its_partition_is_taken(
    coordinator: Coordinator,
) -> None:
    threads: set[str] = set()
    ended = threading.Barrier(5)

    @worker(TOPIC)
    def poll(work: Work) -> None:
        threads.add(threading.current_thread().name)
        work.commit_from_thread(7)
        while not work.wait_over(PATIENCE_S):
            pass
        ended.wait(PATIENCE_S)

    async with running(poll, coordinator):
        await until(lambda: set(coordinator.offsets("g").values()) == {7})
        await until(lambda: len(coordinator.offsets("g")) == 4)
        leaving = threading.Thread(target=ended.wait, args=(PATIENCE_S,))
        leaving.start()
    leaving.join()
    assert threads == {"rollcall-work"} and coordinator.members("g") == {}


async def test_an_operators_stop_ends_functions_and_a_start_begins_them(
    coordinator: Coordinator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a member does with an order is tested with a node; here it is given one."""
    made: list[Member] = []
    start = Member.start

    async def started(self: Member) -> None:
        made.append(self)
        await start(self)

    monkeypatch.setattr(Member, "start", started)
    record = Record()
    async with running(worker(TOPIC)(record.function("anna")), coordinator):
        await until(lambda: record.owned_by("anna") == {0, 1, 2, 3})
        await made[0]._delivery.obey(Order(1, "maintenance"))
        assert record.owned_by("anna") == set()
        assert set(coordinator.offsets("g").values()) == {1}
        await made[0]._delivery.obey(None)
        await until(lambda: record.owned_by("anna") == {0, 1, 2, 3})
    assert record.offsets == [0] * 4 + [1] * 4


async def test_a_static_members_work_has_no_token(coordinator: Coordinator) -> None:
    refused: list[int] = []

    @worker(TOPIC)
    async def work_on(work: Work) -> None:
        with pytest.raises(Unfenced):
            assert work.token
        refused.append(work.partition.partition)

    async with running(work_on, coordinator, instance_id="one"):
        await until(lambda: sorted(refused) == [0, 1, 2, 3])


async def test_noted_offsets_are_committed_meanwhile(coordinator: Coordinator) -> None:
    @worker(TOPIC, commit_s=0.01)
    async def note(work: Work) -> None:
        work.note(5)
        await asyncio.Event().wait()

    async with running(note, coordinator):
        await until(lambda: list(coordinator.offsets("g").values()) == [5] * 4)


class Commits(Metrics):
    """How many requests were answered, by name."""

    def __init__(self) -> None:
        self.answered_by_name: Counter[str] = Counter()

    def answered(self, request: str, version: int, seconds: float) -> None:
        self.answered_by_name[request] += 1


async def test_offsets_of_many_partitions_are_read_and_committed_together() -> None:
    many, measured = 2_000, Commits()
    with Coordinator({TOPIC: many}) as coordinator:
        begun: set[int] = set()

        @worker(TOPIC, commit_s=3_600)
        async def note(work: Work) -> None:
            begun.add(work.partition.partition)
            work.note(7)
            await asyncio.Event().wait()

        async with running(note, coordinator, metrics=measured):
            await until(lambda: len(begun) == many)
        assert list(coordinator.offsets("g").values()) == [7] * many
    assert measured.answered_by_name["OffsetFetch"] == 1
    assert measured.answered_by_name["OffsetCommit"] == 1


async def test_a_note_that_is_no_offset_fails_where_it_is_made(
    coordinator: Coordinator, caplog: pytest.LogCaptureFixture
) -> None:
    """It does not keep the other partitions' offsets from being committed."""

    @worker(TOPIC, commit_s=0.01)
    async def note(work: Work) -> None:
        work.note("7" if work.partition.partition == 0 else 7)  # type: ignore[arg-type]
        await asyncio.Event().wait()

    async with running(note, coordinator):
        await until(lambda: list(coordinator.offsets("g").values()) == [7] * 3)
    assert "the offset of orders-0 must be a whole number" in caplog.text


async def test_a_function_whose_own_work_is_cancelled_has_failed(
    coordinator: Coordinator, caplog: pytest.LogCaptureFixture
) -> None:
    """It begins again, as after any other mistake."""
    begun: list[int] = []

    @worker(TOPIC, retry_s=0.01)
    async def waits_for_what_it_cancelled(work: Work) -> None:
        begun.append(work.partition.partition)
        own = asyncio.ensure_future(asyncio.sleep(PATIENCE_S))
        own.cancel()
        await own

    async with running(waits_for_what_it_cancelled, coordinator):
        await until(lambda: begun.count(0) >= 3)
    assert "orders-0: the function failed" in caplog.text


class Packer:
    """A function with state."""

    def __init__(self) -> None:
        self.done: list[str] = []

    async def __call__(self, work: Work) -> None:
        self.done.append("begun")
        try:
            await asyncio.Event().wait()
        finally:
            self.done.append("ended")


@pytest.mark.parametrize("is_decorated", [False, True])
async def test_a_coroutine_runs_whatever_makes_it(
    coordinator: Coordinator, is_decorated: bool
) -> None:
    """An object, or a decorator's plain function: neither is a coroutine function."""
    packer = Packer()

    @wraps(packer.__call__)
    def decorated(work: Work) -> Awaitable[None]:
        return packer(work)

    async with running(worker(TOPIC)(decorated if is_decorated else packer), coordinator):
        await until(lambda: packer.done == ["begun"] * 4)
    assert packer.done == ["begun"] * 4 + ["ended"] * 4


async def test_offsets_that_may_not_be_read_are_told_and_asked_for_again(
    coordinator: Coordinator, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing else would tell why nobody works on the partitions that this program owns."""
    refused = iter(range(2))
    begun: list[int] = []

    def no_right(told: Any) -> Any:
        return told if next(refused, None) is None else replace(told, groups=_refused(told))

    def _refused(told: Any) -> Any:
        return [replace(group, error_code=30) for group in told.groups]

    @worker(TOPIC, retry_s=0.01)
    async def work_on(work: Work) -> None:
        begun.append(work.partition.partition)

    async with line_to(coordinator.bootstrap) as line:
        line.lie = instead(OffsetFetchResponse, no_right)
        async with running(work_on, coordinator, bootstrap=line.address):
            await until(lambda: sorted(begun) == [0, 1, 2, 3])
    assert caplog.text.count("committed offsets: ") == 2
    assert "GROUP_AUTHORIZATION_FAILED; asked again in 0.01 s" in caplog.text


async def test_a_coroutine_that_commits_as_a_thread_does_is_told_so(
    coordinator: Coordinator, caplog: pytest.LogCaptureFixture
) -> None:
    """It stopped the event loop, heartbeats included, for good."""

    @worker(TOPIC, retry_s=3_600)
    async def commits(work: Work) -> None:
        work.commit_from_thread(1)

    async with running(commits, coordinator):
        await until(lambda: caplog.text.count("the function failed") == 4)
    assert "RuntimeError('this is the event loop: await commit() instead')" in raised(caplog)


async def test_bad_use_has_a_clear_error() -> None:
    async def nothing(work: Work) -> None: ...

    with pytest.raises(TypeError, match="takes topics"):
        worker(nothing)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="needs bootstrap and group"):
        await worker(TOPIC)(nothing).run()
    with pytest.raises(TypeError, match="unknown settings: colour"):
        await worker(TOPIC, bootstrap="h:1", group="g", colour=1)(nothing).run()
