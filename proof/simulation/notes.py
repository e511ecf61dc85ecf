"""What the statements about members' last heartbeats and about waiting groups do to the modelled
rows."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from groups.core.earlier import Noted
from groups.core.rows import slot_of
from groups.store.sql import hours, liveness, waiting
from proof.simulation.postgres import Database, Meaning, Operation, Transaction
from proof.simulation.records import LivenessRecord

COLUMNS: Final = ("group_id", "member_id", "age_ms", "since_ms", "is_known")


def _note(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    for group_id, member_id, age_ms, since_ms, is_known in zip(
        *(given[column] for column in COLUMNS), strict=True
    ):
        known = db.liveness.get((group_id, member_id)) if is_known else None
        heard_at = db.wall - age_ms * 1_000 if known is None else known.heard_at
        row = LivenessRecord(heard_at, since_ms)
        transaction.effects.append(partial(db.liveness.__setitem__, (group_id, member_id), row))
    return []


def _forget_slots(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    for group_id, member_id in list(db.liveness):
        if group_id in db.groups and slot_of(group_id) in given["slots"]:
            transaction.effects.append(partial(_erase, db, (group_id, member_id)))
    return []


def _erase(db: Database, member: tuple[str, str]) -> None:
    db.liveness.pop(member, None)


def silences(db: Database, transaction: Transaction, slots: Any) -> Operation:
    """What is noted about the members of groups in the slots."""
    yield ("wait", 0)
    found: dict[str, dict[str, Noted]] = {}
    asked = set(db.groups_of(slots))
    for group_id, member_id in sorted(key for key in db.liveness if key[0] in asked):
        row = db.liveness[group_id, member_id]
        noted = Noted((db.wall - row.heard_at) // 1_000, row.since_ms)
        found.setdefault(group_id, {})[member_id] = noted
    return found


def _put(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    for group_id, waits in zip(given["group_id"], given["waits"], strict=True):
        transaction.effects.append(partial(db.waits.__setitem__, group_id, json.loads(waits)))
    return []


def _settled(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    for group_id in given["group_ids"]:
        transaction.effects.append(partial(_forget, db, group_id))
    return []


def _forget(db: Database, group_id: str) -> None:
    db.waits.pop(group_id, None)


def _waits(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    waits = sorted(db.waits.items())
    return [(g, names) for g, names in waits if g in db.groups and slot_of(g) in given["slots"]]


def _nothing(db: Database, transaction: Transaction, given: Any) -> Operation:
    yield ("wait", 0)
    return []


MEANINGS: Final[Mapping[str, Meaning]] = {
    liveness.NOTE: _note,
    liveness.FORGET_SLOTS: _forget_slots,
    waiting.PUT: _put,
    waiting.SETTLED: _settled,
    waiting.OF_SLOTS: _waits,
    waiting.ASYNCHRONOUS: _nothing,
    waiting.FORGET_OLD: _nothing,
    hours.ADD_SILENCE: _nothing,
}
