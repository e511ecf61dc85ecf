"""Offsets of transactions in the history of offsets: there from the end on, with their author."""

from collections.abc import Callable

from groups.core.errors import ErrorCode
from groups.core.events import Author
from tests.node.running import Running
from tests.sweeps.conftest import value
from tests.txn.conftest import Other
from tests.txn.producers import Txn

New = Callable[..., Txn]
ALICE = Author("m-1", "alice", "/10.0.0.1")
HISTORY = """
SELECT string_agg(concat_ws(' ', topic, partition, committed_offset, member_id, client_id,
                            client_host), ', ' ORDER BY at, partition)
FROM rollcall_offset_history
"""


async def put(txn: Txn, at: int, partition: int = 0, author: Author | None = ALICE) -> None:
    """One offset into the transaction, by its author."""
    reply = await txn.put(at, partition, author=author)
    assert reply.error is ErrorCode.NONE, reply


async def test_the_committer_is_recorded_at_the_end_of_the_transaction(
    one: Running, producer: New, other: Other
) -> None:
    txn = await (await producer().init()).begin()
    await put(txn, 100)
    await put(txn, 200, 1)
    assert await value(other, HISTORY) is None
    await txn.end()
    said = "t 0 100 m-1 alice /10.0.0.1, t 1 200 m-1 alice /10.0.0.1"
    assert await value(other, HISTORY) == said


async def test_the_time_of_a_record_is_when_it_became_visible(
    one: Running, producer: New, other: Other
) -> None:
    """Else a restore to a past time would bring back what was not visible at that time."""
    txn = await (await producer().init()).begin()
    await put(txn, 100)
    before = await value(other, "SELECT clock_timestamp()")
    await txn.end()
    assert await value(other, "SELECT at FROM rollcall_offset_history") > before
    assert await value(other, "SELECT committed_at FROM rollcall_offset") < before


async def test_aborted_or_superseded_offsets_have_no_history(
    one: Running, producer: New, other: Other
) -> None:
    txn = await (await producer().init()).begin()
    await put(txn, 100)
    await txn.end(commit=False)
    await txn.begin()
    await put(txn, 101)
    await one.commit("g", 102)
    await txn.end()
    assert await value(other, HISTORY) is None


async def test_without_an_author_there_is_no_history(
    one: Running, producer: New, other: Other
) -> None:
    txn = await (await producer().init()).begin()
    await put(txn, 100, author=None)
    await txn.end()
    assert await value(other, HISTORY) is None
    assert await value(other, "SELECT committed_offset FROM rollcall_offset") == 100
