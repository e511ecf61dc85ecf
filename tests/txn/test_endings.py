"""Transactions that end otherwise than their producer wished: fenced, timed out, left alone."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from groups.core.errors import ErrorCode
from groups.core.rows import slot_of
from groups.core.transactions import EPOCH_MAX, Claim
from groups.runtime import transactions
from groups.sweeps.session import clean_up
from tests.node.running import Running, running
from tests.sweeps.conftest import swept, value
from tests.txn.conftest import Other
from tests.txn.producers import V1, V2, Txn, read, refusal, unstable

New = Callable[..., Txn]
T0 = ("t", 0)
OLD = "UPDATE rollcall_producer SET started_at = started_at - interval '2 minutes'"
ROWS = (
    "SELECT (SELECT count(*) FROM rollcall_pending_offset),"
    " (SELECT count(*) FROM rollcall_txn_group)"
)


async def left(other: Other) -> tuple[int, int]:
    """How many offsets wait, and how many groups are part of a transaction."""
    row = await (await other.execute(ROWS)).fetchone()
    assert row is not None
    return row[0], row[1]


# ---- what there is


PATTERNS: dict[str | None, list[str]] = {
    "pay": ["pay"],
    "PAY.*": [],
    "(?i)PAY.*": ["pay", "pay-2"],
    r"\Qpay-\E\d": ["pay-2"],
    r"\pL+": ["other", "pay"],
    "": ["other", "pay", "pay-2"],
    None: ["other", "pay", "pay-2"],
}


async def test_transactional_ids_are_listed_by_re2_patterns(one: Running, producer: New) -> None:
    for name in ("pay", "pay-2", "other"):
        await producer(name).init()
    listed = one.node.transactions.listed
    found = {p: [each.transactional_id for each, _ in await listed(p)] for p in PATTERNS}
    assert found == PATTERNS


async def test_an_invalid_re2_pattern_is_refused(one: Running) -> None:
    for pattern in ("(", r"(a)\1", "(?=a).*"):
        listing = one.node.transactions.listed(pattern)
        assert await refusal(listing) is ErrorCode.INVALID_REGULAR_EXPRESSION, pattern


# ---- one producer after the other


async def test_ids_are_never_assigned_twice(one: Running, producer: New) -> None:
    transactions = one.node.transactions
    named = [(await producer(name).init()).claim.producer_id for name in "abc"]
    nameless = [await transactions.draw_producer_id() for _ in range(3)]
    assert len({*named, *nameless}) == 6


async def test_a_new_producer_fences_the_old_one_and_aborts_its_transaction(
    one: Running, producer: New, other: Other
) -> None:
    old = await (await producer().init()).begin()
    await old.commit(100)
    new = await producer().init()

    assert new.claim == Claim(old.claim.producer_id, old.claim.epoch + 1)
    assert await left(other) == (0, 0)
    assert await refusal(old.begin()) is ErrorCode.PRODUCER_FENCED
    assert await refusal(old.commit(1)) is ErrorCode.INVALID_PRODUCER_EPOCH
    for commit in (True, False):
        assert await refusal(old.end(commit=commit)) is ErrorCode.PRODUCER_FENCED
    await new.begin()
    await new.commit(7)
    await new.end()
    assert await read(one) == {T0: 7}


async def test_many_producers_at_once_get_an_epoch_each(one: Running, producer: New) -> None:
    all_of_them = await asyncio.gather(*(producer().init() for _ in range(8)))
    assert sorted(txn.claim.epoch for txn in all_of_them) == list(range(8))
    assert len({txn.claim.producer_id for txn in all_of_them}) == 1


async def test_after_the_last_epoch_comes_a_new_producer_id(
    one: Running, producer: New, other: Other
) -> None:
    txn = await producer().init()
    txn.version = V2
    await other.execute("UPDATE rollcall_producer SET epoch = %s", [EPOCH_MAX])
    txn.claim = last = replace(txn.claim, epoch=EPOCH_MAX)
    await txn.commit(100)
    await txn.end()
    assert txn.claim.producer_id != last.producer_id and txn.claim.epoch == 0

    txn.claim = last
    await txn.end()
    assert txn.claim.epoch == 0, "the lost answer was asked for again"
    await txn.commit(101)
    await txn.end()
    assert await read(one) == {T0: 101}


async def test_a_transaction_of_v2_gets_a_new_epoch_after_each_end(
    one: Running, producer: New
) -> None:
    txn = await producer().init()
    txn.version = V2
    first = txn.claim
    await txn.commit(1)
    await txn.end()
    late = Txn(one, txn.transactional_id, V2, first)
    assert await refusal(late.commit(0)) is ErrorCode.INVALID_PRODUCER_EPOCH
    await txn.commit(2)
    await txn.end()
    assert await read(one) == {T0: 2}


async def test_a_transaction_may_have_many_groups(
    one: Running, producer: New, other: Other
) -> None:
    txn = await (await producer().init()).begin("g", "h")
    await txn.commit(1, group_id="g")
    await txn.commit(2, group_id="h")
    assert await refusal(txn.commit(3, group_id="i")) is ErrorCode.INVALID_TXN_STATE
    await txn.end()
    assert (await read(one, "g"), await read(one, "h")) == ({T0: 1}, {T0: 2})
    assert await left(other) == (0, 0)


async def test_the_number_of_groups_of_a_transaction_is_limited(
    one: Running, producer: New, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows for unknown groups would be without bound; existing groups continue."""
    monkeypatch.setattr(transactions, "GROUPS_MAX", 2)
    txn = await (await producer().init()).begin("a", "b")

    assert await refusal(txn.begin("c")) == ErrorCode.POLICY_VIOLATION
    assert await refusal(txn.begin("b")) == ErrorCode.NONE
    await txn.end()
    assert await refusal(txn.begin("c")) == ErrorCode.NONE


# ---- those that last too long


@pytest.mark.parametrize("version", [V1, V2])
async def test_a_transaction_that_exceeds_its_timeout_is_aborted_and_fenced(
    one: Running, producer: New, other: Other, version: int
) -> None:
    txn = await producer().init()
    txn.version = version
    await (txn.begin() if version == V1 else txn.commit(0))
    await txn.commit(100)
    await other.execute(OLD)
    await one.node.transactions.abort_overdue()

    assert (await left(other), await read(one)) == ((0, 0), {})
    assert await refusal(txn.end()) is ErrorCode.PRODUCER_FENCED
    assert await refusal(txn.commit(1)) is ErrorCode.INVALID_PRODUCER_EPOCH
    again = await producer().init()
    assert again.claim.epoch == txn.claim.epoch + 2, "one epoch was nobody's"


async def test_a_node_finds_expired_transactions_by_itself(one: Running, producer: New) -> None:
    """A timeout of a millisecond is over at the next check; nothing else ends the transaction."""
    txn = await (await producer().init(timeout_ms=1)).begin()
    await one.points.reached["transaction:locked"].wait()
    assert await refusal(txn.end(commit=True)) is ErrorCode.PRODUCER_FENCED


async def test_young_and_ended_transactions_are_left_alone(
    one: Running, producer: New, other: Other
) -> None:
    young = await (await producer("young").init()).begin()
    await young.commit(1)
    ended = await (await producer("ended").init()).begin()
    await ended.end(commit=False)
    assert await one.node.transactions.abort_overdue() == 0
    assert await unstable(one) == {T0}


async def test_a_first_end_is_not_reverted(one: Running, producer: New, other: Other) -> None:
    """The look found it overdue; while it waits for the row, the producer commits."""
    txn = await (await producer().init()).begin()
    await txn.commit(100)
    await other.execute(OLD)
    let_go = one.points.hold("transaction:locked")
    ending = asyncio.create_task(txn.end())
    await one.points.reached["transaction:locked"].wait()
    looking = asyncio.create_task(one.node.transactions.abort_overdue())
    let_go()
    await ending
    await looking
    assert await read(one) == {T0: 100}
    await txn.begin()


async def test_only_the_owner_of_the_slot_aborts(one: Running, producer: New, other: Other) -> None:
    txn = await (await producer().init()).begin()
    await other.execute(OLD)
    slot = slot_of(txn.transactional_id)
    await other.execute("UPDATE rollcall_slot SET epoch = epoch + 1 WHERE slot = %s", [slot])
    await one.node.transactions.abort_overdue()
    assert await value(other, "SELECT state FROM rollcall_producer") == "Ongoing"
    assert await refusal(txn.end()) is ErrorCode.NOT_COORDINATOR


async def test_a_node_without_the_slot_ends_no_transaction_of_an_unowned_slot(
    one: Running, producer: New, other: Other
) -> None:
    txn = await (await producer().init()).begin()
    slot = slot_of(txn.transactional_id)
    del one.node.coordinator.epochs[slot]
    await other.execute("UPDATE rollcall_slot SET epoch = 0 WHERE slot = %s", [slot])
    assert await refusal(txn.end()) is ErrorCode.NOT_COORDINATOR
    assert await value(other, "SELECT state FROM rollcall_producer") == "Ongoing"


async def test_only_the_owner_of_the_group_adds_it_to_a_transaction(
    one: Running, producer: New, other: Other
) -> None:
    """TxnOffsetCommit from v5 comes to the group's owner, which need not have the producer."""
    txn = await producer().init()
    txn.version = V2
    slot = slot_of(txn.transactional_id)
    assert slot != slot_of("g")
    await other.execute("UPDATE rollcall_slot SET epoch = epoch + 1 WHERE slot = %s", [slot])
    await txn.commit(100)
    assert await unstable(one) == {T0}


async def test_a_pattern_that_takes_too_long_is_refused(
    one: Running, producer: New, monkeypatch: pytest.MonkeyPatch
) -> None:
    await producer().init()
    assert len(await one.node.transactions.listed("p.*")) == 1
    monkeypatch.setattr(transactions, "MATCH_S_MAX", 0)
    refused = await refusal(one.node.transactions.listed("p.*"))
    assert refused is ErrorCode.COORDINATOR_NOT_AVAILABLE


# ---- owners that come and go


async def test_pending_offsets_survive_a_takeover(other: Other) -> None:
    """The node dies between TxnOffsetCommit and EndTxn; the next one ends the transaction."""
    async with running() as first:
        txn = await (await Txn(first).init()).begin()
        await txn.commit(100)
    async with running(1) as second:
        assert await unstable(second) == {T0}
        txn.running = second
        await txn.end()
        assert (await read(second), await left(other)) == ({T0: 100}, (0, 0))


async def test_an_end_whose_response_was_lost_can_be_repeated(one: Running, producer: New) -> None:
    for version in (V1, V2):
        txn = await producer(f"pay-{version}").init()
        txn.version = version
        await (txn.begin() if version == V1 else txn.commit(0))
        await txn.commit(version)
        claim = txn.claim
        await txn.end()
        txn.claim = claim
        await txn.end()
        assert await read(one) == {T0: version}


async def test_a_session_ended_by_the_database_is_a_retriable_error(
    one: Running, producer: New, other: Other
) -> None:
    txn = await (await producer().init()).begin()
    await txn.commit(100)
    let_go = one.points.hold("transaction:locked")
    ending = asyncio.create_task(refusal(txn.end()))
    await one.points.reached["transaction:locked"].wait()
    await other.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
        " AND state = 'idle in transaction'"
    )
    let_go()
    assert await ending is ErrorCode.COORDINATOR_NOT_AVAILABLE
    await txn.end()
    assert await read(one) == {T0: 100}


async def test_a_row_locked_for_long_is_a_retriable_error(
    one: Running, producer: New, other: Other
) -> None:
    txn = await (await producer().init()).begin()
    async with other.transaction():
        await other.execute("SELECT FROM rollcall_producer FOR UPDATE")
        assert await refusal(txn.end()) is ErrorCode.CONCURRENT_TRANSACTIONS
    await txn.end()


# ---- unused ids


async def test_unused_ids_expire(one: Running, producer: New, other: Other) -> None:
    for name in ("busy", "fresh", "old"):
        await producer(name).init()
    await Txn(one, "busy", claim=(await producer("busy").init()).claim).begin()
    await other.execute(
        "UPDATE rollcall_producer SET updated_at = now() - interval '8 days'"
        " WHERE transactional_id IN ('old', 'busy')"
    )
    assert await swept(clean_up) == "removed 1 transactional ids"
    names = "SELECT string_agg(transactional_id, ' ' ORDER BY transactional_id)"
    assert await value(other, f"{names} FROM rollcall_producer") == "busy fresh"
