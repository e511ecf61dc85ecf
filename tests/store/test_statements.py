"""A batch as SQL, before it is sent: which statements, in which order, with which rows."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from groups.core import commands
from groups.core.errors import ErrorCode
from groups.core.events import Author, OffsetWrite, PendingWrite
from groups.core.group import All, JournalEntry
from groups.core.journal import EntryKind
from groups.core.replies import Operated
from groups.core.rows import CommandRow, Durable
from groups.postgres import errors
from groups.postgres.array_literals import Statement
from groups.postgres.connections import Connection
from groups.store import apply
from groups.store.apply import Batch, Write
from groups.store.sql import commands as sql_commands
from groups.store.sql import group_rows, transactions
from tests.factories import batch, birth, change, commit, death, decision, durable, member, offset

OLD = durable("old", [member("a"), member("b", position=1)], revision=7)
EMPTY = durable("empty", revision=3)


def sent(*writes: Write, **over: Any) -> list[tuple[str, dict[str, Any]]]:
    made: Batch = replace(batch(*writes), **over)
    return [(text, dict(given)) for text, given in apply.statements(made)]


def of(text: str, *writes: Write) -> list[dict[str, Any]]:
    """What is sent by this statement."""
    return [given for sent_text, given in sent(*writes) if sent_text == text]


def put(*at: tuple[str, int], author: Author | None = None) -> tuple[OffsetWrite, ...]:
    return tuple(OffsetWrite(t, p, 5, 2, "note", 11, 22, author) for t, p in at)


def with_(before: Durable, **over: Any) -> Write:
    """A decision that changes no rows of the group itself."""
    return Write(before, decision(before, **over))


# -- where it is put together


@pytest.mark.parametrize(
    ("rows", "bytes_", "is_beside"), [(0, 0, False), (1, 1, False), (-1, 0, True), (0, -1, True)]
)
async def test_statements_of_a_large_batch_are_assembled_outside_the_event_loop(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, rows: int, bytes_: int, is_beside: bool
) -> None:
    """By this many more, or fewer, rows and bytes than it has is it large."""
    made = batch(birth("g", member("a")), birth("h"))
    monkeypatch.setattr(apply, "ROWS_INLINE_MAX", sum(w.rows for w in made.writes) + rows)
    monkeypatch.setattr(apply, "BYTES_INLINE_MAX", made.size + bytes_)
    usual, beside = apply.statements, []

    def statements(batch: Batch) -> Iterator[Statement]:
        beside.append(threading.current_thread() is not threading.main_thread())
        return usual(batch)

    monkeypatch.setattr(apply, "statements", statements)
    await apply.apply(connection, made)
    assert beside == [is_beside]


# -- a write


def test_the_size_of_a_write_counts_rows_and_bytes_of_members() -> None:
    heavy = replace(OLD.members["b"], assignment=b"1234567")
    after = replace(OLD, members={"a": OLD.members["a"], "b": heavy, "c": member("c", position=2)})
    changed = Write(OLD, decision(after))
    written = len(heavy.subscription) + 7 + len(heavy.subscription) + len(member("c").assignment)
    assert (changed.rows, changed.size(), changed.newcomers) == (1 + 3, written, ("c",))
    assert (changed.revision, changed.changes_membership, changed.is_needed) == (8, True, True)

    offsets = with_(OLD, offsets=put(("t", 0), ("t", 1)), offset_deletes=(("u", 0),))
    assert (offsets.rows, offsets.size(), offsets.newcomers) == (1 + 3, 0, ())
    assert (offsets.revision, offsets.changes_membership, offsets.is_needed) == (7, False, True)
    waits = with_(OLD, pending=(PendingWrite(1, 0, put(("t", 0))[0]),))
    assert waits.rows == 2 and waits.is_needed

    gone = death(OLD)
    assert (gone.size(), gone.revision, gone.changes_membership) == (0, 8, True)


@pytest.mark.parametrize(
    "over",
    [
        {"journal": (JournalEntry(EntryKind.EMPTIED),)},
        {"offsets": put(("t", 0))},
        {"offset_deletes": (("t", 0),)},
        {"pending": (PendingWrite(1, 0, put(("t", 0))[0]),)},
        {"operations": (Operated(1, ErrorCode.NONE, "x"),)},
    ],
    ids=lambda over: next(iter(over)),
)
def test_non_empty_writes_are_written(over: dict[str, Any]) -> None:
    assert with_(OLD, **over).is_needed
    assert not with_(OLD).is_needed


# -- a batch


def test_the_order_is_locks_guard_rows_notification() -> None:
    leaving = replace(OLD, members={"a": OLD.members["a"], "c": member("c", position=2)})
    changing = Write(OLD, decision(leaving, journal=(JournalEntry(EntryKind.EMPTIED),)))
    texts = [text for text, _ in sent(birth("new", member("x")), death(EMPTY), changing,
                                      commit(durable("z", revision=1), offset(4)))]  # fmt: skip
    assert texts == [
        group_rows.LOCK_GROUPS, group_rows.GUARD, group_rows.PUT_GROUPS,
        group_rows.DROP_MEMBERS, group_rows.PUT_MEMBERS,
        group_rows.ADD_JOURNAL, *group_rows.DROP_GROUPS, group_rows.PUT_OFFSETS,
    ]  # fmt: skip


def test_only_existing_groups_that_change_are_locked() -> None:
    (locked,) = of(group_rows.LOCK_GROUPS, birth("new", member("x")), death(EMPTY), change(OLD),
                   commit(durable("z", revision=1), offset(4)))  # fmt: skip
    assert locked["group_ids"] == ["empty", "old"]
    assert not of(group_rows.LOCK_GROUPS, birth("new", member("x")))


def test_the_guard_checks_each_groups_revision_and_each_slots_epoch() -> None:
    (guard,) = of(group_rows.GUARD, change(OLD), change(EMPTY))
    assert (guard["group_ids"], guard["revisions"]) == ('{"empty","old"}', "{3,7}")
    assert guard["epochs"] == "{1,1}"
    guard = next(
        given for text, given in sent(change(OLD), epochs={10_000: 3}) if text == group_rows.GUARD
    )
    assert guard["epochs"] == "{-1}", "a slot that it does not own has no such epoch"


def test_rows_are_written_in_the_order_of_their_keys() -> None:
    writes = [birth(g, member("b", position=0), member("a", position=1)) for g in ("y", "x")]
    (groups,), (members,) = of(group_rows.PUT_GROUPS, *writes), of(group_rows.PUT_MEMBERS, *writes)
    assert groups["group_id"] == '{"x","y"}'
    assert members["group_id"] == '{"x","x","y","y"}'
    assert members["member_id"] == '{"a","b","a","b"}'
    lone = [death(durable(g, [member("b"), member("a")], revision=1)) for g in ("y", "x")]
    (dropped,) = (given for text, given in sent(*lone) if text == group_rows.DROP_GROUPS[0])
    assert dropped["group_id"] == ["x", "y"]


def test_an_unchanged_member_is_not_written_again() -> None:
    less = replace(OLD, members={"b": OLD.members["b"]})
    write = Write(OLD, decision(less))
    assert not of(group_rows.PUT_MEMBERS, write)
    (gone,) = of(group_rows.DROP_MEMBERS, write)
    assert (gone["group_id"], gone["member_id"]) == ('{"old"}', '{"a"}')


def test_a_longer_timeout_is_set_first() -> None:
    (text, given), *_ = sent(change(OLD), allowed_ms=5_000)
    assert text == group_rows.MORE_TIME
    assert given == {"ms": "5000", "total_ms": str(5_000 + apply.MORE_IN_ALL_MS)}
    assert sent(change(OLD))[0][0] != group_rows.MORE_TIME


# -- offsets


def test_of_several_commits_to_a_partition_the_last_is_written_and_deletions_are_separate() -> None:
    first = with_(OLD, offsets=put(("t", 1), ("t", 0)), offset_deletes=(("u", 3), ("t", 1)))
    (kept,), (gone,) = of(group_rows.PUT_OFFSETS, first), of(group_rows.DROP_OFFSETS, first)
    assert (kept["topic"], kept["partition"], kept["committed_offset"]) == ('{"t"}', "{0}", "{5}")
    assert (kept["leader_epoch"], kept["metadata"]) == ("{2}", '{"note"}')
    assert (kept["commit_ms"], kept["retention_ms"]) == ("{11}", "{22}")
    assert (gone["topic"], gone["partition"]) == ('{"t","u"}', "{1,3}")
    assert not of(
        group_rows.PUT_OFFSETS, replace(first, decision=replace(first.decision, deleted=True))
    )


def test_a_commit_with_an_author_has_a_history() -> None:
    author = Author("m", "app", "/h")
    write = with_(OLD, offsets=(*put(("t", 0)), *put(("t", 1), author=author)))
    (plain,), (with_history,) = (
        of(group_rows.PUT_OFFSETS, write),
        of(group_rows.PUT_OFFSETS_AND_HISTORY, write),
    )
    assert (plain["partition"], with_history["partition"]) == ("{0}", "{1}")
    named = [with_history[name] for name in Author._fields]
    assert named == ['{"m"}', '{"app"}', '{"/h"}', '{"User:ANONYMOUS"}']


def test_pending_offsets_are_locked_first_and_marked_or_dropped_before_offsets() -> None:
    author = Author("m", "app", "/h")
    waits = (
        PendingWrite(9, 1, put(("t", 2))[0]),
        PendingWrite(8, 0, put(("t", 1), author=author)[0], True),
    )
    write = replace(
        with_(OLD, pending=waits, offsets=put(("v", 0)), offset_deletes=(("u", 0),)),
        has_pending=True,
    )
    texts = [text for text, _ in sent(write)]
    assert texts == [
        group_rows.GUARD, transactions.LOCK_PRODUCERS, transactions.LOCK_PENDING,
        transactions.DROP_PENDING, transactions.SUPERSEDE, transactions.PUT_PENDING,
        group_rows.DROP_OFFSETS, group_rows.PUT_OFFSETS,
    ]  # fmt: skip
    (locked,) = of(transactions.LOCK_PRODUCERS, write)
    assert locked == {"producer_ids": [8, 9]}
    (where,) = of(transactions.LOCK_PENDING, write)
    assert where["partition"] == [1, 2, 0, 0] and where["topic"] == ["t", "t", "u", "v"]
    assert (where["deleted"], where["group_ids"]) == ([], ["old"])
    (kept,) = of(transactions.PUT_PENDING, write)
    # As they came, since the later write counts; the locks above are in key order.
    assert (kept["producer_id"], kept["partition"]) == ([9, 8], [2, 1])
    assert not of(transactions.LOCK_PENDING, replace(write, has_pending=False))


# -- what follows


def test_an_operations_last_state_is_written() -> None:
    done = (
        Operated(4, ErrorCode.NONE, "begun", ended=False),
        Operated(3, ErrorCode.INVALID_REQUEST, "no"),
        Operated(2, ErrorCode.NONE, "nothing to do", changed=False),
        Operated(1, ErrorCode.NONE, "begun", ended=False),
        Operated(1, ErrorCode.NONE, "done", generation=6),
    )
    (ended,) = of(group_rows.END_OPERATIONS, with_(OLD, operations=done))
    assert ended["id"] == "{1,2,3,4}"
    assert ended["state"] == '{"succeeded","succeeded","failed","running"}'
    assert ended["outcome"] == '{"changed","unchanged",NULL,NULL}'
    assert ended["generation"] == "{6,NULL,NULL,NULL}"
    assert not of(group_rows.END_OPERATIONS, change(OLD))


def test_entries_about_offsets_come_last_with_their_partitions() -> None:
    entries = (
        JournalEntry(EntryKind.OFFSETS_DELETED, offsets=[("t", 0), ("u", 1)]),
        JournalEntry(EntryKind.EMPTIED, waited_for={"m": 5}, joined=("a",), left=("b",)),
        JournalEntry(EntryKind.GROUP_DELETED, offsets=All.OFFSETS),
    )
    write = with_(OLD, journal=entries)
    (plain,), (telling,) = (
        of(group_rows.ADD_JOURNAL, write),
        of(group_rows.ADD_JOURNAL_OF_OFFSETS, write),
    )
    assert (plain["kind"], plain["revision"], plain["group_id"]) == (
        '{"emptied"}', "{7}", '{"old"}',
    )  # fmt: skip
    assert plain["waited_for"] == r'{"{\"m\": 5}"}' and plain["left"] == r'{"[\"b\"]"}'
    assert plain["node_id"] == telling["node_id"] == batch().node_id
    assert telling["kind"] == '{"offsets-deleted","group-deleted"}'
    assert (telling["number"], telling["has_all"]) == ("{0,1}", "{False,True}")
    assert (telling["part_of"], telling["topic"]) == ("{0,0}", '{"t","u"}')
    assert telling["partition"] == "{0,1}"
    (none,) = of(group_rows.ADD_JOURNAL_OF_OFFSETS, with_(OLD, journal=entries[2:]))
    assert (none["part_of"], none["topic"], none["partition"]) == ("{}", "{}", "{}")


def test_commands_are_inserted_and_deleted_in_the_order_of_their_keys() -> None:
    def to(name: str, *numbers: int) -> Any:
        row = member(name)
        for number in numbers:
            row = commands.send(row, CommandRow(number, commands.STOP, reason="why"))
        return row

    before = durable("g", [to("b", 4, 5), to("a", 2)], revision=1)
    after = replace(before, members={"a": to("a", 7), "b": to("b", 5, 6)})
    write = Write(before, decision(after))
    (gone,), (kept,) = of(sql_commands.DROP, write), of(sql_commands.PUT, write)
    assert (gone["member_id"], gone["command_id"]) == ('{"a","b"}', "{2,4}")
    assert (kept["member_id"], kept["command_id"]) == ('{"a","b"}', "{7,6}")
    assert kept["option"] == f'{{"{commands.STOP}","{commands.STOP}"}}'
    assert kept["ownership"] == "{NULL,NULL}" and kept["reason"] == '{"why","why"}'


# -- what PostgreSQL says


@pytest.mark.parametrize(
    ("state", "meant"),
    [
        ("RC001", errors.Fenced), ("RC002", errors.Conflict),
        ("RC003", errors.Busy), ("55P03", errors.Contended),
        ("40P01", errors.Contended), ("40001", errors.Contended),
        ("57014", errors.TooSlow), ("25P03", errors.TooSlow),
        ("25P04", errors.TooSlow), ("57P01", errors.Unknown),
        ("08006", errors.Unknown), ("53300", errors.Unknown),
        ("58030", errors.Unknown), ("25006", errors.Unknown),
        (None, errors.Unknown), ("23505", errors.StatementRefused),
        ("42P01", errors.Unready), ("42501", errors.Unready),
        ("28000", errors.Unready), ("55000", errors.Unready),
        ("54000", errors.StatementRefused), ("P0001", errors.StatementRefused),
    ],
)  # fmt: skip
def test_each_postgresql_error_has_one_meaning_for_a_batch(
    state: str | None, meant: type[Exception]
) -> None:
    error = type("Said", (psycopg.Error,), {"sqlstate": state})("it said so")
    healthy: Any = SimpleNamespace(closed=False, broken=False)
    assert type(errors.translate(error, None)) is meant
    assert type(errors.translate(error, healthy)) is meant


def test_a_broken_connection_is_an_unknown_outcome_and_an_invalid_value_a_refusal() -> None:
    refusal = type("Said", (psycopg.Error,), {"sqlstate": "23505"})("it said so")
    for broken in ({"closed": True, "broken": False}, {"closed": False, "broken": True}):
        connection: Any = SimpleNamespace(**broken)
        assert type(errors.translate(refusal, connection)) is errors.Unknown
        translated = errors.translate(psycopg.DataError("a NUL"), connection)
        assert type(translated) is errors.StatementRefused
