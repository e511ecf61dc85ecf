"""Mistakes on purpose: each takes away one thing that the promises rest on.

A table from a name to what is broken and how. The simulator and the checker must catch every one
(tests/proof/test_saboteurs.py); one that is not caught is a hole in the proof. Only tests use
this file. Most break the product's own code; those of the guard break its model, since the real
one is SQL.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final, NamedTuple
from unittest.mock import PropertyMock, patch

from groups.committer import Committer
from groups.coordinator import Coordinator
from groups.core import offsets as core_offsets
from groups.core.classic import join, sync, timers
from groups.core.classic.group import ClassicGroup
from groups.core.classic.states import COMPLETING
from groups.core.classic.work import Work
from groups.core.consumer.group import ConsumerGroup
from groups.core.consumer.work import Work as ConsumerWork
from groups.core.errors import ErrorCode, Refuse
from groups.core.group import Face
from groups.core.replies import Synced
from groups.slot import slot_of
from groups.slots import SlotKeeper
from groups.store import Unknown
from proof.simulation import node as simulated
from proof.simulation import seams, statements
from proof.simulation.locks import KEY_SHARE
from proof.simulation.world import SECOND

Break = Callable[[ExitStack], None]


class Saboteur(NamedTuple):
    """``breaks``: what is taken away. ``faults``: what makes that matter."""

    breaks: str
    how: Break
    faults: Sequence[str]


NODES: Final = ("node-pause", "node-pause-at-write", "database-cut", "client-crash")
ROWS: Final = (
    "database-lost-replies",
    "database-stall",
    "database-sessions",
    "database-crash",
    "client-crash",
    "operator-rebalance",
)
MEMBERS: Final = ("client-crash", "client-leave", "client-pause", "operator-rebalance")
STATICS: Final = ("client-double", "client-crash", "operator-rebalance")


def _set(target: Any, name: str, value: Any) -> Break:
    return lambda stack: stack.enter_context(patch.object(target, name, value))


def _several(*breaks: Break) -> Break:
    def all_of_them(stack: ExitStack) -> None:
        for one in breaks:
            one(stack)

    return all_of_them


# -- the store


async def _taken_for_done(connection: Any, batch: Any) -> None:
    try:
        await statements.apply(connection, batch)
    except Unknown:
        return


async def _written_again(connection: Any, batch: Any) -> None:
    """A retry by whoever sent it, without the guard."""
    try:
        await statements.apply(connection, batch)
    except Unknown:
        db = connection.database
        for write in batch.writes:
            db.world.after(2 * SECOND, _late, db, write)
        raise


def _late(db: Any, write: Any) -> None:
    epoch = db.slots[slot_of(write.group_id)].epoch
    statements._write(db, write, epoch, only_offsets=True)


def _not_before_sync(original: Any) -> Any:
    def put(db: Any, write: Any, under: Any) -> None:
        if write.decision.group.durable.group.state != COMPLETING:
            original(db, write, under)

    return put


# -- the committers


def _answered_early(which: Callable[[Any], bool]) -> Any:
    original = Committer._apply

    async def apply(self: Committer, works: Any) -> None:
        for work in works:
            answers = [a for a in work.write.decision.answers if which(a.reply)]
            self.coordinator.send(work.resident, answers)
        await original(self, works)

    return apply


def _face_early() -> Any:
    original = Committer._apply

    async def apply(self: Committer, works: Any) -> None:
        for work in works:
            group = work.write.decision.group
            self.coordinator.faces.put(work.resident.group_id, group.face())
        await original(self, works)

    return apply


def _doubt_is_refusal() -> Any:
    original = Committer._doubt

    def doubt(self: Committer, works: Any, *, again: bool) -> None:
        if not again:
            for work in works:
                self.coordinator.refuse(work.resident, work.events, ErrorCode.UNKNOWN_MEMBER_ID)
        original(self, works, again=again)

    return doubt


# -- memory


def _drop_silently(original: Any) -> Any:
    def drop(self: Coordinator, slots: Any, code: ErrorCode) -> None:
        slots = list(slots)
        for group_id, resident in self.residents.items():
            if slot_of(group_id) in slots:
                resident.parked.clear()
        original(self, slots, code)

    return drop


def _sessions_go_on(kind: Any) -> Break:
    original = kind.merge.__func__

    def merge(cls: Any, durable: Any, live: Any, rules: Any, now: int) -> Any:
        return original(cls, durable, live, rules, now if live is not None else now - 3_600)

    return _set(kind, "merge", classmethod(merge))


async def _taken_up(self: SlotKeeper, lease_until: int) -> None:
    self.coordinator.lease_until = lease_until
    self.coordinator.awake()


def _cached() -> Any:
    original, cache = simulated.Node._fetch, dict[Any, Any]()

    async def fetch(self: Any, request: Any) -> Any:
        key = (self.process, request.group_id)
        if key not in cache:
            cache[key] = await original(self, request)
        return cache[key]

    return fetch


# -- rules


def _no_instances(self: Work, member_id: str, instance_id: str | None) -> None:
    if instance_id is None and not self.has(member_id):
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)


def _any_instance() -> Any:
    original = Face.heartbeat

    def beat(self: Face, member_id: str, instance_id: Any, generation_id: int, now: int) -> Any:
        if instance_id is not None:
            return self.code
        return original(self, member_id, instance_id, generation_id, now)

    return beat


def _everything(work: Any, event: Any) -> Any:
    return [(age.topic, age.partition) for age in event.ages]


def _forget_older(work: Work, event: Any) -> None:
    work.change().syncs[event.member_id] = event.ticket
    sync._synced(work, event.member_id)


def _impatient() -> Any:
    original = timers._silent

    def silent(work: Work) -> Iterator[Any]:
        now, work.now = work.now, work.now + 3_500
        found = list(original(work))
        work.now = now
        return iter(found)

    return silent


def _always(*_: Any) -> bool:
    return True


def _nothing(*_: Any) -> None:
    return None


SABOTEURS: Final[Mapping[str, Saboteur]] = {
    "no-epoch-check": Saboteur(
        "the guard does not compare epochs", _set(statements.GUARD, "checks_epoch", False), NODES
    ),
    "row-count-check": Saboteur(
        "a wrong epoch touches no group row, and the rest goes through",
        _set(statements.GUARD, "raises", False),
        NODES,
    ),
    "no-revision-check": Saboteur(
        "the guard does not compare revisions",
        _set(statements.GUARD, "checks_revision", False),
        ROWS,
    ),
    "key-share": Saboteur(
        "the guard takes the lock of a foreign key",
        _set(statements.GUARD, "slot_lock", KEY_SHARE),
        ("database-stall", "database-cut", "node-pause", "client-crash"),
    ),
    "answer-before-commit": Saboteur(
        "answers leave before the commit",
        lambda stack: _set(Committer, "_apply", _answered_early(_always))(stack),
        ROWS,
    ),
    "sync-before-commit": Saboteur(
        "assignments are told before they are stored",
        lambda stack: _set(
            Committer, "_apply", _answered_early(lambda reply: isinstance(reply, Synced))
        )(stack),
        ROWS,
    ),
    "face-before-commit": Saboteur(
        "heartbeats hear of what may be rolled back",
        lambda stack: _set(Committer, "_apply", _face_early())(stack),
        ("database-stall", "database-slow", "client-crash", "operator-rebalance"),
    ),
    "unknown-is-done": Saboteur(
        "an unknown outcome is taken for success", _set(seams, "apply", _taken_for_done), ROWS
    ),
    "unknown-is-refused": Saboteur(
        "an unknown outcome is answered as a refusal",
        lambda stack: _set(Committer, "_doubt", _doubt_is_refusal())(stack),
        ROWS,
    ),
    "retry-without-guard": Saboteur(
        "what may have been written is written again", _set(seams, "apply", _written_again), ROWS
    ),
    "generation-in-memory": Saboteur(
        "a new generation is written with its assignment only",
        lambda stack: _set(statements, "_put_group", _not_before_sync(statements._put_group))(
            stack
        ),
        MEMBERS,
    ),
    "parked-forgotten": Saboteur(
        "who is parked is not answered when a slot is lost",
        lambda stack: _set(Coordinator, "drop", _drop_silently(Coordinator.drop))(stack),
        ("node-pause", "database-cut", "client-crash", "operator-rebalance"),
    ),
    "memory-without-lease": Saboteur(
        "memory is believed whether or not the lease holds",
        _set(Coordinator, "holds_lease", PropertyMock(return_value=True)),
        ("database-cut", "node-pause", "client-crash", "operator-rebalance"),
    ),
    "lease-without-look": Saboteur(
        "the lease is taken up again without a look at the slots",
        _set(SlotKeeper, "_recovered", _taken_up),
        (
            "database-cut",
            "node-pause",
            "database-slow",
            "network-breaks",
            "client-leave",
            "client-crash",
            "operator-rebalance",
        ),
    ),
    "sessions-go-on": Saboteur(
        "a takeover does not start sessions anew",
        lambda stack: _several(_sessions_go_on(ClassicGroup), _sessions_go_on(ConsumerGroup))(
            stack
        ),
        ("node-crash", "node-pause"),
    ),
    "timers-not-rearmed": Saboteur(
        "a node that slept does not start its timers anew",
        _several(
            _set(ClassicGroup, "rearm", lambda self, now: self),
            _set(ConsumerGroup, "rearm", lambda self, now: self),
        ),
        ("database-crash", "node-pause", "node-stall"),
    ),
    "timers-after-sleep": Saboteur(
        "timers that ran out in a sleep fire after it",
        _set(Coordinator, "awake", _nothing),
        ("database-crash", "node-pause", "database-cut"),
    ),
    "timers-lost": Saboteur("timers are not armed", _set(Coordinator, "_rearm", _nothing), MEMBERS),
    "offsets-from-cache": Saboteur(
        "committed offsets are read from memory",
        lambda stack: _set(simulated.Node, "_fetch", _cached())(stack),
        NODES,
    ),
    "member-id-reuse": Saboteur(
        "a member id is its client's or instance's name, and not new",
        _set(join, "new_member_id", lambda prefix, rng: f"{prefix}-1"),
        STATICS,
    ),
    "no-static-fencing": Saboteur(
        "a replaced static member goes on",
        lambda stack: _several(
            _set(Work, "member_or_refuse", _no_instances),
            _set(Face, "heartbeat", _any_instance()),
        )(stack),
        STATICS,
    ),
    "sweep-takes-all": Saboteur(
        "retention deletes offsets of a group with members",
        _set(core_offsets, "_expired", _everything),
        ("sweep-offsets", "client-crash"),
    ),
    "superseded-forgotten": Saboteur(
        "a sync that was asked again leaves the first without an answer",
        _set(sync, "_hold", _forget_older),
        ("network-duplicates", "client-crash", "operator-rebalance"),
    ),
    "impatient": Saboteur(
        "sessions end before their time",
        lambda stack: _set(timers, "_silent", _impatient())(stack),
        ("client-pause", "node-stall", "network-slow"),
    ),
    "given-twice": Saboteur(
        "a consumer group gives out what another member still holds",
        _set(ConsumerWork, "is_free_for", lambda self, member_id: _always),
        ("client-crash", "client-leave"),
    ),
}
"""What each takes away, how, and under which faults it shows."""


@contextmanager
def at_work(name: str) -> Iterator[None]:
    """One saboteur, for the length of the block."""
    with ExitStack() as stack:
        SABOTEURS[name].how(stack)
        yield
