"""Every case of cases.txt is named by what shows it: a transcript, a test, a conformance case."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.core import scenarios
from tests.sources import parsed

TESTS = Path(__file__).resolve().parent.parent
TABLE = Path(__file__).with_name("cases.txt")
NAMED = re.compile(r"(?<![a-z0-9])([a-z]{2})[-_](\d\d)(?!\d)", re.IGNORECASE)
"""``CJ-14`` in words, ``cj_14`` in names."""

NONE = "ZZ-99"
"""A case that nobody shows."""

SHOWS = ("test_", "case_")
"""What the name of a function begins with that shows something."""


def cases(text: str) -> list[str]:
    """The ids of the table, in its order."""
    return [line[:5] for line in text.splitlines() if line and not line.startswith("#")]


def named(text: str) -> set[str]:
    """The ids that a text names."""
    return {f"{letters.upper()}-{number}" for letters, number in NAMED.findall(text)}


def titles() -> Iterator[str]:
    """What transcripts and tests say of themselves: names, first words, docstrings."""
    for path in scenarios.paths():
        yield path.stem
        yield from (line for line in path.read_text().splitlines() if line.startswith("#"))
    for path in (*TESTS.rglob("test_*.py"), *TESTS.glob("conformance/cases_*.py")):
        text = path.read_text()
        for node in ast.walk(parsed(text)) if NAMED.search(text) else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                if node.name.startswith(SHOWS):
                    yield f"{node.name} {ast.get_docstring(node) or ''}"


def test_every_case_has_a_transcript_and_a_missing_one_is_detected() -> None:
    shown = set().union(*map(named, titles()))
    missing = [case for case in (*cases(TABLE.read_text()), NONE) if case not in shown]
    assert missing == [NONE], f"no transcript and no test names {', '.join(missing)}"


def test_a_case_has_an_id_and_a_title() -> None:
    assert named("test_cj_14_and [OF-06, OF-07]") == {"CJ-14", "OF-06", "OF-07"}
    assert named("node_12 abc-01 CJ-141") == set()


def test_ids_are_unique_and_transcripts_name_existing_cases() -> None:
    ids = cases(TABLE.read_text())
    assert len(ids) == len(set(ids))
    kinds = {case[:2] for case in ids}
    shown = set().union(*(named(path.stem) for path in scenarios.paths()))
    assert {case for case in shown if case[:2] in kinds} <= set(ids)
