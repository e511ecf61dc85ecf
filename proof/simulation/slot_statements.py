"""What the statements about nodes and slots do to the modelled rows."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final
from uuid import UUID

import psycopg

from groups.postgres import timeline_sql
from groups.store.sql import slots as sql_slots
from groups.store.sql.sweeps import NOTE_SLOTS
from proof.simulation.locks import EXCLUSIVE
from proof.simulation.postgres import Database, Meaning, Operation, Transaction
from proof.simulation.records import NodeRecord, SlotRecord
from proof.simulation.world import MS


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
    row = db.nodes[given["node_id"]] = NodeRecord(
        *(given["incarnation"], known.beat + 1 if known else 1),
        *(given["host"], given["port"], given["lease_ms"]),
        given["node_id"] not in db.drains,
        beat_at=db.wall,
        clock_ms=given["clock_ms"],
        steady_since=db.wall,
    )
    if known:
        _count_end(db, row, known, given["calm_ms"])
    return [(row.beat, row.unclean_ends)]


def _lost_slots(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    for row in db.nodes.values():
        if row.incarnation == given["incarnation"]:
            _count_end(db, row, row, given["calm_ms"])
            return [(row.unclean_ends,)]
    return []


def _count_end(db: Database, row: NodeRecord, known: NodeRecord, calm_ms: int) -> None:
    """``row`` goes on after ``known``."""
    is_calm = known.beat_at - known.steady_since > calm_ms * MS
    row.unclean_ends = 1 + (0 if is_calm else known.unclean_ends)
    row.takes_slots, row.steady_since = False, db.wall


def _end_service(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    node = db.nodes.get(given["node_id"])
    if node is not None and node.incarnation != given["incarnation"]:
        for slot, row in db.slots.items():
            is_free = db.locks.is_free(("slot", slot), transaction, EXCLUSIVE)
            if row.incarnation == node.incarnation and is_free:
                row.end(node)
    return []


def _beat(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    row = db.nodes.get(given["node_id"])
    if row is None or row.incarnation != given["incarnation"]:
        return []
    row.beat, row.beat_at = row.beat + 1, db.wall
    row.clock_ms = given["clock_ms"]
    return [(row.beat, db.world.now)]


def _nodes(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    return [
        (
            *(node_id, row.incarnation, row.beat, row.host, row.port, 0, row.lease_ms),
            *(row.takes_slots, (), node_id in db.drains),
        )
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
    transaction.effects.append(lambda: _end(db, taken))
    transaction.effects.append(lambda: _own(db, taken, *owner))
    return found


def _end(db: Database, slots: list[int]) -> None:
    beats = {node.incarnation: node for node in db.nodes.values()}
    for row in (db.slots[slot] for slot in slots):
        row.end(None if row.incarnation is None else beats.get(row.incarnation))


def _release(db: Database, transaction: Transaction, given: Any) -> Operation:
    mine = []
    for slot in sorted(set(given["slots"]) & db.slots.keys()):
        if db.slots[slot].incarnation != given["incarnation"]:
            continue
        yield from _exclusively(slot)
        if db.slots[slot].incarnation == given["incarnation"]:
            mine.append(slot)
    columns = (given["served_ms"], given["is_noted"])
    served = dict(zip(given["served"], zip(*columns, strict=True), strict=True))
    transaction.effects.append(lambda: _served(db, mine, served))
    transaction.effects.append(lambda: _own(db, mine, None, None))
    return [(slot,) for slot in mine]


def _served(db: Database, slots: list[int], served: Mapping[int, tuple[int, bool]]) -> None:
    for slot in slots:
        row = db.slots[slot]
        row.shift_ms = None
        if slot in served:
            served_ms, row.is_noted = served[slot]
            row.served_ms = max(row.served_ms, served_ms)
            row.ended_at = db.wall


def _service(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    return [
        (
            *(slot, row.served_ms, row.is_noted),
            None if row.ended_at is None else (db.wall - row.ended_at) // 1_000,
            json.loads(row.interruptions),
        )
        for slot, row in sorted(db.slots.items())
        if slot in given["slots"]
    ]


def _serve(db: Database, transaction: Transaction, given: Any) -> Operation:
    columns = ("slots", "epochs", "shift_ms", "interruptions")
    for slot, epoch, shift_ms, interruptions in zip(*(given[c] for c in columns), strict=True):
        yield from _exclusively(slot)
        row = db.slots[slot]
        if row.epoch == epoch:
            transaction.effects.append(partial(_set_shift, row, shift_ms, interruptions))
    return []


def _set_shift(row: SlotRecord, shift_ms: int, interruptions: str) -> None:
    row.shift_ms, row.interruptions = shift_ms, interruptions


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
    """The model's timeline never changes."""
    yield ("wait", 0)
    row = db.nodes.get(given["node_id"])
    server, history = (1, 1, db.started_wall, db.world.now, 1), (1, 1, UUID(int=0), None, 0, 1)
    return [(*server, *history, row.beat if row else None)]


def _lost(db: Database, transaction: Transaction, given: Any) -> Operation:
    """The model's timeline never changes, so a row that is missing is a violation."""
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


MEANINGS: Final[Mapping[str, Meaning]] = {
    sql_slots.LOCK_NODE: _lock_node,
    sql_slots.NODE_IS_LOCKED: _node_is_locked,
    sql_slots.END_SERVICE: _end_service,
    sql_slots.REGISTER: _register,
    sql_slots.LOST_SLOTS: _lost_slots,
    sql_slots.BEAT: _beat,
    sql_slots.NODES: _nodes,
    sql_slots.TAKE_SLOTS: _take_slots,
    sql_slots.SLOTS: _slots,
    sql_slots.CLAIM: _claim,
    sql_slots.RELEASE: _release,
    sql_slots.SERVICE: _service,
    sql_slots.SERVE: _serve,
    sql_slots.UNREGISTER: _unregister,
    sql_slots.RING: _ring,
    NOTE_SLOTS: _nothing,
    sql_slots.SERVER_UP_MS: _up_ms,
    timeline_sql.READ: _read_timeline,
    timeline_sql.LOST: _lost,
}
