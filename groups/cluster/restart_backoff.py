"""Whether a node takes no slots because it has just ended, or lost its slots, without handing them
over: at each such end its groups have no coordinator for a second or more.

It earns slots by beating steadily, twice as long after each such end in sequence; ``unclean_ends``
of its row counts them. It does not wait where no other node could serve instead.
"""

import json
import logging
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from groups.cluster.beats import NodeRow
from groups.cluster.failure_detector import is_locked
from groups.cluster.lease import Lease
from groups.core.backoff import Backoff
from groups.core.group import Millis
from groups.core.journal import EntryKind
from groups.postgres import connections
from groups.store.sql import slots as sql
from groups.store.sql.sweeps import NOTE_SLOTS

logger = logging.getLogger(__name__)


class RestartWait(NamedTuple):
    """The wait after the first unclean end, and the longest; 0: none."""

    first_ms: Millis
    most_ms: Millis

    @property
    def calm_ms(self) -> Millis:
        """A node that has not ended for this long is as one that never did. Longer than any wait,
        or an end soon after the longest would count as the first."""
        return 2 * self.most_ms


NO_WAIT: Final = RestartWait(0, 0)


class RestartBackoff:
    """One node's wait. ``is_on``: it takes no slots at present."""

    def __init__(self, lease: Lease, wait: RestartWait, clock: Callable[[], Millis]) -> None:
        self.is_on = False
        self._lease = lease
        self._clock = clock
        self._backoff = Backoff(wait.first_ms, wait.most_ms)
        self._has_lost_slots = False

    def begin(self) -> None:
        """The node has registered: its row says how its predecessors ended."""
        self._backoff.resume(self._lease.unclean_ends, self._clock())

    def lost_slots(self) -> None:
        """Others have taken slots of this node: its lease was over."""
        self._has_lost_slots = True

    async def look(self, connection: connections.Connection, others: Sequence[NodeRow]) -> None:
        """Find whether to wait. ``others``: the live nodes that take slots."""
        if self._has_lost_slots:
            await self._count_loss(connection)
        was_on, self.is_on = self.is_on, await self._waits(connection, others)
        if not self.is_on:
            self._backoff.succeeded()  # also where nobody else was there: it serves from now on
        elif not was_on:
            await self._note(connection)

    async def _waits(self, connection: connections.Connection, others: Sequence[NodeRow]) -> bool:
        """The row of a node that died looks alive to one that has just started, but its advisory
        lock is free."""
        if not self._backoff.waits(self._clock()):
            return False
        for node in others:
            if await is_locked(connection, node):
                return True
        return False

    async def _count_loss(self, connection: connections.Connection) -> None:
        values = {"incarnation": self._lease.incarnation, "calm_ms": self._lease.calm_ms}
        row = await (await connection.execute(sql.LOST_SLOTS.encode(), values)).fetchone()
        self._has_lost_slots = False
        if row is not None:
            self._backoff.resume(row[0], self._clock())

    async def _note(self, connection: connections.Connection) -> None:
        ends, left_ms = self._backoff.failures, self._backoff.left(self._clock())
        logger.warning(
            "%d ends in sequence without handing slots over: none taken for %d ms", ends, left_ms
        )
        await connection.execute(
            NOTE_SLOTS.encode(),
            {
                "node_id": self._lease.me.node_id,
                "kind": EntryKind.NODE_WAITS,
                "trigger": "",
                "reason": "",
                "details": json.dumps({"unclean_ends": ends, "wait_ms": left_ms}),
            },
        )
