"""A node's copy of the client quotas, and their changes over the wire.

Every node has all of them in memory, so that requests need no query. A change notifies ``BELL``,
and nodes look for changes every second in any case; the node that made one has read it before it
answers. Use is counted on each node
(``protocol.limits.metering``), as on each broker in Kafka.
"""

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from django.conf import settings

from groups.core.authors import AuthorDetails
from groups.core.errors import ErrorCode, Refuse
from groups.core.quotas.entities import CLIENT_ID, IP, TYPES, USER, Entity
from groups.core.quotas.index import QuotaIndex
from groups.postgres.array_literals import array
from groups.postgres.connections import Connection
from groups.postgres.table_changes import Connect, TableCopy
from groups.store.sql import quotas as sql

logger = logging.getLogger(__name__)

Values = dict[Entity, dict[str, float]]
Changes = Mapping[Entity, Mapping[str, float | None]]
"""Quotas by entity and key; None: to be removed."""

Row = tuple[Entity, str, float]
"""A quota: its entity, key and value."""

COLUMN_OF: Mapping[str, str] = {USER: "user_name", CLIENT_ID: "client_id", IP: "ip"}


class Quotas(TableCopy[Values]):
    """All quotas of this installation. ``changed`` is called after every change that is read. While
    ``of_clients`` is false no requests are counted."""

    def __init__(self, connections: Connect, node_id: int, *, most: int) -> None:
        super().__init__("rollcall_quota", connections, _rows)
        self._node_id = node_id
        self._most = most
        self.index = QuotaIndex({})
        self.of_clients = False
        self.of_addresses = False
        self.changed: Callable[[], None] = lambda: None

    @classmethod
    def from_django(cls, connections: Connect, node_id: int) -> Self:
        """From the settings."""
        return cls(connections, node_id, most=getattr(settings, "CLIENT_QUOTAS_MAX"))  # noqa: B009 made of the table

    async def alter(self, changes: Changes, author: AuthorDetails) -> None:
        """Set and remove quotas, all or none; they apply when this returns. Refuses
        POLICY_VIOLATION; raises psycopg's errors."""
        async with self._connections() as connection:
            async with connection.transaction():
                await connection.execute(sql.TURN)
                there = await _rows(connection)
                put, drop = differences(there, changes, self._most)
                await self._execute(connection, sql.REMOVE, drop, author)
                await self._execute(connection, sql.SET, put, author)
            await self.load(connection)

    async def _execute(
        self,
        connection: Connection,
        statement: str,
        rows: Sequence[Row],
        author: AuthorDetails,
    ) -> None:
        if not rows:
            return
        parameters = {name: array(column) for name, column in columns_of(rows).items()}
        author_values = {"node_id": self._node_id, "author": json.dumps(author)}
        await connection.execute(statement.encode(), {**parameters, **author_values})

    async def _learn(self, values: Values) -> None:
        if values == self.index.quotas:
            return
        self.index = QuotaIndex(values)
        self.of_clients, self.of_addresses = self.index.of_clients, self.index.of_addresses
        self.changed()


def differences(there: Values, changes: Changes, most: int) -> tuple[list[Row], list[Row]]:
    """The rows to set, and those to remove, without unchanged ones. Refuses POLICY_VIOLATION if
    there would be more than ``most``."""
    put, drop = list[Row](), list[Row]()
    for entity, values in changes.items():
        current = there.get(entity, {})
        for key, value in values.items():
            if value is None and key in current:
                drop.append((entity, key, current[key]))
            elif value is not None and current.get(key) != value:
                put.append((entity, key, value))
    count = sum(map(len, there.values())) - len(drop)
    if count + sum(1 for e, key, _ in put if key not in there.get(e, {})) > most:
        detail = f"There may be {most} client quotas (client.quotas.max)."
        raise Refuse(ErrorCode.POLICY_VIOLATION, detail)
    return put, drop


def columns_of(rows: Sequence[Row]) -> Mapping[str, Sequence[Any]]:
    """Rows as the statements take them: a list for each column. There must be at least one."""
    columns = zip(*((*_columns(entity), key, value) for entity, key, value in rows), strict=True)
    return dict(zip(sql.COLUMNS, columns, strict=True))


def _columns(entity: Entity) -> tuple[str, ...]:
    parts = dict(entity)
    kinds = " ".join(kind for kind, _ in entity)
    return kinds, *(parts.get(kind) or "" for kind in COLUMN_OF)


async def _rows(connection: Connection) -> Values:
    rows = await (await connection.execute(sql.ALL.encode())).fetchall()
    return values_of(rows)


def values_of(rows: Iterable[Sequence[Any]]) -> Values:
    """Quotas by entity. A row with an unknown type of a newer version is logged and left out."""
    values: Values = {}
    for kinds, user, client_id, ip, key, value in rows:
        names = {USER: user, CLIENT_ID: client_id, IP: ip}
        parts = kinds.split(" ")
        if not set(parts) <= set(TYPES):
            logger.error("a quota of %s cannot be read", kinds)
            continue
        entity = tuple((kind, names[kind] or None) for kind in sorted(parts))
        values.setdefault(entity, {})[key] = value
    return values
