"""Blocks of Python, of SQL and of files that pages have, run as they stand there."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml
from confluent_kafka import TopicPartition

from launcher.installation import CHECKOUT
from rollcall.cli.profiles import chosen
from rollcall.client import Member
from tests.docs.blocks import FILES, PAGES, Block, blocks, commands, words
from tests.docs.conftest import Documented
from tests.launcher.waiting import until

pytestmark = [pytest.mark.xdist_group("documented"), pytest.mark.timeout(240)]


VALUES = {"era": 0, "xid": 0, "id": 0, "horizon_era": 1 << 30, "horizon_xid": 0}
"""From where facts are read, and how far."""

CONFIGURED = "SELECT name, value FROM rollcall_group_config WHERE group_id = 'docs-orders'"


def of(page: str, language: str) -> list[Block]:
    """The blocks of a page in a language."""
    return [block for block in blocks(page) if block.language == language]


def test_stock_admin_clients_freeze_a_group(documented: Documented) -> None:
    with psycopg.connect(documented.database, autocommit=True) as database:
        for block in of("docs/configuration.md", "python"):
            database.execute("DELETE FROM rollcall_group_config WHERE group_id = 'docs-orders'")
            program = [sys.executable, "-c", documented.here(block.text)]
            subprocess.run(program, check=True, timeout=60)
            assert database.execute(CONFIGURED).fetchone() == ("rollcall.freeze", "true")


def test_the_assignor_of_the_draft_gives_everything_to_the_first() -> None:
    (block,) = of("docs/draft-0.9.md", "python")
    names: dict[str, Any] = {}
    exec(block.text, names)
    given = names["assign"]({"b": ["t"], "a": ["t"]}, {"t": 2})
    assert given == {"a": [("t", 0), ("t", 1)]}


def test_a_member_says_whether_it_is_stopped() -> None:
    (block,) = of("docs/pause.md", "python")
    exec(block.text, {"member": Member("127.0.0.1:1", "g", ["t"])})


class Enough(Exception):
    """What ends a loop that a real worker goes on with."""


def test_a_transaction_commits_offsets(documented: Documented) -> None:
    (block,) = of("docs/transactions.md", "python")
    names: dict[str, Any] = {}

    def work(assigned: list[TopicPartition]) -> dict[int, int]:
        consumer = names["consumer"]
        here = [TopicPartition("docs-orders", 0)]
        if assigned and consumer.committed(here, 30)[0].offset == 5:
            raise Enough
        return {0: 5} if assigned else {}

    names["work"] = work
    with pytest.raises(Enough):
        exec(documented.here(block.text), names)
    names["consumer"].close()


def sql() -> Iterator[tuple[str, str]]:
    """Each block of SQL of every page."""
    for page in PAGES:
        for block in of(page, "sql"):
            yield page, block.text


@pytest.mark.parametrize(("page", "text"), [pytest.param(*each, id=each[0]) for each in sql()])
def test_sql_runs(page: str, text: str, documented: Documented) -> None:
    until(lambda: succeeds(text, documented), "the member's epoch is the group's")


def succeeds(text: str, there: Documented) -> bool:
    """Whether a block ran; not if the group has a new epoch of which the member has not heard."""
    text = there.here(text.replace("INSERT INTO invoices ...;", ""))
    text = text.replace("'docs-billing'", "'docs-packers'").replace("42,", f"{there.member.epoch},")
    text = text.replace("worker-1-5f0c...", there.member.member_id)
    with psycopg.connect(there.database) as database:
        try:
            for statement in re.split(r";[^;\n]*\n", text):
                if statement.strip():
                    database.execute(re.sub(r"(?<!:):([a-z_]+)", r"%(\1)s", statement), VALUES)
        except psycopg.Error as refusal:
            if "EPOCH" not in str(refusal):
                raise
            return False
    return True


def test_files_are_such_files() -> None:
    read: dict[str, Callable[[str], object]] = {
        "json": json.loads,
        "toml": tomllib.loads,
        "yaml": yaml.safe_load,
        "ini": settings,
    }
    found = [block for page in PAGES for block in blocks(page) if block.language in FILES]
    assert {block.language for block in found} == set(FILES)
    for block in found:
        assert read[block.language](block.text), block


def settings(text: str) -> dict[str, str]:
    """Lines of NAME=VALUE."""
    lines = [line.partition("#")[0] for line in text.splitlines()]
    found = [re.fullmatch(r"([\w.]+)=(.*)", line) for line in lines if line]
    return {each[1]: each[2] for each in found if each}


def test_profiles_of_the_command_line_are_read(tmp_path: Path) -> None:
    (block,) = of("docs/cli.md", "toml")
    token = tmp_path / "token"
    token.write_text("a token")
    (tmp_path / "rollcall").mkdir()
    (tmp_path / "rollcall" / "config.toml").write_text(
        block.text.replace("/run/secrets/rollcall-token", str(token))
    )
    found = chosen(None, None, {"XDG_CONFIG_HOME": str(tmp_path)})
    assert (found.name, found.token) == ("production", "a token")
    assert found.url == "https://rollcall.example"


def test_the_secrets_of_kubernetes_are_those_that_the_manifests_mount() -> None:
    block = blocks("deploy/kubernetes/README.md")[0]
    made = [words(each) for each in commands(block) if "create secret" in each]
    folder = CHECKOUT / "deploy" / "kubernetes"
    manifests = "".join(path.read_text() for path in folder.glob("*.yaml"))
    for command in made:
        assert f"secretName: {command[command.index('generic') + 1]}\n" in manifests
        for key in [word.partition("=")[2] for word in command if "--from-file" in word]:
            assert f"/{key}\n" in manifests, key
