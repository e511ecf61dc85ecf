"""Kafka's own command-line tools, from Maven Central, describe groups and change them.

They run in one process of Java (``java/.../Tools.java``), with the code and the output that a
person at the command line would get. Tables are compared cell by cell, without their padding.
"""

import asyncio
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from launcher.installation import Installation
from protocol.apis import APIS
from tests.clients.conftest import Shell, Start, topic
from tests.clients.programs import ADMINS, KAFKA_TOOL, KAFKA_TOOLS, KAFKA_TOOLS_4_3
from tests.clients.test_sharing import share

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]  # the first of them builds

GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
ALL_GROUPS = "org.apache.kafka.tools.GroupsCommand"
TOPICS = "org.apache.kafka.tools.TopicCommand"
END_OFFSETS = "org.apache.kafka.tools.GetOffsetShell"
CLUSTER = "org.apache.kafka.tools.ClusterTool"
DESCRIBE_CONFIGS = 32


class Tools:
    """Kafka's tools at one installation."""

    def __init__(self, shell: Shell, bootstrap: str) -> None:
        self.shell = shell
        self.bootstrap = bootstrap

    def run(self, tool: str, *words: str, code: int = 0) -> str:
        """Run a tool to its end; returns what it printed."""
        command = [tool, *words, "--bootstrap-server", self.bootstrap]
        answer = self.shell.ask(json.dumps(command))
        assert answer["code"] == code, answer["printed"]
        return str(answer["printed"])

    def table(self, tool: str, *words: str) -> list[list[str]]:
        """The cells of what it printed, header and empty lines left out, sorted."""
        lines = self.run(tool, *words).splitlines()
        cells = [line.split() for line in lines if line.strip()]
        start = next(i for i, row in enumerate(cells) if row[0] in ("GROUP", "TOPIC"))
        return sorted(cells[start + 1 :])

    def reset(self, group: str, *words: str, do: str = "--execute") -> dict[str, int]:
        """Offsets by partition, as ``--reset-offsets`` announces them."""
        rows = self.table(GROUPS, "--reset-offsets", "--group", group, *words, do)
        return {row[2]: int(row[3]) for row in rows}

    def offsets(self, group: str) -> dict[str, tuple[str, str, str]]:
        """Partition to current offset, end offset and lag."""
        rows = self.table(GROUPS, "--describe", "--group", group, "--offsets")
        return {row[2]: (row[3], row[4], row[5]) for row in rows}


@pytest.fixture(scope="module")
def tools(installation: Installation) -> Iterator[Tools]:
    with Shell(KAFKA_TOOLS.command()) as shell:
        yield Tools(shell, installation.kafka)


@pytest.fixture(scope="module")
def earlier_tools(installation: Installation) -> Iterator[Tools]:
    """Those of the release before."""
    with Shell(KAFKA_TOOLS_4_3.command()) as shell:
        yield Tools(shell, installation.kafka)


@pytest.fixture(scope="module")
def admin(installation: Installation) -> Iterator[Shell]:
    with Shell(ADMINS["kafka-python"].command(installation.kafka)) as shell:
        yield shell


@pytest.fixture
def group(admin: Shell, name: str) -> str:
    """A group without members; partitions 0 and 1 of its topic stand at 10 of 20."""
    admin.ask(f"create {name} 2")
    for partition in (0, 1):
        admin.ask(f"commit {name}-other {name} {partition} 20")
        admin.ask(f"commit {name} {name} {partition} 10")
    return name


def test_topics_are_created_listed_grown_and_deleted(tools: Tools, name: str) -> None:
    this = ("--topic", name)

    assert tools.run(TOPICS, "--create", *this, "--partitions", "3") == f"Created topic {name}.\n"
    tools.run(TOPICS, "--create", *this, "--partitions", "3", "--if-not-exists")
    tools.run(TOPICS, "--create", *this, "--partitions", "3", code=1)
    assert name in tools.run(TOPICS, "--list").split()
    tools.run(TOPICS, "--alter", *this, "--partitions", "4")
    assert tools.run(END_OFFSETS, *this).split() == [f"{name}:{p}:0" for p in range(4)]
    tools.run(TOPICS, "--delete", *this)

    assert "does not exist" in tools.run(TOPICS, "--delete", *this, code=1)
    assert name not in tools.run(TOPICS, "--list").split()


def lines(tools: Tools, *words: str) -> list[list[str]]:
    """What a tool prints: the words of each line."""
    return [line.split() for line in tools.run(*words).splitlines() if line.strip()]


def test_tools_of_the_release_before_print_the_same(
    tools: Tools, earlier_tools: Tools, group: str
) -> None:
    for words in (
        (TOPICS, "--describe", "--topic", group),
        (GROUPS, "--describe", "--group", group, "--offsets"),
        (GROUPS, "--describe", "--group", group, "--state"),
        (END_OFFSETS, "--topic", group),
    ):
        assert sorted(lines(earlier_tools, *words)) == sorted(lines(tools, *words)), words


@pytest.mark.skipif(DESCRIBE_CONFIGS not in APIS, reason="DescribeConfigs is not served yet")
def test_a_topic_is_described(tools: Tools, name: str) -> None:
    tools.run(TOPICS, "--create", "--topic", name, "--partitions", "2")

    said = tools.run(TOPICS, "--describe", "--topic", name).split()

    assert said[:2] == ["Topic:", name]
    assert said[said.index("PartitionCount:") + 1] == "2"


def test_an_active_group_is_listed_and_described(
    tools: Tools, installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    one = start("confluent-kafka", installation.kafka, name)
    other = start("confluent-kafka", installation.kafka, name)
    one.until(lambda: share(one, other), "three and three")
    one.commit(5)
    mine = {str(p) for p in one.owned}

    by_state = tools.table(GROUPS, "--list", "--state", "stable", "--type", "classic")
    state = tools.table(GROUPS, "--describe", "--group", name, "--state")
    members = tools.table(GROUPS, "--describe", "--group", name, "--members", "--verbose")
    offsets = tools.offsets(name)

    assert [name, "Classic", "Stable"] in by_state
    assert [name, "Classic", "consumer"] in tools.table(ALL_GROUPS, "--list")
    assert state == [[name, installation.kafka, "(0)", "range", "Stable", "2"]]
    assert [row[4] for row in members] == ["3", "3"]
    held = {row[6] for row in members}
    assert held == {f"{name}:0,1,2", f"{name}:3,4,5"}
    assert {p for p, row in offsets.items() if row == ("5", "5", "0")} == mine
    assert {p for p, row in offsets.items() if row[0] == "-"} == {str(p) for p in other.owned}
    refused = tools.run(GROUPS, "--delete", "--group", name)
    assert "could not be deleted" in refused and "GroupNotEmptyException" in refused


def test_a_group_of_the_consumer_protocol_is_described(
    tools: Tools, installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    one = start("confluent-kafka-848", installation.kafka, name)
    other = start("confluent-kafka-848", installation.kafka, name)
    one.until(lambda: share(one, other), "three and three")

    [state] = tools.table(GROUPS, "--describe", "--group", name, "--state", "--verbose")
    members = tools.table(GROUPS, "--describe", "--group", name, "--members")

    coordinator, assignor, how, epoch, target, count = state[1], *state[3:]
    assert (coordinator, assignor, how, count) == (installation.kafka, "uniform", "Stable", "2")
    assert epoch == target
    assert [row[4] for row in members] == ["3", "3"]
    assert [name, "Consumer", "Stable"] in tools.table(
        GROUPS, "--list", "--state", "stable", "--type", "consumer"
    )


def test_an_unknown_group_is_not_found(tools: Tools, name: str) -> None:
    output = tools.run(GROUPS, "--describe", "--group", name)

    assert f"GroupIdNotFoundException: Group {name} not found." in output


RESETS = {
    ("--to-earliest",): 0,
    ("--to-latest",): 20,
    ("--to-offset", "7"): 7,
    ("--to-offset", "99"): 20,  # never behind the end
    ("--shift-by", "-4"): 6,
    ("--shift-by", "4"): 14,
    ("--shift-by", "-99"): 0,
    ("--to-current",): 10,
    # Nothing was ever written, so no record is younger than anything: Kafka takes the end.
    ("--to-datetime", "2020-01-01T00:00:00.000"): 20,
    ("--by-duration", "PT1H"): 20,
}


@pytest.mark.parametrize(("how", "expected"), RESETS.items(), ids=map(" ".join, RESETS))
def test_offsets_are_reset(
    how: tuple[str, ...], expected: int, tools: Tools, admin: Shell, group: str
) -> None:
    where = ("--topic", f"{group}:1")

    planned = tools.reset(group, *where, *how, do="--dry-run")
    before = admin.ask(f"offsets {group}")
    done = tools.reset(group, *where, *how)

    assert planned == done == {"1": expected}
    assert before == {"offsets": {"0": 10, "1": 10}}
    assert admin.ask(f"offsets {group}") == {"offsets": {"0": 10, "1": expected}}


def test_offsets_are_exported_and_imported(
    tools: Tools, admin: Shell, group: str, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.csv"
    every = ("--group", group, "--all-topics", "--to-current", "--dry-run", "--export")
    plan.write_text(tools.run(GROUPS, "--reset-offsets", *every))
    tools.reset(group, "--all-topics", "--to-earliest")

    assert tools.reset(group, "--from-file", str(plan)) == {"0": 10, "1": 10}

    assert admin.ask(f"offsets {group}") == {"offsets": {"0": 10, "1": 10}}


def test_offsets_of_an_active_group_are_not_reset(
    tools: Tools, installation: Installation, start: Start, name: str
) -> None:
    asyncio.run(topic(installation.kafka, name))
    worker = start("confluent-kafka", installation.kafka, name)
    worker.until(lambda: len(worker.owned) == 6, "all six")
    worker.commit(3)

    how = ("--reset-offsets", "--group", name, "--all-topics", "--to-earliest", "--execute")
    output = tools.run(GROUPS, *how)

    assert "current state is Stable" in output
    assert worker.commit(4) == {str(p): 4 for p in range(6)}


def test_offsets_and_groups_are_deleted(tools: Tools, group: str) -> None:
    one = ("--delete-offsets", "--group", group, "--topic", f"{group}:1")

    assert tools.table(GROUPS, *one) == [[group, "1", "Successful"]]
    assert tools.offsets(group) == {"0": ("10", "20", "10")}
    deleted = tools.run(GROUPS, "--delete", "--group", group)
    again = tools.run(GROUPS, "--delete", "--group", group)

    assert "was successful" in deleted
    assert "GroupIdNotFoundException" in again
    assert group not in tools.run(GROUPS, "--list").split()


def test_a_tool_in_its_own_process_prints_the_same(tools: Tools, group: str) -> None:
    words = ("--describe", "--group", group, "--offsets")
    command = KAFKA_TOOL.command(GROUPS, *words, "--bootstrap-server", tools.bootstrap)

    alone = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    )

    assert alone.stdout.split() == tools.run(GROUPS, *words).split()


def test_the_cluster_id_is_printed(tools: Tools) -> None:
    first = tools.run(CLUSTER, "cluster-id")

    assert first.startswith("Cluster ID: rollcall-")
    assert tools.run(CLUSTER, "cluster-id") == first
