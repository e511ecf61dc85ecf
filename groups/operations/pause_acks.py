"""Writes which members poll for orders, and the last one that each obeyed.

Members report it in polls (``protocol.handlers.poll_commands``), and the web reads the rows.
Nothing depends on it: if a write fails, or is late, a page only shows an older state.
"""

import asyncio
import logging

import psycopg

from groups.postgres import connections
from groups.postgres.connections import Connection
from groups.store.sql import pauses as sql

logger = logging.getLogger(__name__)

GATHER_S = 0.05
"""Reports within this time are written together: the members of a group obey at about the same
time."""

AGAIN_S = 1.0
"""The pause after a failed write."""

ROWS_MAX = 2_000
"""Rows of one statement."""

SETTINGS = {"synchronous_commit": "off"}

Who = tuple[str, str]
"""Group id and member id."""


class Followers:
    """The last reports of members of this node's groups. ``obeying``: the id of the pause that a
    member obeys, 0 if it works."""

    def __init__(self) -> None:
        self._reported: dict[Who, int] = {}
        self._unwritten: set[Who] = set()
        self._wake = asyncio.Event()
        self._connection: Connection | None = None

    def note_report(self, group_id: str, member_id: str, obeying: int) -> None:
        """A member's poll reports this; an unchanged report is not written again."""
        who = (group_id, member_id)
        if self._reported.get(who) != obeying:
            self._reported[who] = obeying
            self._unwritten.add(who)
            self._wake.set()

    def left(self, group_id: str, member_id: str) -> None:
        """Its poll has ended, or the group has another node: its next report is written in any
        case."""
        self._reported.pop((group_id, member_id), None)
        self._unwritten.discard((group_id, member_id))

    def forget(self) -> None:
        """The rows are those of another history: every next report is written."""
        self._reported.clear()
        self._unwritten.clear()

    async def run(self) -> None:
        """Write reports, until cancelled. Sleeps while there are no new ones."""
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
            reports = [self._reported[who] for who in part]
            self._unwritten.difference_update(part)
            try:
                await self._write(part, reports)
            except (psycopg.Error, OSError) as error:
                logger.info("acknowledgements of pauses could not be written: %s", error)
                self._unwritten.update(who for who in part if who in self._reported)
                await asyncio.sleep(AGAIN_S)

    async def _write(self, part: list[Who], reports: list[int]) -> None:
        if self._connection is None or self._connection.closed:
            self._connection = await connections.connect("followers", SETTINGS)
        columns = {
            "group_ids": [group_id for group_id, _ in part],
            "member_ids": [member_id for _, member_id in part],
            "obeying": reports,
        }
        await self._connection.execute(sql.NOTE, columns)
        for group_id in sorted({group_id for group_id, _ in part}):
            await self._connection.execute(sql.RING, {"bell": sql.BELL, "group_id": group_id})
