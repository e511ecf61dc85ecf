"""A node's copy of the ACLs of the Kafka port, and their changes over the wire.

Every node has all of them in memory, so that requests need no query. A change notifies ``BELL``,
and nodes look for changes every second in any case; the node that made one has read it before it
answers.
"""

import asyncio
import json
import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final, Self

from django.conf import settings

from groups.core.acls.bindings import Binding, Filter, PatternType
from groups.core.acls.forms import check_principals
from groups.core.acls.index import AclIndex
from groups.core.authors import AuthorDetails
from groups.core.errors import ErrorCode, Refuse
from groups.postgres.array_literals import arrays
from groups.postgres.connections import Connection
from groups.postgres.table_changes import Connect, TableCopy
from groups.store.sql import acls as sql

logger = logging.getLogger(__name__)

COMPARED_MAX: Final = 100_000
"""Comparisons of filters with rules in one request: a fifth of a second. A thousand filters without
conditions took 7 to 17 s with 10,000 rules, which PostgreSQL ended after 5, and each had its own
list of all deleted rules."""


class Acls(TableCopy[frozenset[Binding]]):
    """The ACLs of this installation. ``version`` increases with every change that is read:
    decisions of another version are outdated; ``changed`` is called then."""

    def __init__(
        self,
        connections: Connect,
        node_id: int,
        super_users: Iterable[str] = (),
        *,
        allow_everyone: bool = False,
        most: int,
    ) -> None:
        super().__init__("rollcall_acl", connections, _rows)
        self._node_id = node_id
        self._super_users = tuple(super_users)
        self._allow_everyone = allow_everyone
        self._most = most
        self.version = 0
        self.index = AclIndex((), self._super_users, allow_everyone=allow_everyone)
        self.changed: Callable[[], None] = lambda: None

    @classmethod
    def from_django(cls, connections: Connect, node_id: int) -> Self | None:
        """From the settings; None without an authorizer."""
        if _setting("AUTHORIZER") != "on":
            return None
        return cls(
            connections,
            node_id,
            check_principals(_setting("SUPER_USERS")),
            allow_everyone=_setting("ALLOW_EVERYONE_IF_NO_ACL_FOUND"),
            most=_setting("ACLS_MAX"),
        )

    async def create(self, bindings: Collection[Binding], author: AuthorDetails) -> None:
        """Create those that do not exist yet, all or none; they apply when this returns. Refuses
        POLICY_VIOLATION; raises psycopg's errors."""
        async with self._connections() as connection:
            async with connection.transaction():
                await connection.execute(sql.TURN)
                there = await _rows(connection)
                if len(there | frozenset(bindings)) > self._most:
                    detail = f"There may be {self._most} ACLs (acls.max)."
                    raise Refuse(ErrorCode.POLICY_VIOLATION, detail)
                await self._execute(connection, sql.CREATE, bindings, author)
            await self.load(connection)

    async def delete(self, filters: Sequence[Filter], author: AuthorDetails) -> list[list[Binding]]:
        """Delete all that match a filter; returns them by filter. Refuses POLICY_VIOLATION; raises
        psycopg's errors."""
        async with self._connections() as connection:
            async with connection.transaction():
                await connection.execute(sql.TURN)
                there = await _rows(connection)
                by_filter = await asyncio.to_thread(_meant_by_each, filters, there)
                gone = {binding for each in by_filter for binding in each}
                await self._execute(connection, sql.DELETE, gone, author)
            await self.load(connection)
        return by_filter

    async def _execute(
        self,
        connection: Connection,
        statement: str,
        bindings: Collection[Binding],
        author: AuthorDetails,
    ) -> None:
        if not bindings:
            return
        parameters = arrays(sql.COLUMNS, [_row(binding) for binding in bindings])
        author_values = {"node_id": self._node_id, "author": json.dumps(author)}
        await connection.execute(statement.encode(), {**parameters, **author_values})

    async def _learn(self, bindings: frozenset[Binding]) -> None:
        if bindings == self.index.bindings:
            return
        users, everyone = self._super_users, self._allow_everyone
        # In a thread: ten thousand take a tenth of a second.
        self.index = await asyncio.to_thread(AclIndex, bindings, users, allow_everyone=everyone)
        self.version += 1
        self.changed()


def _setting(name: str) -> Any:
    """A setting of ``coordinator_site.kafka_settings``."""
    return getattr(settings, name)


def _meant_by_each(filters: Sequence[Filter], there: Collection[Binding]) -> list[list[Binding]]:
    """The rules that match each filter. A filter with a name or a principal is compared only with
    rules that have it. Refuses POLICY_VIOLATION if there are too many comparisons."""
    named, of_principal = _by(there, "name"), _by(there, "principal")
    looked_at: list[Collection[Binding]] = []
    for acl_filter in filters:
        if acl_filter.name is not None and acl_filter.pattern is not PatternType.MATCH:
            looked_at.append(named.get(acl_filter.name, ()))
        elif acl_filter.principal is not None:
            looked_at.append(of_principal.get(acl_filter.principal, ()))
        else:
            looked_at.append(there)
    if sum(map(len, looked_at)) > COMPARED_MAX:
        detail = "These filters match too many ACLs: use narrower filters."
        raise Refuse(ErrorCode.POLICY_VIOLATION, detail)
    return [_meant(acl_filter, rules) for acl_filter, rules in zip(filters, looked_at, strict=True)]


def _by(there: Iterable[Binding], part: str) -> Mapping[str, list[Binding]]:
    grouped = defaultdict[str, list[Binding]](list)
    for binding in there:
        grouped[getattr(binding, part)].append(binding)
    return grouped


def _meant(acl_filter: Filter, there: Collection[Binding]) -> list[Binding]:
    only = acl_filter.binding
    if only is not None:
        return [only] if only in there else []
    return sorted(binding for binding in there if acl_filter.matches(binding))


async def _rows(connection: Connection) -> frozenset[Binding]:
    """Converted in a thread too: ten thousand take 50 ms."""
    rows = await (await connection.execute(sql.ALL.encode())).fetchall()
    return await asyncio.to_thread(_bindings, rows)


def _bindings(rows: Iterable[Sequence[str]]) -> frozenset[Binding]:
    return frozenset(binding for row in rows if (binding := _binding(row)) is not None)


def _row(binding: Binding) -> tuple[str, ...]:
    kind, name, pattern, principal, host, operation, permission = binding
    return kind.name, name, pattern.name, principal, host, operation.name, permission.name


def _binding(row: Sequence[str]) -> Binding | None:
    """The binding of a row; one with an unknown word of a newer version is logged and left out."""
    try:
        return Binding.of_words(*row)
    except KeyError as error:
        principal = row[Binding._fields.index("principal")]
        logger.error("an ACL of %s cannot be read: %s", principal, error)
        return None
