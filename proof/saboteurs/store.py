"""Saboteurs of writes: the guard, a batch's outcome, the order of commit and response."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

from groups.core.classic.states import COMPLETING
from groups.core.errors import ErrorCode
from groups.core.replies import Synced
from groups.core.rows import slot_of
from groups.postgres.errors import Unknown
from groups.runtime.batch_writer import BatchWriter
from groups.store import load
from proof.saboteurs.breaking import NODES, ROWS, Saboteur, always, around, put, several
from proof.simulation import batches, seams
from proof.simulation.locks import KEY_SHARE
from proof.simulation.postgres import Database
from proof.simulation.world import MS, SECOND

NOT_FLUSHED: Final = 300 * MS
"""How much a crash loses if commits do not wait for the log."""


async def _no_fence(*_: object) -> set[str]:
    """Writes that were sent earlier may still arrive."""
    return set()


async def _taken_for_done(connection: Any, batch: Any) -> None:
    try:
        await batches.apply(connection, batch)
    except Unknown:
        return


async def _written_again(connection: Any, batch: Any) -> None:
    """The sender retries, without the guard."""
    try:
        await batches.apply(connection, batch)
    except Unknown:
        db = connection.database
        for write in batch.writes:
            db.world.after(2 * SECOND, _late, db, write)
        raise


def _late(db: Any, write: Any) -> None:
    epoch = db.slots[slot_of(write.group_id)].epoch
    batches._write(db, write, epoch, only_offsets=True)


def _not_before_sync(original: Any) -> Any:
    def put_group(db: Any, write: Any, under: Any) -> None:
        if write.decision.group.durable.group.state != COMPLETING:
            original(db, write, under)

    return put_group


def _remembering(original: Any) -> Any:
    """Every write keeps the previous rows for a while."""

    def write(db: Any, *args: Any, **named: Any) -> None:
        kept = db.__dict__.setdefault("not_flushed", deque())
        while kept and kept[0][0] < db.world.now - NOT_FLUSHED:
            kept.popleft()
        kept.append((db.world.now, dict(db.groups), dict(db.offsets)))
        original(db, *args, **named)

    return write


def _forgetting(original: Any) -> Any:
    def crash(db: Any) -> None:
        original(db)
        kept = [k for k in db.__dict__.get("not_flushed", ()) if k[0] >= db.world.now - NOT_FLUSHED]
        if kept:
            _, db.groups, db.offsets = kept[0]
        db.not_flushed = deque()

    return crash


def _answered_early(which: Callable[[Any], bool]) -> Callable[[Any], Any]:
    def wrapped(original: Any) -> Any:
        async def apply(self: BatchWriter, works: Any) -> None:
            for work in works:
                answers = [a for a in work.write.decision.answers if which(a.reply)]
                self.coordinator.send(work.entry, answers)
            await original(self, works)

        return apply

    return wrapped


def _face_early(original: Any) -> Any:
    async def apply(self: BatchWriter, works: Any) -> None:
        for work in works:
            group = work.write.decision.group
            self.coordinator.heartbeat_views.put(work.entry.group_id, group.heartbeat_view())
        await original(self, works)

    return apply


def _doubt_is_refusal(original: Any) -> Any:
    def doubt(self: BatchWriter, works: Any, *, again: bool) -> None:
        if not again:
            for work in works:
                self.coordinator.refuse(work.entry, work.events, ErrorCode.UNKNOWN_MEMBER_ID)
        original(self, works, again=again)

    return doubt


SABOTEURS: Final[Mapping[str, Saboteur]] = {
    "no-epoch-check": Saboteur(
        "the guard does not compare epochs", put(batches.GUARD, "checks_epoch", False), NODES
    ),
    "row-count-check": Saboteur(
        "a wrong epoch touches no group row, and the rest goes through",
        put(batches.GUARD, "raises", False),
        NODES,
    ),
    "no-revision-check": Saboteur(
        "revisions are neither compared nor raised when a batch's outcome is not known",
        several(put(batches.GUARD, "checks_revision", False), put(load, "fence", _no_fence)),
        ROWS,
    ),
    "key-share": Saboteur(
        "the guard takes the lock of a foreign key",
        put(batches.GUARD, "slot_lock", KEY_SHARE),
        ("database-stall", "database-cut", "node-pause", "client-crash"),
    ),
    "commits-not-flushed": Saboteur(
        "commits do not wait for the log (synchronous_commit off), and a crash takes the last ones",
        several(around(batches, "_write", _remembering), around(Database, "crash", _forgetting)),
        ("database-crash", "client-crash"),
    ),
    "answer-before-commit": Saboteur(
        "answers leave before the commit",
        around(BatchWriter, "_apply", _answered_early(always)),
        ROWS,
    ),
    "sync-before-commit": Saboteur(
        "assignments are told before they are stored",
        around(BatchWriter, "_apply", _answered_early(lambda reply: isinstance(reply, Synced))),
        ROWS,
    ),
    "view-before-commit": Saboteur(
        "heartbeats hear of what may be rolled back",
        around(BatchWriter, "_apply", _face_early),
        ("database-stall", "database-slow", "client-crash", "operator-rebalance"),
    ),
    "unknown-is-done": Saboteur(
        "an unknown outcome is taken for success", put(seams, "apply", _taken_for_done), ROWS
    ),
    "unknown-is-refused": Saboteur(
        "an unknown outcome is answered as a refusal",
        around(BatchWriter, "doubt", _doubt_is_refusal),
        ROWS,
    ),
    "retry-without-guard": Saboteur(
        "what may have been written is written again", put(seams, "apply", _written_again), ROWS
    ),
    "generation-in-memory": Saboteur(
        "a new generation is written with its assignment only",
        around(batches, "_put_group", _not_before_sync),
        ("client-crash", "client-leave", "client-pause", "operator-rebalance"),
    ),
}
