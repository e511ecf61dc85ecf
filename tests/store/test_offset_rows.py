"""Offsets written as runs are the rows, and the history, that they are when written one by one."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groups.core.events import Author, OffsetWrite, Ticket
from groups.core.group import Answer, Decision
from groups.core.replies import Committed
from groups.postgres.connections import Connection
from groups.store import offset_rows
from groups.store.sql import group_rows
from groups.store.sql.history import COMMITS
from tests.factories import decision, durable

ANN, BEN = Author("m-1", "ann", "/10.0.0.1"), Author("m-2", "ben", "/10.0.0.2", "User:ben")

STORED = """
SELECT group_id, topic, partition, committed_offset, leader_epoch, metadata,
       CASE WHEN date_part('year', committed_at) = 1970
            THEN round(date_part('epoch', committed_at) * 1000)::int END,
       round(date_part('epoch', expires_at - committed_at) * 1000)::int
FROM rollcall_offset ORDER BY 1, 2, 3
"""
TOLD = f"""
SELECT group_id, topic, partition, committed_offset, leader_epoch, metadata, member_id, client_id,
       client_host, principal
FROM {COMMITS} ORDER BY at, 1, 2, 3
"""
ROWS = "SELECT count(*) FROM rollcall_offset_history"


def put(topic: str, partitions: Sequence[int], author: Author | None = ANN) -> list[OffsetWrite]:
    return [OffsetWrite(topic, n, 10 + n, -1, "", author=author) for n in partitions]


def decided(*commits: Sequence[OffsetWrite], **over: Any) -> Decision:
    """Each commit is answered."""
    answers = tuple(Answer(Ticket(1, n), Committed()) for n in range(len(commits)))
    offsets = tuple(write for each in commits for write in each)
    return decision(durable("g", revision=1), offsets=offsets, answers=answers, **over)


def sent(**groups: Decision) -> Mapping[str, Mapping[str, Any]]:
    """The parameters, by the statement."""
    return dict(offset_rows.statements(sorted(groups.items())))


def runs(**groups: Decision) -> Mapping[str, Any]:
    """The parameters, where all is sent as runs."""
    ((text, parameters),) = sent(**groups).items()
    assert text == group_rows.PUT_RUNS_AND_HISTORY
    return parameters


def test_the_partitions_of_a_topic_in_one_commit_are_a_run() -> None:
    found = runs(
        b=decided(put("t", [0, 1]), put("t", [2, 3], BEN)),
        a=decided([*put("t", range(3)), *put("u", range(3))]),
    )
    assert (found["group_id"], found["topic"]) == ('{"a","a","b","b"}', '{"t","u","t","t"}')
    assert found["partitions"] == '{"{0,1,2}","{0,1,2}","{0,1}","{2,3}"}'
    assert found["offsets"] == '{"{10,11,12}","{10,11,12}","{10,11}","{12,13}"}'
    assert found["member_id"] == '{"m-1","m-1","m-1","m-2"}'
    usual = ("commit_ms", "retention_ms", "leader_epochs", "metadata")
    assert {found[name] for name in usual} == {"{}"}


def test_of_several_commits_to_a_partition_the_last_is_written_unless_deleted() -> None:
    later = [w._replace(offset=99) for w in put("t", [1, 2, 3], BEN)]
    found = runs(
        g=decided(put("t", [0, 1, 1, 4, 5, 6, 7, 8]), later, offset_deletes=(("t", 3), ("u", 0))),
        h=decided(put("t", [0, 1]), deleted=True),
    )
    assert found["group_id"] == '{"g","g","g","g"}'
    assert found["partitions"] == '{"{0}","{1}","{4,5,6,7,8}","{2}"}'
    assert found["offsets"] == '{"{10}","{99}","{14,15,16,17,18}","{99}"}'
    assert found["member_id"] == '{"m-1","m-2","m-1","m-2"}'


@pytest.mark.parametrize(
    "commits",
    [
        [put("t", [0])],
        [put("t", [0]), put("t", [1], BEN)],
        [[*put("t", [0]), *put("u", [0]), *put("v", [0])]],
    ],
    ids=["one", "one-each", "one-a-topic"],
)
def test_single_partitions_are_rows(commits: Sequence[Sequence[OffsetWrite]]) -> None:
    assert list(sent(g=decided(*commits))) == [group_rows.PUT_OFFSETS_AND_HISTORY]


def test_a_commit_without_an_author_has_no_history() -> None:
    assert list(sent(g=decided(put("t", [0, 1, 2], None)))) == [group_rows.PUT_OFFSETS]
    both = decided([*put("t", [0, 1], None), *put("t", [2, 3])])
    assert set(sent(g=both)) == {group_rows.PUT_OFFSETS, group_rows.PUT_OFFSETS_AND_HISTORY}
    assert not sent(g=decided(), h=decided(put("t", [0, 1]), deleted=True))


# -- in PostgreSQL

EXAMPLES = 30
ODD = ["", "NULL", "{}", '"', "\\", 'a"b', '","', ",", "{1,2}", "é\n"]
COMMIT = st.tuples(
    st.sampled_from(["t", 'u"', "{v}"]),
    st.dictionaries(st.integers(0, 5), st.integers(0, 2**63 - 1), min_size=2),
    st.sampled_from([ANN, BEN]),
    st.sampled_from([-1, 0, 7]),
    st.sampled_from(ODD),
    st.sampled_from([None, 11]),
    st.sampled_from([None, 22]),
)


@st.composite
def batches(draw: st.DrawFn) -> dict[str, Decision]:
    """Some commits of some groups; epochs and metadata are the same in a commit, or are not."""
    found = {}
    for group_id in draw(st.sets(st.sampled_from(["g", 'h"', "\\i"]), min_size=1)):
        commits = []
        for topic, offsets, author, epoch, note, ms, kept in draw(st.lists(COMMIT, min_size=1)):
            varies = draw(st.booleans())
            commits.append(
                [
                    OffsetWrite(
                        topic, partition, at, epoch + (partition if varies else 0),
                        draw(st.sampled_from(ODD)) if varies else note, ms, kept, author,
                    )
                    for partition, at in offsets.items()
                ]
            )  # fmt: skip
        found[group_id] = decided(*commits)
    return found


async def stored(connection: Connection, made: Mapping[str, Decision]) -> tuple[list[Any], ...]:
    """What the tables hold after a batch; nothing of it stays."""
    async with connection.transaction(force_rollback=True):
        for text, parameters in offset_rows.statements(sorted(made.items())):
            await connection.execute(text.encode(), parameters)
        found = [
            await (await connection.execute(each.encode())).fetchall() for each in (STORED, TOLD)
        ]
    return found[0], sorted(found[1])


async def test_a_run_is_stored_as_the_rows_that_it_represents(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[dict[str, Decision]] = []

    @settings(max_examples=EXAMPLES)
    @given(batches())
    def collect(one: dict[str, Decision]) -> None:
        made.append(one)

    collect()
    shapes = set()
    for each in made:
        shapes |= set(sent(**each))
        as_runs = await stored(connection, each)
        with monkeypatch.context() as patched:
            patched.setattr(offset_rows, "RUN_MIN", 1_000)
            assert group_rows.PUT_RUNS_AND_HISTORY not in sent(**each)
            assert await stored(connection, each) == as_runs
    assert group_rows.PUT_RUNS_AND_HISTORY in shapes


async def test_a_run_is_one_row_of_history_and_older_rows_are_read_beside_it(
    connection: Connection,
) -> None:
    before = [write._replace(offset=1) for write in put("t", [1])]
    for commits in ([before], [put("t", [0, 1, 2])]):
        for text, parameters in offset_rows.statements([("g", decided(*commits))]):
            await connection.execute(text.encode(), parameters)
    assert await (await connection.execute(ROWS)).fetchone() == (2,)
    rows_read = await (await connection.execute(TOLD.encode())).fetchall()
    assert [row[2:4] for row in rows_read] == [(1, 1), (0, 10), (1, 11), (2, 12)]
