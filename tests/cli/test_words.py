"""Other words for commands: they do what is meant, and hide no command."""

from typing import Any

import pytest
import typer

from rollcall.cli.app import app
from rollcall.cli.words import SYNONYMS

GROUPS: Any = typer.main.get_command(app)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("journal list", "tail"),
        ("report list", "list"),
        ("group force", "rebalance"),
        ("group show", "describe"),
        ("operation get", "show"),
        ("node ls", "list"),
        ("group list", "list"),
        ("report start", "start"),
        ("group start", "resume"),
        ("topic force", None),
    ],
)
def test_a_word_means_a_command(words: str, meant: str | None) -> None:
    group, _, word = words.partition(" ")
    found = GROUPS.commands[group].get_command(None, word)
    assert found is (None if meant is None else GROUPS.commands[group].commands[meant])


def test_every_meaning_is_a_command() -> None:
    known = {name for group in GROUPS.commands.values() for name in getattr(group, "commands", ())}
    assert {meant for all_meant in SYNONYMS.values() for meant in all_meant} <= known
