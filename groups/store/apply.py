"""The write path by which an owner changes its groups (docs/architecture.md, *One write path*).

``statements`` turns a batch of decisions into SQL, pure and testable; ``apply`` executes it on an
async psycopg connection, in one pipeline and so one round trip. Nothing here decides anything
about a group.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from math import inf
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import psycopg

from groups.core.errors import ErrorCode
from groups.core.group import Decision
from groups.core.replies import Operated
from groups.core.rows import NOTHING, CommandRow, Durable, GroupRow, MemberRow, slot_of
from groups.core.values import may_differ, quick
from groups.postgres import errors
from groups.postgres.array_literals import Statement, array, arrays, in_order
from groups.store import beside, offset_rows, records, transactional_offsets
from groups.store.sql import commands as sql_commands
from groups.store.sql import group_rows

ROWS_INLINE_MAX = 2_000
"""A batch with more rows is built in a thread instead of on the event loop (2,000 take about 20
ms). It is a single large group, whose members all received another target."""

BYTES_INLINE_MAX = 256 * 1024
"""The same in bytes of groups and members: about 5 ms."""

MORE_IN_ALL_MS = 5_000
"""A transaction may take this much longer than its longest statement, so that the statement's
timeout comes first: it leaves the connection usable."""

PAIR_BYTES = 48
"""The approximate size of an entry of a list or mapping in the details that is not text, for
instance a topic's id, a partition and an epoch."""

Row = GroupRow | MemberRow
Text = Callable[[Row], str]

AT_ONCE_MAX = 64 * 1024
"""For a row of this size ``json``'s C code holds the interpreter's lock, and so blocks the event
loop, for half a millisecond. 20,000 topics of 200 characters and their matches are 9 MB: 70 ms."""

IN_PIECES = json.JSONEncoder()


@quick
@dataclass(frozen=True, slots=True)
class Write:
    """One group's part of a batch: its rows before, and the decision.

    ``has_pending``: the group may have pending transactional offsets, from this decision or an
    earlier one.
    """

    before: Durable
    decision: Decision
    has_pending: bool = False

    @property
    def group_id(self) -> str:
        """The id of the group."""
        return self.before.group.group_id

    @property
    def changes_membership(self) -> bool:
        """Whether group or member rows change, so that the revision rises."""
        return self.decision.deleted or self.decision.group.durable is not self.before

    def size(self, enough: float = inf) -> int:
        """The approximate number of bytes of the group and its members that this writes; counting
        stops at ``enough``. Offsets are limited by their number."""
        if not self.changes_membership or self.decision.deleted:
            return 0
        durable = self.decision.group.durable
        before, after, size = self.before.members, durable.members, size_of_group(durable.group)
        for key in may_differ(before, after):
            row = after.get(key)
            if row is not None and before.get(key) is not row:
                size += size_of(row)
                if size > enough:
                    break
        return size

    @property
    def newcomers(self) -> tuple[str, ...]:
        """Members without a row."""
        before = self.before.members
        return tuple(m for m in self.decision.group.durable.members if m not in before)

    @property
    def is_needed(self) -> bool:
        """Whether there is anything to write."""
        decision = self.decision
        return bool(
            decision.offsets
            or self.changes_membership
            or decision.journal
            or decision.offset_deletes
            or decision.pending
            or decision.operations
            or decision.facts
        )

    @property
    def is_plain(self) -> bool:
        """Whether it writes only offsets."""
        decision = self.decision
        return not (
            self.changes_membership
            or decision.journal
            or decision.offset_deletes
            or decision.operations
            or decision.facts
        )

    @property
    def revision(self) -> int:
        """The group's revision after this write."""
        return self.before.revision + (1 if self.changes_membership else 0)

    @property
    def rows(self) -> int:
        """The approximate number of rows that this writes, for the limit of a batch."""
        members = len(self.decision.group.durable.members) if self.changes_membership else 0
        decision = self.decision
        offsets = len(decision.offsets) + len(decision.offset_deletes) + len(decision.pending)
        return 1 + members + offsets + records.size_of(decision.facts)


class PlainRows(NamedTuple):
    """Offsets of groups of which the batch changes nothing else, and has no other decision.

    ``revisions``: of the groups, by id. ``rows``: of different partitions, in the order of
    ``offset_rows.HISTORY_COLUMNS``. ``runs``: of other groups than the rows.
    """

    revisions: Mapping[str, int]
    rows: Sequence[offset_rows.Row]
    runs: Sequence[offset_rows.Run] = ()

    @property
    def size(self) -> int:
        """How many rows of offsets that is."""
        return len(self.rows) + sum(len(run.offsets) for run in self.runs)


NO_ROWS = PlainRows({}, ())


@dataclass(frozen=True, slots=True)
class Batch:
    """Decisions for different groups that commit together, and rows without a decision.

    ``epochs``: the slot epochs under which the node owns the groups' slots. ``inside``: a hook for
    tests, awaited when PostgreSQL has done everything but the COMMIT. ``allowed_ms``: the timeout
    of each statement, if it is longer than usual. ``size``: bytes of groups and members.
    ``is_fair``: whether it takes the groups' own locks, so that applications that commit offsets
    wait behind it; the guard alone is as safe.
    """

    node_id: int
    epochs: Mapping[int, int]
    writes: Sequence[Write]
    inside: Callable[[], Awaitable[None]] | None = None
    allowed_ms: int | None = None
    size: int = 0
    plain: PlainRows = NO_ROWS
    is_fair: bool = True


def statements(batch: Batch) -> Iterator[Statement]:
    """The batch as SQL; rows in key order. Pure.

    The guard is the first statement, except for the lock before it, after which the guard sees what
    was committed in the meantime.
    """
    writes = sorted(batch.writes, key=lambda write: write.group_id)
    if batch.allowed_ms is not None:
        allowed = {"ms": batch.allowed_ms, "total_ms": batch.allowed_ms + MORE_IN_ALL_MS}
        yield group_rows.MORE_TIME, {name: str(ms) for name, ms in allowed.items()}
    more = [write for write in writes if not write.is_plain]  # few on a busy node
    if batch.is_fair:
        yield from _locks(more)
    revisions = {write.group_id: write.before.revision for write in writes}
    revisions.update(batch.plain.revisions)
    yield _guard(batch.epochs, dict(sorted(revisions.items())))
    waiting = [transactional_offsets.Part(w.group_id, w.decision) for w in writes if w.has_pending]
    if waiting:
        yield from transactional_offsets.locks(waiting)
    kept = [w for w in more if w.changes_membership and not w.decision.deleted]
    # Few batches have a large row; only these check the size of each row.
    text = text_of if batch.size <= AT_ONCE_MAX else text_in_pieces
    yield from _groups(kept, text)
    moved = moved_members(kept)
    yield from _members(moved, text)
    yield from _commands(moved)
    yield from records.statements(more, batch.node_id)
    yield from _deleted([w.group_id for w in more if w.decision.deleted])
    if waiting:
        yield from transactional_offsets.changes(waiting)
    yield from _forgotten(more)
    committed = [(w.group_id, w.decision) for w in writes if w.decision.offsets]
    if committed:
        yield from offset_rows.statements(committed)
    if batch.plain.rows:
        yield offset_rows.with_history(batch.plain.rows)
    if batch.plain.runs:
        yield offset_rows.of_runs(batch.plain.runs)
    for write in more:
        if (change := write.decision.beside) is not None:
            yield from beside.statements(write.group_id, change)
    yield from _operations(more)


def _locks(writes: Sequence[Write]) -> Iterator[Statement]:
    """Lock groups whose generation or members change: no offsets can be committed under the old
    ones."""
    changing = [
        write.group_id for write in writes if write.changes_membership and write.before.exists
    ]
    if changing:
        yield group_rows.LOCK_GROUPS, {"class": group_rows.LOCK_CLASS, "group_ids": changing}


def _guard(epochs: Mapping[int, int], revisions: Mapping[str, int]) -> Statement:
    slots = sorted({slot_of(group_id) for group_id in revisions})
    return group_rows.GUARD, {
        "slots": array(slots),
        "epochs": array([epochs.get(slot, -1) for slot in slots]),
        "group_ids": array(list(revisions)),
        "revisions": array(list(revisions.values())),
    }


def in_columns(
    text: str, names: Sequence[str], rows: Iterable[Sequence[Any]]
) -> Iterator[Statement]:
    """The statement with an array for each column; none if there are no rows."""
    found = list(rows)
    if found:
        yield text, arrays(names, found)


_GROUP = tuple(field.name for field in fields(GroupRow))[:-1]
_MEMBER = tuple(field.name for field in fields(MemberRow))[:-2]
"""Columns with the names of the fields, in their order; after them come the details, and a member's
commands, which are rows of their own."""

GROUP_COLUMNS = ("slot", *_GROUP, "details")
MEMBER_COLUMNS = ("group_id", *_MEMBER, "details")

_group_values, _member_values = attrgetter(*_GROUP), attrgetter(*_MEMBER)


def text_of(row: GroupRow | MemberRow) -> str:
    """The details as JSON."""
    return json.dumps(dict(row.details))


def text_in_pieces(row: Row) -> str:
    """The same text; that of a large row is built in Python, which takes a quarter longer but
    releases the lock every millisecond."""
    size = size_of(row) if isinstance(row, MemberRow) else size_of_group(row)
    if size <= AT_ONCE_MAX:
        return text_of(row)
    return "".join(IN_PIECES.iterencode(dict(row.details)))


def size_of(row: MemberRow) -> int:
    """The approximate size of a member's row in bytes, without visiting each entry twice."""
    size = len(row.subscription) + len(row.assignment)
    for value in row.details.values():
        if isinstance(value, str):
            size += len(value)
        elif isinstance(value, list):
            are_texts = bool(value) and isinstance(value[0], str)
            size += sum(map(len, value)) + 4 * len(value) if are_texts else PAIR_BYTES * len(value)
        elif isinstance(value, Mapping):
            size += sum(PAIR_BYTES + 6 * _entries(each) for each in value.values())
    return size


def size_of_group(row: GroupRow) -> int:
    """The approximate size of a group's row in bytes: its topics, and its patterns' matches."""
    topics = row.details.get("topics") or ()
    size = sum(map(len, topics)) + PAIR_BYTES * len(topics)
    for pattern, names in (row.details.get("matches") or NOTHING).items():
        size += len(pattern) + sum(map(len, names)) + 4 * len(names)
    return size


def _entries(value: object) -> int:
    return len(value) if isinstance(value, list | tuple) else 1


def _groups(writes: Sequence[Write], text: Text) -> Iterator[Statement]:
    groups = [write.decision.group.durable.group for write in writes]
    rows = [(slot_of(row.group_id), *_group_values(row), text(row)) for row in groups]
    return in_columns(group_rows.PUT_GROUPS, GROUP_COLUMNS, rows)


Moved = tuple[str, MemberRow | None, MemberRow | None]
"""A group's id, and one of its members before and after the batch; None: it does not exist."""


def moved_members(writes: Sequence[Write]) -> list[Moved]:
    """Members that were added, removed or replaced by another object."""
    moved: list[Moved] = []
    for write in writes:
        before, after = write.before.members, write.decision.group.durable.members
        for key in may_differ(before, after):
            old, new = before.get(key), after.get(key)
            if old is not new:
                moved.append((write.group_id, old, new))
    return moved


def _members(moved: Sequence[Moved], text: Text) -> Iterator[Statement]:
    gone = [(group_id, old.member_id) for group_id, old, new in moved if old and new is None]
    put = [member_row(group_id, new, text) for group_id, _, new in moved if new is not None]
    yield from in_columns(group_rows.DROP_MEMBERS, ("group_id", "member_id"), in_order(gone))
    yield from in_columns(group_rows.PUT_MEMBERS, MEMBER_COLUMNS, in_order(put, itemgetter(0, 1)))


def member_row(group_id: str, member: MemberRow, text: Text = text_of) -> tuple[Any, ...]:
    """A member's values in the order of ``MEMBER_COLUMNS``."""
    return (group_id, *_member_values(member), text(member))


COMMAND_KEY = ("group_id", "member_id", "command_id")
COMMAND_COLUMNS = (*COMMAND_KEY, "option", "generation", "ownership", "reason", "series")


def _commands(moved: Iterable[Moved]) -> Iterator[Statement]:
    """Insert sent commands, and delete acknowledged ones and those of members that are gone."""
    gone: list[tuple[Any, ...]] = []
    put: list[tuple[Any, ...]] = []
    for group_id, before, after in moved:
        old, new = _commands_of(before), _commands_of(after)
        gone += [(group_id, *at) for at in old.keys() - new.keys()]
        put += [(group_id, *at, *_command_row(new[at])) for at in new.keys() - old.keys()]
    yield from in_columns(sql_commands.DROP, COMMAND_KEY, in_order(gone))
    yield from in_columns(sql_commands.PUT, COMMAND_COLUMNS, in_order(put, itemgetter(0, 1, 2)))


def _commands_of(member: MemberRow | None) -> dict[tuple[str, int], CommandRow]:
    """A member's commands, by its id and the command's."""
    if member is None:
        return {}
    return {(member.member_id, each.command_id): each for each in member.commands}


def _command_row(command: CommandRow) -> tuple[Any, ...]:
    owned = command.ownership
    return (
        command.option,
        command.generation,
        None if owned is None else json.dumps({topic: dict(of) for topic, of in owned.items()}),
        command.reason,
        command.series,
    )


def _deleted(group_ids: Sequence[str]) -> Iterator[Statement]:
    if group_ids:
        for text in group_rows.DROP_GROUPS:
            yield text, {"group_id": list(group_ids)}


def _forgotten(writes: Sequence[Write]) -> Iterator[Statement]:
    """Offsets to delete."""
    gone = [
        (write.group_id, *at)
        for write in writes
        if not write.decision.deleted
        for at in write.decision.offset_deletes
    ]
    names = ("group_id", "topic", "partition")
    yield from in_columns(group_rows.DROP_OFFSETS, names, in_order(gone))


def _operations(writes: Sequence[Write]) -> Iterator[Statement]:
    rows = [
        (
            ended.operation_id,
            *_operation_state(ended),
            ended.detail,
            ended.generation,
        )
        for write in writes
        for ended in write.decision.operations
    ]
    # A row can be written only once: of several results for an operation the last one counts.
    latest = {row[0]: row for row in rows}
    names = ("id", "state", "outcome", "detail", "generation")
    yield from in_columns(group_rows.END_OPERATIONS, names, [latest[key] for key in sorted(latest)])


def _operation_state(operated: Operated) -> tuple[str, str | None]:
    """State and outcome, as in ``models.Operation``."""
    if operated.error is not ErrorCode.NONE:
        return "failed", None
    if not operated.ended:
        return "running", None
    return "succeeded", "changed" if operated.changed else "unchanged"


async def apply(connection: psycopg.AsyncConnection[Any], batch: Batch) -> None:
    """Write the batch in one transaction and one pipeline.

    Raises a ``StoreError``, whose class says what is known; only after ``Unknown`` may the batch
    have been written.
    """
    try:
        ready = await _ready(batch)
        async with connection.pipeline() as pipeline, connection.transaction():
            for text, parameters in ready:
                await connection.execute(text.encode(), parameters)
            if batch.inside is not None:
                await pipeline.sync()
                await batch.inside()
    except psycopg.Error as error:
        raise errors.translate(error, connection) from error
    except (TypeError, ValueError) as error:
        # A value that cannot be sent: the transaction was rolled back.
        raise errors.StatementRefused(str(error)) from error


async def _ready(batch: Batch) -> Iterable[Statement]:
    """The statements; those of a large batch are built in a thread."""
    rows = batch.plain.size + sum(write.rows for write in batch.writes)
    if rows <= ROWS_INLINE_MAX and batch.size <= BYTES_INLINE_MAX:
        return statements(batch)
    return await asyncio.to_thread(lambda: list(statements(batch)))
