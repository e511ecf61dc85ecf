"""Tables that are partitioned by the hash of the group (docs/scale.md): what a node sends about a
group reads and writes the partition of that group alone, in every statement of requests.

The planner is kept from reading whole tables, as small ones invite it to: asked is whether a
statement names its group, not how many rows there are.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from console.queries.sql.commands import NOT_ACKNOWLEDGED
from groups.core.events import Author, OffsetWrite, PendingWrite
from groups.core.rows import CommandRow
from groups.postgres import connections
from groups.postgres.array_literals import Statement
from groups.postgres.connections import Connection
from groups.store import apply
from groups.store.apply import Write
from groups.store.sql import commands, group_rows, transactions
from tests.factories import batch, birth, death, decision, member, written

TABLES = ("group", "member", "offset", "pending_offset", "command", "pause", "follower")
PARTITIONS = 16
GROUP = "g-7"

PARTITIONED = """
CREATE TABLE partitioned.rollcall_{0} (LIKE public.rollcall_{0} INCLUDING ALL)
PARTITION BY HASH (group_id)
"""
PARTITION = """
CREATE TABLE partitioned.{0}_{1} PARTITION OF partitioned.rollcall_{0}
FOR VALUES WITH (MODULUS {2}, REMAINDER {1})
"""
TOUCHED = """
SELECT relname, seq_scan + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del
FROM pg_stat_xact_user_tables WHERE schemaname = 'partitioned'
"""
BY_ROWS = ("enable_hashjoin", "enable_mergejoin", "enable_seqscan", "enable_bitmapscan")

OF_SLOTS = "a slot is loaded, once for each owner that it gets"
OF_A_PRODUCER = "a transaction ends: its offsets are those of a producer, in groups of many slots"
NOT_OF_A_GROUP: Mapping[str, str] = {
    "LOAD_GROUPS_OF_SLOTS": OF_SLOTS,
    "LOAD_MEMBERS_OF_SLOTS": OF_SLOTS,
    "LOAD_OF_SLOTS": OF_SLOTS,
    "GROUPS_OF_SLOTS": OF_SLOTS,
    "LOCK_WAITING": OF_A_PRODUCER,
    "APPLY": OF_A_PRODUCER,
    "NOTE_HISTORY": OF_A_PRODUCER,
    "OVERTAKE": OF_A_PRODUCER,
    "DROP_WAITING": OF_A_PRODUCER,
    "_OF_GROUPS": OF_A_PRODUCER,
    "ADD_JOURNAL_OF_OFFSETS": "somebody changes offsets: a join finds what they were",
    "PARTITIONS_OF_PRODUCERS": "an administrator asks what a producer has pending",
}

ONE: Mapping[str, Any] = {
    "group_id": [GROUP],
    "topic": ["t"],
    "partition": [0],
    "place": [0],
    "stable_group_id": [GROUP],
    "stable_topic": ["t"],
    "stable_partition": [0],
    "stable_place": [0],
    "topic_place": [1],
    "topic_group_id": [GROUP],
    "topics": ["t"],
    "group_ids": [GROUP],
    "slots": [*range(64)],
    "epochs": [1] * 64,
    "most": 100,
}
OF_ARRAYS = (
    group_rows.FETCH_OFFSETS_OF_PARTITIONS,
    group_rows.FETCH_OFFSETS_OF_GROUPS,
    transactions.PARTITIONS_OF_GROUPS,
    group_rows.LOAD_GROUP,
    group_rows.LOAD_MEMBERS,
    commands.LOAD,
    group_rows.RAISE_REVISIONS,
)
OF_A_NAME = (
    group_rows.FETCH_OFFSETS,
    group_rows.FETCH_OFFSETS_OF_TOPICS,
    transactions.PARTITIONS_OF_GROUP,
    NOT_ACKNOWLEDGED,
)


@pytest.fixture
async def connection(_empty: None) -> AsyncIterator[Connection]:
    """Of the owner of the tables, in a transaction in which they are partitioned."""
    made = await connections.connect("test", options="")
    async with made, made.transaction(force_rollback=True):
        await made.execute("CREATE SCHEMA partitioned")
        for table in TABLES:
            await made.execute(PARTITIONED.format(table).encode())
            for number in range(PARTITIONS):
                await made.execute(PARTITION.format(table, number, PARTITIONS).encode())
        await made.execute("SET LOCAL search_path = partitioned, public")
        for name in BY_ROWS:
            await made.execute(f"SET LOCAL {name} = off".encode())
        yield made


def written_one_by_one() -> list[Write]:
    """Everything that a decision may write about a group; the last one deletes it."""
    author = Author("m-1", "ann", "/10.0.0.1")
    command = CommandRow(1, "PAUSE")
    one, two = member("a"), member("b", position=1, commands=(command,))
    born = birth(GROUP, one, two)
    there = written(born)
    changed = replace(there, members={"b": replace(two, assignment=b"another", commands=())})
    fewer = Write(there, decision(changed))
    there = written(fewer)
    offsets = [OffsetWrite("t", n, 5, -1, "", author=author) for n in range(3)]
    pending = (PendingWrite(7, 0, offsets[0]),)
    raised = replace(there, revision=there.revision + 1)
    return [
        born,
        fewer,
        Write(there, decision(there, offsets=(OffsetWrite("t", 0, 5, -1, ""),))),
        Write(there, decision(there, offsets=tuple(offsets[:1]))),
        Write(there, decision(there, offsets=tuple(offsets))),
        Write(there, decision(there, pending=pending), has_pending=True),
        Write(there, decision(there, offsets=tuple(offsets)), has_pending=True),
        Write(there, decision(there, offset_deletes=(("t", 1),)), has_pending=True),
        death(raised),
    ]


def of_groups(*modules: ModuleType) -> dict[str, str]:
    """The statements about tables of groups, by name."""
    found = {}
    for module in modules:
        for name, value in vars(module).items():
            texts = value if isinstance(value, tuple) else (value,)
            for text in texts:
                if isinstance(text, str) and any(f"rollcall_{t} " in text for t in TABLES):
                    found[text] = name
    return found


async def touched(connection: Connection) -> dict[str, int]:
    """How often each partition was read or written so far."""
    rows = await (await connection.execute(TOUCHED.encode())).fetchall()
    return dict(rows)


async def partitions_of(connection: Connection, text: str, given: Mapping[str, Any]) -> set[str]:
    """The partitions that a statement read or wrote."""
    before = await touched(connection)
    await connection.execute(text.encode(), given)
    after = await touched(connection)
    return {name for name, count in after.items() if count != before.get(name, 0)}


def told() -> Iterator[Statement]:
    """All statements about a group, in an order in which none is refused."""
    *changes, end = written_one_by_one()
    for write in changes:
        yield from apply.statements(batch(write))
    named = {**ONE, "group_id": GROUP}
    yield from ((text, named) for text in OF_A_NAME)
    yield from ((text, ONE) for text in OF_ARRAYS)
    yield from apply.statements(batch(end))


async def test_a_statement_of_a_request_touches_the_partition_of_its_group(
    connection: Connection,
) -> None:
    found = defaultdict[str, set[str]](set)
    for text, given in told():
        found[text] |= await partitions_of(connection, text, given)
    numbers = {name.rpartition("_")[2] for names in found.values() for name in names}
    assert len(numbers) == 1, {text: names for text, names in found.items() if names}
    names = of_groups(group_rows, transactions, commands)
    missing = {name for text, name in names.items() if text not in found}
    assert missing == set(NOT_OF_A_GROUP) & set(names.values()), "run it here, or say why not"
