"""The owner's response to the session sweep: an echo from the event loop, and a check of due
groups.

The sweep sends the numbers of slots with members whose written deadline has passed
(docs/architecture.md, *Session expiry*). The response shows that this process lives and checks its
groups; only the group decides whether a member's session has ended.
"""

import json
import logging
from collections.abc import Collection
from contextlib import suppress

import psycopg

from groups.postgres import connections
from groups.postgres.channels import Rung
from groups.reporting.liveness import Notes
from groups.runtime.runtime import CoordinatorRuntime
from groups.store.sql import liveness as sql

logger = logging.getLogger(__name__)


class Watched:
    """Responds for the slots that this node owns."""

    def __init__(self, coordinator: CoordinatorRuntime, notes: Notes) -> None:
        self.coordinator = coordinator
        self.notes = notes
        self._connection: connections.Connection | None = None

    async def rung(self, rung: Rung) -> None:
        """The sweep asks about slots. None: it may have asked about any of them, and the groups'
        own timers have to do."""
        if not self.coordinator.holds_lease:
            return
        if rung is None:
            await self._echo(list(self.coordinator.epochs))
            return
        asked = dict(question for text in rung if (question := _question(text)) is not None)
        mine = asked.keys() & self.coordinator.epochs.keys()
        for slot in mine:
            for group_id in asked[slot]:
                self.coordinator.look_after(group_id)
            self.notes.request(asked[slot])
        await self._echo(mine)

    async def _echo(self, slots: Collection[int]) -> None:
        if not slots:
            return
        try:
            # Not from a pool: each dead connection in it would cost a response.
            self._connection = await connections.kept(self._connection, "echo")
            await self._connection.execute(sql.ECHO.encode(), {"slots": list(slots)})
        except (psycopg.Error, OSError) as error:
            logger.info("the sweep was not answered: %s", error)

    async def stop(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            await self._connection.close()


def _question(payload: str) -> tuple[int, list[str]] | None:
    """The slot of the question, and some of its groups. None for other payloads: anyone with access
    to the database can notify."""
    with suppress(ValueError, RecursionError):
        match json.loads(payload):
            case {"slot": int(slot), "groups": [*groups]} if all(
                isinstance(g, str) for g in groups
            ):
                return slot, groups
    return None
