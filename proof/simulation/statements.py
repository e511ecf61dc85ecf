"""The effect of the product's statements on the modelled rows: their SQL, in Python.

One function for each statement that a node sends, in a table by the statement's own text. Batches
are in ``batches``.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from groups.core.rows import slot_of
from groups.store.sql import group_rows, offset_operations
from groups.store.sql import slots as sql_slots
from proof.simulation import notes, slot_statements, transaction_rows
from proof.simulation.batches import time_of_work
from proof.simulation.locks import EXCLUSIVE, SHARE
from proof.simulation.postgres import Database, Meaning, Operation, Transaction


def load_slots(db: Database, transaction: Transaction, slots: Any) -> Operation:
    """Every group of the slots, as one snapshot."""
    yield ("wait", time_of_work(db))
    return {g: db.loaded(g) for g in db.groups_of(slots)}


def load_groups(db: Database, transaction: Transaction, group_ids: Any) -> Operation:
    """Those of the groups that have rows, as one snapshot."""
    yield ("wait", time_of_work(db))
    return {g: db.loaded(g) for g in group_ids if g in db.groups}


def _raise_revisions(db: Database, transaction: Transaction, given: Any) -> Operation:
    """So that late writes that were sent before fail at the revision check; returns groups that are
    locked."""
    epochs = dict(zip(given["slots"], given["epochs"], strict=True))
    for slot in sorted(epochs):
        yield ("lock", ("slot", slot), SHARE)
    held = []
    for group_id in given["group_ids"]:
        row, slot = db.groups.get(group_id), slot_of(group_id)
        if row is None or slot not in epochs or db.slots[slot].epoch != epochs[slot]:
            continue
        if not db.locks.is_free(("group", group_id), transaction, EXCLUSIVE):
            held.append((group_id,))
            continue
        yield ("lock", ("group", group_id), EXCLUSIVE)
        transaction.effects.append(partial(_raise_revision, db, group_id))
    return held


def _raise_revision(db: Database, group_id: str) -> None:
    row = db.groups.get(group_id)
    if row is not None:
        db.groups[group_id] = replace(row, revision=row.revision + 1)


def _fetch_offsets(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", time_of_work(db))
    return [
        (topic, partition, row.offset, row.leader_epoch, row.metadata)
        for (group, topic, partition), row in sorted(db.offsets.items())
        if group == given["group_id"]
    ]


NO_MORE = (None, None, None, None, None)
"""Columns of operations that are not simulated: an expected generation, a time, offsets, an end,
a trace."""


def _pending_operations(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    return [
        (id_, row.group_id, row.verb, "", "simulated", "operator", *NO_MORE)
        for id_, row in sorted(db.operations.items())
        if row.state == "pending" and row.slot in given["slots"]
    ]


def _is_pending(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    return [()] if db.operations[given["operation_id"]].state == "pending" else []


def _ages(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    waiting = {key[1:] for key in db.pending if key[1] == given["group_id"]}
    kept = {place: row.at for place, row in db.offsets.items() if place[0] == given["group_id"]}
    return [
        (*place[1:], max(0, db.wall - kept.get(place, db.wall)) // 1_000, None, place in waiting)
        for place in sorted(waiting | kept.keys())
    ]


def _state_age(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    since = db.state_since.get(given["group_id"])
    return [] if since is None else [(max(0, db.wall - since) // 1_000,)]


def _end_holders(db: Database, transaction: Transaction, given: Any) -> Operation:
    """Applications that hold a group's advisory lock are not simulated: none is ended."""
    yield ("wait", 0)
    return [(0,)]


MEANINGS: Final[Mapping[bytes, Meaning]] = {
    text.encode(): meaning
    for text, meaning in {
        sql_slots.PENDING_OPERATIONS: _pending_operations,
        group_rows.END_HOLDERS: _end_holders,
        group_rows.FETCH_OFFSETS: _fetch_offsets,
        group_rows.RAISE_REVISIONS: _raise_revisions,
        offset_operations.IS_PENDING: _is_pending,
        offset_operations.AGES: _ages,
        offset_operations.STATE_AGE: _state_age,
        **notes.MEANINGS,
        **slot_statements.MEANINGS,
        **transaction_rows.MEANINGS,
    }.items()
}
