"""Offsets in one step, for every kind of group: written, deleted, expired, restored; and the
deletion of a group with its offsets.

Each kind decides who may commit (its ``offsets.py``), and its working copy says which topics are in
use and when a group is at rest. Offsets are rows: a step only decides what to write and what to
delete.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from groups.core import transactional_offsets as pending
from groups.core.authors import AuthorDetails, user
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import (
    DeleteGroup,
    Event,
    ExpireOffsets,
    OffsetCommit,
    OffsetDelete,
    OffsetWrite,
    Outsider,
    RemoveGroup,
    ResetOffsets,
    RestoreOffsets,
    TxnOffsetCommit,
)
from groups.core.expiry import MS_PER_MINUTE, expired
from groups.core.group import All, Answer, Decision, Group, JournalEntry, Millis
from groups.core.journal import EntryKind, Trigger
from groups.core.replies import Committed, Deleted, OffsetsDeleted
from groups.core.step import EMPTY, Handlers, WorkingCopy

OPERATOR: Final = Trigger.OPERATOR
RETENTION: Final = Trigger.RETENTION

Partition = tuple[str, int]


Work = WorkingCopy[Any, Any]

OFFSETS_LISTED_MAX: Final = 1_000
"""Offsets that one journal entry lists; all are counted."""


COMMIT_REPLIES: Final[Mapping[ErrorCode, Committed]] = {code: Committed(code) for code in ErrorCode}
"""The replies to commits, created once."""

_new = tuple.__new__  # takes a third of the time of calling the class


def plain_commits(group: Group, events: Sequence[Event], now: Millis) -> Decision | None:
    """The decision for commits that do not change the group, nearly all decisions of a busy node,
    without a working copy. None: the events have to be stepped.

    Members' beats may already have been set by then: the step would set them too.
    """
    answers: list[Answer] = []
    accepted: list[Sequence[OffsetWrite]] = []
    judge = group.judge
    for event in events:
        if type(event) is not OffsetCommit or event.outsider is not None:
            return None
        code = judge(event, now)
        if code is None:
            return None
        if not code:
            accepted.append(event.offsets)
        if event.ticket is not None:
            answers.append(_new(Answer, (event.ticket, COMMIT_REPLIES[code])))
    return Decision(group, tuple(answers), (), _last_of_each(accepted))


def _last_of_each(commits: Sequence[Sequence[OffsetWrite]]) -> tuple[OffsetWrite, ...]:
    """Of several commits to one partition the last one. A commit that is alone may name a partition
    twice: whoever writes it looks at that again."""
    if len(commits) == 1:
        return tuple(commits[0])
    return tuple({write[:2]: write for offsets in commits for write in offsets}.values())


def commit(work: Work, event: OffsetCommit) -> None:
    """Write the offsets of an accepted commit, in place of deleted and pending ones."""
    writes = event.offsets
    _make_simple_group(work, writes)
    if event.outsider is not None and writes:
        _note_outsider(work, event, event.outsider)
    _set(work, writes)
    work.answer(event.ticket, Committed())


def commit_pending(work: Work, event: TxnOffsetCommit) -> None:
    """Store the offsets of an accepted commit until its transaction ends."""
    _make_simple_group(work, event.offsets)
    pending.add(work.pending, event)
    work.answer(event.ticket, Committed())


def _make_simple_group(work: Work, writes: Sequence[OffsetWrite]) -> None:
    """Create a group that only has offsets: Empty, no protocol type, generation 0."""
    if not work.exists and writes:
        work.set_row(state=EMPTY)


def _set(work: Work, writes: Sequence[OffsetWrite]) -> None:
    for write in writes:
        at = (write.topic, write.partition)
        work.offsets[at] = write
        work.offset_deletes.pop(at, None)
    if work.pending:
        pending.supersede(work.pending, writes)


def _note_outsider(work: Work, event: OffsetCommit, outsider: Outsider) -> None:
    """A client that sets offsets without being a member is an operator's tool, or a consumer
    without a group membership that only stores its offsets here: only its first commits are
    journaled."""
    if outsider.goes_on and not work.row.protocol_type:
        return
    partitions = [(write.topic, write.partition) for write in event.offsets]
    after, count = _by_topic(event.offsets), len(partitions)
    by = outsider.author.details()
    kind, trigger = EntryKind.OFFSETS_ALTERED, Trigger.REQUEST
    _note(work, kind, trigger, "", partitions, by, offsets=count, after=after)


def _by_topic(writes: Sequence[OffsetWrite]) -> Mapping[str, Mapping[str, int]]:
    """Offsets by topic and partition, as in a journal entry's details."""
    offsets: dict[str, dict[str, int]] = {}
    for write in writes[:OFFSETS_LISTED_MAX]:
        offsets.setdefault(write.topic, {})[str(write.partition)] = write.offset
    return offsets


def _note(
    work: Work,
    kind: EntryKind,
    trigger: str,
    reason: str,
    partitions: Sequence[Partition] | All,
    author: AuthorDetails | None = None,
    **details: object,
) -> None:
    """Add an entry with the previous offsets. ``author``: who is no member."""
    now, by = work.row.generation, {} if author is None else {"author": author}
    work.journal.append(
        JournalEntry(
            kind,
            trigger,
            reason,
            client_id=None if author is None else author.get("client_id"),
            generation_before=now,
            generation_after=now,
            details={**by, **details},
            offsets=partitions,
        )
    )


def delete_offsets(work: Work, event: OffsetDelete) -> None:
    """Delete offsets of partitions whose topic no member consumes (KIP-496)."""
    if not work.is_there:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND)
    in_use = work.topics_in_use()
    codes: dict[Partition, ErrorCode] = {}
    for at in event.partitions:
        if in_use is None or at[0] in in_use:
            codes[at] = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
        else:
            codes[at] = ErrorCode.NONE
            work.offset_deletes[at] = None
            work.offsets.pop(at, None)
            pending.forget(work.pending, at)
    gone = [at for at, code in codes.items() if code is ErrorCode.NONE]
    if gone and event.author is not None:
        by = event.author.details()
        _note(work, EntryKind.OFFSETS_DELETED, Trigger.REQUEST, "", gone, by)
    work.answer(event.ticket, OffsetsDeleted(partitions=codes))


def expire(work: Work, event: ExpireOffsets) -> None:
    """Delete expired offsets, and a group without members after its last one (KIP-211). Not during
    a rebalance, since the next sweep comes soon enough."""
    if not work.has_row or work.rebalances:
        detail = "the group is rebalancing" if work.has_row else "the group is gone"
        work.operated(event.operation_id, ErrorCode.NONE, detail, changed=False)
        return
    gone = _overdue(work, event)
    detail, changed = f"{len(gone)} of {len(event.ages)} offsets expired", bool(gone)
    if not work.has_members and len(gone) == len(event.ages):
        _delete_group(work, RETENTION, "it has no members, and no offsets any more")
        detail, changed = "the group was deleted", True
    elif gone:
        for at in gone:  # they may be 100,000: other threads wait for a single call
            work.offset_deletes[at] = None
        _note(work, EntryKind.OFFSETS_EXPIRED, RETENTION, "", list(gone), offsets=len(gone))
    work.operated(event.operation_id, ErrorCode.NONE, detail, changed=changed)


def _overdue(work: Work, event: ExpireOffsets) -> Sequence[Partition]:
    """The expired offsets; none while members may use any topic."""
    in_use = work.topics_in_use()
    if in_use is None:
        return ()
    retention_ms = work.rules.offsets_retention_minutes * MS_PER_MINUTE
    empty_ms = event.state_age_ms if work.expires_since_empty else None
    return expired(event.ages, retention_ms, empty_ms, in_use)


def restore(work: Work, event: RestoreOffsets | ResetOffsets) -> None:
    """An operation: restore or reset offsets. Members would continue from their own positions and
    commit over it, so there must be none; new ones that wait have none yet."""
    if work.row.state != EMPTY or not work.has_row:
        detail = "the group has members; stop them first" if work.has_row else "the group is gone"
        work.refused(event.operation_id, detail)
    elif event.obstacle:
        work.refused(event.operation_id, event.obstacle)
    elif isinstance(event, ResetOffsets):
        _reset(work, event)
    else:
        _restore(work, event)


def _reset(work: Work, event: ResetOffsets) -> None:
    """Set the offsets; pending ones of transactions do not overwrite them."""
    if not event.offsets and not event.gone:
        detail = f"no offset had to be set {event.how}"
        work.operated(event.operation_id, ErrorCode.NONE, detail, changed=False)
        return
    _set(work, event.offsets)
    for at in event.gone:
        work.offset_deletes[at] = None
        work.offsets.pop(at, None)
        pending.forget(work.pending, at)
    partitions = [*((write.topic, write.partition) for write in event.offsets), *event.gone]
    _note(
        work,
        EntryKind.OFFSETS_ALTERED,
        OPERATOR,
        event.reason,
        partitions,
        user(event.actor),
        how=event.how,
        offsets=len(partitions),
        after=_by_topic(event.offsets),
    )
    were = "1 offset was" if len(partitions) == 1 else f"{len(partitions)} offsets were"
    work.operated(event.operation_id, ErrorCode.NONE, f"{were} set {event.how}")


def _restore(work: Work, event: RestoreOffsets) -> None:
    if not event.offsets:
        detail = f"the history has no offset at {event.to}"
        work.operated(event.operation_id, ErrorCode.NONE, detail, changed=False)
        return
    _set(work, event.offsets)
    reason = f"{event.actor} took them back to {event.to}: {event.reason}"
    _note(
        work,
        EntryKind.OFFSETS_RESTORED,
        OPERATOR,
        reason,
        [(write.topic, write.partition) for write in event.offsets],
        user(event.actor),
        offsets=len(event.offsets),
        after=_by_topic(event.offsets),
    )
    count = len(event.offsets)
    are = "1 offset is as it was" if count == 1 else f"{count} offsets are as they were"
    detail = f"{are} at {event.to}"
    work.operated(event.operation_id, ErrorCode.NONE, detail)


def delete_group(work: Work, event: DeleteGroup) -> None:
    """Delete a group without members, with its offsets (KIP-229)."""
    if not work.is_there:
        raise Refuse(ErrorCode.GROUP_ID_NOT_FOUND)
    if work.has_members:
        raise Refuse(ErrorCode.NON_EMPTY_GROUP)
    _delete_group(work, event.trigger, event.reason, event.author)
    work.answer(event.ticket, Deleted())


def _delete_group(
    work: Work, trigger: str, reason: str, author: AuthorDetails | None = None
) -> None:
    if work.has_row:
        kind, protocol_type = EntryKind.GROUP_DELETED, work.row.protocol_type
        _note(work, kind, trigger, reason, All.OFFSETS, author, protocol_type=protocol_type)
    work.forget_group()


WHY_NOT: Final[Mapping[ErrorCode, str]] = {
    ErrorCode.GROUP_ID_NOT_FOUND: "the group is gone",
    ErrorCode.NON_EMPTY_GROUP: "the group has members; stop them first",
}


def remove_group(work: Work, event: RemoveGroup) -> None:
    """The same as an operation, which gets the result."""
    by = user(event.actor)
    try:
        delete_group(work, DeleteGroup(author=by, trigger=OPERATOR, reason=event.reason))
    except Refuse as refusal:
        detail = refusal.detail or WHY_NOT.get(refusal.code, refusal.code.name)
        work.operated(event.operation_id, refusal.code, detail)
    else:
        work.operated(event.operation_id, ErrorCode.NONE, "the group was deleted")


HANDLERS: Final[Handlers[Work]] = {
    OffsetDelete: delete_offsets,
    DeleteGroup: delete_group,
    RemoveGroup: remove_group,
    ExpireOffsets: expire,
    RestoreOffsets: restore,
    ResetOffsets: restore,
}
"""The rules that are the same for every kind; its own are who may commit."""
