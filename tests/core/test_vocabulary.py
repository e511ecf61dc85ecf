"""One vocabulary of the journal: every word has a sentence, and no file but its own spells one."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from console.queries.journal_text import SENTENCES, cause, sentence
from console.queries.why_text import CAUSES, ENDS
from groups.core.explanation import End
from groups.core.group import JournalEntry
from groups.core.journal import ENTRY_FIELDS, EntryKind, Trigger
from groups.models import Journal
from groups.postgres.array_literals import array
from tests.sources import parsed

CHECKOUT = Path(__file__).parents[2]
PRODUCT = ("console", "coordinator_site", "groups", "pipeline", "protocol", "rollcall", "web")
LITERAL = re.compile(r"'([a-z-]+)'")
WORDS = {*EntryKind, *Trigger}

OTHER_MEANINGS = {
    ("groups/core/consumer/member.py", "stable"),  # a member's state
    ("groups/sweeps/session.py", "retention"),  # who requests an operation
    ("console/api/groups.py", "paused"),  # a filter
    ("console/queries/groups.py", "paused"),
    ("console/api/inputs.py", "request"),  # a parameter
    ("console/api/asking.py", "request"),
    ("console/api/problems.py", "request"),
    ("console/queries/outage_text.py", "request"),  # a noun
    ("console/admin/timeline_chart.py", "operator"),  # an event's class
    ("console/queries/timeline_events.py", "operator"),
    ("pipeline/steps/rebalances.py", "stable"),  # a column
    ("rollcall/cli/group_tables.py", "paused"),  # a field of REST
    ("rollcall/cli/watch.py", "paused"),
    ("rollcall/client/core/events.py", "paused"),  # a change reported to a member
    ("rollcall/client/core/events.py", "resumed"),
    ("rollcall/contrib/django/health.py", "paused"),
}
"""Texts that are equal to a word of the journal, and are none."""


def spelled(path: Path) -> Iterator[str]:
    """Texts of a file that are words of the journal, or SQL with one as a literal."""
    for node in ast.walk(parsed(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value in WORDS:
                yield node.value
            yield from WORDS & set(LITERAL.findall(node.value))


def test_journal_words_are_spelled_in_one_file_only() -> None:
    files = [path for name in PRODUCT for path in (CHECKOUT / name).rglob("*.py")]
    found = {
        (str(path.relative_to(CHECKOUT)), word)
        for path in files
        if "migrations" not in path.parts and path.name != "journal.py"
        for word in spelled(path)
    }
    assert found == OTHER_MEANINGS


def test_the_journal_file_spells_each_word_once() -> None:
    spellings = list(spelled(CHECKOUT / "groups" / "core" / "journal.py"))
    assert len(spellings) == len(EntryKind) + len(Trigger)


def test_every_kind_and_every_trigger_has_a_sentence() -> None:
    assert set(SENTENCES) == set(EntryKind)
    assert set(CAUSES) == set(Trigger)
    assert set(ENDS) == set(End)


@pytest.mark.parametrize("kind", EntryKind)
def test_a_minimal_entry_of_each_kind_has_a_sentence(kind: EntryKind) -> None:
    entry = Journal(kind=kind, reason="So it is", waited_for={}, joined=[], left=[], details={})
    said = sentence(entry)
    assert said[:1].isalnum() and said.endswith("."), said


@pytest.mark.parametrize("trigger", Trigger)
def test_each_trigger_has_a_sentence_about_a_client(trigger: Trigger) -> None:
    said = cause(Journal(trigger=trigger, client_id="w-1", left=[]))
    assert said and "{" not in said and said != trigger.value.replace("-", " ")


def test_obsolete_words_are_shown_unchanged() -> None:
    old = Journal(kind="group-renamed", trigger="by-hand", reason="so it was", left=[])
    assert sentence(old) == "group-renamed: so it was"
    assert cause(Journal(trigger="by-hand", left=[])) == "by hand"


def test_an_entry_has_the_fields_of_a_row() -> None:
    entry = JournalEntry(EntryKind.STABLE)
    assert all(hasattr(entry, name) for name in ENTRY_FIELDS)
    assert {field.name for field in Journal._meta.fields} >= set(ENTRY_FIELDS)


def test_a_column_of_words_is_a_column_of_texts() -> None:
    assert array([Trigger.MEMBER_LEFT, ""]) == array(["member-left", ""]) == '{"member-left",""}'
