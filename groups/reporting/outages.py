"""Writes an entry of the journal for every time in which this node could not serve, and for every
process of which it took slots over: one entry, however many nodes took some.

It looks at the node's own figures twice a second, and after each take-over until all slots of the
lost process are served. Nothing is decided here (``groups.core.outage``), and nothing depends on
it.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from groups.core.journal import EntryKind, Trigger
from groups.core.outage import Outage, Reading, Watch
from groups.postgres import connections
from groups.postgres.repeated import repeat
from groups.runtime.runtime import CoordinatorRuntime
from groups.store.sql import outages as sql
from groups.store.sql.sweeps import NOTE_SLOTS

LOOK_S: Final = 0.5

UNWRITTEN_MAX: Final = 100
"""Outages that wait for the database; older ones are forgotten."""

REMOVALS: Final = (
    Trigger.SESSION_EXPIRED,
    Trigger.JOIN_TIMED_OUT,
    Trigger.SYNC_EXPIRED,
    Trigger.REBALANCE_TIMEOUT,
    Trigger.NOT_ACKNOWLEDGED,
)

Reader = Callable[[], AbstractAsyncContextManager[connections.Connection]]
Details = dict[str, Any]


@dataclass(slots=True)
class LostProcess:
    """A process that gave nothing back, and the slots that this node took from it. ``since``: its
    last beat, when that is known."""

    node_id: int
    incarnation: UUID
    slots: list[int]
    since: datetime | None = None


class Outages:
    """The outages of one node. ``refused``: counts the requests that were refused because the node
    could not serve; the server sets it."""

    _watch: Watch

    def __init__(self, coordinator: CoordinatorRuntime, reader: Reader, node_id: int) -> None:
        self.refused: Callable[[], int] = lambda: 0
        self._coordinator = coordinator
        self._reader = reader
        self._node_id = node_id
        self._unwritten: list[tuple[str, Details]] = []
        self._lost: list[LostProcess] = []
        self._wake = asyncio.Event()

    @property
    def has_to_tell(self) -> bool:
        """Whether an outage is over, or another process's goes on, that is not in the journal."""
        return bool(self._unwritten or self._lost)

    def took_over(self, lost: LostProcess) -> None:
        """This node has taken these slots, and serves them, or will."""
        self._lost.append(lost)
        del self._lost[:-UNWRITTEN_MAX]
        self._wake.set()

    async def run(self) -> None:
        """Look, and write what is over, until cancelled."""
        self._watch = Watch(self._reading())
        await repeat(LOOK_S, self._look, self._wake)

    async def _look(self) -> None:
        self._watch, over = self._watch.look(self._reading())
        if over is not None:
            self._note(over)
        if self.has_to_tell and self._coordinator.holds_lease:
            await self._write()

    def _reading(self) -> Reading:
        coordinator, tallies = self._coordinator, self._coordinator.tallies
        return Reading(
            now=coordinator.monotonic(),
            holds_lease=coordinator.holds_lease,
            heard_until=coordinator.listened_at,
            stalls=tallies.stalls,
            extended_ms=coordinator.missed,
            refused=self.refused(),
            removed=sum(tallies.departures.get(trigger, 0) for trigger in REMOVALS),
        )

    def _note(self, over: Outage) -> None:
        now, wall = self._coordinator.monotonic(), datetime.now(UTC)
        since, until = (wall - timedelta(milliseconds=now - at) for at in over[1:3])
        figures = {
            "extended_ms": over.extended_ms,
            "refused": over.refused,
            "removed": over.removed,
            "slots": len(self._coordinator.epochs),
        }
        self._unwritten.append((over.trigger, {**_times(since, until), **figures}))
        del self._unwritten[:-UNWRITTEN_MAX]

    async def _write(self) -> None:
        told: Sequence[tuple[str, Details]] = tuple(self._unwritten)
        async with self._reader() as connection:
            for trigger, details in told:
                await _insert(connection, self._node_id, trigger, details)
                self._unwritten.remove((trigger, details))
            for lost in tuple(self._lost):
                if await self._is_told(connection, lost):
                    self._lost.remove(lost)

    async def _is_told(self, connection: connections.Connection, lost: LostProcess) -> bool:
        """Write the outage of a lost process if it is over, unless another node has."""
        if lost.since is None:
            found = await _row(connection, sql.SINCE, {"slots": lost.slots})
            lost.since = found[0]
        if lost.since is None:
            return True  # nobody ever served them
        which = {"since": lost.since, "incarnation": lost.incarnation}
        until, is_over, slots, nodes, groups = await _row(connection, sql.TAKEN_OVER, which)
        if is_over:
            figures = {"slots": slots, "groups": groups, "taken_by": nodes}
            await _insert_once(connection, lost.node_id, _times(lost.since, until) | figures)
        return bool(is_over)


def _times(since: datetime, until: datetime) -> Details:
    ms = round((until - since) / timedelta(milliseconds=1))
    utc = since.astimezone(UTC), until.astimezone(UTC)
    return {"since": utc[0].isoformat(), "until": utc[1].isoformat(), "ms": ms}


async def _row(connection: connections.Connection, query: str, values: Mapping[str, Any]) -> Any:
    return await (await connection.execute(query.encode(), values)).fetchone()


async def _insert_once(connection: connections.Connection, node_id: int, details: Details) -> None:
    """Nodes that took slots of one process find out at the same time that all are served."""
    which = {"kind": EntryKind.NODE_OUTAGE, "node_id": node_id, "since": details["since"]}
    async with connection.transaction():
        await connection.execute(sql.TURN.encode())
        if not (await _row(connection, sql.NOTED, which))[0]:
            await _insert(connection, node_id, Trigger.NODE_LOST, details)


async def _insert(
    connection: connections.Connection, node_id: int, trigger: str, details: Details
) -> None:
    entry = {
        "node_id": node_id,
        "kind": EntryKind.NODE_OUTAGE,
        "trigger": trigger,
        "reason": "",
        "details": json.dumps(details),
    }
    await connection.execute(NOTE_SLOTS.encode(), entry)
