"""Changes of slots' owners: their rows and journal entries, in a transaction of the caller."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from groups.cluster.beats import SlotRow
from groups.core.group import Millis
from groups.core.journal import EntryKind
from groups.postgres import connections
from groups.reporting.outages import LostProcess
from groups.store.sql import liveness
from groups.store.sql import slots as sql
from groups.store.sql.sweeps import NOTE_SLOTS


class Service(NamedTuple):
    """Until when each slot was served, in its service time. ``noted``: slots whose members' last
    heartbeats have all been written."""

    until: Mapping[int, Millis]
    noted: Collection[int]


NOT_SERVED: Final = Service({}, ())


async def claim(
    connection: connections.Connection, node_id: int, incarnation: UUID, free: Sequence[SlotRow]
) -> dict[int, int]:
    """Take those of the slots that have not changed; returns their new epochs."""
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
        # Other nodes send clients here from now on, not only after their next check.
        await connection.execute(sql.RING.encode())
    return taken


def lost_processes(taken: Iterable[SlotRow]) -> list[LostProcess]:
    """The processes that owned these slots, as their rows were, and did not give them back."""
    found: dict[UUID, LostProcess] = {}
    for slot, node_id, incarnation, _ in taken:
        if node_id is not None and incarnation is not None:
            process = found.setdefault(incarnation, LostProcess(node_id, incarnation, []))
            process.slots.append(slot)
    return list(found.values())


async def release(
    connection: connections.Connection,
    node_id: int,
    incarnation: UUID,
    slots: Iterable[int],
    service: Service = NOT_SERVED,
) -> None:
    """Release those of the slots that this incarnation owns, with what it served of them. What
    older notes say of members is not true where the last ones are missing."""
    cursor = await connection.execute(
        sql.RELEASE.encode(),
        {
            "incarnation": incarnation,
            "slots": list(slots),
            "served": list(service.until),
            "served_ms": list(service.until.values()),
            "is_noted": [slot in service.noted for slot in service.until],
        },
    )
    mine = dict.fromkeys((slot for (slot,) in await cursor.fetchall()), node_id)
    if unwritten := sorted(mine.keys() & service.until.keys() - set(service.noted)):
        await connection.execute(liveness.FORGET_SLOTS.encode(), {"slots": unwritten})
    if mine:
        await _note(connection, node_id, EntryKind.SLOTS_RELEASED, mine)
        await connection.execute(sql.RING.encode())


async def _note(
    connection: connections.Connection, node_id: int, kind: str, before: Mapping[int, int | None]
) -> None:
    """Journal which slots changed their owner; ``before`` maps each to its previous one."""
    await connection.execute(
        NOTE_SLOTS.encode(),
        {
            "node_id": node_id,
            "kind": kind,
            "trigger": "",
            "reason": taken(before.values()),
            "details": json.dumps({"slots": sorted(before)}),
        },
    )


def taken(before: Iterable[int | None]) -> str:
    """The slots with these owners before, in words: "1 free slot", "12 slots of node 1"."""
    counted = sorted(Counter(before).items(), key=lambda item: (item[0] is None, item[0]))
    return ", ".join(
        f"{count}{' free' if owner is None else ''} slot{'' if count == 1 else 's'}"
        + ("" if owner is None else f" of node {owner}")
        for owner, count in counted
    )
