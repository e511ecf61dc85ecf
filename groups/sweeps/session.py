"""Periodic work on rows: the session sweep, offset retention, clean-up. Run by Celery's worker.

Each is idempotent and may run twice at once. None decides for a group: they ask its owner by an
operation or a probe (docs/architecture.md, *Session expiry*), or delete rows that are not needed.
``groups.sweeps.schedule`` has the times.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from types import ModuleType
from typing import Any, Final

from django.db import DatabaseError, OperationalError, connection, transaction

from groups.core.group import Millis
from groups.core.journal import EntryKind, Trigger
from groups.event_loop import process_ms
from groups.models import Operation
from groups.operations.requests import request_many
from groups.periodic import PeriodicSettings
from groups.postgres.channels import NOTIFY
from groups.postgres.django_connection import execute, rows
from groups.store.sql import configs as configs_sql
from groups.store.sql import drains as drains_sql
from groups.store.sql import group_counts as counts_sql
from groups.store.sql import liveness as live_sql
from groups.store.sql import node_leases as leases_sql
from groups.store.sql import nodes as nodes_sql
from groups.store.sql import sweeps as sql
from groups.store.sql import transactions as txn_sql
from groups.sweeps.unanswered_probes import UnansweredProbe, UnansweredProbes

logger = logging.getLogger(__name__)

MEMBERS_A_LOOK = 1_000
"""Overdue members that one sweep reads, the longest overdue first."""

SLOTS_A_SWEEP = 8
"""Slots that one sweep releases at most: the nodes that claim them also have to load them."""

GROUPS_A_SWEEP = 1_000
"""Groups whose owners one retention sweep asks; the next one continues after them."""

GROUPS_A_PAGE = 200
"""Groups whose offsets one statement reads, far within its timeout."""

ROWS_A_STATEMENT = 10_000
"""Rows of a table that one statement deletes: vacuum and other statements run in between."""

SWEEP_S_MAX = 10.0
"""The time limit of a retention sweep, or of the deletion of one table's old rows, while there is
more to do: a fixed number of rows would not suffice for every installation."""

BELL_BYTES_MAX = 7_500
"""PostgreSQL refuses notifications of 8,000 bytes."""

PACK: Final = "SELECT rollcall_pack_facts(%(late)s)"

PACKED_LATE: Final = timedelta(hours=2)
"""So long a day of facts is left as it is after its end: rebalances and hours that are recorded
meanwhile look for the lives of members that have left."""

PACK_MS_MAX: Final = 300_000
"""A table of a day takes seconds in an installation of 10,000 members."""

RETENTION = "retention"
"""The author of expired offsets, in the audit."""


class SessionSweep:
    """Asks owners of overdue members for an echo, and releases the slots of dead ones.

    One per process: its observations are its own (``groups.sweeps.unanswered_probes``).
    """

    def __init__(self, lease_ms: Millis, clock: Callable[[], Millis] = process_ms) -> None:
        self.clock = clock
        self._lease_ms = lease_ms
        self._silences = UnansweredProbes(lease_ms)
        self._one_at_a_time = threading.Lock()

    def run(self) -> str:
        """One sweep; returns the result in words."""
        with self._one_at_a_time:
            try:
                return self._sweep()
            except Exception:
                self._silences.forget()
                raise

    def _sweep(self) -> str:
        began = self.clock()
        with transaction.atomic():
            overdue = dict(rows(live_sql.OVERDUE, members=MEMBERS_A_LOOK))
            if overdue:
                execute(live_sql.PROBE, slots=list(overdue))
            questions = [UnansweredProbe(*row) for row in rows(live_sql.OPEN_QUESTIONS)]
            ((longest_ms,),) = rows(live_sql.LONGEST_LEASE_MS)
            _ring(questions, overdue)
        # A node may answer from memory during its own lease.
        self._silences.lease_ms = max(self._lease_ms, longest_ms)
        silent = self._silences.look(questions, began, self.clock())
        released = _release(silent[:SLOTS_A_SWEEP])
        text = f"{len(questions)} slots asked" if questions else "no member is overdue"
        return f"{text}; slots {released} released" if released else text


def _ring(questions: Iterable[UnansweredProbe], overdue: Mapping[int, Sequence[str]]) -> None:
    for question in questions:
        payload = _payload(question.slot, overdue.get(question.slot, ()))
        execute(NOTIFY, bell=live_sql.WATCH_BELL, payload=payload)


def _payload(slot: int, group_ids: Sequence[str]) -> str:
    """As many groups as fit into one notification; the next sweeps name the others."""
    named: list[str] = []
    size = 0
    for group_id in group_ids:
        size += len(json.dumps(group_id)) + 2
        if size > BELL_BYTES_MAX:
            break
        named.append(group_id)
    return json.dumps({"slot": slot, "groups": named})


def _release(silent: Sequence[UnansweredProbe]) -> list[int]:
    """Take slots from owners that sent no echo, with a journal entry."""
    if not silent:
        return []
    with transaction.atomic():
        released = rows(
            live_sql.RELEASE,
            slots=[question.slot for question in silent],
            epochs=[question.epoch for question in silent],
        )
        for node_id in sorted({node_id for _, node_id in released}):
            slots = [slot for slot, owner in released if owner == node_id]
            execute(
                sql.NOTE_SLOTS,
                node_id=node_id,
                kind=EntryKind.SLOTS_RELEASED,
                trigger=Trigger.NO_ECHO,
                reason=f"node {node_id} did not answer for a whole lease",
                details=json.dumps({"slots": slots}),
            )
    return [slot for slot, _ in released]


class RetentionSweep:
    """Finds groups that may have expired offsets, and asks their owners to expire them.

    It keeps its position, so that in the end every group has its turn.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._after = ""
        self._size = GROUPS_A_PAGE

    def run(self) -> str:
        """One sweep; returns the result in words."""
        requested, until = 0, self.clock() + SWEEP_S_MAX
        while True:
            size = self._size
            self._size = max(1, size // 4)  # unless this one does not exceed its time
            page = self._page(size)
            self._size = GROUPS_A_PAGE
            group_ids = [group_id for group_id, may_expire in page if may_expire]
            request_many(
                group_ids,
                Operation.Verb.EXPIRE_OFFSETS,
                reason="offsets.retention.minutes",
                actor=RETENTION,
            )
            requested += len(group_ids)
            # Whatever happens to the next page, this one is done.
            self._after = page[-1][0] if len(page) == size else ""
            if not self._after or requested >= GROUPS_A_SWEEP or self.clock() >= until:
                return f"{requested} groups asked"

    def _page(self, size: int) -> list[tuple[Any, ...]]:
        minutes = PeriodicSettings.from_django().offsets_retention_minutes
        return rows(sql.MAY_EXPIRE, after=self._after, minutes=minutes, groups=size)


CLEAN_UP: Final = "clean-up"
"""The name of its record."""


def clean_up() -> str:
    """Delete finished operations, old journal entries, notes about members that are gone, unused
    transactional ids, and other old rows. A part that fails does not keep the others from it; its
    error is raised at the end."""
    removed: dict[str, int] = {}
    failures: list[DatabaseError] = []
    for what, remove in _parts(PeriodicSettings.from_django()).items():
        try:
            removed[what] = remove()
        except DatabaseError as error:
            if not connection.is_usable():
                raise
            logger.exception("the clean-up of %s failed", what)
            failures.append(error)
    if failures:
        raise failures[0]
    counts = ", ".join(f"{count} {what}" for what, count in removed.items() if count)
    return f"removed {counts}" if counts else "nothing to delete"


def _parts(kept: PeriodicSettings) -> Mapping[str, Callable[[], int]]:
    """What deletes what, each by itself; it returns how many."""
    return {
        "operations": lambda: _remove(
            sql.OLD_OPERATIONS, hours=kept.operations_retention_hours, retention=RETENTION
        ),
        "journal entries": lambda: _remove(sql.OLD_JOURNAL, hours=kept.journal_retention_hours),
        "notes": lambda: execute(live_sql.FORGET_STRANGERS),
        "counts of deleted groups": lambda: execute(counts_sql.FORGET),
        "hours of offset history": lambda: _turn_history(kept.offsets_history_retention_hours),
        "tables of days packed": _pack_facts,
        "days of facts": lambda: _turn_facts(kept.facts_retention_hours, kept.facts_max_mebibytes),
        "settings of groups that were never created": lambda: _remove(
            sql.ORPHANED_CONFIGS,
            hours=kept.group_configs_retention_hours,
            configured=EntryKind.CONFIG_CHANGED.value,
            bell=configs_sql.BELL,
        ),
        "nodes that left": lambda: _remove(nodes_sql.FORGET_OLD, hours=kept.node_retention_hours),
        "drains of nodes that left": lambda: _forget(drains_sql, kept.node_drain_retention_hours),
        "node ids of hosts that left": lambda: _forget(leases_sql, kept.node_drain_retention_hours),
        "transactional ids": lambda: _remove(
            txn_sql.FORGET, ms=kept.transactional_id_expiration_ms
        ),
    }


def _remove(statement: str, **parameters: Any) -> int:
    """Delete old rows, some at a time, while there are more and time is left."""
    removed, until = 0, time.monotonic() + SWEEP_S_MAX
    while True:
        deleted = execute(statement, rows=ROWS_A_STATEMENT, **parameters)
        removed += deleted
        if deleted < ROWS_A_STATEMENT or time.monotonic() >= until:
            return removed


def _forget(sql: ModuleType, hours: int) -> int:
    """Delete what is kept for nodes that have been away for too long: drains, or leases of ids."""
    execute(sql.SEE, name=CLEAN_UP, hours=hours)
    return _remove(sql.FORGET, hours=hours)


def _turn_history(hours: int) -> int:
    """Create the next hours' partitions and drop expired ones."""
    ((dropped,),) = rows("SELECT rollcall_turn_history(%(hours)s)", hours=hours)
    return int(dropped)


def _turn_facts(hours: int, most: int) -> int:
    """Create the next days' partitions, and drop expired ones, and the oldest while there are more
    mebibytes than ``most``."""
    turns = "rollcall_turn_packed(%(hours)s, %(most)s) + rollcall_turn_facts(%(hours)s, %(most)s)"
    ((dropped,),) = rows(f"SELECT {turns}", hours=hours, most=most)
    return int(dropped)


def _pack_facts() -> int:
    """Pack what is over of the facts, a table of a day at a time, while there is more and time is
    left. One that takes too long stays as it is."""
    done, until = 0, time.monotonic() + SWEEP_S_MAX
    with suppress(OperationalError):
        while time.monotonic() < until:
            with transaction.atomic():
                execute(f"SET LOCAL statement_timeout = {PACK_MS_MAX}")
                ((name,),) = rows(PACK, late=PACKED_LATE)
            if name is None:
                break
            done += 1
    return done
