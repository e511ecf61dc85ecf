"""Users of the Kafka port: SCRAM credentials, which verify a password and do not tell it.

Every node has all of them in memory, so that logins ask nothing of PostgreSQL and go on while it is
away. A change rings ``BELL``. The keys are those of RFC 5802; passwords are UTF-8 as they are, as
Kafka's tools and clients have them, without SASLprep.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple

from groups.core.authors import Told
from groups.core.journal import EntryKind, Trigger
from groups.postgres.connections import Connection

BELL = "rollcall_credentials"
"""The channel that says: credentials have changed."""

HASHES: Mapping[str, str] = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
"""Kafka's two mechanisms, and what they hash with."""

ITERATIONS_MIN, ITERATIONS, ITERATIONS_MAX = 4_096, 8_192, 16_384
"""Kafka's bounds, and what its tools take by default."""

SALT_BYTES_MIN, SALT_BYTES = 12, 32

NAME_CHARS_MAX = 256
"""A user's name stands in logs, rows and principals."""

ALL = "SELECT name, mechanism, salt, iterations, stored_key, server_key FROM rollcall_credential"

PUT = """
INSERT INTO rollcall_credential (
    name, mechanism, salt, iterations, stored_key, server_key, updated_at)
VALUES (%(name)s, %(mechanism)s, %(salt)s, %(iterations)s, %(stored_key)s, %(server_key)s, now())
ON CONFLICT (name, mechanism) DO UPDATE SET
    salt = excluded.salt, iterations = excluded.iterations, stored_key = excluded.stored_key,
    server_key = excluded.server_key, updated_at = excluded.updated_at
"""

# What the journal tells of users: nothing of their passwords.
_NOTED = f"""
WITH changed AS (%s RETURNING name, mechanism), noted AS (
    INSERT INTO rollcall_journal (
        at, group_id, revision, node_id, kind, trigger, reason, client_id, generation_before,
        generation_after, waited_for, joined, "left", details)
    SELECT clock_timestamp(), '', 0, %%(node_id)s, '%s', '{Trigger.REQUEST}', '',
           coalesce(%%(author)s::jsonb ->> 'client_id', ''), 0, 0, '{{}}', '[]', '[]',
           jsonb_build_object('author', %%(author)s::jsonb, 'user', name, 'mechanism', mechanism)
    FROM changed)
SELECT pg_notify('{BELL}', '') FROM changed
"""

TURN = "SELECT pg_advisory_xact_lock(hashtextextended('rollcall_credentials', 0))"

DROP = "DELETE FROM rollcall_credential WHERE name = %(name)s AND mechanism = %(mechanism)s"

RING = f"NOTIFY {BELL}"


def noted(statement: str, kind: EntryKind) -> str:
    """The statement with its entry in the journal, and the ring for the nodes."""
    return _NOTED.replace("%s", statement.strip(), 1).replace("%s", kind, 1).replace("%%", "%")


PUT_NOTED = noted(PUT, EntryKind.CREDENTIAL_SET)
DROP_NOTED = noted(DROP, EntryKind.CREDENTIAL_DELETED)


class Credential(NamedTuple):
    """What is kept of a password, for one mechanism."""

    salt: bytes
    iterations: int
    stored_key: bytes
    server_key: bytes


class Change(NamedTuple):
    """What becomes of one of a user's credentials: None deletes it."""

    mechanism: str
    credential: Credential | None


def is_name(name: str) -> bool:
    """Whether a user can be called so."""
    return 0 < len(name) <= NAME_CHARS_MAX and name.isprintable()


Key = tuple[str, str]
"""A user's name, and a mechanism."""


def salted(mechanism: str, password: str, salt: bytes, iterations: int) -> bytes:
    """The costly part: milliseconds, in which other threads run."""
    return hashlib.pbkdf2_hmac(HASHES[mechanism], password.encode(), salt, iterations)


def credential(mechanism: str, salted_password: bytes, salt: bytes, iterations: int) -> Credential:
    """What is kept of a password that was salted so."""
    name = HASHES[mechanism]
    client_key = hmac.digest(salted_password, b"Client Key", name)
    stored_key = hashlib.new(name, client_key).digest()
    return Credential(
        salt, iterations, stored_key, hmac.digest(salted_password, b"Server Key", name)
    )


def of_password(mechanism: str, password: str, iterations: int = ITERATIONS) -> Credential:
    """A new credential, with a salt of its own."""
    salt = secrets.token_bytes(SALT_BYTES)
    return credential(mechanism, salted(mechanism, password, salt, iterations), salt, iterations)


def plausible(secret: bytes, mechanism: str, name: str) -> Credential:
    """What a user that is not there is asked with: the same each time, so that nobody can tell who
    is there. No password fits."""
    salt = hmac.digest(secret, f"{mechanism} {name}".encode(), "sha256")
    size = hashlib.new(HASHES[mechanism]).digest_size
    return Credential(salt, ITERATIONS, secrets.token_bytes(size), secrets.token_bytes(size))


class Credentials:
    """All users of this installation, as a node knows them. ``deleted`` hears of users that had
    credentials and have none any more."""

    def __init__(self, connections: Callable[[], AbstractAsyncContextManager[Connection]]) -> None:
        self._connections = connections
        self._known: dict[Key, Credential] = {}
        self.deleted: Callable[[Iterable[str]], None] = lambda _names: None

    def get(self, name: str, mechanism: str) -> Credential | None:
        """A user's credential; None: there is no such user, or not with this mechanism."""
        return self._known.get((name, mechanism))

    def iterations(self) -> Mapping[str, Mapping[str, int]]:
        """Every user's mechanisms, and how often each hashes."""
        found: dict[str, dict[str, int]] = {}
        for (name, mechanism), known in self._known.items():
            found.setdefault(name, {})[mechanism] = known.iterations
        return found

    async def change(
        self, changes: Mapping[str, Sequence[Change]], author: Told, node_id: int
    ) -> Iterable[str]:
        """Make and delete credentials, by user, all in one transaction and with an entry in the
        journal each. The users of whom one was to be deleted that is not there, and of whom nothing
        was changed. Raises psycopg's own errors."""
        if not changes:
            return ()
        async with self._connections() as connection:
            async with connection.transaction():
                await connection.execute(TURN)
                there = {(row[0], row[1]) for row in await _all(connection)}
                missing = {
                    name
                    for name, wanted in changes.items()
                    for one in wanted
                    if one.credential is None and (name, one.mechanism) not in there
                }
                said = {"author": json.dumps(author), "node_id": node_id}
                for name in sorted(changes.keys() - missing):
                    for one in changes[name]:
                        await _change(connection, {**said, "name": name}, one)
            await self.load(connection)
        return missing

    async def load(self, connection: Connection) -> None:
        """Read them all. Raises psycopg's own errors."""
        rows = await _all(connection)
        before = {name for name, _ in self._known}
        self._known = {
            (name, mechanism): Credential(bytes(salt), iterations, bytes(stored), bytes(server))
            for name, mechanism, salt, iterations, stored, server in rows
        }
        if gone := before - {name for name, _ in self._known}:
            self.deleted(gone)

    async def rung(self, _payload: str | None) -> None:
        """The doorbell: some have changed."""
        async with self._connections() as connection:
            await self.load(connection)


async def _all(connection: Connection) -> Sequence[Sequence[Any]]:
    return await (await connection.execute(ALL.encode())).fetchall()


async def _change(connection: Connection, said: Mapping[str, Any], change: Change) -> None:
    key = {**said, "mechanism": change.mechanism}
    if change.credential is None:
        await connection.execute(DROP_NOTED.encode(), key)
    else:
        await connection.execute(PUT_NOTED.encode(), {**key, **change.credential._asdict()})
