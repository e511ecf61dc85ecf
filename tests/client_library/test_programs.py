"""Programs around a member as people write them: loops that are left and begun again, threads, a
signal handler, a fork, an end of the interpreter, arguments of every kind."""

import asyncio
import pickle
import sys
import threading
import tracemalloc
from collections.abc import Callable
from typing import Any, Final

import pytest

from benchmarks.wire import create_topic
from rollcall.client import BlockingMember, Closed, Kind, Member, NotAssigned, TopicPartition
from rollcall.client.core.events import HandOut
from rollcall.client.driver import clock_ms
from tests.in_process import prepare
from tests.server.serving import Serving, until

TICK: Final = threading.Event()
SHORT: Final[dict[str, Any]] = {
    "protocol": "classic",
    "session_timeout_ms": 1_000,
    "heartbeat_interval_ms": 100,
}
NOT_ORDERLY: Final = "no orderly leave"


@pytest.fixture
def _prepared(database_url: str, settings: Any) -> None:
    prepare(database_url, settings)
    settings.GROUP_MIN_SESSION_TIMEOUT_MS = 500


@pytest.fixture
async def served(served: Serving) -> Serving:
    """With a topic of four partitions."""
    await create_topic(served.address, "t", 4)
    return served


async def test_a_loop_begins_at_once_after_another_was_left(served: Serving) -> None:
    async with Member(served.address, "g", ["t"]) as member:
        for _ in range(3):
            async for change in member:
                assert change.kind is Kind.ASSIGNED and len(change.partitions) == 4
                break


async def test_a_request_that_is_cancelled_does_not_end_the_loop(
    served: Serving, caplog: pytest.LogCaptureFixture
) -> None:
    async with Member(served.address, "g", ["t"]) as anna:
        loop = anna.changes()
        assert (await anext(loop)).kind is Kind.ASSIGNED
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(loop), 0.01)
        async with Member(served.address, "g", ["t"]):
            assert (await anext(loop)).kind is Kind.REVOKED
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(anext(loop), 0.01)
    assert NOT_ORDERLY not in caplog.text


async def test_a_loop_begins_in_place_of_one_that_was_cancelled(served: Serving) -> None:
    """The error of a cancelled task keeps its loop alive."""
    async with Member(served.address, "g", ["t"]) as member:
        cancelled = member.changes()
        assert (await anext(cancelled)).kind is Kind.ASSIGNED
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(cancelled), 0.01)
        async for change in member.changes():
            assert change.kind is Kind.ASSIGNED
            break
        with pytest.raises(StopAsyncIteration):
            await anext(cancelled)


async def test_close_waits_for_no_body_of_its_own_task(
    served: Serving, caplog: pytest.LogCaptureFixture
) -> None:
    """``asyncio.wait_for`` requests the change in another task."""
    async with Member(served.address, "g", ["t"]) as member:
        loop = member.changes()
        await asyncio.wait_for(anext(loop), 60)
    assert NOT_ORDERLY not in caplog.text


def in_a_thread(doing: Callable[[], Any]) -> Any:
    """Its result, or the exception, while the event loop stands still."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(doing())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


async def test_a_thread_may_read_what_is_assigned_when_a_heartbeat_is_due(served: Serving) -> None:
    async with Member(served.address, "g", ["t"], **SHORT) as member:
        await until(lambda: len(member.assigned) == 4)
        await until(lambda: member._machine._requests.request is None)  # type: ignore[attr-defined]
        due = member._machine.due()
        assert due is not None
        while clock_ms() <= due:
            TICK.wait(0.01)
        assert len(in_a_thread(lambda: member.assigned)) == 4
        assert member.failure is None


async def test_a_thread_sees_nothing_assigned_after_a_session_without_the_loop(
    served: Serving,
) -> None:
    async with Member(served.address, "g", ["t"], **SHORT) as member:
        await until(lambda: len(member.assigned) == 4)
        one = min(member.assigned)
        while not member._machine.is_overdue(clock_ms()):
            TICK.wait(0.01)
        assert in_a_thread(lambda: member.assigned) == frozenset()
        assert isinstance(in_a_thread(lambda: member.token(one)), NotAssigned)
        assert member.assigned == frozenset() and member.failure is None


@pytest.mark.parametrize(
    "doing",
    [
        lambda member: member.subscribe(["t"]),
        lambda member: member.unsubscribe(),
        lambda member: member.assign([TopicPartition("t", 0)]),
        lambda member: member.abandon(),
        lambda member: asyncio.run(member.commit()),
        lambda member: asyncio.run(member.close()),
    ],
)
async def test_another_thread_is_refused_and_ends_nothing(
    served: Serving, doing: Callable[[Member], Any]
) -> None:
    async with Member(served.address, "g", ["t"]) as member:
        await until(lambda: len(member.assigned) == 4)
        refusal = await asyncio.to_thread(in_a_thread, lambda: doing(member))
        assert isinstance(refusal, RuntimeError) and "belongs to one event loop" in str(refusal)
        assert len(member.assigned) == 4 and member.failure is None


async def test_a_member_whose_event_loop_was_closed_closes(served: Serving) -> None:
    def scenario() -> None:
        async def begin() -> Member:
            member = Member(served.address, "g", ["t"])
            await member.start()
            await until(lambda: bool(member.assigned))
            return member

        member = asyncio.run(begin())
        asyncio.run(member.close())
        member.abandon()
        assert member.assigned == frozenset()

    await asyncio.to_thread(scenario)


async def test_a_signal_handler_may_close_a_member_whatever_it_interrupts(served: Serving) -> None:
    """It runs in the midst of any method, here while one passes work to the member's thread."""

    def scenario() -> None:
        member = BlockingMember(served.address, "g", ["t"])
        member.start()

        async def nothing() -> None:
            """What the interrupted method wants."""

        def interrupted() -> Any:
            member.close()
            return nothing()

        with pytest.raises(Closed):
            member._run(interrupted)
        assert not member._thread.is_alive()

    await asyncio.to_thread(scenario)


ENDS_IN_A_LOOP: Final = """
member = BlockingMember(address, "g", ["t"])
member.start()
changes = member.changes()
print(next(changes).kind.value)
"""

ENDS_WITHOUT_CLOSE: Final = """
class Keeper:
    def __init__(self):
        self.member = BlockingMember(address, "g", ["t"])
        self.member.start()

    def __del__(self):
        self.member.close()

keeper = Keeper()
keeper.itself = keeper
"""

FORKS: Final = """
import os
with BlockingMember(address, "g", ["t"]) as member:
    changes = member.changes()
    print(next(changes).kind.value)
    child = os.fork()
    if not child:
        sys.exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(member.assigned) == 4
"""


@pytest.mark.parametrize("program", [ENDS_IN_A_LOOP, ENDS_WITHOUT_CLOSE, FORKS])
async def test_a_program_ends_whatever_it_leaves_open(served: Serving, program: str) -> None:
    head = "import sys\nfrom rollcall.client import BlockingMember\naddress = sys.argv[1]\n"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", head + program, served.address),
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, complaints = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert (process.returncode, complaints) == (0, b"")


P: Final = TopicPartition("t", 0)


def made(bootstrap: Any, **options: Any) -> Member:
    return Member(bootstrap, "g", ["t"], **options)


@pytest.mark.parametrize(
    "doing",
    [
        lambda member: member.note("t", 1),
        lambda member: member.note(None, 1),
        lambda member: member.note(TopicPartition("t", True), 1),
        lambda member: member.note(TopicPartition("t", -1), 1),
        lambda member: member.note(TopicPartition("t", 2**31), 1),
        lambda member: member.note(TopicPartition("", 0), 1),
        lambda member: member.note(TopicPartition("t" * 2**15, 0), 1),
        lambda member: member.note(TopicPartition("\ud800", 0), 1),
        lambda member: member.note(P, True),
        lambda member: member.note(P, -1),
        lambda member: member.note(P, 2**63),
        lambda member: member.token("t"),
        lambda member: member.thread(None),
        lambda member: member.assign("t"),
        lambda member: member.assign([("t", "0")]),
        lambda member: member.assign([("t", -1)]),
        lambda member: member.commit({"t": 1}),
        lambda member: member.commit([P]),
        lambda member: member.commit({P: None}),
        lambda member: member.commit({("t", True): 1}),
        lambda member: member.committed("t"),
        lambda member: member.committed(["t"]),
        lambda member: member.committed([("t", 2**31)]),
        lambda member: member.committed([("\ud800", 0)]),
        lambda member: member.close("soon"),
        lambda member: member.close(-1),
        lambda member: member.close(float("nan")),
        lambda member: made([]),
        lambda member: made([("127.0.0.1", 9092)]),
        lambda member: made(None),
        lambda member: made("127.0.0.1:9092", metrics=None),
    ],
)
async def test_an_argument_that_is_nothing_is_refused_by_name(doing: Callable[[Any], Any]) -> None:
    member = Member("127.0.0.1:1", "g", ["t"])

    async def pass_it() -> None:
        await doing(member)

    with pytest.raises(ValueError, match=r"must be|partition|offsets|bootstrap|topic|HOST:PORT"):
        await pass_it()
    await member.close()


async def test_a_pair_is_a_partition(served: Serving) -> None:
    async with Member(served.address, "g", ["t"]) as member:
        await until(lambda: len(member.assigned) == 4)
        pair: Any
        other: Any
        pair, other = ("t", 0), ("t", 1)
        member.note(pair, 3)
        await member.commit()
        await member.commit({other: 4})
        assert await member.committed([pair, other]) == {pair: 3, other: 4}


async def test_noting_an_offset_copies_no_assignment() -> None:
    """Every unit of work is noted, and a member may have thousands."""
    member = Member("127.0.0.1:1", "g", ["t"])
    member.assign([TopicPartition("t", number) for number in range(2_000)])
    member._machine.standing.handed_out.update({p: HandOut(1, 1) for p in member.assigned})
    member._manual = None  # as if a coordinator had assigned them
    member.note(P, 0)
    tracemalloc.start()
    try:
        member.note(P, 1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10_000, "a set of 2,000 partitions has 130,000 bytes"
    await member.close()


async def test_an_unknown_setting_is_named() -> None:
    with pytest.raises(TypeError, match="unknown settings: session_timeout"):
        Member("127.0.0.1:1", "g", session_timeout=3)  # type: ignore[call-arg]


@pytest.mark.parametrize("face", [Member, BlockingMember])
async def test_a_member_is_not_passed_to_another_process(face: Any) -> None:
    member = face("127.0.0.1:1", "g")
    with pytest.raises(TypeError, match="create it there"):
        pickle.dumps(member)
    member.abandon()
