"""An operator who asks by rows, as the admin and REST do, and what became of it."""

import asyncio
from typing import Any

from groups.core.rows import slot_of
from groups.operations.requests import BELL
from groups.postgres import connections

Other = connections.Connection

ASK = """
INSERT INTO rollcall_operation
    (group_id, slot, verb, member_id, reason, actor, state, detail, created_at)
VALUES (%s, %s, %s, %s, 'an upgrade', 'olga', 'pending', '', now()) RETURNING id
"""


async def ask(other: Other, verb: str, member_id: str = "", group_id: str = "g") -> int:
    """Ask the group's owner, and ring; the operation's id."""
    slot = slot_of(group_id)
    (number,) = await one(other, ASK, group_id, slot, verb, member_id)
    await other.execute("SELECT pg_notify(%s, %s)", [BELL, str(slot)])
    return int(number)


async def completed(other: Other, verb: str, member_id: str = "", group_id: str = "g") -> int:
    """The same, once it has succeeded."""
    number = await ask(other, verb, member_id, group_id)
    state, detail = await ended(other, number)
    assert state == "succeeded", detail
    return number


async def ended(other: Other, number: int) -> tuple[str, str]:
    """How the operation ended: state and detail."""
    while True:
        query = "SELECT state, detail FROM rollcall_operation WHERE id = %s"
        state, detail = await one(other, query, number)
        if state not in ("pending", "running"):
            return state, detail
        await asyncio.sleep(0.005)


async def one(other: Other, query: str, *values: Any) -> Any:
    """The one row that there is."""
    row = await (await other.execute(query.encode(), values)).fetchone()
    assert row is not None, query
    return row


async def pauses(other: Other, group_id: str = "g") -> list[tuple[str, str, int]]:
    """What is paused by the rows: scope, name and pause id."""
    query = "SELECT scope, name, pause_id FROM rollcall_pause WHERE group_id = %s ORDER BY 1, 2"
    return await (await other.execute(query, [group_id])).fetchall()


async def obeying(other: Other, group_id: str = "g") -> dict[str, int]:
    """What members obey, by the rows."""
    query = "SELECT member_id, obeying FROM rollcall_follower WHERE group_id = %s"
    return dict(await (await other.execute(query, [group_id])).fetchall())
