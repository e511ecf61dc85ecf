"""The effect of a batch of ``groups.store.apply`` on the modelled rows: the guard, and the writes.

The guard here is the model of ``rollcall_guard``; tests/store shows with real connections that the
real one does the same.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import psycopg

from groups.core import commands
from groups.core.commanded.work import KIND as COMMANDED
from groups.core.draft.work import KIND as DRAFT
from groups.core.events import OffsetWrite
from groups.core.journal import EntryKind, Trigger
from groups.core.rows import Durable, MemberRow, slot_of
from groups.core.values import may_differ
from groups.postgres.errors import (
    Busy,
    Conflict,
    Contended,
    Fenced,
    StatementRefused,
    StoreError,
    Unknown,
)
from groups.store.apply import Batch, Write
from groups.store.offset_rows import USUAL
from proof.simulation import offset_rows, transaction_rows
from proof.simulation.connections import Connection
from proof.simulation.locks import EXCLUSIVE, SHARE
from proof.simulation.postgres import Database, Operation, Transaction
from proof.simulation.world import SECOND


@dataclass(slots=True)
class Guard:
    """What the guard checks; a saboteur changes a field, the product has these."""

    slot_lock: str = SHARE
    checks_epoch: bool = True
    checks_revision: bool = True
    raises: bool = True


GUARD = Guard()

INDEX_BYTES_MAX: Final = 2_704
"""The maximum size of a B-tree entry (PostgreSQL's BTMaxItemSize of pages of 8 KiB)."""

INT64: Final = range(-(1 << 63), 1 << 63)

ENDS: Final = (EntryKind.REBALANCE_COMPLETED, EntryKind.EMPTIED)
"""Entries of a round's end, which also name members that did not rejoin in time. In a draft group
this is how a silent consumer is removed."""

EXPIRED: Final = Trigger.SESSION_EXPIRED
FAILED: Final = EntryKind.CONSUMER_REBALANCE_FAILED


async def apply(connection: Connection, batch: Batch) -> None:
    """``groups.store.apply.apply`` over modelled rows: one message, one outcome, or an unknown
    one."""
    try:
        verdict = await _whole_or_in_parts(connection, batch)
    except psycopg.OperationalError as error:
        raise Unknown(str(error)) from error
    if isinstance(verdict, StoreError):
        raise verdict


async def _whole_or_in_parts(connection: Connection, batch: Batch) -> StoreError | None:
    weather, rng = connection.database.weather, connection.database.world.rng
    verdict: StoreError | None
    if batch.inside is None or not weather.parts_share or rng.random() >= weather.parts_share:
        verdict = await connection.run(write_batch, batch)
        return verdict
    async with connection.transaction():
        verdict = await connection.run(write_batch, batch)
        if verdict is not None:
            raise verdict
        await batch.inside()
    return None


def write_batch(db: Database, transaction: Transaction, batch: Batch) -> Operation:
    """Run the guard, and write at the commit. Returns the StoreError that the guard raised, or
    None."""
    epochs = {slot_of(group_id): -1 for group_id in _revisions(batch)}
    epochs |= {slot: epoch for slot, epoch in batch.epochs.items() if slot in epochs}
    for slot in sorted(epochs):
        if not (yield ("lock", ("slot", slot), GUARD.slot_lock)):
            return _refused(db, transaction, Contended("a slot"))
    stale = {s for s, e in epochs.items() if db.slots[s].epoch != e}
    wrong = stale if GUARD.checks_epoch else set()
    if stale:
        db.world.record("seen", what="late write")
    if wrong and GUARD.raises:
        db.world.record("seen", what="fenced")
        return _refused(db, transaction, Fenced("epoch"))
    refusal = yield from _lock_groups(db, transaction, batch)
    if refusal is not None and GUARD.raises:
        return _refused(db, transaction, refusal)
    if not (yield from transaction_rows.lock(db, batch.writes)):
        return _refused(db, transaction, Contended("a row of a transaction"))
    if _is_impossible(batch):
        return _refused(db, transaction, StatementRefused("a value that no row can hold"))
    yield ("wait", time_of_work(db))
    for write in sorted(batch.writes, key=lambda w: w.group_id):
        slot = slot_of(write.group_id)
        only_offsets = slot in wrong or refusal is not None
        effect = partial(_write, db, write, epochs[slot], only_offsets=only_offsets)
        transaction.effects.append(effect)
    transaction.effects.append(partial(_write_plain, db, batch, epochs))
    return None


def _revisions(batch: Batch) -> dict[str, int]:
    """The groups of the batch, in key order, with the revisions that they should have."""
    found = {write.group_id: write.before.revision for write in batch.writes}
    assert not found.keys() & batch.plain.revisions.keys(), "a group is in a batch twice"
    return dict(sorted({**found, **batch.plain.revisions}.items()))


def _write_plain(db: Database, batch: Batch, epochs: Mapping[int, int]) -> None:
    """The rows that no decision of the batch has."""
    for group_id, write in _plain(batch):
        slot = slot_of(group_id)
        under = {"slot": slot, "epoch": epochs[slot]}
        offset_rows.put(db, (group_id, write.topic, write.partition), write, under)


def _plain(batch: Batch) -> Iterator[tuple[str, OffsetWrite]]:
    """By group, as PostgreSQL reads them: columns of runs are literals of arrays."""
    for group_id, topic, partition, offset, epoch, metadata, *_ in batch.plain.rows:
        yield group_id, OffsetWrite(topic, partition, offset, epoch, metadata)
    for run in batch.plain.runs:
        size = len(run.offsets)
        columns = (
            _read(run.partitions, "int4"),
            run.offsets,
            _read(run.leader_epochs, "int4") or [USUAL["leader_epoch"]] * size,
            _read(run.metadata, "text") or [USUAL["metadata"]] * size,
        )
        for at in zip(*columns, strict=True):
            yield run.group_id, OffsetWrite(run.topic, *at)


def _read(literal: str | list[Any] | None, of: str) -> list[Any]:
    """The array that a literal is; of none it is empty, and a list is PostgreSQL's as it is."""
    if not isinstance(literal, str):
        return literal or []
    oid = psycopg.adapters.types[of].array_oid
    loader = psycopg.adapters.get_loader(oid, psycopg.pq.Format.TEXT)
    assert loader is not None
    read: list[Any] = loader(oid).load(literal.encode("utf-8", "surrogatepass"))
    return read


def _is_impossible(batch: Batch) -> bool:
    plain = [(each.topic + each.metadata, each.offset) for _, each in _plain(batch)]
    return any(
        _impossible_members(write) or _has_impossible_offsets(write) for write in batch.writes
    ) or any("\0" in text or offset not in INT64 for text, offset in plain)


def _impossible_members(write: Write) -> tuple[str, ...]:
    """The members whose rows have values that a text, or an index, cannot hold."""
    before, after = write.before.members, write.decision.group.durable.members
    if after is before or write.decision.deleted:
        return ()
    rows = [after[key] for key in may_differ(before, after) if key in after]
    return tuple(
        row.member_id
        for row in rows
        if before.get(row.member_id) is not row and not _is_storable(row)
    )


def _is_storable(row: MemberRow) -> bool:
    key = (row.member_id, row.instance_id or "")
    texts = (*key, row.client_id, row.client_host, json.dumps(dict(row.details)))
    return (
        not any("\0" in text or "\\u0000" in text for text in texts)
        and max(len(name.encode()) for name in key) <= INDEX_BYTES_MAX
    )


def _has_impossible_offsets(write: Write) -> bool:
    decision = write.decision
    writes = (*decision.offsets, *(waiting.write for waiting in decision.pending))
    return any("\0" in w.topic + w.metadata or w.offset not in INT64 for w in writes)


def refused_members(db: Database, transaction: Transaction, write: Write) -> Operation:
    """``groups.store.blame.refused_members``: whose rows would be rejected."""
    yield ("wait", time_of_work(db))
    return _impossible_members(write)


def _refused(db: Database, transaction: Transaction, error: StoreError) -> StoreError:
    db.abort(transaction)
    return error


def time_of_work(db: Database) -> int:
    weather, rng = db.weather, db.world.rng
    if weather.stall_share and rng.random() < weather.stall_share:
        return int(rng.uniform(0, weather.stall) * SECOND)
    return int(weather.work * rng.uniform(0.5, 2) * SECOND)


def _lock_groups(db: Database, transaction: Transaction, batch: Batch) -> Operation:
    held, changed = [], []
    for group_id, revision in _revisions(batch).items():
        row, key = db.groups.get(group_id), ("group", group_id)
        if not db.locks.is_free(key, transaction, EXCLUSIVE):
            held.append(group_id)
            continue
        yield ("lock", key, EXCLUSIVE)
        if (row.revision if row else 0) != revision and GUARD.checks_revision:
            changed.append(group_id)
    if changed:
        return Conflict(changed)
    return Busy(held) if held else None


def _write(db: Database, write: Write, epoch: int, *, only_offsets: bool) -> None:
    """Write one group's rows, at the instant of the commit, and record them in the history."""
    decision, group_id = write.decision, write.group_id
    under = {"slot": slot_of(group_id), "epoch": epoch}
    if not only_offsets:
        if decision.deleted:
            _delete(db, group_id, under)
        elif write.changes_membership:
            _put_group(db, write, under)
        _journal(db, write)
        _operations(db, write)
    transaction_rows.change(db, write)
    if decision.deleted:
        return
    for offset in decision.offsets:
        offset_rows.put(db, (group_id, offset.topic, offset.partition), offset, under)
    for topic, partition in decision.offset_deletes:
        offset_rows.drop(db, (group_id, topic, partition), under)


def _put_group(db: Database, write: Write, under: Mapping[str, int]) -> None:
    after, group_id = write.decision.group.durable, write.group_id
    stored = db.groups.get(group_id)
    revision = (stored.revision if stored else 0) + 1
    if stored is None or stored.group.state != after.group.state:
        db.state_since[group_id] = db.wall
    # Rows that the batch does not name stay: another's change is not undone.
    members = dict(stored.members) if stored else {}
    for member_id in write.before.members:
        if member_id not in after.members:
            members.pop(member_id, None)
    for member_id, member in after.members.items():
        if write.before.members.get(member_id) is not member:
            members[member_id] = member
    db.groups[group_id] = Durable(after.group, members, revision)
    db.world.record(
        "row",
        table="group",
        group=group_id,
        kind=after.group.kind,
        generation=after.group.generation,
        revision=revision,
        seen=write.before.revision,
        state=after.group.state,
        members={m: members[m].instance_id for m in sorted(members)},
        **under,
    )


def _delete(db: Database, group_id: str, under: Mapping[str, int]) -> None:
    db.groups.pop(group_id, None)
    for place in [p for p in db.offsets if p[0] == group_id]:
        offset_rows.drop(db, place, under)
    db.world.record("row", table="deleted", group=group_id, **under)


def _journal(db: Database, write: Write) -> None:
    before, after = write.before.members, write.decision.group.durable.members
    for member in sorted(SILENT.get(write.decision.group.durable.group.kind, _silent)(write)):
        if member in before and member not in after:
            db.world.record(
                "row", table="removed", group=write.group_id, member=member, trigger=EXPIRED
            )


def _silent(write: Write) -> set[str]:
    """The members that an entry names as silent."""
    entries = [e for e in write.decision.journal if e.trigger == EXPIRED and e.kind not in ENDS]
    return {member for e in entries for member in (*e.left, e.member_id) if member}


def _silent_in_draft(write: Write) -> set[str]:
    """A round's end names them, whatever caused it."""
    return {member for e in write.decision.journal if e.kind in ENDS for member in e.left}


def _silent_in_commanded(write: Write) -> set[str]:
    """A removed consumer was silent, unless it was expelled: no other consumer is removed without
    leaving."""
    before = write.before.members
    expelled = {member for member, row in before.items() if commands.is_expelled(row)}
    failed = {m for e in write.decision.journal if e.kind == FAILED for m in e.left}
    return before.keys() - expelled - failed


SILENT: Final[Mapping[str, Callable[[Write], set[str]]]] = {
    DRAFT: _silent_in_draft,
    COMMANDED: _silent_in_commanded,
}
"""Members that may have been removed because of silence, for kinds that record it differently."""


def _operations(db: Database, write: Write) -> None:
    for operated in write.decision.operations:
        row = db.operations.get(operated.operation_id)
        if row is not None:
            row.state = "ended" if operated.ended else "running"
