"""The client's side of a modelled PostgreSQL: connections that break, and what they send.

They replace psycopg's. A message travels, arrives at its session, and the reply travels back; each
of these may fail, and the server executes what it was sent all the same.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import psycopg

from proof.simulation.postgres import Database, Meaning, Operation, Transaction
from proof.simulation.world import MS, SECOND, Micros, Process

IDLE_IN_TRANSACTION: Micros = 1 * SECOND
"""After this the server ends a session that is idle in a transaction
(``groups.postgres.roles``)."""


class Cursor:
    """The rows of one statement; ``rowcount`` counts the rows that it found or wrote."""

    __slots__ = ("_rows", "rowcount")

    def __init__(self, rows: list[Any]) -> None:
        self._rows = rows
        self.rowcount = len(rows)

    async def fetchall(self) -> list[Any]:
        """All rows."""
        return self._rows

    async def fetchmany(self, size: int) -> list[Any]:
        """The next rows."""
        found, self._rows = self._rows[:size], self._rows[size:]
        return found

    async def fetchone(self) -> Any:
        """The first row, or None."""
        return self._rows[0] if self._rows else None


class Connection:
    """Replaces a psycopg connection in autocommit mode. ``is_for_long``: its statements may take
    longer than others, as those of loads."""

    is_for_long = False

    def __init__(
        self, database: Database, process: Process, meanings: Any, patience_s: float
    ) -> None:
        self.database = database
        self.patience_s = patience_s
        self.process = process
        self.meanings = meanings
        self.session = database.open(process)
        self.session.connection = self
        self.closed = False
        self.broken = False
        self._in_transaction = False
        self._begun: Transaction | None = None
        self._waiting: Any = None
        self._sent_at: Micros = 0

    async def execute(
        self, query: bytes, parameters: Any = None, *, prepare: bool | None = None
    ) -> Cursor:
        """Run one of the statements that ``meanings`` knows; how it is planned makes no
        difference."""
        return Cursor(await self.run(self.meanings[query], parameters))

    async def run(self, meaning: Meaning, parameters: Any) -> Any:
        """Send something, and wait for its outcome. Raises OperationalError if that is unknown."""
        if self.closed or self.broken:
            raise psycopg.OperationalError("the connection is closed")
        self._waiting = self.process.loop.create_future()
        self._sent_at = self.database.world.now
        self._travel(self._arrive, meaning, parameters, self._in_transaction)
        if self.session.hangs_until > self._sent_at:
            self.backend_hangs()
        return await self._waiting

    def backend_hangs(self) -> None:
        """Start the timeout: nothing else takes so long that it matters."""
        waiting, world = self._waiting, self.database.world
        if waiting is not None:
            left_s = self.patience_s - (world.now - self._sent_at) / SECOND
            self.process.loop.call_later(max(left_s, 0), self._overdue, waiting)

    def _overdue(self, waiting: Any) -> None:
        if self._waiting is waiting:
            self.fall()

    @contextmanager
    def patient(self, seconds: float) -> Iterator[None]:
        """For a call that may take longer than others."""
        before, self.patience_s = self.patience_s, seconds
        try:
            yield
        finally:
            self.patience_s = before

    def pipeline(self) -> "nullcontext[None]":
        """Statements are sent one by one all the same: more can happen in between."""
        return nullcontext()

    def transaction(self) -> "Block":
        """BEGIN, and COMMIT or ROLLBACK."""
        return Block(self)

    async def close(self) -> None:
        """Close the connection."""
        if not self.closed:
            self.closed = True
            self.database.world.after(MS, self.database.close, self.session)

    async def __aenter__(self) -> "Connection":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # -- messages

    def _travel(self, what: Callable[..., None], *args: Any) -> None:
        world, weather = self.database.world, self.database.weather
        if self.process.name in weather.cut:
            world.after(world.between(0.2, 3), self.fall)
            return
        delay = weather.latency * world.rng.uniform(0.5, 1.5) * SECOND
        world.after(int(delay), what, *args)

    def fall(self) -> None:
        """The connection is broken; the server notices later."""
        if self.broken:
            return
        self.broken = self.closed = True
        database = self.database
        database.world.after(database.world.between(0.001, 4), database.close, self.session)
        self._give(None, psycopg.OperationalError("the connection was lost"))

    def _arrive(self, meaning: Meaning, parameters: Any, in_transaction: bool) -> None:
        """``in_transaction``: when it was sent; the client may have lost the connection since."""
        database, session = self.database, self.session
        if not (database.is_up and session.is_open):
            self.fall()
            return
        if in_transaction:
            transaction = session.transaction or Transaction(session)
            self._begun = session.transaction = transaction
            transaction.idle_since = -1
        else:
            transaction = Transaction(session)
        operation = self._whole(meaning, parameters, transaction, commits=not in_transaction)
        database.perform(operation, transaction, self._reply)

    def _whole(
        self, meaning: Meaning, parameters: Any, transaction: Transaction, *, commits: bool
    ) -> Operation:
        rows = yield from meaning(self.database, transaction, parameters)
        if commits and not transaction.is_over:
            self.database.commit(transaction)
        return rows

    def _idle(self, transaction: Transaction, since: Micros) -> None:
        if not transaction.is_over and transaction.idle_since == since:
            self.database.close(self.session)

    def _reply(self, rows: Any, error: BaseException | None) -> None:
        database = self.database
        if (begun := self.session.transaction) is not None:
            begun.idle_since = database.world.now
            database.world.after(IDLE_IN_TRANSACTION, self._idle, begun, begun.idle_since)
        lost = database.weather.lost_reply_share
        if not self.session.is_open or (lost and database.world.rng.random() < lost):
            self.fall()
        else:
            self._travel(self._give, rows, error)

    def _give(self, rows: Any, error: BaseException | None) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is None or waiting.done() or not self.process.alive:
            return
        if error is None:
            waiting.set_result(rows)
        else:
            waiting.set_exception(error)

    # -- transaction blocks

    async def begin(self) -> None:
        """Begin a transaction of the next statements."""
        self._in_transaction, self._begun = True, None

    async def end(self, *, commits: bool) -> None:
        """COMMIT or ROLLBACK what ``begin`` began. Raises OperationalError if the server ended it
        meanwhile."""
        self._in_transaction = False
        begun, self._begun = self._begun, None
        if begun is not None and (commits or not self.broken):
            await self.run(_commit if commits else _rollback, begun)


def _commit(database: Database, own: Transaction, transaction: Transaction) -> Operation:
    yield ("wait", 0)
    database.commit(transaction)
    return []


def _rollback(database: Database, own: Transaction, transaction: Transaction) -> Operation:
    yield ("wait", 0)
    database.abort(transaction)
    return []


class Block:
    """``async with connection.transaction()``."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    async def __aenter__(self) -> None:
        await self.connection.begin()

    async def __aexit__(self, kind: object, *_: object) -> None:
        await self.connection.end(commits=kind is None)
