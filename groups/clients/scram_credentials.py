"""Users of the Kafka port: SCRAM credentials, which verify a password without containing it.

Every node has all of them in memory, so that logins need no query and work while PostgreSQL is
unavailable. A change notifies ``BELL``, and nodes look for changes every second in any case. The
keys are those of RFC 5802; passwords are plain UTF-8 without SASLprep, as in Kafka's tools and
clients.
"""

import asyncio
import hashlib
import hmac
import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Self

from groups.core.authors import AuthorDetails
from groups.core.journal import EntryKind
from groups.postgres.channels import notify
from groups.postgres.connections import Connection
from groups.postgres.table_changes import Connect, TableCopy
from groups.store.sql.access_note import access_note

BELL = "rollcall_credentials"
"""The channel for changes of credentials."""

RINGS = notify(f"'{BELL}'", "''")

HASHES: Mapping[str, str] = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
"""Kafka's two mechanisms, and their hashes."""

ITERATIONS_MIN, ITERATIONS, ITERATIONS_MAX = 4_096, 8_192, 16_384
"""Kafka's bounds, and the default of its tools."""

SALT_BYTES_MIN, SALT_BYTES = 12, 32

TEXT_SALT_CHARS = b"0123456789abcdefghijklmnopqrstuvwxyz"
TEXT_SALT = frozenset(TEXT_SALT_CHARS)
"""Of the salts that Kafka's tools make (``ScramFormatter.secureRandomString``)."""

NAME_CHARS_MAX = 256
"""A user's name appears in logs, rows and principals."""

ALL = """
SELECT name, mechanism, salt, iterations, stored_key, server_key, user_since
FROM rollcall_credential
"""

PUT = """
INSERT INTO rollcall_credential (
    name, mechanism, salt, iterations, stored_key, server_key, updated_at, user_since)
VALUES (%(name)s, %(mechanism)s, %(salt)s, %(iterations)s, %(stored_key)s, %(server_key)s, now(),
        coalesce((SELECT min(c.user_since) FROM rollcall_credential c WHERE c.name = %(name)s),
                 clock_timestamp()))
ON CONFLICT (name, mechanism) DO UPDATE SET
    salt = excluded.salt, iterations = excluded.iterations, stored_key = excluded.stored_key,
    server_key = excluded.server_key, updated_at = excluded.updated_at
"""

TURN = "SELECT pg_advisory_xact_lock(hashtextextended('rollcall_credentials', 0))"

DROP = "DELETE FROM rollcall_credential WHERE name = %(name)s AND mechanism = %(mechanism)s"

RING = f"SELECT {RINGS}"


def noted(statement: str, kind: EntryKind) -> str:
    """The statement with its journal entry, and the notification of the nodes. The entry contains
    nothing of a password."""
    note = access_note(kind, "'user', name, 'mechanism', mechanism").rstrip()
    return f"""
WITH changed AS ({statement.strip()} RETURNING name, mechanism), noted AS ({note})
SELECT {RINGS} FROM changed
"""


PUT_NOTED = noted(PUT, EntryKind.CREDENTIAL_SET)
DROP_NOTED = noted(DROP, EntryKind.CREDENTIAL_DELETED)


class Credential(NamedTuple):
    """The stored values of a password, for one mechanism."""

    salt: bytes
    iterations: int
    stored_key: bytes
    server_key: bytes


class Change(NamedTuple):
    """A change of one credential: None deletes it."""

    mechanism: str
    credential: Credential | None


def is_name(name: str) -> bool:
    """Whether a user name is valid."""
    return 0 < len(name) <= NAME_CHARS_MAX and name.isprintable()


Key = tuple[str, str]
"""A user's name, and a mechanism."""


def salted(mechanism: str, password: str, salt: bytes, iterations: int) -> bytes:
    """Hash a password: takes milliseconds, during which other threads run."""
    return hashlib.pbkdf2_hmac(HASHES[mechanism], password.encode(), salt, iterations)


def credential(mechanism: str, salted_password: bytes, salt: bytes, iterations: int) -> Credential:
    """The credential of a salted password."""
    name = HASHES[mechanism]
    client_key = hmac.digest(salted_password, b"Client Key", name)
    stored_key = hashlib.new(name, client_key).digest()
    return Credential(
        salt, iterations, stored_key, hmac.digest(salted_password, b"Server Key", name)
    )


def of_password(mechanism: str, password: str, iterations: int = ITERATIONS) -> Credential:
    """A new credential, with its own salt."""
    salt = secrets.token_bytes(SALT_BYTES)
    return credential(mechanism, salted(mechanism, password, salt, iterations), salt, iterations)


class Form(NamedTuple):
    """What a client sees of a credential before it proves anything, besides its random bits.
    ``is_text``: a salt of digits and small letters, as Kafka's own tools make them."""

    iterations: int = ITERATIONS
    salt_bytes: int = SALT_BYTES
    is_text: bool = False

    @classmethod
    def of(cls, credential: Credential) -> Self:
        """That of a credential."""
        is_text = set(credential.salt) <= TEXT_SALT
        return cls(credential.iterations, len(credential.salt), is_text)


OURS = Form()


def plausible(secret: bytes, mechanism: str, name: str, form: Form = OURS) -> Credential:
    """The credential for an unknown user, in the form that those of others have: always the same
    for a name, so that clients cannot tell which users exist. It matches no password."""
    seed = hmac.digest(secret, f"{mechanism} {name}".encode(), "sha256")
    salt = hashlib.shake_256(seed).digest(form.salt_bytes)
    if form.is_text:
        salt = bytes(TEXT_SALT_CHARS[each % len(TEXT_SALT_CHARS)] for each in salt)
    size = hashlib.new(HASHES[mechanism]).digest_size
    return Credential(salt, form.iterations, secrets.token_bytes(size), secrets.token_bytes(size))


class Credentials(TableCopy[Sequence[Sequence[Any]]]):
    """All users of this installation, as a node knows them. ``deleted`` is called with users that
    have no credentials any more, or have been created again since."""

    def __init__(self, connections: Connect) -> None:
        super().__init__("rollcall_credential", connections, _all)
        self._credentials: dict[Key, Credential] = {}
        self._since: dict[str, datetime] = {}
        self._usual: Mapping[str, Form] = {}
        self.deleted: Callable[[Iterable[str]], None] = lambda _names: None

    def get(self, name: str, mechanism: str) -> Credential | None:
        """A user's credential; None: no such user, or it does not have this mechanism."""
        return self._credentials.get((name, mechanism))

    def usual(self, mechanism: str) -> Form:
        """The form that most credentials of this mechanism have."""
        return self._usual.get(mechanism, OURS)

    def iterations(self) -> Mapping[str, Mapping[str, int]]:
        """Every user's mechanisms, and their iterations."""
        by_user: dict[str, dict[str, int]] = {}
        for (name, mechanism), credential in self._credentials.items():
            by_user.setdefault(name, {})[mechanism] = credential.iterations
        return by_user

    async def change(
        self, changes: Mapping[str, Sequence[Change]], author: AuthorDetails, node_id: int
    ) -> Iterable[str]:
        """Create and delete credentials by user, all in one transaction and each with a journal
        entry. Returns the users of which a credential to be deleted does not exist; nothing of them
        is changed. Raises psycopg's errors."""
        if not changes:
            return ()
        async with self._connections() as connection:
            async with connection.transaction():
                await connection.execute(TURN)
                there = {(row[0], row[1]) for row in await _all(connection)}
                missing = {
                    name
                    for name, of_user in changes.items()
                    for one in of_user
                    if one.credential is None and (name, one.mechanism) not in there
                }
                values = {"author": json.dumps(author), "node_id": node_id}
                for name in sorted(changes.keys() - missing):
                    # Deletions last: a user whose passwords are replaced remains the same user.
                    for one in sorted(changes[name], key=lambda each: each.credential is None):
                        await _change(connection, {**values, "name": name}, one)
            await self.load(connection)
        return missing

    async def _learn(self, rows: Sequence[Sequence[Any]]) -> None:
        self._credentials = {
            (name, mechanism): Credential(bytes(salt), iterations, bytes(stored), bytes(server))
            for name, mechanism, salt, iterations, stored, server, _ in rows
        }
        before, self._since = self._since, _since(rows)
        if gone := {name for name, since in before.items() if self._since.get(name) != since}:
            self.deleted(gone)
        self._usual = await asyncio.to_thread(usual, self._credentials)  # 30 ms for ten thousand


def usual(credentials: Mapping[Key, Credential]) -> Mapping[str, Form]:
    """The most frequent form by mechanism; of two that are, the greater."""
    counts: dict[str, Counter[Form]] = {}
    for (_, mechanism), each in credentials.items():
        counts.setdefault(mechanism, Counter())[Form.of(each)] += 1
    return {
        mechanism: max(forms, key=lambda form: (forms[form], form))
        for mechanism, forms in counts.items()
    }


def _since(rows: Iterable[Sequence[Any]]) -> dict[str, datetime]:
    """When each user was created. Nodes before migration 0049 write a time of its own for each
    mechanism."""
    earliest: dict[str, datetime] = {}
    for name, *_, since in rows:
        earliest[name] = min(since, earliest.get(name, since))
    return earliest


async def _all(connection: Connection) -> Sequence[Sequence[Any]]:
    return await (await connection.execute(ALL.encode())).fetchall()


async def _change(connection: Connection, values: Mapping[str, Any], change: Change) -> None:
    key = {**values, "mechanism": change.mechanism}
    if change.credential is None:
        await connection.execute(DROP_NOTED.encode(), key)
    else:
        await connection.execute(PUT_NOTED.encode(), {**key, **change.credential._asdict()})
