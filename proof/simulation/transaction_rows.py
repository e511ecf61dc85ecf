"""The effect of the statements of transactions on the modelled rows
(``groups.store.sql.transactions``).

Those in a group owner's batch (``lock``, ``change``), and one function for each of the others, in a
table by the statement's own text. A statement reads when it runs, with its locks; its writes become
visible when its transaction commits.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import psycopg

from groups.core.rows import slot_of
from groups.core.transactions import Producer, State
from groups.store.apply import Write
from groups.store.sql import group_rows
from groups.store.sql import transactions as txn
from proof.simulation import offset_rows
from proof.simulation.locks import EXCLUSIVE, SHARE
from proof.simulation.offset_rows import Place
from proof.simulation.postgres import Database, Meaning, Operation, Transaction
from proof.simulation.records import PendingKey, PendingRecord, ProducerRecord
from proof.simulation.world import MS


class EpochDiffers(psycopg.errors.RaiseException):
    """The error that the guard raises."""

    sqlstate = "RC001"


# -- in the batches of a group's owner


def lock(db: Database, writes: Iterable[Write]) -> Operation:
    """``groups.store.transactional_offsets.locks``: producers, then waiting offsets. False: one is
    locked."""
    writes = [write for write in writes if write.has_pending]
    ids = {put.producer_id for write in writes for put in write.decision.pending}
    for name, row in sorted(db.producers.items()):
        if row.producer.producer_id in ids and not (yield ("lock", ("producer", name), SHARE)):
            return False
    for place in sorted({place for write in writes for place in _places(db, write)}):
        if _waiting_at(db, place) and not (yield ("lock", ("pending", place), EXCLUSIVE)):
            return False
    return True


def _places(db: Database, write: Write) -> list[Place]:
    decision, group_id = write.decision, write.group_id
    if decision.deleted:
        return [key[1:] for key in db.pending if key[1] == group_id]
    puts = [waiting.write for waiting in decision.pending]
    named = [(w.topic, w.partition) for w in (*decision.offsets, *puts)]
    return [(group_id, *part) for part in (*decision.offset_deletes, *named)]


def _waiting_at(db: Database, place: Place) -> list[PendingKey]:
    return [key for key in db.pending if key[1:] == place]


def change(db: Database, write: Write) -> None:
    """``groups.store.transactional_offsets.changes``: apply or delete waiting offsets, before the
    committed ones."""
    decision, group_id = write.decision, write.group_id
    if decision.deleted:
        for key in [key for key in db.pending if key[1] == group_id]:
            del db.pending[key]
    if decision.deleted or not write.has_pending:
        return
    for part in decision.offset_deletes:
        for key in _waiting_at(db, (group_id, *part)):
            del db.pending[key]
    for plain in decision.offsets:
        for key in _waiting_at(db, (group_id, plain.topic, plain.partition)):
            db.pending[key].superseded = True
    for waiting in decision.pending:
        if _is_open(db, waiting.producer_id, waiting.producer_epoch, group_id):
            db.places += 1
            put = waiting.write
            key = (waiting.producer_id, group_id, put.topic, put.partition)
            db.pending[key] = PendingRecord(put, db.places, waiting.is_superseded)


def _is_open(db: Database, producer_id: int, epoch: int, group_id: str) -> bool:
    """Whether the producer's transaction is open, and includes the group."""
    for name, row in db.producers.items():
        producer = row.producer
        if (producer.producer_id, producer.epoch) == (producer_id, epoch):
            return producer.state is State.ONGOING and group_id in db.txn_groups.get(name, ())
    return False


def groups_with_pending(db: Database, transaction: Transaction, slots: Any) -> Operation:
    """The groups of the slots that have waiting offsets."""
    yield ("wait", 0)
    return {group_id for _, group_id, _, _ in db.pending if slot_of(group_id) in slots}


# -- producers


def _lock_producer(db: Database, transaction: Transaction, given: Any) -> Operation:
    name = given["transactional_id"]
    if name in db.producers:
        yield from _exclusively(("producer", name))
    row = db.producers.get(name)
    return [] if row is None else [(*_columns(row.producer), _is_overdue(db, row))]


def _exclusively(key: tuple[str, object]) -> Operation:
    if not (yield ("lock", key, EXCLUSIVE)):
        raise psycopg.errors.LockNotAvailable("a row is held by another transaction")


def _columns(producer: Producer) -> tuple[Any, ...]:
    return (
        producer.transactional_id,
        producer.producer_id,
        producer.epoch,
        producer.timeout_ms,
        producer.state.value,
        producer.last_epoch,
        producer.previous_id,
    )


def _is_overdue(db: Database, row: ProducerRecord) -> bool:
    if row.started is None or row.producer.state is not State.ONGOING:
        return False
    return row.started + row.producer.timeout_ms * MS < db.wall


def _find_producer(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    name = given["transactional_id"]
    row = db.producers.get(name)
    if row is None:
        return []
    return [(*_columns(row.producer), given["group_id"] in db.txn_groups.get(name, ()))]


def _draw_producer_id(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    db.producer_ids += 1  # a sequence never takes a number back
    return [(db.producer_ids,)]


def _new_producer(db: Database, transaction: Transaction, given: Any) -> Operation:
    name = given["transactional_id"]
    yield from _exclusively(("producer", name))
    if name in db.producers:
        return []
    transaction.effects.append(partial(_write_producer, db, given))
    return [()]


def _put_producer(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    transaction.effects.append(partial(_write_producer, db, given))
    return [()]


def _write_producer(db: Database, given: Mapping[str, Any]) -> None:
    name, state = given["transactional_id"], State(given["state"])
    facts = ("producer_id", "epoch", "timeout_ms", "last_epoch", "previous_id")
    producer = Producer(transactional_id=name, state=state, **{fact: given[fact] for fact in facts})
    before = db.producers.get(name)
    started = None if state is not State.ONGOING else db.wall
    if started is not None and before is not None and before.producer.state is State.ONGOING:
        started = before.started
    db.producers[name] = ProducerRecord(producer, given["slot"], started)


def _add_group(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    name, group_id = given["transactional_id"], given["group_id"]
    transaction.effects.append(lambda: db.txn_groups.setdefault(name, set()).add(group_id))
    return [()]


def _overdue(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    rows = [
        (row.started, name)
        for name, row in db.producers.items()
        if row.slot in given["slots"] and _is_overdue(db, row)
    ]
    return [(name,) for _, name in sorted(rows)[: given["most"]]]


def _guard(db: Database, transaction: Transaction, given: Any) -> Operation:
    for slot, epoch in zip(given["slots"], given["epochs"], strict=True):
        if not (yield ("lock", ("slot", slot), SHARE)):
            raise psycopg.errors.LockNotAvailable("a slot")
        if db.slots[slot].epoch != epoch:
            raise EpochDiffers("epoch")
    return []


# -- the end of a transaction


def _own(db: Database, given: Any) -> Sequence[tuple[PendingKey, PendingRecord]]:
    wanted = given["producer_id"]
    return [(key, db.pending[key]) for key in sorted(db.pending) if key[0] == wanted]


def _lock_waiting(db: Database, transaction: Transaction, given: Any) -> Operation:
    for place in sorted({key[1:] for key, _ in _own(db, given)}):
        yield from _exclusively(("pending", place))
    return []


def _apply(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    standing = [(key[1:], row.write) for key, row in _own(db, given) if not row.superseded]
    for place, write in standing:
        transaction.effects.append(partial(offset_rows.put, db, place, write))
    return [() for _ in standing]


def _overtake(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    mine = [(key, row) for key, row in _own(db, given) if not row.superseded]
    for key, row in mine:
        for other in _waiting_at(db, key[1:]):
            if other != key and db.pending[other].place < row.place:
                transaction.effects.append(partial(_supersede, db, other))
    return []


def _supersede(db: Database, key: PendingKey) -> None:
    if key in db.pending:
        db.pending[key].superseded = True


def _drop(rows: dict[Any, Any], key: object) -> None:
    rows.pop(key, None)


def _drop_waiting(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    for key, _ in _own(db, given):
        transaction.effects.append(partial(_drop, db.pending, key))
    return []


def _drop_groups(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    name = given["transactional_id"]
    transaction.effects.append(partial(_drop, db.txn_groups, name))
    return []


def _nothing(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    return []


MEANINGS: Final[Mapping[str, Meaning]] = {
    group_rows.GUARD: _guard,
    txn.LOCK_PRODUCER: _lock_producer,
    txn.FIND_PRODUCER: _find_producer,
    txn.DRAW_PRODUCER_ID: _draw_producer_id,
    txn.NEW_PRODUCER: _new_producer,
    txn.PUT_PRODUCER: _put_producer,
    txn.ADD_GROUP: _add_group,
    txn.OVERDUE: _overdue,
    txn.LOCK_WAITING: _lock_waiting,
    txn.NOTE_HISTORY: _nothing,
    txn.APPLY: _apply,
    txn.OVERTAKE: _overtake,
    txn.DROP_WAITING: _drop_waiting,
    txn.DROP_GROUPS: _drop_groups,
}
