"""Who follows commands, and what each obeyed last: noted for others, as members say it.

A poll says it (``protocol.handlers.poll_commands``), rows tell the web. Nothing is decided by it:
a note that fails, or comes late, only makes a page show less than is so.
"""

import asyncio
import logging

import psycopg

from groups.postgres import connections
from groups.postgres.connections import Connection
from groups.store.sql import pauses as sql

logger = logging.getLogger(__name__)

GATHER_S = 0.05
"""What is said within so long is written together: a group that obeys does so all at once."""

AGAIN_S = 1.0
"""After a note that failed."""

ROWS_MAX = 2_000
"""Notes of one statement."""

SETTINGS = {"synchronous_commit": "off"}

Who = tuple[str, str]
"""Group id and member id."""


class Followers:
    """What members of this node's groups said last. ``obeying``: the id of the pause that a
    member obeys, 0 where it works."""

    def __init__(self) -> None:
        self._said: dict[Who, int] = {}
        self._unwritten: set[Who] = set()
        self._wake = asyncio.Event()
        self._connection: Connection | None = None

    def heard(self, group_id: str, member_id: str, obeying: int) -> None:
        """The member's poll says so; what it said already is not written again."""
        who = (group_id, member_id)
        if self._said.get(who) != obeying:
            self._said[who] = obeying
            self._unwritten.add(who)
            self._wake.set()

    def left(self, group_id: str, member_id: str) -> None:
        """Its poll is over, or the group another node's: what it says next is news."""
        self._said.pop((group_id, member_id), None)
        self._unwritten.discard((group_id, member_id))

    def forget(self) -> None:
        """The rows are those of another history: whatever is said next is news to them."""
        self._said.clear()
        self._unwritten.clear()

    async def run(self) -> None:
        """Write what was said, until cancelled. Sleeps while nothing new is."""
        try:
            while True:
                await self._wake.wait()
                await asyncio.sleep(GATHER_S)
                self._wake.clear()
                await self._note()
        finally:
            if self._connection is not None:
                await self._connection.close()

    async def _note(self) -> None:
        while self._unwritten:
            part = sorted(self._unwritten)[:ROWS_MAX]
            said = [self._said[who] for who in part]
            self._unwritten.difference_update(part)
            try:
                await self._write(part, said)
            except (psycopg.Error, OSError) as error:
                logger.info("who follows commands could not be noted: %s", error)
                self._unwritten.update(who for who in part if who in self._said)
                await asyncio.sleep(AGAIN_S)

    async def _write(self, part: list[Who], said: list[int]) -> None:
        if self._connection is None or self._connection.closed:
            self._connection = await connections.connect("followers", SETTINGS)
        columns = {
            "group_ids": [group_id for group_id, _ in part],
            "member_ids": [member_id for _, member_id in part],
            "obeying": said,
        }
        await self._connection.execute(sql.NOTE, columns)
        for group_id in sorted({group_id for group_id, _ in part}):
            await self._connection.execute(sql.RING, {"bell": sql.BELL, "group_id": group_id})
