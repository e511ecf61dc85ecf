"""Logins over the wire in the audit: collected in memory, and written in batches.

A login does not wait for a row: it works while PostgreSQL is unavailable. The database records
changes, in the transaction of the change (migration 0028).
"""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any, Final, NamedTuple

import psycopg
from psycopg_pool import PoolTimeout

from groups.core.authors import Author
from groups.core.networks import network_of
from groups.postgres.array_literals import arrays
from groups.postgres.connections import Connection

logger = logging.getLogger(__name__)

WAITING_MAX: Final = 10_000
"""Logins that may wait to be written; of further ones only the number is recorded."""

FAILURES_MAX, FAILURES_OF_ONE_MAX = 100, 25
"""Failures in one batch that are told one by one, of all and of one address: whoever guesses shall
fill no disk, nor hide what others try."""

EVERY_S: Final = 0.5
"""The pause between two batches; a crowd of reconnecting clients needs one or two."""

LAST_S: Final = 1.0
"""The time for the last batch of a node that stops."""

APPEND = """
INSERT INTO rollcall_audit (
    kind, who, address, client_id, request_id, target, outcome, details, at, login)
SELECT 'wire-login', who, address, client_id, '', mechanism, outcome, details::jsonb,
       clock_timestamp(), ''
FROM unnest(%(who)s::text[], %(address)s::text[], %(client_id)s::text[], %(mechanism)s::text[],
            %(outcome)s::text[], %(details)s::text[])
     AS new(who, address, client_id, mechanism, outcome, details)
"""


class Login(NamedTuple):
    """One attempt; ``why`` it failed, "" if it succeeded."""

    by: Author
    mechanism: str
    why: str = ""


class WireAudit:
    """``add`` may be called anywhere on the loop; ``run`` writes until cancelled, and then once
    more."""

    def __init__(self, connections: Callable[[], AbstractAsyncContextManager[Connection]]) -> None:
        self._connections = connections
        self._waiting: list[Login] = []
        self._failures: Counter[str] = Counter()
        self._unlisted = 0
        self._wake = asyncio.Event()

    def add(self, login: Login) -> None:
        """Somebody logged in, or failed to."""
        if len(self._waiting) >= WAITING_MAX or (login.why and not self._may_list(login)):
            self._unlisted += 1
        else:
            self._waiting.append(login)
        self._wake.set()

    def _may_list(self, failure: Login) -> bool:
        """Whether one more failure of this address is told by itself."""
        whose = network_of(failure.by.client_host.removeprefix("/"))
        is_much = self._failures[whose] >= FAILURES_OF_ONE_MAX
        if is_much or self._failures.total() >= FAILURES_MAX:
            return False
        self._failures[whose] += 1
        return True

    async def run(self) -> None:
        """Write a batch if there is one, with a pause after it."""
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                await self._write()
                await asyncio.sleep(EVERY_S)
        except asyncio.CancelledError:
            await self._end()
            raise

    async def _end(self) -> None:
        """Write the last batch, and log what the database does not accept."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_S):
                await self._write()
        lost = len(self._waiting) + self._unlisted
        if lost:
            logger.error("%d logins are not in the audit: the database did not take them", lost)

    async def _write(self) -> None:
        batch, unlisted = self._waiting, self._unlisted
        self._waiting, self._unlisted, self._failures = [], 0, Counter()
        if unlisted:
            logger.warning("%d logins are not in the audit one by one", unlisted)
        if not (batch or unlisted):
            return
        try:
            async with self._connections() as connection:
                await connection.execute(APPEND.encode(), _columns(batch, unlisted))
        except (psycopg.Error, PoolTimeout, OSError) as error:
            logger.info("the audit of %d logins waits for the database: %s", len(batch), error)
            self._give_back(batch, unlisted)
        except asyncio.CancelledError:
            self._give_back(batch, unlisted)
            raise

    def _give_back(self, batch: list[Login], unlisted: int) -> None:
        """Put logins back, before newer ones, as far as there is room."""
        room = max(0, WAITING_MAX - len(self._waiting))
        self._unlisted += unlisted + max(0, len(batch) - room)
        self._waiting = batch[:room] + self._waiting
        self._wake.set()


def _columns(batch: list[Login], unlisted: int) -> dict[str, Any]:
    rows = [
        (
            each.by.principal,
            each.by.client_host,
            each.by.client_id,
            each.mechanism,
            "failed" if each.why else "done",
            json.dumps({"why": each.why} if each.why else {}),
        )
        for each in batch
    ]
    if unlisted:
        rows.append(("", "", "", "", "not told one by one", json.dumps({"logins": unlisted})))
    names = ("who", "address", "client_id", "mechanism", "outcome", "details")
    return arrays(names, rows)
