"""The history of a chaos run: PostgreSQL's log read, rows made of it, and both accounts merged.

Nothing runs here; that a real server sends what this reads is shown by chaos.
"""

import json
import struct
from copy import deepcopy
from typing import Any

from groups.core.rows import slot_of
from proof.chaos.commits import Commits
from proof.chaos.history_fields import of_answer, of_request
from proof.chaos.logical_decoding import EPOCH_2000_S, Change, LogMessage, Stream, Transaction
from proof.chaos.verdict import BEFORE_MS, around, judge, merged
from rollcall.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopics,
)

G, T = "g", "work"
SLOT = slot_of(G)


# ---- PostgreSQL's log


def begin(lsn: int, micros: int) -> bytes:
    return b"B" + struct.pack(">qqi", lsn, micros, 7)


def commit(lsn: int) -> bytes:
    return b"C" + struct.pack(">bqqq", 0, lsn, lsn, 0)


def relation(number: int, name: str, *columns: str) -> bytes:
    head = b"R" + struct.pack(">i", number) + b"public\0" + name.encode() + b"\0d"
    each = (b"\1" + column.encode() + b"\0" + struct.pack(">ii", 25, -1) for column in columns)
    return head + struct.pack(">h", len(columns)) + b"".join(each)


def row(*values: str | None) -> bytes:
    parts = (b"n" if v is None else b"t" + struct.pack(">i", len(v)) + v.encode() for v in values)
    return struct.pack(">h", len(values)) + b"".join(parts)


def test_transactions_are_read_in_commit_order() -> None:
    text = "said"
    stream = Stream().transactions(
        [
            begin(10, 5_000_000),
            relation(1, "t", "key", "value"),
            b"I" + struct.pack(">i", 1) + b"N" + row("a", None),
            b"M\1" + struct.pack(">q", 9) + b"guard\0" + struct.pack(">i", 4) + text.encode(),
            commit(10),
            begin(20, 6_000_000),
            b"U" + struct.pack(">i", 1) + b"K" + row("a", None) + b"N" + row("b", "2"),
            b"D" + struct.pack(">i", 1) + b"K" + row("c", None),
            commit(20),
        ]
    )
    first, second = list(stream)
    assert (first.lsn, first.wall_s) == (10, EPOCH_2000_S + 5)
    assert first.changes == [Change("t", {"key": "a", "value": None}, False)]
    assert first.messages == [LogMessage("guard", text)]
    assert [(c.values["key"], c.is_gone) for c in second.changes] == [
        ("a", True),
        ("b", False),
        ("c", True),
    ]


# ---- rows of the history


def put(table: str, **values: Any) -> Change:
    return Change(table, {k: None if v is None else str(v) for k, v in values.items()}, False)


def group_row(generation: int, revision: int) -> Change:
    return put(
        "rollcall_group", group_id=G, kind="classic", state="Stable",
        generation=generation, revision=revision,
    )  # fmt: skip


def member_row(member_id: str) -> Change:
    return put("rollcall_member", group_id=G, member_id=member_id, instance_id=None)


def offset_row(offset: int) -> Change:
    return put("rollcall_offset", group_id=G, topic=T, partition=0, committed_offset=offset)


def guard(epoch: int, revision: int) -> LogMessage:
    parameters = {"slots": [SLOT], "epochs": [epoch], "groups": [G], "revisions": [revision]}
    return LogMessage("guard", json.dumps(parameters))


def test_a_group_is_decoded_with_all_its_members_and_its_writers_state() -> None:
    """The second transaction names one member only; the first one is there still."""
    commits = Commits({G: {"old": "seat"}})
    changes = [group_row(3, 8), member_row("new")]
    [record] = commits.rows(Transaction(1, 0.0, changes, [guard(epoch=5, revision=7)]))
    assert record["members"] == {"old": "seat", "new": None}
    assert (record["generation"], record["revision"], record["seen"]) == (3, 8, 7)
    assert (record["slot"], record["epoch"]) == (SLOT, 5)


def test_a_member_removed_for_its_silence_is_reported() -> None:
    """Who is named and stays, as in the entry of a rebalance that ended, is not."""
    commits = Commits({G: {"silent": None, "other": None}})
    entry = put(
        "rollcall_journal", id=1, group_id=G, kind="member-expired", trigger="session-expired",
        member_id="other", left=json.dumps(["silent"]),
    )  # fmt: skip
    gone = Change("rollcall_member", {"group_id": G, "member_id": "silent"}, True)
    records = list(commits.rows(Transaction(1, 0.0, [gone, group_row(1, 2), entry])))
    assert [(r["table"], r.get("member")) for r in records] == [
        ("group", None),
        ("removed", "silent"),
    ]


def test_an_offset_written_twice_in_a_transaction_is_reported_once() -> None:
    """A request that arrives twice changes nothing the second time."""
    commits = Commits()
    written = [
        record["offset"]
        for number, offset in enumerate((1, 1, 2))
        for record in commits.rows(Transaction(number, 0.0, [offset_row(offset)]))
    ]
    assert written == [1, 2]


def test_data_missing_on_a_replica_are_reported_with_their_older_values() -> None:
    """Of the lost future, one partition had been committed before, and one had not."""
    commits = Commits()
    list(commits.rows(Transaction(1, 0.0, [offset_row(7)])))
    lost = deepcopy(commits)
    other = put("rollcall_offset", group_id=G, topic=T, partition=1, committed_offset=9)
    rows = list(lost.rows(Transaction(2, 0.0, [offset_row(8), group_row(2, 5), other])))
    [record] = commits.back(rows)
    assert (record["table"], record["group"]) == ("back", G)
    assert record["offsets"] == [[T, 0, 7], [T, 1, None]]


# ---- both accounts


def call(number: int, at: float, api: str, **facts: Any) -> dict[str, Any]:
    return {
        "type": "invoke", "at": at, "process": f"p{number}", "call": number, "api": api,
        "group": G, "member": "m", "instance": None, "generation": 1, "session_ms": 6000, **facts,
    }  # fmt: skip


def ok(number: int, at: float, **facts: Any) -> dict[str, Any]:
    return {"type": "ok", "at": at, "process": f"p{number}", "call": number, **facts}


def stored(at: float, offset: int) -> dict[str, Any]:
    return {
        "type": "row", "at": at, "table": "offset", "group": G, "topic": T, "partition": 0,
        "offset": offset,
    }  # fmt: skip


COMMITTED = [call(1, 10, "OffsetCommit", offsets=[[T, 0, 7]]), ok(1, 60)]


def fetched(asked: float, offset: int) -> list[dict[str, Any]]:
    wanted = call(2, asked, "OffsetFetch", wanted=[[T, 0]])
    return [wanted, ok(2, asked + 5, offsets=[[T, 0, offset]])]


def test_a_read_during_a_commit_may_see_either_value() -> None:
    for offset in (-1, 7):
        assert judge([*COMMITTED, *fetched(30, offset)], [stored(20, 7)]) == []


def test_a_read_after_the_acknowledgement_must_see_the_commit() -> None:
    assert judge([*COMMITTED, *fetched(61, 7)], [stored(20, 7)]) == []
    [violation] = judge([*COMMITTED, *fetched(61, -1)], [stored(20, 7)])
    assert violation.invariant == "I5"


def test_an_acknowledgement_without_a_row_is_detected() -> None:
    [violation] = judge(COMMITTED, [])
    assert violation.invariant == "I10"


def test_the_context_of_a_violation_is_kept_without_other_groups() -> None:
    history = merged(COMMITTED, [])
    [violation] = judge(COMMITTED, [])
    others = [{**record, "call": 2} for record in history]
    others[0] |= {"group": "another"}
    of_all = {"type": "late", "at": violation.at}
    long_ago = {**history[0], "at": violation.at - 2 * BEFORE_MS}
    assert around([violation], [long_ago, *history, *others, of_all]) == [*history, of_all]


def test_a_write_under_an_old_epoch_is_detected() -> None:
    slots = [
        {"type": "row", "at": at, "table": "slot", "slot": SLOT, "epoch": at, "node": 0}
        for at in (1, 2)
    ]
    late = {**stored(20, 7), "slot": SLOT, "epoch": 1}
    [violation] = judge(COMMITTED, [*slots, late])
    assert violation.invariant == "I3"


def test_rows_of_unobserved_groups_are_ignored() -> None:
    other = {**stored(5, 1), "group": "another"}
    assert other not in merged(COMMITTED, [other, stored(20, 7)])


def test_the_history_records_requests_and_responses() -> None:
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id=G, topics=None)])
    assert of_request(request)["group"] == G
    partition = OffsetFetchResponsePartitions(
        partition_index=0, committed_offset=3, metadata="", error_code=0
    )
    topics = [OffsetFetchResponseTopics(name=T, partitions=[partition])]
    answer = OffsetFetchResponse(groups=[OffsetFetchResponseGroup(group_id=G, topics=topics)])
    assert of_answer("OffsetFetch", T, answer) == (
        0,
        {"offsets": [[T, 0, 3]], "notes": [0]},
    )
