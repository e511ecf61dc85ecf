"""Where commands run: outputs that take nothing, other encodings, odd words and tokens."""

import json
import os
import subprocess
import sys

import pytest
import yaml

from launcher.installation import Installation
from tests.cli.conftest import Cli
from tests.installations import TOKEN

REASON = "Größe ☃"


def typed(
    installation: Installation, words: str, **around: str
) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own, by a shell."""
    command = f"exec {sys.executable} -m rollcall.cli {words}"
    environ = {"ROLLCALL_URL": installation.web, "ROLLCALL_TOKEN": TOKEN, **around}
    return subprocess.run(
        ["/bin/sh", "-c", command],
        env={**os.environ, **environ},
        capture_output=True,
        check=False,
        text=True,
    )


@pytest.mark.parametrize("words", ["topic list >&-", "topic list > /dev/full"])
def test_an_output_that_takes_nothing_is_one_line(installation: Installation, words: str) -> None:
    ended = typed(installation, words)
    assert ended.returncode == 1 and ended.stderr.count("\n") == 1
    assert ended.stderr.startswith("rollcall: the output cannot be written: ")


def test_an_argument_that_is_no_text_is_a_usage_error(installation: Installation) -> None:
    ended = typed(installation, "group describe \"$(printf '\\377')\"")
    assert ended.returncode == 2 and "is not text in this locale's encoding" in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.usefixtures("worker")
def test_every_format_is_valid_in_ascii(installation: Installation, cli: Cli, name: str) -> None:
    cli("group", "rebalance", name, "--no-wait", "--reason", REASON)
    printed: dict[str, str] = {}
    for output in ("json", "yaml", "table", "csv"):
        ended = typed(installation, f"operation list -o {output}", PYTHONIOENCODING="ascii")
        assert ended.returncode == 0, ended.stderr
        printed[output] = ended.stdout
    assert REASON in {row["reason"] for row in json.loads(printed["json"])}
    assert REASON in {row["reason"] for row in yaml.safe_load(printed["yaml"])}


def test_no_wait_is_too_long(cli: Cli) -> None:
    ended = cli("group", "rebalance", "cli-no-such-group", "-r", "x", "--timeout", "inf")
    assert ended.code == 4


def test_a_token_that_is_none_is_refused_and_not_printed(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    for token in ("a secret\nwith two lines", "ein Schlüssel"):
        monkeypatch.setenv("ROLLCALL_TOKEN", token)
        ended = cli("group", "list")
        assert ended.code == 2 and "secret" not in ended.errors and "token" in ended.errors


@pytest.mark.parametrize("name", ["..", ".", ""])
def test_a_name_that_is_a_path_leads_nowhere(cli: Cli, name: str) -> None:
    for verb in (["describe"], ["delete", "--dry-run"]):
        assert cli("topic", *verb, name).code == 4
