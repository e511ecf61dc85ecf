"""A modelled PostgreSQL: rows, transactions that lock and wait, sessions that break.

READ COMMITTED as far as the product's statements can observe it: changes become visible at the
commit, locks are held until then, and a statement that waited for a lock reads the row again. The
server executes what it was sent, whether or not the client is still alive. ``statements`` defines
what the statements *mean*; this file knows only transactions.
"""

import json
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

import psycopg

from groups.core.events import OffsetWrite
from groups.core.rows import Durable
from groups.core.transactions import Producer
from proof.simulation.locks import Locks
from proof.simulation.world import MS, SECOND, Micros, Process, World

NEVER: Micros = 1 << 62
"""When a backend continues that hangs for good."""

IDLE_IN_TRANSACTION: Micros = 1 * SECOND
"""After this the server ends a session that is idle in a transaction
(``groups.postgres.roles``)."""

PendingKey = tuple[int, str, str, int]
"""Producer id, group, topic, partition."""

Operation = Generator[Any, Any, Any]
"""What the server does for one message: yields ("lock", key, mode) or ("wait", micros)."""


@dataclass(slots=True)
class NodeRecord:
    """A row of rollcall_node."""

    incarnation: UUID
    beat: int
    host: str
    port: int
    lease_ms: int
    takes_slots: bool = True


@dataclass(slots=True)
class SlotRecord:
    """A row of rollcall_slot."""

    node_id: int | None = None
    incarnation: UUID | None = None
    epoch: int = 0


@dataclass(slots=True)
class OffsetRecord:
    """A row of rollcall_offset; ``at`` by the server's wall clock."""

    offset: int
    leader_epoch: int
    metadata: str
    at: Micros


@dataclass(slots=True)
class OperationRecord:
    """A row of rollcall_operation."""

    group_id: str
    slot: int
    verb: str
    state: str = "pending"


@dataclass(slots=True)
class ProducerRecord:
    """A row of rollcall_producer; ``started`` by the server's wall clock."""

    producer: Producer
    slot: int
    started: Micros | None = None


@dataclass(slots=True)
class PendingRecord:
    """A row of rollcall_pending_offset. ``place``: in the order of writing."""

    write: OffsetWrite
    place: int
    superseded: bool


class Transaction:
    """The locks and the changes of a transaction. ``effects`` are applied in order at the commit.
    ``idle_since``: when the server last finished what it had been sent; -1: it is executing."""

    __slots__ = ("effects", "idle_since", "is_over", "session")

    def __init__(self, session: "Session") -> None:
        self.session = session
        self.effects: list[Callable[[], None]] = []
        self.idle_since: Micros = -1
        self.is_over = False


class Session:
    """One connection on the server's side. ``hangs_until``: its backend hangs with all its locks,
    and notices nothing, not even that its client disconnected."""

    __slots__ = (
        "advisory",
        "connection",
        "hangs_until",
        "is_open",
        "process",
        "started",
        "transaction",
    )

    def __init__(self, process: Process, started: Micros) -> None:
        self.process = process
        self.started = started
        self.is_open = True
        self.hangs_until: Micros = 0
        self.advisory: set[int] = set()
        self.transaction: Transaction | None = None
        self.connection: Connection | None = None


@dataclass(slots=True)
class Weather:
    """The current faults of the database and of the connections to it. Seconds; shares of 1.
    ``parts_share``: of the batches whose COMMIT is a separate message, so that a node may stop
    before it."""

    latency: float = 0.0005
    work: float = 0.0003
    stall_share: float = 0.0
    stall: float = 1.0
    lost_reply_share: float = 0.0
    parts_share: float = 0.0
    cut: set[str] = field(default_factory=set)


class Database:
    """The rows, and the server that holds them."""

    def __init__(self, world: World, slots: list[int]) -> None:
        self.world = world
        self.locks = Locks(world)
        self.weather = Weather()
        self.is_up = True
        self.started_wall: Micros = -3_600 * SECOND
        self.wall_offset: Micros = 0
        self.nodes: dict[int, NodeRecord] = {}
        self.slots = {slot: SlotRecord() for slot in sorted(slots)}
        self.drains: set[int] = set()
        self.groups: dict[str, Durable] = {}
        self.state_since: dict[str, Micros] = {}
        self.offsets: dict[tuple[str, str, int], OffsetRecord] = {}
        self.operations: dict[int, OperationRecord] = {}
        self.producers: dict[str, ProducerRecord] = {}
        self.producer_ids = 0
        self.txn_groups: dict[str, set[str]] = {}
        self.pending: dict[PendingKey, PendingRecord] = {}
        self.places = 0
        self.advisory: dict[int, Session] = {}
        self.sessions: list[Session] = []
        self.rang: Callable[[], None] = lambda: None

    @property
    def wall(self) -> Micros:
        """The server's wall clock, which may jump."""
        return self.world.now + self.wall_offset

    # -- sessions

    def open(self, process: Process) -> Session:
        """A new session."""
        session = Session(process, self.world.now)
        self.sessions.append(session)
        return session

    def close(self, session: Session) -> None:
        """The server noticed that the client disconnected: locks are released, open transactions
        aborted.

        A batch that was sent completely continues; only a transaction that waits for more is
        aborted.
        """
        if not session.is_open:
            return
        if session.hangs_until > self.world.now and self.is_up:
            self.world.at(session.hangs_until, self.close, session)
            return
        session.is_open = False
        self.sessions.remove(session)
        for key in session.advisory:
            if self.advisory.get(key) is session:
                del self.advisory[key]
        if session.transaction is not None:
            self.abort(session.transaction)

    def crash(self) -> None:
        """All uncommitted changes are lost; every connection is broken."""
        self.is_up = False
        for session in list(self.sessions):
            self.close(session)
        self.locks = Locks(self.world)

    def start(self) -> None:
        """The server is up again, with the committed rows."""
        self.is_up = True
        self.started_wall = self.wall

    def whole(self) -> None:
        """Batches are one message again."""
        self.weather.parts_share = 0.0

    # -- transactions

    def commit(self, transaction: Transaction) -> None:
        """Commit at this instant."""
        if transaction.is_over:
            raise psycopg.OperationalError("the transaction was ended by the server")
        for effect in transaction.effects:
            effect()
        self.abort(transaction)

    def abort(self, transaction: Transaction) -> None:
        """Discard the changes, and release the locks."""
        transaction.is_over = True
        if transaction.session.transaction is transaction:
            transaction.session.transaction = None
        self.locks.release(transaction)

    def perform(
        self,
        operation: Operation,
        transaction: Transaction,
        reply: Callable[[Any, BaseException | None], None],
        sent: Any = None,
    ) -> None:
        """Run an operation from one wait to the next, then reply with its result."""
        locks, session = self.locks, transaction.session

        def go_on(value: Any = None) -> None:
            if session.hangs_until > self.world.now and session.is_open:
                self.world.at(session.hangs_until, go_on, value)
            elif self.locks is locks and not transaction.is_over:
                self.perform(operation, transaction, reply, value)
            else:  # the server crashed during it, or the session ended while it waited
                locks.release(transaction)
                reply(None, psycopg.OperationalError("the server went away"))

        if session.hangs_until > self.world.now:
            go_on(sent)
            return
        try:
            step = operation.send(sent)
        except StopIteration as end:
            reply(end.value, None)
            return
        except Exception as error:
            if not transaction.is_over:
                self.abort(transaction)
            reply(None, error)
            return
        if step[0] == "lock":
            locks.take(step[1], transaction, step[2], go_on)
        else:
            self.world.after(step[1], go_on)

    # -- reading rows

    def loaded(self, group_id: str) -> Durable | None:
        """A group as loaded from its rows: its details went through JSON."""
        durable = self.groups.get(group_id)
        if durable is None:
            return None
        group = replace(durable.group, details=_json(durable.group.details))
        members = {
            member_id: replace(member, details=_json(member.details))
            for member_id, member in durable.members.items()
        }
        return Durable(group, members, durable.revision)


def _json(details: Any) -> Any:
    return json.loads(json.dumps(dict(details)))


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


Meaning = Callable[[Database, Transaction, Any], Operation]


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
