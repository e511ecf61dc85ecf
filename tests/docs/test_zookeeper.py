"""docs/zookeeper.md names what exists: every path of the seeds, every table, column and lock.

The page is compared with the models and with the text of the SQL; no database is asked.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest
from django.apps import apps

from groups.core.kinds import KINDS
from groups.operations import requests
from groups.reporting import observers
from groups.store import apply
from groups.store.sql import catalogue, configs

ROOT = Path(__file__).parents[2]
SQL = (
    "groups/store/sql/[a-z]*.py",
    "console/queries/sql/[a-z]*.py",
    "console/*/sql.py",
    "groups/postgres/timeline_sql.py",
)
"""Every module of statements."""

PAGE = ROOT / "docs" / "zookeeper.md"

PATHS = (
    "/consumers/coordinator",
    "/consumers/groups/group/channel/consumer/commandId",
    "/consumers/groups",
    "/consumers/groups/",
    "/consumers/groups/group",
    "/consumers/groups/[groups]/ids",
    "/brokers/topics",
    "/brokers/topics/[topic]",
    "/brokers/topics/topic",
)
"""Every path that a seed writes out, as it writes it. All of them are 002's."""

FIELDS = (
    # 002: the coordinator's fields, and those of a command
    "coordinatorElector", "groupsBeingRebalanced", "groupsUnderRebalance",
    "consumerGroupsPerTopic", "groupsWithWildcardTopics", "rebalanceRequestQ", "requestHandler",
    "option", "ownershipMap",
    # 001: the coordinator's fields
    "groupId", "currentState", "generationId", "protocolType", "protocolName", "leaderId",
    "memberId", "groupInstanceId", "clientId", "clientHost", "rebalanceTimeoutMs",
    "sessionTimeoutMs", "protocols", "newMemberAdded", "isNew", "joinPurgatory",
    "responseCallback", "group.inLock",
    # 004: what a heartbeat says
    "MemberId", "MemberEpoch", "InstanceId", "RackId", "RebalanceTimeoutMs",
    "SubscribedTopicNames", "SubscribedTopicRegex", "ServerAssignor", "ClientAssignors",
    "TopicPartitions", "Assignment", "GroupState",
)  # fmt: skip
"""Every named field of the seeds that a coordinator stores or is told to keep."""

METADATA = (
    "interested topics of a group",
    "number of partitions of a topic",
    "number of threads of a consumer",
    "ownership",
    "list of topics the group subscribes to",
    "number of topics and partitions of the previous decision",
    "group configs, session timeout",
    "consumer metadata: hostname",
    "consumer metadata: consumer id",
    "current offsets for each topic and partition",
    "time stamp and metadata of an offset",
    "partition ownership, the consumer-assigned-partitions map",
    "list of groups for each topic",
    "generation id",
    "generation id and membership in one atomic write",
    "group metadata, read after a failover",
    "pending members",
)
"""What the seeds store without giving it a name in code: 002's reads, and 003's list."""

TOOLS = (
    "ephemeral node",
    "session and its expiry",
    "sequential node",
    "persistent node",
    "watcher",
    "atomic write, multi-write",
)

LOCKS = {
    "FOR SHARE": r"\bFOR SHARE\b",
    "FOR NO KEY UPDATE": r"\bFOR NO KEY UPDATE\b",
    "FOR UPDATE": r"\bFOR UPDATE\b",
    "advisory lock": r"\bpg_try_advisory_lock\b",
    "group lock": r"\bpg_advisory_xact_lock\b",
    "row lock": r"(?m:^\s*(WITH \w+ AS \()?\s*(UPDATE|DELETE FROM) rollcall_\w+)",
    "unique key": r"\bON CONFLICT\b",
}
"""A lock's name on the page, and how a statement that takes it looks."""

READ_ONLY, IN_MEMORY = "none: read only", "none: in memory"
NO_COUNTERPART, NOT_YET = "none: no counterpart", "none: not there yet"
NO_LOCK = (READ_ONLY, IN_MEMORY, NO_COUNTERPART, NOT_YET)

RELATION = "list of groups for each topic"
"""003's, which nobody stores."""

GUARD = {"FOR SHARE", "FOR NO KEY UPDATE"}

ANY_LOCK = re.compile(r"FOR (?:NO KEY |KEY )?(?:UPDATE|SHARE)|pg_\w*advisory\w*|LOCK TABLE")

STATEMENT = re.compile(r"`(?:(groups(?:\.\w+)+)\.)?([A-Z_]+|rollcall_guard\(\))`")
FUNCTION = re.compile(r"CREATE FUNCTION public\.rollcall_guard\(.*?AS \$\$(.*?)\$\$;", re.DOTALL)
COLUMN = re.compile(r"`(rollcall_\w+)\.(\w+)`")
TABLE = re.compile(r"`(rollcall_\w+)(?:\.\w+)?`")
CODE = re.compile(r"`([^`]+)`")


class Row(NamedTuple):
    """One thing of ZooKeeper's, and what became of it."""

    zookeeper: str
    purpose: str
    rollcall: str
    lock: str

    @property
    def locks(self) -> set[str]:
        return set(CODE.findall(self.lock))

    @property
    def tables(self) -> set[str]:
        return set(TABLE.findall(self.rollcall)) & set(columns())


class Lock(NamedTuple):
    """One word of the page's vocabulary of locks."""

    name: str
    meaning: str
    taken_by: str
    taken_on: str
    guards: str


def table_lines(heading: str) -> Iterator[list[str]]:
    """The rows of every table that begins with this header row, cell by cell."""
    inside = False
    for line in PAGE.read_text().splitlines():
        inside = line == heading or (inside and line.startswith("|"))
        if inside and line != heading and not line.startswith("|---"):
            yield [cell.strip() for cell in line.strip().removesuffix("|")[1:].split("|")]


@cache
def rows() -> tuple[Row, ...]:
    heading = "| ZooKeeper | what it was for (seed) | Rollcall | lock |"
    return tuple(Row(*cells) for cells in table_lines(heading))


@cache
def legend() -> dict[str, Lock]:
    heading = "| lock | meaning | taken by | taken on | guards |"
    return {cells[0].strip("`"): Lock(*cells) for cells in table_lines(heading)}


@cache
def columns() -> dict[str, set[str]]:
    """Every table of ``groups.models`` with its columns; that of commands has no model."""
    found = {
        model._meta.db_table: {f.column for f in model._meta.concrete_fields if f.column}
        for model in apps.get_app_config("groups").get_models()
    }
    return {**found, "rollcall_command": {*apply.COMMAND_COLUMNS, "sent_at"}}


def statement(module: str, name: str) -> str:
    """The text of a statement, or of the guard, without the comments in it."""
    text = getattr(import_module(module), name) if module else guard()
    return re.sub(r"--.*", "", " ".join(text) if isinstance(text, tuple) else text)


def guard() -> str:
    """The guard, as a database has it."""
    found = FUNCTION.search((ROOT / "groups" / "schema.sql").read_text())
    assert found is not None
    return found[1]


def rows_of(thing: str) -> list[Row]:
    """The rows whose first cell is this thing, or names it as code."""
    return [row for row in rows() if thing == row.zookeeper or thing in CODE.findall(row.zookeeper)]


def test_everything_stored_by_the_2012_design_has_one_row() -> None:
    things = (*PATHS, *FIELDS, *METADATA, *TOOLS)
    assert [thing for thing in things if len(rows_of(thing)) != 1] == []


def test_the_page_names_only_existing_paths() -> None:
    paths = {name for row in rows() for name in CODE.findall(row.zookeeper) if name[0] == "/"}
    assert paths == set(PATHS)


def test_every_row_says_what_it_was_for_and_what_became_of_it() -> None:
    assert rows()
    for row in rows():
        assert re.match(r"(00[0-4](, 00[0-4])*: \S)|not in the seeds: ", row.purpose), row
        assert row.rollcall, row
        assert row.lock, row


def test_every_column_on_the_page_exists() -> None:
    told = set(COLUMN.findall(PAGE.read_text()))
    assert told, "the page names no column at all"
    missing = {f"{table}.{name}" for table, name in told if name not in columns().get(table, ())}
    assert not missing


def test_every_table_or_channel_on_the_page_exists() -> None:
    channels = {observers.BELL, requests.BELL, catalogue.BELL, configs.BELL}
    assert set(TABLE.findall(PAGE.read_text())) <= set(columns()) | channels
    watcher = set(CODE.findall(rows_of("watcher")[0].rollcall))
    assert channels <= watcher


def test_every_table_is_on_the_page() -> None:
    assert columns().keys() - {name for name, _ in COLUMN.findall(PAGE.read_text())} == set()


def test_the_page_explains_every_lock_mode() -> None:
    assert legend().keys() == LOCKS.keys() | set(NO_LOCK)


def test_every_row_uses_the_explained_lock_modes() -> None:
    for row in rows():
        assert row.locks, row
        assert row.locks <= legend().keys(), row
        assert row.lock == ", ".join(f"`{name}`" for name in CODE.findall(row.lock)), row
        assert len(row.locks) == 1 or row.locks <= LOCKS.keys(), f"a lock and none at once: {row}"
        assert not row.locks & GUARD or row.locks >= GUARD, f"the guard takes both locks: {row}"


@pytest.mark.parametrize("name", LOCKS)
def test_locks_are_taken_by_the_statements_that_the_page_names(name: str) -> None:
    lock = legend()[name]
    statements = [statement(*found) for found in STATEMENT.findall(lock.taken_by)]
    assert len(statements) == len(CODE.findall(lock.taken_by)) > 0
    for text in statements:
        assert re.search(LOCKS[name], text), text
    tables = TABLE.findall(lock.taken_on)
    assert all(any(table in text for text in statements) for table in tables)
    assert all(any(table in text for table in tables or [""]) for text in statements)


def test_no_statement_takes_an_undocumented_lock() -> None:
    modules = [
        ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for pattern in SQL
        for file in ROOT.glob(pattern)
    ]
    known = re.compile("|".join((*LOCKS.values(), "pg_advisory_unlock")))
    taken = {
        (module, name, lock)
        for module in modules
        for name, value in vars(import_module(module)).items()
        if name.isupper() and isinstance(value, str | tuple)
        for lock in ANY_LOCK.findall(statement(module, name))
    } | {("", "rollcall_guard", lock) for lock in ANY_LOCK.findall(statement("", ""))}
    assert {lock for *_, lock in taken} >= GUARD, "the search finds nothing"
    assert not {found for found in taken if not known.fullmatch(found[-1])}


def test_a_row_is_written_under_locks_that_guard_its_tables() -> None:
    locked = [row for row in rows() if not row.locks & set(NO_LOCK)]
    assert locked
    for row in locked:
        guarded = {name: set(TABLE.findall(legend()[name].guards)) for name in row.locks}
        assert row.tables, f"a lock, and nothing that it guards: {row}"
        assert row.tables <= set().union(*guarded.values()), row
        for name, tables in guarded.items():
            assert row.tables & tables, f"{name} guards nothing here: {row}"


def test_planned_items_name_no_column() -> None:
    assert [row for row in rows() if NOT_YET in row.locks and row.tables] == []


def test_items_listed_as_missing_are_missing() -> None:
    assert [row.zookeeper for row in rows() if NOT_YET in row.locks] == [RELATION]
    assert not [table for table in columns() if {"topic", "group_id"} == columns()[table]]


def test_the_channel_of_commands_is_a_table() -> None:
    assert rows_of(PATHS[1])[0].tables == {"rollcall_command"}
    assert "commanded" in KINDS
