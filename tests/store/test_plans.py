"""What a statement reads grows with what it changes, whatever PostgreSQL knew of the tables when
it planned: a node keeps a plan from its first minute, when the tables held a row, until autovacuum
has looked at them again. Counted are the rows that the nodes of the plan read, not time."""

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

import pytest

from groups.postgres import connections
from groups.postgres.connections import Connection
from groups.store.sql import catalogue, group_rows, transactions

MANY = 1_500
"""Rows that are changed. A plan that reads all of them for each of them reads two millions."""

READ_MOST = 40
"""Rows that the nodes of a good plan read, for each of these."""

Parameters = Mapping[str, str]

NAMED: Parameters = {"name": "text"}
STATEMENTS: Mapping[str, tuple[str, Parameters]] = {
    "erase": (catalogue.ERASE_OFFSETS, {**NAMED, "author": "jsonb", "node_id": "int"}),
    "erase-pending": (catalogue.ERASE_PENDING, NAMED),
    "drop": (
        group_rows.DROP_OFFSETS,
        {"group_id": "text[]", "topic": "text[]", "partition": "int[]"},
    ),
    "lock-waiting": (transactions.LOCK_WAITING, {"producer_id": "bigint"}),
    "overtake": (transactions.OVERTAKE, {"producer_id": "bigint"}),
}

FOUND: Parameters = {
    "place": "'{0}'::int[]",
    "group_id": "'{g-7}'::text[]",
    "topic": "'{orders}'::text[]",
    "partition": "'{0}'::int[]",
}
ONE_PARTITION: Parameters = {
    **FOUND,
    **{f"stable_{name}": value for name, value in FOUND.items()},
}
ONE_TOPIC: Parameters = {"group_id": "'g-7'", "topics": "'{orders}'", "most": "100"}
TWO_GROUPS: Parameters = {
    "place": "'{0}'",
    "group_id": "'{g-7}'",
    "topic_place": "'{1}'",
    "topic_group_id": "'{g-8}'",
    "topic": "'{orders}'",
    "most": "100",
}
PLANNED_EACH_TIME: Mapping[str, tuple[str, Parameters]] = {
    "a-group": (group_rows.FETCH_OFFSETS, ONE_TOPIC),
    "topics": (group_rows.FETCH_OFFSETS_OF_TOPICS, ONE_TOPIC),
    "groups": (group_rows.FETCH_OFFSETS_OF_GROUPS, TWO_GROUPS),
    "unstable": (transactions.PARTITIONS_OF_GROUP, ONE_TOPIC),
    "unstable-groups": (transactions.PARTITIONS_OF_GROUPS, TWO_GROUPS),
}
"""What a large fetch reads, and the arguments by which one group has one offset."""

SHAPES: Mapping[str, Sequence[tuple[str, int]]] = {
    "partitions-of-a-group": [("g", n) for n in range(MANY)],
    "groups-of-a-partition": [(f"g-{n}", 0) for n in range(MANY)],
}

KNOWN = ("nothing", "an-empty-table", "a-row", "a-row-of-the-topic")
"""What PostgreSQL knows when it plans."""

PUT = (
    "INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch,"
    " metadata, committed_at) SELECT g, %s, p, 1, -1, '', now()"
    " FROM unnest(%s::text[], %s::int[]) AS n(g, p)"
)
PEND = (
    "INSERT INTO rollcall_pending_offset (producer_id, group_id, topic, partition,"
    " committed_offset, leader_epoch, metadata, committed_at, superseded, place)"
    " SELECT 1, g, %s, p, 1, -1, '', now(), false, 1"
    " FROM unnest(%s::text[], %s::int[]) AS n(g, p)"
)


NOTE = (
    "INSERT INTO rollcall_offset_history (at, group_id, topic, partition, committed_offset,"
    " leader_epoch, metadata, member_id, client_id, client_host)"
    " SELECT clock_timestamp(), g, %s, p, 1, -1, '', '', '', ''"
    " FROM unnest(%s::text[], %s::int[]) AS n(g, p)"
)
"""Each commit is in the history, where a deletion looks whether its group has one."""
TABLES = "rollcall_offset, rollcall_pending_offset, rollcall_offset_history"


@pytest.fixture
async def connection(_empty: None) -> AsyncIterator[Connection]:
    """Of the owner of the tables, without a limit of time."""
    async with await connections.connect("test", options="") as made:
        yield made


async def put(connection: Connection, topic: str, rows: Sequence[tuple[str, int]]) -> None:
    """Committed offsets, and the same once more in a transaction that has not ended."""
    groups, partitions = (list(column) for column in zip(*rows, strict=True))
    for statement in (PUT, PEND, NOTE):
        await connection.execute(statement, [topic, groups, partitions])


async def plan_with(connection: Connection, known: str) -> None:
    """The tables as PostgreSQL is to know them, and plans that it makes once."""
    await connection.execute("SET plan_cache_mode = force_generic_plan")
    await connection.execute(f"TRUNCATE {TABLES}".encode())
    if known.startswith("a-row"):
        await put(connection, "orders" if known.endswith("topic") else "billing", [("a", 1)])
    if known != "nothing":
        await connection.execute(f"ANALYZE {TABLES}".encode())


def arguments(parameters: Parameters, rows: Sequence[tuple[str, int]]) -> str:
    """What EXECUTE is given, as literals."""
    groups, partitions = ([str(part) for part in column] for column in zip(*rows, strict=True))
    given = {
        "name": "'orders'",
        "author": "'{}'",
        "node_id": "0",
        "producer_id": "1",
        "group_id": f"'{{{','.join(groups)}}}'",
        "topic": f"'{{{','.join(['orders'] * len(rows))}}}'",
        "partition": f"'{{{','.join(partitions)}}}'",
    }
    return ", ".join(given[name] for name in parameters)


def reads(plan: Mapping[str, Any]) -> Iterator[float]:
    """Of each node: rows handed on and passed over, in all of its loops."""
    rows = plan["Actual Rows"] + sum(n for key, n in plan.items() if key.startswith("Rows Removed"))
    yield rows * plan["Actual Loops"]
    for child in plan.get("Plans", ()):
        yield from reads(child)


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", STATEMENTS)
async def test_a_statement_reads_no_more_than_it_changes(
    connection: Connection, name: str, shape: str, known: str
) -> None:
    (text, parameters), rows = STATEMENTS[name], SHAPES[shape]
    numbers = {parameter: f"${n}" for n, parameter in enumerate(parameters, 1)}
    await plan_with(connection, known)
    await connection.execute(
        f"PREPARE looked_at ({', '.join(parameters.values())}) AS {text % numbers}".encode()
    )
    few = f"looked_at ({arguments(parameters, [('a', 1)])})"
    await connection.execute(f"EXECUTE {few}".encode())  # planned now
    await put(connection, "orders", rows)
    call = f"looked_at ({arguments(parameters, rows)})"
    read, plan = await rows_read(connection, f"EXECUTE {call}")
    assert read < READ_MOST * MANY, plan


async def rows_read(connection: Connection, statement: str) -> tuple[float, str]:
    """How many, and the plan."""
    asked = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement}"
    ((found,),) = await (await connection.execute(asked.encode())).fetchall()
    return sum(reads(found[0]["Plan"])), json.dumps(found[0]["Plan"], indent=1)


@pytest.mark.parametrize("known", KNOWN)
async def test_a_fetch_of_few_partitions_reads_no_others(
    connection: Connection, known: str
) -> None:
    await plan_with(connection, known)
    numbers = {parameter: f"${n}" for n, parameter in enumerate(ONE_PARTITION, 1)}
    text = group_rows.FETCH_OFFSETS_OF_PARTITIONS % numbers
    await connection.execute(f"PREPARE looked_at AS {text}".encode())
    call = f"EXECUTE looked_at ({', '.join(ONE_PARTITION.values())})"
    await connection.execute(call.encode())  # planned now
    await put(connection, "orders", SHAPES["groups-of-a-partition"])
    read, plan = await rows_read(connection, call)
    assert read < READ_MOST, plan


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("name", PLANNED_EACH_TIME)
async def test_a_large_fetch_reads_no_other_group(
    connection: Connection, name: str, known: str
) -> None:
    text, arguments = PLANNED_EACH_TIME[name]
    await plan_with(connection, known)
    await put(connection, "orders", SHAPES["groups-of-a-partition"])
    read, plan = await rows_read(connection, text % arguments)
    assert read < READ_MOST, plan
