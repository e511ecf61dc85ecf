"""How many files a change of the usual kind touches, counted by making it in a copy of the tree.

What is generated from the change (docs/rights.md, docs/openapi.yaml, the command line's table) is
not counted, and its test is one file more.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import pytest

CHECKOUT: Final = Path(__file__).resolve().parents[2]
FILES_MAX: Final = 6
PARTS: Final = ("console", "coordinator_site", "groups", "pipeline", "protocol", "rollcall", "web")
TEST: Final = 1


class Edit(NamedTuple):
    """A line of a file, and what it becomes; the file is new if there is no such line."""

    before: str
    after: str


OPERATION: Final[Mapping[str, Edit]] = {
    "groups/core/operations.py": Edit(
        '    DRAIN = "drain"\n',
        '    DRAIN = "drain"\n    GREET = "greet"\n',
    ),
    "groups/core/greetings.py": Edit(
        "",
        '"""Greetings."""\n'
        "from dataclasses import dataclass\n"
        "from groups.core.events import Verb\n"
        "@dataclass(frozen=True, slots=True, kw_only=True)\n"
        "class Greet(Verb):\n"
        '    """Somebody greets a member."""\n'
        "    member_id: str\n",
    ),
    "groups/core/journal.py": Edit(
        '    MEMBER_DRAINED = "member-drained"\n',
        '    MEMBER_DRAINED = "member-drained"\n    MEMBER_GREETED = "member-greeted"\n',
    ),
    "groups/core/consumer/operator.py": Edit(
        "    DrainMember: drain,\n",
        "    DrainMember: drain,\n    Greet: greet,\n",
    ),
}
"""An operation on a member that consumer groups can do, with its entry of the journal."""

ROW: Final = """    Name.GREET: Row(
        "Greet a member",
        _of_member(Greet),
        "evict_member",
        {Target.MEMBER: "Greet a member."},
        "Greet a member.",
        "Greet",
    ),
    Name.DRAIN: Row(
"""

RULE: Final = '''def greet(work: Work, event: Greet) -> None:
    """Note it."""
    reason = f"{event.actor} greeted {event.member_id}: {event.reason}"
    work.note(EntryKind.MEMBER_GREETED, reason=reason, member_id=event.member_id)
    work.operated(event.operation_id, ErrorCode.NONE, "it was greeted")


HANDLERS: Final'''

MORE: Final[Mapping[str, tuple[Edit, ...]]] = {
    "groups/core/operations.py": (
        Edit("    Name.DRAIN: Row(\n", ROW),
        Edit(
            "from groups.core.drains import",
            "from groups.core.greetings import Greet\nfrom groups.core.drains import",
        ),
    ),
    "groups/core/consumer/operator.py": (
        Edit("HANDLERS: Final", RULE),
        Edit(
            "from groups.core.errors import ErrorCode\n",
            "from groups.core.errors import ErrorCode\n"
            "from groups.core.greetings import Greet\n"
            "from groups.core.journal import EntryKind\n",
        ),
    ),
}

SHOWS: Final = """
import django
django.setup()
from random import Random
from django.urls import resolve
from console.api.urls import urlpatterns
from console.management.commands.operations import page
from console.people import rights
from console.queries.journal_text import sentence
from groups.core.classic.group import ClassicGroup
from groups.core.events import ConsumerHeartbeat
from groups.core.group import Rules
from groups.core.kinds import KINDS
from groups.models import Journal, Operation
from groups.operations.requests import event_of

path = "groups/<id:group_id>/members/<id:member_id>/greet"
assert any(str(each.pattern) == path for each in urlpatterns), "REST has no path"
assert rights.REST[path] == {"POST": "groups.evict_member"}, "REST has no right"
assert "groups_group_greet" in rights.ADMIN, "the admin has no page"
assert '"greet",' in chr(10).join(page()), "there is no command"
assert ("greet", "Greet a member") in Operation._meta.get_field("verb").flatchoices
group_id, event = event_of((7, "g", "greet", "m", "why not", "ann"))
for kind, changed in (("consumer", 0), ("classic", 42)):
    (operated,) = KINDS[kind].absent("g", Rules(), 0).step([event], 0, Random(0)).operations
    assert operated.error == changed, operated
    print(operated.detail)
entry = Journal(kind="member-greeted", reason="ann greeted m: why not", details={})
assert sentence(entry) == "Ann greeted m: why not."
"""
"""What the copy must have then, run in a process of its own."""


REPORT: Final[Mapping[str, tuple[Edit, ...]]] = {
    "pipeline/datasets/greetings.py": (
        Edit(
            "",
            '"""Gold: greetings."""\n'
            "from pipeline.datasets.dataset import Column, Report\n"
            "class Greetings(Report):\n"
            '    """Whom to greet."""\n'
            '    NAME, TITLE, QUESTION = "greetings", "Greetings", "Who is there?"\n'
            '    KEY = ("group_id",)\n'
            '    COLUMNS = (Column("group_id", "string", "the group"),)\n',
        ),
    ),
    "pipeline/steps/greetings.py": (
        Edit(
            "",
            '"""Gold: greetings."""\n'
            "from pipeline.datasets.greetings import Greetings\n"
            "def greetings(lives, at):\n"
            '    """Every group that has members."""\n'
            '    return Greetings(lives.frame.select("group_id").distinct())\n',
        ),
    ),
    "pipeline/steps/table.py": (
        Edit(
            "    Step(Movement, (Ownership,), movement),\n",
            "    Step(Movement, (Ownership,), movement),\n"
            "    Step(Greetings, (Lives,), greetings),\n",
        ),
        Edit(
            "from pipeline.datasets.movement import Movement\n",
            "from pipeline.datasets.movement import Movement\n"
            "from pipeline.datasets.greetings import Greetings\n"
            "from pipeline.steps.greetings import greetings\n",
        ),
    ),
}

HAS_REPORT: Final = """
from pipeline.steps.table import STEPS
(report,) = [step.report for step in STEPS if step.report and step.report.NAME == "greetings"]
assert [column.name for column in report.COLUMNS] == ["group_id"]
"""

ATTENTION: Final[Mapping[str, tuple[Edit, ...]]] = {
    "console/queries/attention_table.py": (
        Edit(
            "RULES: Final = (\n",
            "RULES: Final = (\n"
            '    Rule("lonely", "a group has one member", "", _each("lonely", lambda row: '
            '(f"{row.group_id} has one member", "It is lonely."))),\n',
        ),
    ),
    "console/queries/sql/attention.py": (
        Edit(
            "UNION ALL\n(SELECT 'notify-queue'",
            "UNION ALL\n(SELECT 'lonely', group_id, '', 1, now(), count(*) OVER ()\n"
            " FROM rollcall_member WHERE (%(only)s::text IS NULL OR group_id = %(only)s)\n"
            " GROUP BY group_id HAVING count(*) = 1 LIMIT %(listed)s)\n"
            "UNION ALL\n(SELECT 'notify-queue'",
        ),
    ),
    "docs/operating.md": (Edit("", "| `lonely` | a group has one member | - |\n"),),
}

HAS_RULE: Final = """
import django
django.setup()
from console.queries.attention_table import RULES
from console.queries.sql import attention
assert RULES[0].name == "lonely"
assert any("SELECT 'lonely'" in str(text) for text in vars(attention).values())
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The product, without what is not its source."""
    ignored = shutil.ignore_patterns("node_modules", "vendor")
    for part in PARTS:
        shutil.copytree(CHECKOUT / part, tmp_path / part, ignore=ignored)
    shutil.copytree(CHECKOUT / "templates", tmp_path / "templates")
    return tmp_path


def change(copy: Path, edits: Mapping[str, tuple[Edit, ...]]) -> int:
    """Make the change; the number of files that it touches."""
    for name, lines in edits.items():
        path = copy / name
        path.parent.mkdir(exist_ok=True)
        text = path.read_text() if path.exists() else ""
        for before, after in lines:
            assert text.count(before) >= 1 or not before, f"{name}: {before}"
            text = text.replace(before, after, 1) if before else after
        path.write_text(text)
    return len(edits)


def run(copy: Path, program: str) -> None:
    """Run it with the copy's sources and nothing of the checkout's."""
    variables = {**os.environ, "DJANGO_SETTINGS_MODULE": "coordinator_site.settings"}
    variables["PYTHONPATH"] = str(copy)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=copy, env=variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2_000:]


@pytest.mark.long
def test_a_report_touches_at_most_six_files(copy: Path) -> None:
    assert change(copy, REPORT) + TEST <= FILES_MAX
    run(copy, HAS_REPORT)


@pytest.mark.long
def test_an_attention_rule_touches_at_most_six_files(copy: Path) -> None:
    """With a threshold it has a setting, too: two files more."""
    assert change(copy, ATTENTION) + 2 + TEST <= FILES_MAX
    run(copy, HAS_RULE)


@pytest.mark.long
def test_an_operation_touches_at_most_six_files(copy: Path) -> None:
    edits = {name: (edit, *MORE.get(name, ())) for name, edit in OPERATION.items()}
    assert change(copy, edits) + TEST <= FILES_MAX
    run(copy, SHOWS)
