"""Slots change hands: their rows, and the journal's word of it. All of it in a transaction that the
caller has begun."""

import json
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from groups.cluster.beats import SlotRow
from groups.core.journal import EntryKind
from groups.postgres import connections
from groups.store.sql import slots as sql
from groups.store.sql.sweeps import NOTE_SLOTS


async def claim(
    connection: connections.Connection, node_id: int, incarnation: UUID, free: Sequence[SlotRow]
) -> dict[int, int]:
    """Take these slots, as far as they are as they were seen; gives the new epochs of those."""
    cursor = await connection.execute(
        sql.CLAIM.encode(),
        {
            "node_id": node_id,
            "incarnation": incarnation,
            "slots": [row.slot for row in free],
            "epochs": [row.epoch for row in free],
        },
    )
    taken = dict(await cursor.fetchall())
    if taken:
        before = {row.slot: row.node_id for row in free if row.slot in taken}
        await _note(connection, node_id, EntryKind.SLOTS_CLAIMED, before)
        # The others send clients here from now on, not from their next look on.
        await connection.execute(sql.RING.encode())
    return taken


async def release(
    connection: connections.Connection, node_id: int, incarnation: UUID, slots: Iterable[int]
) -> None:
    """Give those of the slots that are this incarnation's to nobody."""
    cursor = await connection.execute(
        sql.RELEASE.encode(), {"incarnation": incarnation, "slots": list(slots)}
    )
    mine = dict.fromkeys((slot for (slot,) in await cursor.fetchall()), node_id)
    if mine:
        await _note(connection, node_id, EntryKind.SLOTS_RELEASED, mine)
        await connection.execute(sql.RING.encode())


async def _note(
    connection: connections.Connection, node_id: int, kind: str, before: Mapping[int, int | None]
) -> None:
    """Say in the journal which slots changed hands; ``before`` maps each to its owner."""
    owners = sorted({f"node {n}" if n is not None else "nobody" for n in before.values()})
    await connection.execute(
        NOTE_SLOTS.encode(),
        {
            "node_id": node_id,
            "kind": kind,
            "trigger": "",
            "reason": f"{len(before)} slots of {', '.join(owners)}",
            "details": json.dumps({"slots": sorted(before)}),
        },
    )
