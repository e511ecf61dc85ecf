"""docs/cli.md: its table of verbs and its exit codes are those of the code."""

from collections.abc import Iterator
from typing import Any

import typer

from launcher.installation import CHECKOUT
from rollcall.cli.app import app
from rollcall.cli.failures import MEANINGS

PAGE = CHECKOUT / "docs" / "cli.md"


def commands(command: Any, *before: str) -> Iterator[str]:
    """A row for each command, in the order of their help."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, *before, name)
    if not hasattr(command, "commands"):
        words = [p.metavar for p in command.params if p.param_type_name == "argument"]
        told = " ".join([*before, *words])
        yield f"| `rollcall {told}` | {command.help} |"


def test_each_verb_has_its_row() -> None:
    rows = [row for row in PAGE.read_text().splitlines() if row.startswith("| `rollcall ")]
    assert "\n".join(rows) == "\n".join(commands(typer.main.get_command(app)))


def test_each_exit_code_has_its_row() -> None:
    page = PAGE.read_text()
    table = page[page.index("| exit code |") :].split("\n\n")[0].splitlines()[2:]
    assert table == [f"| {int(code)} | {meaning} |" for code, meaning in MEANINGS.items()]
