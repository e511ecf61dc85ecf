"""The pages' commands: those of REST and of the command line run, before the installation that all
tests share; those that install, build or measure for minutes are taken by their own parsers."""

import argparse
import importlib.util
import json
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from typing import Any, Final, NoReturn

import pytest
import typer
from django.core.management import ManagementUtility

from launcher.installation import CHECKOUT
from rollcall.cli.app import app
from tests.api.curl import Example, send
from tests.cli.conftest import Cli, cli
from tests.docs.blocks import PAGES, Block, blocks, commands, program, words
from tests.docs.conftest import RESTED, Documented
from tests.docs.runs import is_named
from tests.docs.test_pages import OURS
from tests.installations import TOKEN
from tests.launcher.waiting import until

__all__ = ["cli"]

pytestmark = [pytest.mark.xdist_group("documented"), pytest.mark.timeout(240)]

PARSED: Final = {
    "rollcall journal tail": "follows until Ctrl-C (tests/cli/test_following.py)",
    "rollcall import-kafka": "needs a Kafka (tests/cli/test_import_kafka.py)",
}
"""Commands of ``rollcall`` that are not run here, but taken by its parser."""

DRY: Final = "rollcall quota set --default"
"""What would hold for every other test: tried with ``--dry-run``."""


REFUSED: Final = {
    "rollcall acl": "The authorizer is off",
    "rollcall report": "There is no report yet",
    "rollcall topic create": "exists already",
}
"""Commands that this installation, as it is, may refuse, and its sentence."""


class Parsed(Exception):
    """A parser took the words, and nothing was done with them."""


def left(page: str) -> list[Block]:
    """The blocks of a page that no other test runs."""
    return [block for block in blocks(page) if not is_named(block)]


def test_the_table_has_programs_that_pages_start() -> None:
    found = (block for page in PAGES for block in left(page))
    assert {program(command) for block in found for command in commands(block)} >= RUN.keys()


@pytest.mark.parametrize("page", [page for page in PAGES if any(map(commands, left(page)))])
def test_the_commands_of_a_page_run(
    page: str, cli: Cli, documented: Documented, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = Runner(cli, documented, monkeypatch)
    for block in left(page):
        for command in commands(block):
            if program(command):
                RUN[program(command)](runner, command)


class Runner:
    """Runs the commands of a page, in its order."""

    def __init__(self, cli: Cli, there: Documented, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cli, self.there, self.monkeypatch = cli, there, monkeypatch
        self.webhook = ""

    def rollcall(self, command: str) -> None:
        """The command line, with what the page leaves open; it must succeed."""
        command = self.there.here(command.partition(" < ")[0])
        if "reset-offsets" in command:  # which a group with members refuses
            command = command.replace("docs-packers", RESTED)
        command = command.replace("GROUP MEMBER", f"docs-packers {self.there.member.member_id}")
        typed = words(command)[1:]
        if command.startswith(tuple(PARSED)):
            self.takes(typed)
            return
        self.monkeypatch.setattr(sys, "stdin", StringIO("a password of nobody's\n"))
        ended = self.cli(*typed, *(["--dry-run"] if is_of_all(command) else []))
        refusal = next((says for begins, says in REFUSED.items() if begins in command), None)
        assert ended.code == 0 or (refusal and refusal in ended.errors), (command, ended.errors)

    def takes(self, typed: list[str]) -> None:
        """Only its parser reads the words."""
        command: Any = typer.main.get_command(app)
        while hasattr(command, "commands"):
            command, *typed = command.commands[typed[0]], *typed[1:]
        command.make_context(command.name, typed)

    def curl(self, command: str) -> None:
        """A request; REST must not refuse it."""
        command = self.there.here(command).replace("…", TOKEN)
        web = self.there.installation.web
        command = re.sub(r"http://(?:localhost|127\.0\.0\.1):8000", web, command)
        command = re.sub(r"webhooks/1\b", f"webhooks/{self.webhook}", command)
        if "/deliveries/17" in command:
            command = command.replace("deliveries/17", f"deliveries/{self.delivery()}")
        status, _, answer = self.ask(command)
        assert status < 300, f"{command}: {status} {answer!r}"
        if command.endswith("$api/webhooks") and "--json" in command:
            self.webhook = str(answer["webhook"]["id"])

    def delivery(self) -> str:
        """A delivery of the webhook, once there is one."""
        ask = f'curl -H "$auth" $api/webhooks/{self.webhook}/deliveries'
        rows = until(lambda: self.ask(ask)[2]["data"], "the webhook has a delivery")
        return str(rows[0]["id"])

    def ask(self, command: str) -> tuple[int, Any, Any]:
        """Status, headers and body of curl's request."""
        api = f"{self.there.installation.web}/api/v1"
        auth = f"Authorization: Bearer {TOKEN}"
        asked = Example(command, frozenset()).request({"api": api, "auth": auth, "TOKEN": TOKEN})
        status, headers, body = send(asked)
        return status, headers, json.loads(body or b"null")

    def make(self, command: str) -> None:
        """It has the target, and what this starts takes the arguments."""
        environ = {**os.environ, "MAKEFLAGS": "", "MAKELEVEL": ""}
        told = subprocess.check_output(
            ["make", "--dry-run", *words(command)[1:]], cwd=CHECKOUT, env=environ, text=True
        )
        for line in told.splitlines():
            if re.fullmatch(r"\S*python -m [^;|&$`]*", line):
                self.module(line)

    def module(self, command: str) -> None:
        """A program of ours reads its arguments, and does nothing."""
        _, _, name, *arguments = words(command)
        if name == "pytest":
            paths = [a.partition("::")[0] for a in arguments if a.startswith("tests/")]
            assert [path for path in paths if not (CHECKOUT / path).exists()] == []
        elif name.partition(".")[0] in OURS:
            assert importlib.util.find_spec(name), name
            if arguments:
                self.parsed(name, arguments)

    def manage(self, command: str) -> None:
        """A command of Django's reads its arguments, and does nothing."""
        name, *arguments = words(command[command.index("manage.py") :])[1:]
        given = ManagementUtility().fetch_command(name).create_parser("manage.py", name)
        given.parse_args(arguments)

    def parsed(self, name: str, arguments: list[str]) -> None:
        """``argparse`` takes the arguments, and is the last that runs."""
        take = argparse.ArgumentParser.parse_args

        def take_and_end(*args: Any, **named: Any) -> NoReturn:
            take(*args, **named)
            raise Parsed

        with self.monkeypatch.context() as patched:
            patched.setattr(argparse.ArgumentParser, "parse_args", take_and_end)
            patched.setattr(sys, "argv", [name, *arguments])
            with pytest.raises(Parsed):
                runpy.run_module(name, run_name="__main__")

    def file(self, command: str) -> None:
        """A script of the repository is there."""
        assert (CHECKOUT / words(command)[0]).exists()


def is_of_all(command: str) -> bool:
    """Whether it would hold for every other test, too."""
    return command.startswith(DRY)


RUN: Final[dict[str, Callable[[Runner, str], None]]] = {
    "rollcall": Runner.rollcall,
    "curl": Runner.curl,
    "make": Runner.make,
    "manage.py": Runner.manage,
    "run": Runner.file,
    **{f"-m {name}": Runner.module for name in ("benchmarks", "pipeline", "proof", "pytest")},
}
"""By program: how its commands are run, on whatever page they stand."""
