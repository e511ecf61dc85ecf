"""What the product's statements do to the modelled rows: the SQL that they stand for, in Python.

One function for each statement that a node sends, in a table by the statement's own text, and
``apply`` for the batch of ``groups.store.apply``. The guard here is the model of
``rollcall_guard``; that the real one does the same is shown with real connections in tests/store.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final
from uuid import UUID

import psycopg

from groups.core.commanded import thread_offers
from groups.core.commanded.work import KIND as COMMANDED
from groups.core.draft.work import KIND as DRAFT
from groups.core.journal import EntryKind, Trigger
from groups.core.rows import Durable, MemberRow, slot_of
from groups.core.shared import may_differ
from groups.postgres import timeline_sql
from groups.postgres.errors import (
    Busy,
    Conflict,
    Contended,
    Fenced,
    Refused,
    StoreError,
    Unknown,
)
from groups.store.apply import Batch, Write
from groups.store.sql import group_rows, offset_operations
from groups.store.sql import slots as sql_slots
from groups.store.sql.sweeps import NOTE_SLOTS
from proof.simulation import offset_rows, transaction_rows
from proof.simulation.locks import EXCLUSIVE, SHARE
from proof.simulation.postgres import (
    Connection,
    Database,
    Meaning,
    NodeRecord,
    Operation,
    Transaction,
)
from proof.simulation.world import SECOND


@dataclass(slots=True)
class Guard:
    """How the guard judges; a saboteur changes a field, the product has these."""

    slot_lock: str = SHARE
    checks_epoch: bool = True
    checks_revision: bool = True
    raises: bool = True


GUARD = Guard()

INDEX_BYTES_MAX: Final = 2_704
"""What an entry of a B-tree may have (PostgreSQL's BTMaxItemSize of pages of 8 KiB)."""

INT64: Final = range(-(1 << 63), 1 << 63)

ENDS: Final = (EntryKind.REBALANCE_COMPLETED, EntryKind.EMPTIED)
"""Entries of a round's end, which name also those who did not join again in time. In a group of
the draft that is how a silent consumer goes."""

EXPIRED: Final = Trigger.SESSION_EXPIRED
FAILED: Final = EntryKind.CONSUMER_REBALANCE_FAILED


async def apply(connection: Connection, batch: Batch) -> None:
    """``groups.store.apply.apply`` over modelled rows: one message, one outcome, or none known."""
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
    """Guard, and write at the commit. Returns the StoreError that the guard raised, or None."""
    epochs = {slot_of(w.group_id): -1 for w in batch.writes}
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
    if any(_impossible_members(write) or _has_impossible_offsets(write) for write in batch.writes):
        return _refused(db, transaction, Refused("a value that no row can hold"))
    yield ("wait", _work(db))
    for write in sorted(batch.writes, key=lambda w: w.group_id):
        slot = slot_of(write.group_id)
        only_offsets = slot in wrong or refusal is not None
        effect = partial(_write, db, write, epochs[slot], only_offsets=only_offsets)
        transaction.effects.append(effect)
    return None


def _impossible_members(write: Write) -> tuple[str, ...]:
    """The members that are to be written with what text, or an index, cannot hold."""
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
    """``groups.store.blame.refused_members``: whose rows would be refused."""
    yield ("wait", _work(db))
    return _impossible_members(write)


def _refused(db: Database, transaction: Transaction, error: StoreError) -> StoreError:
    db.abort(transaction)
    return error


def _work(db: Database) -> int:
    weather, rng = db.weather, db.world.rng
    if weather.stall_share and rng.random() < weather.stall_share:
        return int(rng.uniform(0, weather.stall) * SECOND)
    return int(weather.work * rng.uniform(0.5, 2) * SECOND)


def _lock_groups(db: Database, transaction: Transaction, batch: Batch) -> Operation:
    held, changed = [], []
    for write in sorted(batch.writes, key=lambda w: w.group_id):
        row, key = db.groups.get(write.group_id), ("group", write.group_id)
        if not db.locks.is_free(key, transaction, EXCLUSIVE):
            held.append(write.group_id)
            continue
        yield ("lock", key, EXCLUSIVE)
        if (row.revision if row else 0) != write.before.revision and GUARD.checks_revision:
            changed.append(write.group_id)
    if changed:
        return Conflict(changed)
    return Busy(held) if held else None


def _write(db: Database, write: Write, epoch: int, *, only_offsets: bool) -> None:
    """One group's rows, at the instant of the commit, and what the history tells of them."""
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
    # What the batch does not name stays: a row that another has changed is not undone.
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
    """Who is named as one that was not heard of."""
    entries = [e for e in write.decision.journal if e.trigger == EXPIRED and e.kind not in ENDS]
    return {member for e in entries for member in (*e.left, e.member_id) if member}


def _silent_in_draft(write: Write) -> set[str]:
    """A round's end names them, whatever began it."""
    return {member for e in write.decision.journal if e.kind in ENDS for member in e.left}


def _silent_in_commanded(write: Write) -> set[str]:
    """Whoever goes was silent, but for those who are expelled: nothing else takes one out that
    has not said goodbye."""
    before = write.before.members
    expelled = {member for member, row in before.items() if thread_offers.is_expelled(row)}
    failed = {m for e in write.decision.journal if e.kind == FAILED for m in e.left}
    return before.keys() - expelled - failed


SILENT: Final[Mapping[str, Callable[[Write], set[str]]]] = {
    DRAFT: _silent_in_draft,
    COMMANDED: _silent_in_commanded,
}
"""Who may have gone for its silence, by kinds that tell it in a way of their own."""


def _operations(db: Database, write: Write) -> None:
    for operated in write.decision.operations:
        row = db.operations.get(operated.operation_id)
        if row is not None:
            row.state = "ended" if operated.ended else "running"


# -- nodes and slots


def _lock_node(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    session, node_id = transaction.session, given["node_id"]
    holder = db.advisory.setdefault(node_id, session)
    if holder is session:
        session.advisory.add(node_id)
    return [(holder is session,)]


def _node_is_locked(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    return [(given["node_id"] in db.advisory,)]


def _register(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    known = db.nodes.get(given["node_id"])
    beat = known.beat + 1 if known else 1
    db.nodes[given["node_id"]] = NodeRecord(
        given["incarnation"], beat, given["host"], given["port"], given["lease_ms"]
    )
    return [(beat,)]


def _beat(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    row = db.nodes.get(given["node_id"])
    if row is None or row.incarnation != given["incarnation"]:
        return []
    row.beat += 1
    return [(row.beat, db.world.now)]


def _nodes(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    return [
        (node_id, row.incarnation, row.beat, row.host, row.port, 0, row.lease_ms, row.takes_slots)
        for node_id, row in sorted(db.nodes.items())
    ]


def _take_slots(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    for row in db.nodes.values():
        if row.incarnation == given["incarnation"]:
            row.takes_slots = given["takes_slots"]
    return []


def _slots(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    return [
        (slot, row.node_id, row.incarnation, row.epoch) for slot, row in sorted(db.slots.items())
    ]


def _claim(db: Database, transaction: Transaction, given: Any) -> Operation:
    taken = []
    for slot, seen in sorted(zip(given["slots"], given["epochs"], strict=True)):
        if db.slots[slot].epoch != seen:
            continue
        yield from _exclusively(slot)
        if db.slots[slot].epoch == seen:
            taken.append(slot)
    found = [(slot, db.slots[slot].epoch + 1) for slot in taken]
    owner = (given["node_id"], given["incarnation"])
    transaction.effects.append(lambda: _own(db, taken, *owner))
    return found


def _release(db: Database, transaction: Transaction, given: Any) -> Operation:
    mine = []
    for slot in sorted(set(given["slots"]) & db.slots.keys()):
        if db.slots[slot].incarnation != given["incarnation"]:
            continue
        yield from _exclusively(slot)
        if db.slots[slot].incarnation == given["incarnation"]:
            mine.append(slot)
    transaction.effects.append(lambda: _own(db, mine, None, None))
    return [(slot,) for slot in mine]


def _exclusively(slot: int) -> Operation:
    if not (yield ("lock", ("slot", slot), EXCLUSIVE)):
        raise psycopg.errors.LockNotAvailable("a slot is held by a batch")


def _own(db: Database, slots: list[int], node_id: int | None, incarnation: Any) -> None:
    for slot in slots:
        row = db.slots[slot]
        row.node_id, row.incarnation, row.epoch = node_id, incarnation, row.epoch + 1
        db.world.record("row", table="slot", slot=slot, epoch=row.epoch, node=node_id)


def _unregister(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)

    def gone() -> None:
        for node_id, row in list(db.nodes.items()):
            if row.incarnation == given["incarnation"]:
                del db.nodes[node_id]

    transaction.effects.append(gone)
    return []


def _ring(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    transaction.effects.append(db.rang)
    return []


def _nothing(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    return []


def _up_ms(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    return [((db.wall - db.started_wall) // 1_000,)]


def _read_timeline(db: Database, transaction: Transaction, given: Any) -> Operation:
    """Its time never goes back."""
    yield ("wait", 0)
    row = db.nodes.get(given["node_id"])
    server, history = (1, 1, db.started_wall, db.world.now), (1, 1, UUID(int=0), None, 0)
    return [(*server, *history, row.beat if row else None)]


def _lost(db: Database, transaction: Transaction, given: Any) -> Operation:
    """Its time never goes back, so that whoever misses something is mistaken."""
    yield ("wait", 0)
    columns = ("slots", "epochs", "group_ids", "revisions", "may_be_gone")
    for slot, epoch, group_id, revision, may_be_gone in zip(
        *(given[name] for name in columns), strict=True
    ):
        there, group = db.slots[slot].epoch, db.groups.get(group_id)
        if there < epoch:
            return [(slot,)]
        if there > epoch or (group is None and may_be_gone):
            continue
        if (0 if group is None else group.revision) < revision:
            return [(slot,)]
    return []


# -- groups, offsets and operations


def load_slots(db: Database, transaction: Transaction, slots: Any) -> Operation:
    """Every group of the slots, as one snapshot."""
    yield ("wait", _work(db))
    return {g: db.loaded(g) for g in sorted(db.groups) if slot_of(g) in slots}


def load_groups(db: Database, transaction: Transaction, group_ids: Any) -> Operation:
    """Those of the groups that have rows, as one snapshot."""
    yield ("wait", _work(db))
    return {g: db.loaded(g) for g in group_ids if g in db.groups}


def _raise_revisions(db: Database, transaction: Transaction, given: Any) -> Operation:
    """What was sent before and comes late meets another revision; who is held is told."""
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
    yield ("wait", _work(db))
    return [
        (topic, partition, row.offset, row.leader_epoch, row.metadata)
        for (group, topic, partition), row in sorted(db.offsets.items())
        if group == given["group_id"]
    ]


def _pending_operations(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    return [
        (id_, row.group_id, row.verb, "", "simulated", "operator", None, None)
        for id_, row in sorted(db.operations.items())
        if row.state == "pending" and row.slot in given["slots"]
    ]


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


MEANINGS: Final[Mapping[bytes, Meaning]] = {
    text.encode(): meaning
    for text, meaning in {
        sql_slots.LOCK_NODE: _lock_node,
        sql_slots.NODE_IS_LOCKED: _node_is_locked,
        sql_slots.REGISTER: _register,
        sql_slots.BEAT: _beat,
        sql_slots.NODES: _nodes,
        sql_slots.TAKE_SLOTS: _take_slots,
        sql_slots.SLOTS: _slots,
        sql_slots.CLAIM: _claim,
        sql_slots.RELEASE: _release,
        sql_slots.UNREGISTER: _unregister,
        sql_slots.RING: _ring,
        NOTE_SLOTS: _nothing,
        sql_slots.SERVER_UP_MS: _up_ms,
        timeline_sql.READ: _read_timeline,
        timeline_sql.LOST: _lost,
        sql_slots.PENDING_OPERATIONS: _pending_operations,
        group_rows.FETCH_OFFSETS: _fetch_offsets,
        group_rows.RAISE_REVISIONS: _raise_revisions,
        offset_operations.AGES: _ages,
        offset_operations.STATE_AGE: _state_age,
        **transaction_rows.MEANINGS,
    }.items()
}
