"""Commands that ask for something: each against a real group, and how it ends when it cannot be."""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.wire import create_topic
from launcher.installation import Installation
from rollcall.cli.failures import Code
from tests.cli.conftest import Cli
from tests.clients.conftest import SESSION_MS, Worker

pytestmark = pytest.mark.xdist_group("cli")

WHY = ("--reason", "a test of the command line")
LEFT = "cli-left"


@pytest.fixture(scope="module")
def left(installation: Installation) -> Iterator[str]:
    """A group without members that has committed 7 for both partitions of a topic of its name."""
    asyncio.run(create_topic(installation.kafka, LEFT, 2))
    worker = Worker.of("confluent-kafka", installation.kafka, LEFT, SESSION_MS)
    worker.until(lambda: len(worker.owned) == 2, "both partitions")
    worker.commit(7)
    worker.close()
    yield LEFT
    worker.close_pipes()


def settle(cli: Cli, worker: Worker, name: str) -> None:
    """The worker has all six, and the group is at rest."""
    worker.until(lambda: len(worker.owned) == 6, "all partitions")
    ended = cli("group", "watch", name, "--until", "Stable", "--timeout", "60", "--interval", "0.2")
    assert ended.code == 0, ended


def offsets(cli: Cli, group: str) -> list[str]:
    """What is committed, by partition."""
    rows = cli("group", "describe", group, "-o", "csv").rows
    return [row["committed_offset"] for row in rows]


def test_a_rebalance_is_awaited(cli: Cli, worker: Worker, name: str) -> None:
    settle(cli, worker, name)
    before = cli("group", "describe", name, "--state", "-o", "json").json["generation"]
    done = cli("group", "rebalance", name, *WHY, "-o", "json").json
    assert (done["state"], done["outcome"], done["generation"]) == (
        "succeeded",
        "changed",
        before + 1,
    )
    number = str(done["id"])
    assert cli("operation", "show", number, "-o", "json").json["reason"] == WHY[1]
    listed = cli("operation", "list", "--group", name, "-o", "json").json
    assert number in [str(operation["id"]) for operation in listed]


@pytest.mark.long
def test_waiting_for_an_operation_is_optional(cli: Cli, worker: Worker, name: str) -> None:
    settle(cli, worker, name)
    asked = cli("group", "rebalance", name, *WHY, "--no-wait", "-o", "json").json
    ended = cli("operation", "show", str(asked["id"]), "--timeout", "20", "-o", "json").json
    assert ended["state"] == "succeeded"


def test_a_failed_operation_exits_with_5(cli: Cli, worker: Worker, name: str) -> None:
    settle(cli, worker, name)
    ended = cli("group", "rebalance", name, *WHY, "--expected-generation", "0")
    assert (ended.code, ended.printed) == (5, ""), ended
    assert "not 0" in ended.errors


def test_an_evicted_member_rejoins(cli: Cli, worker: Worker, name: str) -> None:
    settle(cli, worker, name)
    (member,) = cli("group", "members", name, "-o", "json").json
    named = member["client_id"]  # as every sentence names it
    done = cli("group", "evict", name, named, *WHY)
    assert done.code == 0, done
    assert done.table[0] == ["OPERATION", "VERB", "GROUP", "STATE", "OUTCOME", "DETAIL"]
    settle(cli, worker, name)
    (again,) = cli("group", "members", name, "-o", "json").json
    assert again["member_id"] != member["member_id"]
    gone = cli("group", "evict", name, member["member_id"], *WHY)
    assert gone.code == 4, gone


def test_work_is_stopped_and_started(cli: Cli, worker: Worker, name: str) -> None:
    settle(cli, worker, name)
    stopped = cli("group", "pause", name, *WHY)
    assert stopped.code == 0, stopped
    assert stopped.errors == "0 of 0 members have stopped; 1 do not support stopping.\n"
    assert "Stopped by API token" in cli("group", "why", name).printed
    again = cli("group", "pause", name, *WHY, "-o", "json").json
    assert again["outcome"] == "unchanged"
    assert cli("group", "resume", name, *WHY, "-o", "json").json["outcome"] == "changed"
    (member,) = cli("group", "members", name, "-o", "json").json
    assert cli("group", "pause", name, member["member_id"], *WHY).code == 0
    assert cli("group", "resume", name, member["member_id"], *WHY).code == 0


def test_offsets_are_reset_only_with_execute(cli: Cli, left: str) -> None:
    there = ("group", "reset-offsets", left)
    assert cli(*there, "--all-topics", "--to-offset", "7", "--execute", *WHY).code == 0
    dry = cli(*there, "--all-topics", "--to-offset", "3")
    assert dry.table == [
        ["GROUP", "TOPIC", "PARTITION", "NEW-OFFSET", "CURRENT-OFFSET"],
        [left, left, "0", "3", "7"],
        [left, left, "1", "3", "7"],
    ]
    assert offsets(cli, left) == ["7", "7"]

    done = cli(*there, "--topic", left, "--shift-by", "-2", "--execute", *WHY)
    assert done.code == 0, done
    assert offsets(cli, left) == ["5", "5"]
    assert "set 2 offsets" in cli("journal", "tail", "--group", left, "-n", "1").printed


@pytest.mark.long
def test_offsets_are_read_from_a_file_in_kafkas_export_format(
    cli: Cli, left: str, tmp_path: Path
) -> None:
    lines = tmp_path / "offsets.csv"
    lines.write_text(f"{left},0,8\n{left},1,9\n")
    done = cli("group", "reset-offsets", left, "--from-file", str(lines), "--execute", *WHY)
    assert done.code == 0, done
    assert offsets(cli, left) == ["8", "9"]
    lines.write_text("no such line\n")
    assert cli("group", "reset-offsets", left, "--from-file", str(lines)).code == 2


NO_RESETS = [
    ["--to-earliest"],
    ["--all-topics"],
    ["--all-topics", "--to-earliest", "--to-offset", "3"],
    ["--all-topics", "--topic", "t", "--to-earliest"],
    ["--all-topics", "--to-earliest", "--execute"],
    ["--all-topics", "--to-earliest", "--execute", "--dry-run", *WHY],
    ["--all-topics", "--to-offset", "-1"],
    ["--topic", "no-such-topic", "--to-earliest"],
    ["--from-file", "/nonexistent"],
]


def test_an_invalid_reset_changes_nothing(cli: Cli, left: str) -> None:
    before = offsets(cli, left)
    for words in NO_RESETS:
        assert cli("group", "reset-offsets", left, *words).code == 2, words
    assert offsets(cli, left) == before


@pytest.mark.long
def test_a_dry_run_tells_what_would_be_refused(cli: Cli, worker: Worker, name: str) -> None:
    settle(cli, worker, name)
    worker.commit(4)
    for words in (
        ("reset-offsets", name, "--all-topics", "--to-offset", "0"),
        ("delete-offsets", name, "--topic", name),
        ("delete", name, *WHY, "--dry-run"),
    ):
        dry = cli("group", *words)
        assert dry.code == 3, (words, dry)
        assert "It would be refused: The group has 1 member: stop them first." in dry.errors


def test_offsets_of_an_active_group_are_not_reset(cli: Cli, worker: Worker, name: str) -> None:
    settle(cli, worker, name)
    worker.commit(4)
    ended = cli(
        "group", "reset-offsets", name, "--all-topics", "--to-offset", "0", "--execute", *WHY
    )
    assert ended.code == 5, ended
    assert "has members" in ended.errors
    assert offsets(cli, name) == ["4"] * 6


@pytest.mark.long
def test_offsets_are_restored(cli: Cli, left: str) -> None:
    asked = ("operation", "list", "--group", left, "-o", "json")
    before = cli(*asked).json
    tried = cli(
        *("group", "restore", left, "--to", datetime.now(UTC).isoformat(), *WHY, "--dry-run")
    )
    assert tried.code == 0 and tried.errors.startswith("0 offsets to those of ")
    never = cli("group", "restore", left, "--to", "2001-01-01T00:00:00Z", *WHY, "--dry-run")
    assert never.code == 0 and "the history has no offset" in never.errors
    assert cli(*asked).json == before
    assert cli("group", "restore", left, "--to", datetime.now(UTC).isoformat(), *WHY).code == 0
    old = cli("group", "restore", left, "--to", "2001-01-01T00:00:00Z", *WHY, "-o", "json").json
    assert old["outcome"] == "unchanged"


def test_topics_are_created_and_grown(cli: Cli) -> None:
    assert cli("topic", "create", "cli-bills", "--partitions", "2").code == 0
    again = cli("topic", "create", "cli-bills", "--partitions", "2")
    assert again.code == 3, again
    assert (
        cli("topic", "grow", "cli-bills", "--partitions", "4", "-o", "json").json["partitions"] == 4
    )
    assert cli("topic", "grow", "cli-bills", "--partitions", "1").code == 2


@pytest.mark.long
def test_a_group_is_frozen_and_thawed(cli: Cli, worker: Worker, name: str) -> None:
    settle(cli, worker, name)
    done = cli("group", "freeze", name, *WHY, "-o", "json").json
    assert (done["state"], done["outcome"]) == ("succeeded", "changed")
    assert cli("group", "freeze", name, *WHY, "-o", "json").json["outcome"] == "unchanged"
    (row,) = cli("group", "list", "-q", name, "-o", "json").json
    assert row["frozen"]
    printed = cli("journal", "tail", "--group", name, "-n", "1").printed
    assert "froze the group: a test of the command line." in printed
    assert cli("group", "thaw", name, *WHY, "-o", "json").json["outcome"] == "changed"
    (row,) = cli("group", "list", "-q", name, "-o", "json").json
    assert not row["frozen"]


@pytest.mark.long
def test_only_a_group_without_members_is_deleted(
    cli: Cli, worker: Worker, name: str, installation: Installation
) -> None:
    settle(cli, worker, name)
    refused = cli("group", "delete", name, "--yes", *WHY)
    assert refused.code == 5, refused
    assert "has members" in refused.errors
    gone = "cli-gone"
    asyncio.run(create_topic(installation.kafka, gone, 1))
    one = Worker.of("confluent-kafka", installation.kafka, gone, SESSION_MS)
    one.until(lambda: bool(one.owned), "its partition")
    one.commit(3)
    one.close()
    one.close_pipes()
    done = cli("group", "delete", gone, "--yes", *WHY)
    assert done.code == 0, done
    assert cli("group", "why", gone).code == 4
    printed = cli("journal", "tail", "--group", gone, "-n", "1").printed
    assert "The group was deleted by API token" in printed
    assert WHY[1] in printed


def test_the_only_node_is_not_drained(cli: Cli) -> None:
    for words in ((), ("--dry-run",)):
        ended = cli("node", "drain", "0", *WHY, *words)
        assert ended.code == Code.CONFLICT
        assert "No other live node could take the slots of node 0." in ended.errors
    ended = cli("node", "undrain", "0", *WHY, "-o", "json")
    assert (ended.json["drained"], ended.json["changed"]) == (False, False)
    assert "No slot changes its owner." in ended.errors
    assert cli("node", "drain", "77", *WHY).code == Code.NOT_FOUND
    for words in ((), ("--dry-run",)):
        ended = cli("node", "forget", "0", *WHY, *words)
        assert ended.code == Code.CONFLICT
        assert "Node 0 cannot be forgotten: it has beaten within 15 s" in ended.errors
    assert cli("node", "forget", "77", *WHY).code == Code.NOT_FOUND
    assert cli("node", "drains", "-o", "json").json == []
    assert cli("node", "list", "-o", "json").json[0]["drain"] is None
    assert "DRAINED" in cli("node", "list").printed


@pytest.mark.long
def test_a_topic_is_deleted_after_a_preview(cli: Cli) -> None:
    name = "cli-old-bills"
    dry = cli("topic", "create", name, "--partitions", "2", "--dry-run", "-o", "json").json
    assert (dry["partitions_before"], dry["topic"]["partitions"]) == (None, 2)
    assert cli("topic", "delete", name, "--yes").code == Code.NOT_FOUND
    assert cli("topic", "create", name, "--partitions", "2").code == 0
    assert cli("topic", "grow", name, "--partitions", "4", "--dry-run").code == 0
    going = cli("topic", "delete", name, "--dry-run", "-o", "json").json
    assert (going["topic"], going["partitions_before"], going["offsets_deleted"]) == (None, 2, 0)
    assert cli("topic", "delete", name, "--yes", "-o", "json").json["name"] == name
    assert cli("topic", "describe", name).code == Code.NOT_FOUND


@pytest.mark.long
def test_offsets_are_deleted_and_restored(cli: Cli, left: str) -> None:
    there = ("group", "reset-offsets", left)
    assert cli(*there, "--all-topics", "--to-offset", "7", "--execute", *WHY).code == 0
    dry = cli("group", "delete-offsets", left, "--topic", left, "--partition", "1")
    assert dry.table[1:] == [[left, left, "1", "-", "7"]]
    assert offsets(cli, left) == ["7", "7"]
    assert cli("group", "delete-offsets", left, "--topic", left, "--execute").code == Code.USAGE

    done = cli("group", "delete-offsets", left, "--topic", left, "--execute", *WHY)
    assert done.code == 0, done
    assert offsets(cli, left) == []
    newest = cli("operation", "list", "--group", left, "-n", "1", "-o", "json").json[0]
    undone = ("operation", "undo", str(newest["id"]), *WHY)
    assert [row["after"] for row in cli(*undone, "--dry-run", "-o", "json").json] == [7, 7]
    assert cli(*undone).code == 0
    assert offsets(cli, left) == ["7", "7"]
    assert cli(*undone).code == Code.CONFLICT


@pytest.mark.long
def test_a_group_is_configured(cli: Cli, left: str) -> None:
    words = ("group", "configure", left, *WHY, "--set", "rollcall.max.members=100")
    (dry,) = cli(*words, "--dry-run", "-o", "json").json
    assert (dry["before"], dry["after"]) == (None, "100")
    assert cli(*words, "-o", "json").json == [dry]
    own = [row["name"] for row in cli("group", "config", left, "-o", "json").json if row["is_own"]]
    assert own == ["rollcall.max.members"]
    assert cli("group", "configure", left, *WHY, "--set", "rollcall.max.members=0").code == 2
    assert cli("group", "configure", left, *WHY).code == 2
    back = cli("group", "configure", left, *WHY, "--unset", "rollcall.max.members", "-o", "json")
    assert back.json[0]["after"] is None


def test_every_verb_has_a_dry_run(cli: Cli, worker: Worker, name: str) -> None:
    settle(cli, worker, name)
    before = cli("group", "describe", name, "--state", "-o", "json").json["generation"]
    (member,) = cli("group", "members", name, "-o", "json").json
    for verb in ("rebalance", "pause", "resume", "evict", "delete", "freeze"):
        words = [name, member["member_id"]] if verb == "evict" else [name]
        ended = cli("group", verb, *words, *WHY, "--dry-run", "-o", "json")
        tried = json.loads(ended.printed)
        assert (tried["dry_run"], tried["verb"]) == (True, verb)
        assert ended.code == (3 if tried["would"] == "fail" else 0)
    after = cli("group", "describe", name, "--state", "-o", "json").json
    assert after["generation"] == before and after["members"] == 1
