"""``rollcall group describe`` beside ``kafka-consumer-groups --describe`` of Apache Kafka, cell by
cell, for groups of both protocols and for one without members."""

import asyncio
from collections.abc import Iterator

import pytest

from launcher.installation import Installation
from tests.cli.conftest import Cli
from tests.clients.conftest import Shell, Start, name, start, topic
from tests.clients.programs import KAFKA_TOOLS
from tests.clients.test_kafka_tools import GROUPS, Tools

__all__ = ["name", "start"]

pytestmark = [pytest.mark.long, pytest.mark.timeout(900), pytest.mark.xdist_group("cli")]

ALL = set(range(6))


@pytest.fixture(scope="module")
def tools(installation: Installation) -> Iterator[Tools]:
    with Shell(KAFKA_TOOLS.command()) as shell:
        yield Tools(shell, installation.kafka)


def known(rows: list[list[str]]) -> list[list[str]]:
    """The tool's rows without end and lag: nobody has told the end, and it prints numbers."""
    return [[*row[:4], "-", "-", *row[6:]] for row in rows]


def titles(tools: Tools, *words: str) -> list[str]:
    """Of the tool's table."""
    printed = tools.run(GROUPS, "--describe", *words).splitlines()
    return next(line.split() for line in printed if line.startswith("GROUP"))


@pytest.mark.parametrize("library", ["confluent-kafka", "confluent-kafka-848"])
def test_offsets_and_members_match_kafkas_tool(
    library: str, installation: Installation, start: Start, name: str, tools: Tools, cli: Cli
) -> None:
    asyncio.run(topic(installation.kafka, name))
    worker = start(library, installation.kafka, name)
    worker.until(lambda: worker.owned == ALL, "all six")

    nothing_committed = cli("group", "describe", name).table
    table = tools.table(GROUPS, "--describe", "--group", name)
    assert sorted(nothing_committed[1:]) == known(table)
    worker.commit(11)
    ours, *rows = cli("group", "describe", name).table
    assert ours == titles(tools, "--group", name)
    assert sorted(rows) == known(tools.table(GROUPS, "--describe", "--group", name))
    ours, *rows = cli("group", "describe", name, "--members").table
    words = ("--group", name, "--members")
    assert ours == titles(tools, *words)
    assert sorted(rows) == tools.table(GROUPS, "--describe", *words)

    worker.close()
    assert cli("group", "watch", name, "--until", "Empty", "--timeout", "60").code == 0
    left = cli("group", "describe", name).table
    assert sorted(left[1:]) == known(tools.table(GROUPS, "--describe", "--group", name))
