"""The rules of transactional ids: which producer may use one, and how its transaction ends.

A transactional id belongs to the producer that initialised it last; its epoch fences all earlier
ones. Values in, values out, like the rules of groups: no rows, no clock. This module only decides
what happens to a transaction's offsets (``Ended.pending``); ``groups.runtime.transactions``
does it. Sources: KIP-98, KIP-360 (epochs), KIP-890 (an epoch for each transaction).
"""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from groups.core.errors import ErrorCode, Refuse

NO_ID = -1
NO_EPOCH = -1

EPOCH_MAX = 32_766
"""The last epoch of a producer. The wire allows one more, which fences this one."""

EPOCH_BUMP_SINCE = 5
"""EndTxn: from this version on each transaction has its own epoch (transaction.version 2)."""

GROUP_IS_ADDED_SINCE = 5
"""TxnOffsetCommit: from this version on it adds its group to the transaction."""

GROUP_ERRORS_SINCE = 6
"""TxnOffsetCommit: from this version on clients know GROUP_ID_NOT_FOUND and STALE_MEMBER_EPOCH
(KIP-1319); others have ILLEGAL_GENERATION for both."""

ABORTABLE_SINCE = 4
"""TxnOffsetCommit: from this version on clients know TRANSACTION_ABORTABLE (KIP-890)."""


class State(StrEnum):
    """Kafka's words. Its Prepare states are not needed: the end is one transaction of
    PostgreSQL."""

    EMPTY = "Empty"
    ONGOING = "Ongoing"
    COMMITTED = "CompleteCommit"
    ABORTED = "CompleteAbort"


COMPLETE = (State.COMMITTED, State.ABORTED)


class PendingOffsets(StrEnum):
    """What happens to pending offsets of the transaction."""

    WAIT = "wait"
    APPLY = "apply"
    DROP = "drop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Producer:
    """A transactional id and its producer.

    ``producer_id`` NO_ID: a new one has to be drawn. ``last_epoch`` and ``previous_id`` are those
    of the same producer before its last change, so that it may repeat a request whose reply was
    lost; NO_EPOCH and NO_ID if that is not allowed. ``is_overdue``: its transaction has lasted
    longer than ``timeout_ms``, by PostgreSQL's clock.
    """

    transactional_id: str
    producer_id: int
    epoch: int
    timeout_ms: int
    state: State = State.EMPTY
    last_epoch: int = NO_EPOCH
    previous_id: int = NO_ID
    is_overdue: bool = field(default=False, compare=False)

    @property
    def is_exhausted(self) -> bool:
        """Whether the next epoch needs a new producer id."""
        return self.epoch >= EPOCH_MAX


@dataclass(frozen=True, slots=True)
class Ended:
    """A decision about a transactional id: its new state, and what happens to its offsets."""

    producer: Producer
    pending: PendingOffsets = PendingOffsets.WAIT


@dataclass(frozen=True, slots=True)
class Claim:
    """The producer id and epoch that a request names."""

    producer_id: int
    epoch: int


def initialise(
    before: Producer | None, transactional_id: str, timeout_ms: int, claim: Claim | None
) -> Ended:
    """Assign the id to the requesting producer. The transaction of its predecessor is aborted.

    ``claim``: the producer's previous id and epoch (KIP-360), None for a new one. Refuses
    PRODUCER_FENCED if that is outdated.
    """
    if before is None:
        new = Producer(
            transactional_id=transactional_id, producer_id=NO_ID, epoch=0, timeout_ms=timeout_ms
        )
        return Ended(new)
    if claim is not None and before.state is not State.ONGOING and _is_retry(before, claim):
        return Ended(before)
    if claim is not None and claim != Claim(before.producer_id, before.epoch):
        raise Refuse(ErrorCode.PRODUCER_FENCED)
    after = _next_epoch(before, may_retry=claim is not None)
    return Ended(replace(after, state=State.EMPTY, timeout_ms=timeout_ms), _dropped(before))


def _is_retry(before: Producer, claim: Claim) -> bool:
    """Whether the reply to this claim's last change of epoch was lost."""
    if claim.epoch == NO_EPOCH or claim.epoch != before.last_epoch:
        return False
    was = before.previous_id if before.epoch == 0 else before.producer_id
    return claim.producer_id == was


def _next_epoch(before: Producer, *, may_retry: bool) -> Producer:
    last = before.epoch if may_retry else NO_EPOCH
    if not before.is_exhausted:
        return replace(before, epoch=before.epoch + 1, last_epoch=last)
    return replace(
        before, producer_id=NO_ID, epoch=0, last_epoch=last, previous_id=before.producer_id
    )


def _dropped(before: Producer) -> PendingOffsets:
    return PendingOffsets.DROP if before.state is State.ONGOING else PendingOffsets.WAIT


def begin(before: Producer | None, claim: Claim) -> Producer:
    """The producer adds something to its transaction; the first addition begins it.

    Refuses INVALID_PRODUCER_ID_MAPPING and PRODUCER_FENCED.
    """
    owner = _owner(before, claim.producer_id)
    if claim.epoch != owner.epoch:
        raise Refuse(ErrorCode.PRODUCER_FENCED)
    return replace(owner, state=State.ONGOING)


def _owner(before: Producer | None, producer_id: int) -> Producer:
    if before is None or before.producer_id != producer_id:
        raise Refuse(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    return before


def check_commit(before: Producer | None, claim: Claim, has_group: bool, version: int) -> bool:
    """Whether offsets of a group may be added to the transaction; False: add the group first.

    ``has_group``: whether the group is part of the transaction. Refuses as a group's coordinator
    does, with INVALID_PRODUCER_EPOCH where other requests get PRODUCER_FENCED.
    """
    owner = _owner(before, claim.producer_id)
    if claim.epoch != owner.epoch:
        raise Refuse(ErrorCode.INVALID_PRODUCER_EPOCH)
    if owner.state is State.ONGOING and has_group:
        return True
    if version >= GROUP_IS_ADDED_SINCE:
        return False
    if version >= ABORTABLE_SINCE:
        raise Refuse(ErrorCode.TRANSACTION_ABORTABLE)
    raise Refuse(ErrorCode.INVALID_TXN_STATE)


def end(before: Producer | None, claim: Claim, *, commit: bool, version: int) -> Ended:
    """Commit or abort. A repeated request for the same end gets the same reply.

    Refuses INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED, and INVALID_TXN_STATE for the wrong end.
    """
    if version >= EPOCH_BUMP_SINCE:
        return _end_with_epoch(before, claim, commit)
    owner = _owner(before, claim.producer_id)
    if claim.epoch != owner.epoch:
        raise Refuse(ErrorCode.PRODUCER_FENCED)
    if owner.state is State.ONGOING:
        return _ended(owner, commit)
    if owner.state is not _complete(commit):
        raise Refuse(ErrorCode.INVALID_TXN_STATE)
    return Ended(owner)


def _end_with_epoch(before: Producer | None, claim: Claim, commit: bool) -> Ended:
    """From v5. The epoch distinguishes a repeated request from the end of the next transaction; an
    empty transaction may be aborted, but not committed."""
    if before is not None and before.state in COMPLETE and _is_retry(before, claim):
        if before.state is not _complete(commit):
            raise Refuse(ErrorCode.INVALID_TXN_STATE)
        return Ended(before)
    owner = _owner(before, claim.producer_id)
    if claim.epoch != owner.epoch:
        raise Refuse(ErrorCode.PRODUCER_FENCED)
    if owner.state is not State.ONGOING and commit:
        raise Refuse(ErrorCode.INVALID_TXN_STATE)
    ended = _ended(owner, commit)
    return Ended(_next_epoch(ended.producer, may_retry=True), ended.pending)


def _ended(owner: Producer, commit: bool) -> Ended:
    return Ended(
        replace(owner, state=_complete(commit)),
        PendingOffsets.APPLY if commit else PendingOffsets.DROP,
    )


def _complete(commit: bool) -> State:
    return State.COMMITTED if commit else State.ABORTED


def time_out(before: Producer | None) -> Ended | None:
    """Abort a transaction that lasted longer than its producer allowed, and fence the producer.

    The fencing epoch belongs to no producer; the next one that initialises the id gets a higher
    one. None if there is no such transaction (any more).
    """
    if before is None or before.state is not State.ONGOING or not before.is_overdue:
        return None
    fenced = replace(before, epoch=before.epoch + 1, last_epoch=NO_EPOCH, state=State.ABORTED)
    return Ended(fenced, PendingOffsets.DROP)
