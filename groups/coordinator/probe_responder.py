"""The owner's answer to the session sweep: an echo from the event loop, and a look at who is due.

The sweep asks by number about slots with members whose noted deadline has passed
(docs/architecture.md, *Session expiry*). The answer says that this process lives and looks after
its groups; whether a member's session is over the group alone decides.
"""

import json
import logging
from collections.abc import Collection

import psycopg

from groups.coordinator.liveness import Notes
from groups.coordinator.runtime import CoordinatorRuntime
from groups.postgres import connections
from groups.store.sql import liveness as sql

logger = logging.getLogger(__name__)


class Watched:
    """Answers for the slots that this node owns."""

    def __init__(self, coordinator: CoordinatorRuntime, notes: Notes) -> None:
        self.coordinator = coordinator
        self.notes = notes
        self._connection: connections.Connection | None = None

    async def rung(self, payload: str | None) -> None:
        """The sweep asks about a slot; None: questions may have been missed."""
        if payload is None:
            await self._echo(list(self.coordinator.epochs))
            return
        slot, group_ids = _question(payload)
        if slot in self.coordinator.epochs and self.coordinator.holds_lease:
            for group_id in group_ids:
                self.coordinator.look_after(group_id)
            self.notes.ask(group_ids)
            await self._echo([slot])

    async def _echo(self, slots: Collection[int]) -> None:
        if not slots:
            return
        try:
            # A connection of its own: a dead one of a pool would cost one answer each.
            self._connection = await connections.kept(self._connection, "echo")
            await self._connection.execute(sql.ECHO.encode(), {"slots": list(slots)})
        except (psycopg.Error, OSError) as error:
            logger.info("the sweep was not answered: %s", error)

    async def stop(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            await self._connection.close()


def _question(payload: str) -> tuple[int, list[str]]:
    """The slot that is asked about, and some of its groups. Raises ValueError for anything else:
    whoever reaches the database may ring."""
    match json.loads(payload):
        case {"slot": int(slot), "groups": [*groups]} if all(isinstance(g, str) for g in groups):
            return slot, groups
    raise ValueError("not a question of the session sweep")
