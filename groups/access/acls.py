"""The access rules of the Kafka port as a node knows them, and how they are changed.

Every node has all of them in memory, so that a request asks nothing of PostgreSQL. A change rings
``BELL``; the node that made it has read it before it answers.
"""

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Self

from django.conf import settings

from groups.core.acls.bindings import Binding, Filter, Operation, PatternType, Permission
from groups.core.acls.bindings import ResourceType as Type
from groups.core.acls.forms import check_principals
from groups.core.acls.index import AclIndex
from groups.core.authors import Told
from groups.core.errors import ErrorCode, Refuse
from groups.postgres.array_literals import array
from groups.postgres.connections import Connection
from groups.store.sql import acls as sql

logger = logging.getLogger(__name__)

COMPARED_MAX: Final = 100_000
"""Rules that the filters of one request are compared with, one after another: a fifth of a second.
A thousand filters that leave everything open took 7 to 17 s among 10,000 rules, which PostgreSQL
ended after 5, and each had a list of its own of all that was deleted."""

Connect = Callable[[], AbstractAsyncContextManager[Connection]]


class Acls:
    """The rules of this installation. ``version`` grows with every change that is read: what was
    found at another version has to be looked for again; ``changed`` hears of that."""

    def __init__(
        self,
        connections: Connect,
        node_id: int,
        super_users: Iterable[str] = (),
        *,
        allow_everyone: bool = False,
        most: int,
    ) -> None:
        self._connections = connections
        self._node_id = node_id
        self._super_users = tuple(super_users)
        self._allow_everyone = allow_everyone
        self._most = most
        self._reading = asyncio.Lock()
        self.version = 0
        self.index = AclIndex((), self._super_users, allow_everyone=allow_everyone)
        self.changed: Callable[[], None] = lambda: None

    @classmethod
    def from_django(cls, connections: Connect, node_id: int) -> Self | None:
        """As the settings say; None where no authorizer is on."""
        if _setting("AUTHORIZER") != "on":
            return None
        return cls(
            connections,
            node_id,
            check_principals(_setting("SUPER_USERS")),
            allow_everyone=_setting("ALLOW_EVERYONE_IF_NO_ACL_FOUND"),
            most=_setting("ACLS_MAX"),
        )

    async def load(self, connection: Connection) -> None:
        """Read them all. Raises psycopg's own errors."""
        async with self._reading:
            await self._learn(await _rows(connection))

    async def rung(self, _payload: str | None) -> None:
        """The doorbell: some have changed."""
        async with self._connections() as connection:
            await self.load(connection)

    async def create(self, bindings: Collection[Binding], author: Told) -> None:
        """Make those that are not there yet, all or none; they hold when this returns. Refuses
        POLICY_VIOLATION; raises psycopg's own errors."""
        async with self._connections() as connection:
            async with connection.transaction():
                await connection.execute(sql.TURN)
                there = await _rows(connection)
                if len(there | frozenset(bindings)) > self._most:
                    detail = f"There may be {self._most} ACLs (acls.max)."
                    raise Refuse(ErrorCode.POLICY_VIOLATION, detail)
                await self._execute(connection, sql.CREATE, bindings, author)
            await self.load(connection)

    async def delete(self, filters: Sequence[Filter], author: Told) -> list[list[Binding]]:
        """Delete what any of them means: by filter, what was there. Refuses POLICY_VIOLATION;
        raises psycopg's own errors."""
        async with self._connections() as connection:
            async with connection.transaction():
                await connection.execute(sql.TURN)
                there = await _rows(connection)
                found = await asyncio.to_thread(_meant_by_each, filters, there)
                gone = {binding for each in found for binding in each}
                await self._execute(connection, sql.DELETE, gone, author)
            await self.load(connection)
        return found

    async def _execute(
        self, connection: Connection, statement: str, bindings: Collection[Binding], author: Told
    ) -> None:
        if not bindings:
            return
        columns = zip(*(_row(binding) for binding in bindings), strict=True)
        given = {name: array(column) for name, column in zip(sql.COLUMNS, columns, strict=True)}
        said = {"node_id": self._node_id, "author": json.dumps(author)}
        await connection.execute(statement.encode(), {**given, **said})

    async def _learn(self, bindings: frozenset[Binding]) -> None:
        if bindings == self.index.bindings:
            return
        users, everyone = self._super_users, self._allow_everyone
        # Beside the loop: ten thousand take a tenth of a second.
        self.index = await asyncio.to_thread(AclIndex, bindings, users, allow_everyone=everyone)
        self.version += 1
        self.changed()


def _setting(name: str) -> Any:
    """One of ``coordinator_site.kafka_settings``."""
    return getattr(settings, name)


def _meant_by_each(filters: Sequence[Filter], there: Collection[Binding]) -> list[list[Binding]]:
    """A filter is compared with the rules of its name or of its principal, if it says one. Refuses
    POLICY_VIOLATION where that is too much."""
    named, of_principal = _by(there, "name"), _by(there, "principal")
    looked_at: list[Collection[Binding]] = []
    for asked in filters:
        if asked.name is not None and asked.pattern is not PatternType.MATCH:
            looked_at.append(named.get(asked.name, ()))
        elif asked.principal is not None:
            looked_at.append(of_principal.get(asked.principal, ()))
        else:
            looked_at.append(there)
    if sum(map(len, looked_at)) > COMPARED_MAX:
        detail = "These filters match too many ACLs: use narrower filters."
        raise Refuse(ErrorCode.POLICY_VIOLATION, detail)
    return [_meant(asked, rules) for asked, rules in zip(filters, looked_at, strict=True)]


def _by(there: Iterable[Binding], part: str) -> Mapping[str, list[Binding]]:
    found = defaultdict[str, list[Binding]](list)
    for binding in there:
        found[getattr(binding, part)].append(binding)
    return found


def _meant(asked: Filter, there: Collection[Binding]) -> list[Binding]:
    only = asked.binding
    if only is not None:
        return [only] if only in there else []
    return sorted(binding for binding in there if asked.matches(binding))


async def _rows(connection: Connection) -> frozenset[Binding]:
    """Beside the loop, too: ten thousand take 50 ms."""
    found = await (await connection.execute(sql.ALL.encode())).fetchall()
    return await asyncio.to_thread(_bindings, found)


def _bindings(rows: Iterable[Sequence[str]]) -> frozenset[Binding]:
    return frozenset(made for row in rows if (made := _binding(row)) is not None)


def _row(binding: Binding) -> tuple[str, ...]:
    kind, name, pattern, principal, host, operation, permission = binding
    return kind.name, name, pattern.name, principal, host, operation.name, permission.name


def _binding(row: Sequence[str]) -> Binding | None:
    """A row of a newer version, with a word that this one does not know, is told and left out."""
    kind, name, pattern, principal, host, operation, permission = row
    try:
        return Binding(
            Type[kind],
            name,
            PatternType[pattern],
            principal,
            host,
            Operation[operation],
            Permission[permission],
        )
    except KeyError as error:
        logger.error("an ACL of %s cannot be read: %s", principal, error)
        return None
