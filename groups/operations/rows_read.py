"""What operations need of rows: read just before they are decided, while the group is not written.

Offsets and what is beside a group are not in memory as its rows have them, so an event about them
must contain them; a rule decides what happens to them. The committer keeps the group from the read
to the decision (``groups.runtime.committer``): no commit that was acknowledged in between is
deleted or overwritten.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Final

import psycopg
from psycopg_pool import PoolTimeout

from groups.core.authors import Author, principal_of
from groups.core.configs.freeze import Ends, SetFreeze
from groups.core.configs.group import FREEZE
from groups.core.errors import Refuse
from groups.core.events import ExpireOffsets, OffsetWrite, ResetOffsets, RestoreOffsets, RowsVerb
from groups.core.expiry import Age
from groups.core.pauses import PauseVerb, PauseWork, ResumeWork
from groups.postgres.connections import Connection, in_slices
from groups.reporting.offset_totals import OffsetTotals
from groups.runtime.collaborators import NotRead
from groups.store import load
from groups.store.sql import configs
from groups.store.sql import offset_operations as sql

SET_SINCE: Final = "offsets were set or committed since the dry run; run it again"

READ_S_MAX: Final = 5.0
"""After this time the next check picks the operation up again; meanwhile its group waits."""


class OperationRows:
    """Reads them. ``totals`` decide whether there is room for more offsets, ``admit_configs``
    whether there is for more settings of groups."""

    def __init__(
        self,
        readers: Callable[[], AbstractAsyncContextManager[Connection]],
        totals: OffsetTotals,
        admit_configs: Callable[[int], None],
    ) -> None:
        self.readers = readers
        self.totals = totals
        self.admit_configs = admit_configs
        self._reading: Mapping[type[RowsVerb], Callable[..., Awaitable[RowsVerb]]] = {
            ExpireOffsets: _with_ages,
            RestoreOffsets: _with_history,
            ResetOffsets: _with_committed,
            PauseWork: _with_pauses,
            ResumeWork: _with_pauses,
            SetFreeze: self._with_freeze,
        }

    async def read(self, group_id: str, verb: RowsVerb) -> RowsVerb:
        """The same event with the rows. Raises ``NotRead``, also for an operation that has ended:
        an earlier attempt, which was given up, came through."""
        try:
            async with asyncio.timeout(READ_S_MAX), self.readers() as connection:
                await _still_pending(connection, verb)
                found = await self._reading[type(verb)](connection, group_id, verb)
            if isinstance(found, RestoreOffsets | ResetOffsets) and not found.obstacle:
                found = replace(found, obstacle=await self._without_room(group_id, found.offsets))
        except (psycopg.Error, PoolTimeout, OSError, Refuse) as error:
            raise NotRead(str(error)) from error
        return replace(found, is_read=True)

    async def _without_room(self, group_id: str, writes: tuple[OffsetWrite, ...]) -> str:
        """The error if there is not room for all of them; all are set or none."""
        if not self.totals.may_be_full(group_id):
            return ""
        parts = {(write.topic, write.partition) for write in writes}
        without = len(await self.totals.refused(group_id, parts))
        return f"the limit of offsets does not allow {without} more" if without else ""

    async def _with_freeze(
        self, connection: Connection, group_id: str, verb: SetFreeze
    ) -> SetFreeze:
        values = (await load.configs_by_id(connection, [group_id])).get(group_id, {})
        parameters = {"group_id": group_id, "name": FREEZE, "until": verb.until}
        cursor = await connection.execute(configs.END_OF_FREEZE.encode(), parameters)
        row = await cursor.fetchone()
        assert row is not None
        obstacle = ""
        if verb.frozen and FREEZE not in values:
            try:
                self.admit_configs(1)
            except Refuse as refusal:
                obstacle = refusal.detail or refusal.code.name
        until, *ends = row
        return replace(verb, until=until, values=values, ends=Ends(*ends), obstacle=obstacle)


async def _still_pending(connection: Connection, verb: RowsVerb) -> None:
    key = {"operation_id": verb.operation_id}
    if await (await connection.execute(sql.IS_PENDING.encode(), key)).fetchone() is None:
        raise NotRead("it has ended")


async def _with_pauses(connection: Connection, group_id: str, verb: PauseVerb) -> PauseVerb:
    found = await load.pauses_by_id(connection, [group_id])
    return replace(verb, pauses=found.get(group_id, {}))


async def _with_ages(connection: Connection, group_id: str, verb: ExpireOffsets) -> ExpireOffsets:
    group = {"group_id": group_id}
    state = await (await connection.execute(sql.STATE_AGE.encode(), group)).fetchone()
    cursor = await connection.execute(sql.AGES.encode(), group)
    ages = tuple([Age(*row) async for row in in_slices(cursor)])
    return replace(verb, state_age_ms=state[0] if state else 0, ages=ages)


async def _with_history(
    connection: Connection, group_id: str, verb: RestoreOffsets
) -> RestoreOffsets:
    then = {"group_id": group_id, "to": verb.to}
    cursor = await connection.execute(sql.AS_OF.encode(), then)
    author = Author("", verb.actor, "", principal_of(verb.actor))
    offsets = tuple([OffsetWrite(*row)._replace(author=author) async for row in in_slices(cursor)])
    return replace(verb, offsets=offsets)


async def _with_committed(
    connection: Connection, group_id: str, verb: ResetOffsets
) -> ResetOffsets:
    is_stale = await _is_stale(connection, group_id, verb)
    return replace(verb, obstacle=SET_SINCE) if is_stale else verb


async def _is_stale(connection: Connection, group_id: str, verb: ResetOffsets) -> bool:
    """Whether a partition's offset has changed since the preview."""
    topics = sorted({topic for topic, _, _ in verb.before})
    parameters = {"group_id": group_id, "topics": topics}
    cursor = await connection.execute(sql.COMMITTED.encode(), parameters)
    now = {(topic, partition): offset async for topic, partition, offset in in_slices(cursor)}
    return any(now.get((topic, partition)) != offset for topic, partition, offset in verb.before)
