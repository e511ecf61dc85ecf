"""Settings of single groups: read from and written to rows, and kept in memory by the group's
owner.

Any node returns and changes them, in the rows; a change notifies the group's owner, which applies
it. ``groups.core.configs.group`` defines valid values.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial

import psycopg
from psycopg_pool import PoolTimeout

from groups.catalogue.cache import Unavailable
from groups.core.authors import NO_AUTHOR, AuthorDetails
from groups.core.configs.entries import Change
from groups.core.configs.group import Broker, Values, changed
from groups.core.errors import Refuse
from groups.core.rows import slot_of
from groups.event_loop import Slices
from groups.postgres.array_literals import array, arrays
from groups.postgres.channels import Rung
from groups.postgres.connections import Connection
from groups.postgres.table_changes import TableChanges
from groups.runtime.entries import NOTHING
from groups.runtime.runtime import CoordinatorRuntime
from groups.store import load
from groups.store.sql import configs as sql

QUERY_S_MAX = 2.0
"""How long a request may wait for the database, queueing included."""


def _nobody_counts(_rows: int) -> None:
    """The default of ``admit``: no limit."""


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
        self._seen_slots: Mapping[int, int] = {}

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
            written, refused = await self._alter(connection, requested, author, validate_only)
        await self._heed(written)
        return refused

    async def _alter(
        self,
        connection: Connection,
        requested: Mapping[str, Sequence[Change]],
        author: AuthorDetails,
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
        await self._note(connection, before, written, author)
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
        author: AuthorDetails,
    ) -> None:
        """Journal the changes and their author, in the same transaction."""
        olds, news = list[str](), list[str]()
        for group_id, new in written.items():
            old = before.get(group_id, NOTHING)
            names = sorted(n for n in {*old, *new} if old.get(n) != new.get(n))
            olds.append(json.dumps({name: old.get(name) for name in names}))
            news.append(json.dumps({name: new.get(name) for name in names}))
        values = {"group_ids": array(list(written)), "before": array(olds), "after": array(news)}
        who = {"node_id": self.node_id, "author": json.dumps(author), "reason": ""}
        await connection.execute(sql.NOTE, {**values, **who})

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
        self._changes.seen = None  # what is held now is of no single moment
        await self._heed_rows(groups, await load.configs_by_id(connection, sorted(groups)))

    async def _read_changes(self, connection: Connection) -> None:
        epochs = dict(self.coordinator.epochs)
        is_news = self._changes.is_news(await self._changes.look(connection))
        if is_news or epochs != self._seen_slots:
            slots = set(epochs)
            look, found = await self._changes.whole(
                connection, partial(load.configs_of_slots, slots=sorted(slots))
            )
            await self._heed_rows(self.coordinator.own.of_slots(slots) | found.keys(), found)
            self._changes.seen, self._seen_slots = look, epochs

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


async def _write(
    connection: Connection, before: Mapping[str, Values], written: Mapping[str, Values]
) -> None:
    """Write what differs, and nothing else: an owner may thaw its group meanwhile. Owners are
    notified at the commit."""
    gone = [(g, n) for g, new in written.items() for n in before.get(g, NOTHING) if n not in new]
    if gone:
        ids, names = zip(*gone, strict=True)
        await connection.execute(sql.DROP, {"group_ids": array(ids), "names": array(names)})
    rows = [
        (group_id, slot_of(group_id), name, value)
        for group_id, new in written.items()
        for name, value in new.items()
        if before.get(group_id, NOTHING).get(name) != value
    ]
    if rows:
        names = ("group_ids", "slots", "names", "values")
        await connection.execute(sql.PUT, arrays(names, rows))
    bells = {"bell": sql.BELL, "group_ids": array(list(written))}
    await connection.execute(sql.RING, bells)
