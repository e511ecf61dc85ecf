"""A modelled PostgreSQL: rows, transactions that lock and wait, sessions that break.

READ COMMITTED as far as the product's statements can observe it: changes become visible at the
commit, locks are held until then, and a statement that waited for a lock reads the row again. The
server executes what it was sent, whether or not the client is still alive. ``statements`` defines
what the statements *mean*, ``records`` their rows, and ``connections`` how clients send them; this
file knows only sessions and transactions.
"""

import json
from collections.abc import Callable, Collection, Generator, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import psycopg

from groups.core.rows import Durable, slot_of
from proof.simulation.locks import Locks
from proof.simulation.records import (
    LivenessRecord,
    NodeRecord,
    OffsetRecord,
    OperationRecord,
    PendingKey,
    PendingRecord,
    ProducerRecord,
    SlotRecord,
)
from proof.simulation.world import SECOND, Micros, Process, World

NEVER: Micros = 1 << 62
"""When a backend continues that hangs for good."""

Operation = Generator[Any, Any, Any]
"""What the server does for one message: yields ("lock", key, mode) or ("wait", micros)."""


class Transaction:
    """The locks and the changes of a transaction. ``effects`` are applied in order at the commit.
    ``idle_since``: when the server last finished what it had been sent; -1: it is executing."""

    __slots__ = ("effects", "idle_since", "is_over", "session")

    def __init__(self, session: "Session") -> None:
        self.session = session
        self.effects: list[Callable[[], object]] = []
        self.idle_since: Micros = -1
        self.is_over = False


class Frontend(Protocol):
    """The client's connection of a session, as faults see it (``connections.Connection``)."""

    is_for_long: bool

    def fall(self) -> None:
        """The connection is broken."""

    def backend_hangs(self) -> None:
        """The session's backend has begun to hang."""


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
        self.connection: Frontend | None = None


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
        self.liveness: dict[tuple[str, str], LivenessRecord] = {}
        self.waits: dict[str, dict[str, int]] = {}
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
        """All uncommitted changes and unlogged tables are lost; every connection is broken."""
        self.is_up = False
        self.liveness.clear()
        self.waits.clear()
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

    def groups_of(self, slots: Collection[int]) -> Iterable[str]:
        """The groups of these slots, in order."""
        return [group_id for group_id in sorted(self.groups) if slot_of(group_id) in slots]

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


Meaning = Callable[[Database, Transaction, Any], Operation]
"""What a statement, or a whole batch, does to the rows."""
