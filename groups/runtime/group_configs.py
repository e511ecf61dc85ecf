"""Settings of single groups: read from and written to rows, and kept in memory by the group's
owner.

Any node returns and changes them, in the rows; a change notifies the group's owner, which applies
it. ``groups.core.configs.group`` defines valid values.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg_pool import PoolTimeout

from groups.catalogue.cache import Unavailable
from groups.core.authors import NO_AUTHOR, AuthorDetails, user
from groups.core.configs.entries import Change, ConfigOperation
from groups.core.configs.freeze import SetFreeze
from groups.core.configs.group import FREEZE, Broker, Values, changed
from groups.core.errors import ErrorCode, Refuse
from groups.core.rows import slot_of
from groups.event_loop import Slices
from groups.postgres.array_literals import array
from groups.postgres.channels import Rung
from groups.postgres.connections import Connection
from groups.postgres.table_changes import TableChanges
from groups.runtime.entries import NOTHING
from groups.runtime.runtime import CoordinatorRuntime
from groups.store import load
from groups.store.sql import configs as sql
from groups.store.sql.group_rows import END_OPERATIONS
from groups.store.sql.pauses import TAKE_OPERATION

QUERY_S_MAX = 2.0
"""How long a request may wait for the database, queueing included."""


def _nobody_counts(_rows: int) -> None:
    """The default of ``admit``: no limit."""


@dataclass(frozen=True, slots=True)
class ChangeNote:
    """The author and reason of a change, for the journal. ``until``: when a freeze ends."""

    author: AuthorDetails
    reason: str = ""
    until: str | None = None


class Configs:
    """Settings of groups, on this node. ``broker``: the node's settings by name. ``admit`` refuses
    new rows when the limit is reached."""

    def __init__(
        self,
        coordinator: CoordinatorRuntime,
        connections: Callable[[], AbstractAsyncContextManager[Connection]],
        broker: Broker,
        node_id: int = 0,
        admit: Callable[[int], None] = _nobody_counts,
    ) -> None:
        self.node_id = node_id
        self.admit = admit
        self.coordinator = coordinator
        self.broker = broker
        self._connections = connections
        self._changes = TableChanges("rollcall_group_config")

    # -- requests

    async def of(self, group_ids: Collection[str]) -> Mapping[str, Values]:
        """The settings of each of these groups, which need not exist (KIP-1142).

        One round trip for any number. Raises ``Unavailable``.
        """
        if not group_ids:
            return {}
        async with self._asking() as connection:
            return await load.configs_by_id(connection, sorted(group_ids))

    async def listed(self) -> Sequence[str]:
        """The groups with settings of their own, in order. Raises ``Unavailable``."""
        async with self._asking() as connection:
            rows = await (await connection.execute(sql.LISTED.encode())).fetchall()
        return [group_id for (group_id,) in rows]

    async def alter(
        self,
        requested: Mapping[str, Sequence[Change]],
        author: AuthorDetails = NO_AUTHOR,
        *,
        validate_only: bool = False,
    ) -> Mapping[str, Refuse]:
        """Change settings of groups in one transaction; for each group all changes or none.

        Returns what ``group_configs.changed`` refuses, and POLICY_VIOLATION, by group; raises
        ``Unavailable``.
        """
        async with self._asking() as connection, connection.transaction():
            written, refused = await self._alter(
                connection, requested, ChangeNote(author), validate_only
            )
        await self._heed(written)
        return refused

    async def set_freeze(self, group_id: str, verb: SetFreeze) -> None:
        """Apply an operator's freeze or thaw, in the transaction that ends its operation: if two
        nodes believe that they own the group, one writes. Raises ``Unavailable``."""
        async with self._asking() as connection, connection.transaction():
            operation = {"operation_id": verb.operation_id}
            taken = await connection.execute(TAKE_OPERATION, operation)
            if await taken.fetchone() is None:
                return  # an earlier attempt has ended
            written, refused = await self._set(connection, group_id, verb)
            ended = _ended(verb, bool(written), refused.get(group_id))
            await connection.execute(END_OPERATIONS, ended)
        await self._heed(written)

    async def _set(
        self, connection: Connection, group_id: str, verb: SetFreeze
    ) -> tuple[Mapping[str, Values], Mapping[str, Refuse]]:
        """Like ``_alter``. A group that does not exist is not frozen: a later group of the id would
        be frozen too."""
        await connection.execute(sql.LOCK)  # also in _alter, which does not wait then
        values = (await load.configs_by_id(connection, [group_id])).get(group_id, NOTHING)
        is_frozen = values.get(FREEZE) == "true"
        if verb.frozen and is_frozen:
            return await self._set_end(connection, group_id, values, verb), {}
        if not verb.frozen and not (is_frozen and await _is_over(connection, group_id, verb)):
            return {}, {}
        if verb.frozen and not self._exists(group_id):
            return {}, {group_id: Refuse(ErrorCode.GROUP_ID_NOT_FOUND, "the group is gone")}
        freeze = (ConfigOperation.SET, "true") if verb.frozen else (ConfigOperation.DELETE, None)
        requested = {group_id: [Change(FREEZE, *freeze)]}
        done = await self._alter(connection, requested, note_of(verb), False)
        if verb.frozen and verb.until is not None:
            await connection.execute(sql.SET_END, _end(group_id, verb))
        return done

    async def _set_end(
        self, connection: Connection, group_id: str, values: Values, verb: SetFreeze
    ) -> Mapping[str, Values]:
        """Change the end of an existing freeze, or remove it."""
        changed = await connection.execute(sql.SET_END, _end(group_id, verb))
        if not changed.rowcount:
            return {}
        same = {group_id: values}
        await self._note(connection, same, same, note_of(verb), (FREEZE,))
        return same

    def _exists(self, group_id: str) -> bool:
        entry = self.coordinator.entries.get(group_id)
        return entry is not None and entry.group.durable.exists

    async def _alter(
        self,
        connection: Connection,
        requested: Mapping[str, Sequence[Change]],
        note: ChangeNote,
        validate_only: bool,
    ) -> tuple[Mapping[str, Values], Mapping[str, Refuse]]:
        """The changed settings, and the refused groups; within a transaction."""
        await connection.execute(sql.LOCK)
        before = await load.configs_by_id(connection, sorted(requested))
        after, refused = await self._changed(before, requested, validate_only)
        written = {g: new for g, new in after.items() if new != before.get(g, NOTHING)}
        if validate_only or not written:
            return {}, refused
        await _write(connection, before, written)
        await self._note(connection, before, written, note)
        return written, refused

    async def _heed(self, written: Mapping[str, Values]) -> None:
        """Apply the changes to groups that this node owns."""
        if written:
            async with self._asking() as connection:
                await self._read(connection, written)

    async def _changed(
        self,
        before: Mapping[str, Values],
        requested: Mapping[str, Sequence[Change]],
        validate_only: bool,
    ) -> tuple[dict[str, Values], dict[str, Refuse]]:
        after, refused, slices = dict[str, Values](), dict[str, Refuse](), Slices()
        for group_id, changes in requested.items():
            if slices.is_over:
                await slices.pause()
            old = before.get(group_id, NOTHING)
            try:
                new = changed(old, changes, self.broker)
                if len(new) > len(old) and not validate_only:
                    self.admit(len(new) - len(old))
                after[group_id] = new
            except Refuse as refusal:
                # The traceback would keep its frames until a garbage collection: 80 ms for 10,000.
                refused[group_id] = refusal.with_traceback(None)
        return after, refused

    async def _note(
        self,
        connection: Connection,
        before: Mapping[str, Values],
        written: Mapping[str, Values],
        note: ChangeNote,
        also: Sequence[str] = (),
    ) -> None:
        """Journal the changes, their author and reason, in the same transaction. ``also``: names
        that are journaled even if their value is unchanged."""
        olds, news = list[str](), list[str]()
        for group_id, new in written.items():
            old = before.get(group_id, NOTHING)
            names = sorted(n for n in {*old, *new} if n in also or old.get(n) != new.get(n))
            olds.append(json.dumps({name: old.get(name) for name in names}))
            news.append(json.dumps({name: new.get(name) for name in names}))
        values = {"group_ids": array(list(written)), "before": array(olds), "after": array(news)}
        who = {"node_id": self.node_id, "author": json.dumps(note.author)}
        why = {"reason": note.reason, "until": note.until}
        await connection.execute(sql.NOTE, {**values, **who, **why})

    # -- the owner

    async def rung(self, rung: Rung) -> None:
        """Notifications: ids of groups, or None: read those of all owned slots, if anything has
        changed. May wait for a slot that loads. Raises psycopg's errors."""
        async with self._connections() as connection, self.coordinator.own.reading:
            if rung is None:
                await self._read_changes(connection)
            else:
                await self._read(connection, rung)

    async def _read(self, connection: Connection, group_ids: Iterable[str]) -> None:
        """Read the settings of those of these groups that this node owns, and apply them."""
        slots = set(self.coordinator.epochs)
        groups = {group_id for group_id in group_ids if slot_of(group_id) in slots}
        await self._heed_rows(groups, await load.configs_by_id(connection, sorted(groups)))

    async def _read_changes(self, connection: Connection) -> None:
        look = await self._changes.look(connection)
        if self._changes.is_news(look):
            slots = set(self.coordinator.epochs)
            found = await load.configs_of_slots(connection, sorted(slots))
            await self._heed_rows(self.coordinator.own.of_slots(slots) | found.keys(), found)
            self._changes.seen = look

    async def _heed_rows(self, groups: Iterable[str], found: Mapping[str, Values]) -> None:
        """In slices, since there may be 100,000 groups; meanwhile slots may be lost, but none is
        added."""
        slices = Slices()
        for group_id in groups:
            if slices.is_over:
                await slices.pause()
            if slot_of(group_id) in self.coordinator.epochs:
                self.coordinator.configure(group_id, found.get(group_id, NOTHING))

    @asynccontextmanager
    async def _asking(self) -> AsyncIterator[Connection]:
        """A connection; errors of PostgreSQL become ``Unavailable``."""
        try:
            async with asyncio.timeout(QUERY_S_MAX), self._connections() as connection:
                yield connection
        except (psycopg.OperationalError, TimeoutError, PoolTimeout) as error:
            raise Unavailable(str(error)) from error


async def _is_over(connection: Connection, group_id: str, verb: SetFreeze) -> bool:
    """Whether the thaw applies to the current freeze: it has no later end."""
    if verb.until is None:
        return True
    later = await connection.execute(sql.ENDS_LATER, _end(group_id, verb))
    return await later.fetchone() is None


def _end(group_id: str, verb: SetFreeze) -> Mapping[str, Any]:
    return {"group_id": group_id, "name": FREEZE, "until": verb.until}


def note_of(verb: SetFreeze) -> ChangeNote:
    """The author and reason for the journal."""
    return ChangeNote(user(verb.actor), verb.reason, verb.until if verb.frozen else None)


def _ended(verb: SetFreeze, changed: bool, refusal: Refuse | None) -> Mapping[str, Any]:
    """The parameters of ``END_OPERATIONS``."""
    state = "succeeded"
    outcome: str | None = "changed" if changed else "unchanged"
    word = "frozen" if verb.frozen else "thawed"
    detail = f"the group is {word}" if changed else f"the group was {word} already"
    if refusal is not None:
        state, outcome, detail = "failed", None, refusal.detail or refusal.code.name
    row = {"id": verb.operation_id, "state": state, "outcome": outcome, "detail": detail}
    return {name: [value] for name, value in (*row.items(), ("generation", None))}


async def _write(
    connection: Connection, before: Mapping[str, Values], written: Mapping[str, Values]
) -> None:
    """Write the groups' rows; their owners are notified at the commit."""
    gone = [(g, n) for g, new in written.items() for n in before.get(g, NOTHING) if n not in new]
    if gone:
        ids, names = zip(*gone, strict=True)
        await connection.execute(sql.DROP, {"group_ids": array(ids), "names": array(names)})
    rows = [(g, slot_of(g), name, new[name]) for g, new in written.items() for name in new]
    if rows:
        columns = [array(column) for column in zip(*rows, strict=True)]
        put = dict(zip(("group_ids", "slots", "names", "values"), columns, strict=True))
        await connection.execute(sql.PUT, put)
    bells = {"bell": sql.BELL, "group_ids": array(list(written))}
    await connection.execute(sql.RING, bells)
