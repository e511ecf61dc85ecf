"""Who may use a transactional id, and how transactions end: stories of producers and epochs."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from groups.core.errors import ErrorCode, Refuse
from groups.core.transactions import (
    EPOCH_MAX,
    NO_EPOCH,
    NO_ID,
    Claim,
    Ended,
    PendingOffsets,
    Producer,
    State,
    begin,
    check_commit,
    end,
    initialise,
    time_out,
)

FENCED = ErrorCode.PRODUCER_FENCED
NOT_THIS_END = ErrorCode.INVALID_TXN_STATE
V1, V2 = 3, 5
"""Versions of EndTxn: of clients before transaction.version 2, and of those with it."""


def producer(epoch: int = 4, state: State = State.EMPTY, **over: object) -> Producer:
    found = Producer(
        transactional_id="pay", producer_id=70, epoch=epoch, timeout_ms=1_000, state=state
    )
    return replace(found, **over)  # type: ignore[arg-type]


def ongoing(epoch: int = 4, **over: object) -> Producer:
    return producer(epoch, State.ONGOING, **over)


def mine(row: Producer) -> Claim:
    return Claim(row.producer_id, row.epoch)


def refusal(rule: Callable[..., object], *given: object, **named: object) -> ErrorCode:
    with pytest.raises(Refuse) as caught:
        rule(*given, **named)
    return caught.value.code


# ---- initialising


def test_a_new_id_gets_a_producer_id_and_epoch_zero() -> None:
    new = initialise(None, "pay", 1_000, None).producer
    assert (new.producer_id, new.epoch, new.state) == (NO_ID, 0, State.EMPTY)


def test_the_next_producer_fences_the_last_and_aborts_its_transaction() -> None:
    ended = initialise(ongoing(4), "pay", 2_000, None)
    assert ended == Ended(producer(5, timeout_ms=2_000), PendingOffsets.DROP)
    assert refusal(begin, ended.producer, Claim(70, 4)) is FENCED


@pytest.mark.parametrize("state", [State.COMMITTED, State.ABORTED, State.EMPTY])
def test_nothing_is_dropped_without_a_transaction(state: State) -> None:
    ended = initialise(producer(4, state), "pay", 1_000, None)
    assert ended == Ended(producer(5), PendingOffsets.WAIT)


def test_a_recovering_producer_names_its_former_id() -> None:
    """KIP-360: the right claim is the next epoch, a wrong one is fenced and aborts nothing."""
    assert initialise(producer(4), "pay", 1_000, Claim(70, 4)).producer.epoch == 5
    for claim in (Claim(70, 3), Claim(70, 5), Claim(71, 4)):
        for row in (producer(4), ongoing(4)):
            assert refusal(initialise, row, "pay", 1, claim) is FENCED


def test_a_lost_response_can_be_requested_again() -> None:
    bumped = initialise(producer(4), "pay", 1_000, Claim(70, 4)).producer
    assert initialise(bumped, "pay", 1_000, Claim(70, 4)) == Ended(bumped)
    begun = begin(bumped, mine(bumped))
    assert refusal(initialise, begun, "pay", 1_000, Claim(70, 4)) is FENCED


def test_another_producer_cannot_request_a_lost_response() -> None:
    stranger = initialise(producer(4), "pay", 1_000, None).producer
    assert refusal(initialise, stranger, "pay", 1_000, Claim(70, 4)) is FENCED


@pytest.mark.parametrize("claim", [None, Claim(70, EPOCH_MAX)])
def test_after_the_last_epoch_comes_a_new_producer_id(claim: Claim | None) -> None:
    new = initialise(producer(EPOCH_MAX), "pay", 1_000, claim).producer
    assert (new.producer_id, new.epoch, new.previous_id) == (NO_ID, 0, 70)


def test_a_lost_response_with_a_new_producer_id_can_be_requested_again() -> None:
    last = Claim(70, EPOCH_MAX)
    new = replace(initialise(producer(EPOCH_MAX), "pay", 1_000, last).producer, producer_id=71)
    assert initialise(new, "pay", 1_000, last) == Ended(new)
    assert refusal(initialise, new, "pay", 1_000, Claim(71, EPOCH_MAX)) is FENCED


# ---- what is put into a transaction


def test_the_first_offset_or_group_begins_the_transaction() -> None:
    assert begin(producer(4), Claim(70, 4)) == ongoing(4)
    assert begin(ongoing(4), Claim(70, 4)) == ongoing(4)


STRANGERS = [
    (None, Claim(70, 4), ErrorCode.INVALID_PRODUCER_ID_MAPPING),
    (producer(4), Claim(71, 4), ErrorCode.INVALID_PRODUCER_ID_MAPPING),
    (producer(4), Claim(70, 3), FENCED),
    (producer(4), Claim(70, 5), FENCED),
]


@pytest.mark.parametrize(("row", "claim", "code"), STRANGERS)
def test_unknown_producers_begin_and_end_nothing(
    row: Producer | None, claim: Claim, code: ErrorCode
) -> None:
    assert refusal(begin, row, claim) is code
    for version in (V1, V2):
        for commit in (True, False):
            assert refusal(end, row, claim, commit=commit, version=version) is code


@pytest.mark.parametrize(("row", "claim", "code"), STRANGERS)
def test_the_groups_owner_uses_the_older_error_codes(
    row: Producer | None, claim: Claim, code: ErrorCode
) -> None:
    expected = ErrorCode.INVALID_PRODUCER_EPOCH if code is FENCED else code
    for version in range(6):
        assert refusal(check_commit, row, claim, True, version) is expected


@pytest.mark.parametrize(
    ("row", "has_group"), [(ongoing(4), False), (producer(4, State.ABORTED), True)]
)
def test_a_group_outside_the_transaction_is_refused(row: Producer, has_group: bool) -> None:
    """Up to v3, in v4 (KIP-890's first part), and in v5, which adds it."""
    refusals = [refusal(check_commit, row, mine(row), has_group, v) for v in (0, 3, 4)]
    assert refusals == [
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.INVALID_TXN_STATE,
        ErrorCode.TRANSACTION_ABORTABLE,
    ]
    assert check_commit(row, mine(row), has_group, 5) is False


def test_a_group_inside_the_transaction_is_accepted() -> None:
    assert all(check_commit(ongoing(4), Claim(70, 4), True, version) for version in range(6))


# ---- the end


@pytest.mark.parametrize(
    ("commit", "state", "pending"),
    [(True, State.COMMITTED, PendingOffsets.APPLY), (False, State.ABORTED, PendingOffsets.DROP)],
)
def test_a_transaction_ends_once(commit: bool, state: State, pending: PendingOffsets) -> None:
    """Asking again is answered as the first time; the other end is refused."""
    first = end(ongoing(4), Claim(70, 4), commit=commit, version=V1)
    assert first == Ended(producer(4, state), pending)
    assert end(first.producer, Claim(70, 4), commit=commit, version=V1) == Ended(first.producer)
    assert refusal(end, first.producer, Claim(70, 4), commit=not commit, version=V1) is NOT_THIS_END


@pytest.mark.parametrize("commit", [True, False])
def test_ending_without_a_transaction_is_refused(commit: bool) -> None:
    assert refusal(end, producer(4), Claim(70, 4), commit=commit, version=V1) is NOT_THIS_END


@pytest.mark.parametrize(
    ("commit", "state", "pending"),
    [(True, State.COMMITTED, PendingOffsets.APPLY), (False, State.ABORTED, PendingOffsets.DROP)],
)
def test_each_transaction_has_its_epoch_from_v5(
    commit: bool, state: State, pending: PendingOffsets
) -> None:
    first = end(ongoing(4), Claim(70, 4), commit=commit, version=V2)
    assert first == Ended(producer(5, state, last_epoch=4), pending)
    again = end(first.producer, Claim(70, 4), commit=commit, version=V2)
    assert again == Ended(first.producer), "the answer was lost, the end was not"
    assert refusal(end, first.producer, Claim(70, 4), commit=not commit, version=V2) is NOT_THIS_END
    late = begin(first.producer, Claim(70, 5))
    assert refusal(end, late, Claim(70, 4), commit=commit, version=V2) is FENCED, (
        "the next transaction is not the old one's to end"
    )


@pytest.mark.parametrize("state", [State.EMPTY, State.COMMITTED, State.ABORTED])
def test_an_empty_transaction_may_be_aborted_from_v5_and_not_committed(state: State) -> None:
    row = producer(4, state)
    assert end(row, Claim(70, 4), commit=False, version=V2).producer.epoch == 5
    assert refusal(end, row, Claim(70, 4), commit=True, version=V2) is NOT_THIS_END


def test_ending_at_the_last_epoch_brings_a_new_producer_id() -> None:
    last = Claim(70, EPOCH_MAX)
    ended = end(ongoing(EPOCH_MAX), last, commit=True, version=V2)
    assert (ended.producer.producer_id, ended.producer.epoch) == (NO_ID, 0)
    new = replace(ended.producer, producer_id=71)
    assert end(new, last, commit=True, version=V2) == Ended(new)


# ---- transactions that last too long


@pytest.mark.parametrize("epoch", [4, EPOCH_MAX])
def test_a_transaction_that_exceeds_its_timeout_is_fenced(epoch: int) -> None:
    ended = time_out(ongoing(epoch, is_overdue=True))
    assert ended == Ended(producer(epoch + 1, State.ABORTED), PendingOffsets.DROP)
    for version in (V1, V2):
        for commit in (True, False):
            given = {"commit": commit, "version": version}
            assert refusal(end, ended.producer, Claim(70, epoch), **given) is FENCED
    assert refusal(initialise, ended.producer, "pay", 1, Claim(70, epoch)) is FENCED


def test_a_fencing_epoch_belongs_to_no_producer() -> None:
    fenced = time_out(ongoing(EPOCH_MAX, is_overdue=True))
    assert fenced is not None
    new = initialise(fenced.producer, "pay", 1_000, None).producer
    assert (new.producer_id, new.epoch, new.last_epoch) == (NO_ID, 0, NO_EPOCH)


@pytest.mark.parametrize("row", [None, ongoing(4), producer(4, State.COMMITTED, is_overdue=True)])
def test_ended_and_young_transactions_are_left_alone(row: Producer | None) -> None:
    assert time_out(row) is None


# ---- claims without an epoch


@pytest.mark.parametrize("state", [State.EMPTY, State.COMMITTED, State.ABORTED])
def test_a_claim_without_an_epoch_is_not_a_retry(state: State) -> None:
    """A row whose last change nobody may ask again for has no last epoch either: the two are not
    the same thing."""
    row = producer(4, state, last_epoch=NO_EPOCH)
    assert refusal(initialise, row, "pay", 1, Claim(70, NO_EPOCH)) is FENCED
    assert refusal(end, row, Claim(70, NO_EPOCH), commit=True, version=V2) is FENCED
    assert refusal(end, row, Claim(70, NO_EPOCH), commit=False, version=V2) is FENCED
