"""Transactional offsets in an owner's batch: which rows to lock, delete, mark and insert.

Pure, a part of the statements of ``groups.store.apply``. The last write to a partition counts,
whether it is a plain commit or part of a transaction, and whenever that ends, as in Kafka's log,
where the later position counts and not the later commit marker. So a plain commit marks pending
offsets of its partition *before* it writes its own: the end of a transaction locks the pending rows
first, and so either sees the mark or is seen by the commit.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from groups.core.events import Author, PendingWrite
from groups.core.group import Decision
from groups.postgres.array_literals import Statement, in_order
from groups.store.offset_rows import OFFSET_COLUMNS
from groups.store.sql import transactions as sql

KEY = ("group_id", "topic", "partition")
COLUMNS = (
    "producer_id",
    "epoch",
    *OFFSET_COLUMNS,
    "superseded",
    *Author._fields,
)

NOBODY = (None,) * len(Author._fields)


class Part(NamedTuple):
    """The decision about one group that may have pending transactional offsets."""

    group_id: str
    decision: Decision


Keys = list[tuple[str, str, int]]


def locks(parts: Sequence[Part]) -> Iterator[Statement]:
    """Statements before all others: lock producers, then pending offsets."""
    ids = {w.producer_id for part in parts for w in part.decision.pending}
    if ids:
        yield sql.LOCK_PRODUCERS, {"producer_ids": sorted(ids)}
    deleted = [part.group_id for part in parts if part.decision.deleted]
    keys = in_order({*_deleted(parts), *_committed(parts), *_put(parts)})
    if deleted or keys:
        group_ids = [part.group_id for part in parts]
        where = {"group_ids": group_ids, "deleted": deleted}
        yield sql.LOCK_PENDING, {**where, **_columns(KEY, keys)}


def changes(parts: Sequence[Part]) -> Iterator[Statement]:
    """Changes of pending offsets, before those of committed ones. Groups that are deleted lose
    theirs with everything else."""
    kept = [part for part in parts if not part.decision.deleted]
    if gone := _deleted(kept):
        yield sql.DROP_PENDING, _columns(KEY, gone)
    if overtaken := _committed(kept):
        yield sql.SUPERSEDE, _columns(KEY, overtaken)
    # In the order of their requests, not of keys: the later of two counts. ``locks`` has the locks.
    rows = [_row(part.group_id, w) for part in kept for w in part.decision.pending]
    if rows:
        yield sql.PUT_PENDING, _columns(COLUMNS, rows)


def _row(group_id: str, pending: PendingWrite) -> tuple[Any, ...]:
    write = pending.write
    key = (pending.producer_id, pending.producer_epoch, group_id)
    return (*key, *write[:5], pending.is_superseded, *(write.author or NOBODY))


def _deleted(parts: Sequence[Part]) -> Keys:
    return [(part.group_id, *at) for part in parts for at in part.decision.offset_deletes]


def _committed(parts: Sequence[Part]) -> Keys:
    return [(p.group_id, w.topic, w.partition) for p in parts for w in p.decision.offsets]


def _put(parts: Sequence[Part]) -> Keys:
    return [
        (p.group_id, w.write.topic, w.write.partition) for p in parts for w in p.decision.pending
    ]


def _columns(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Mapping[str, list[Any]]:
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}
