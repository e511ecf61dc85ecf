"""Colours by what a rebalance cost, and one table of them for all screens."""

import re
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from console.queries import tones
from console.queries.journal_folds import folded, line
from console.queries.member_names import Names
from groups.cluster.slot_rows import taken
from groups.core.explanation import WHY, Awaited, End, Explanation, Share
from groups.core.journal import EntryKind, Trigger
from groups.core.waiting import Act
from groups.models import Journal

NUMBERS = count(1)
STYLES = Path(__file__).parents[2] / "console" / "static" / "rollcall"


def share(trigger: str, ms: int, name: str | None = "w-1") -> Share:
    named = ((f"id-{name}", name),) if name else ()
    return Share(trigger, "so it is", "", 1, named, 0, ms)


def waited(ms: int, end: End) -> Awaited:
    return Awaited("id-ben", "ben", Act.REJOIN, ms, end, 12_000)


def completed(why: Explanation, **over: Any) -> Journal:
    columns: dict[str, Any] = {"waited_for": why.waited_for(), "joined": [], "left": []}
    first = why.causes[0]
    return Journal(
        id=next(NUMBERS), kind=EntryKind.REBALANCE_COMPLETED, trigger=first.trigger,
        duration_ms=why.ms, generation_after=7, details={WHY: why.encoded()}, **columns, **over,
    )  # fmt: skip


JOINED = share(Trigger.MEMBER_JOINED, 263)
CASES = {
    "quick": (Explanation(263, (JOINED,)), "good"),
    "slow": (Explanation(28_000, (JOINED,), (waited(28_000, End.REJOINED),)), "warn"),
    "a removed member": (Explanation(400, (JOINED,), (waited(400, End.SILENT),)), "bad"),
    "too late": (Explanation(400, (JOINED,), (waited(400, End.LATE),)), "bad"),
    "a crash": (Explanation(10, (share(Trigger.SESSION_EXPIRED, 10),)), "bad"),
    "a crash later": (Explanation(30, (JOINED, share(Trigger.SESSION_EXPIRED, 1))), "bad"),
    "an eviction": (Explanation(10, (share(Trigger.OPERATOR, 10),)), "warn"),
    "forced": (Explanation(10, (share(Trigger.OPERATOR, 10, None),)), "good"),
    "left meanwhile": (Explanation(40, (JOINED,), (waited(40, End.LEFT),)), "warn"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_rebalance_is_coloured_by_what_it_cost(case: str) -> None:
    why, tone = CASES[case]
    entry = completed(why)
    assert tones.of_entry(entry) == tone
    assert line(folded([entry])[0], Names({})).tone == tone


def test_partitions_without_an_owner_for_long_are_no_green_dot() -> None:
    entry = completed(Explanation(263, (JOINED,)))
    entry.details |= {"unowned_longest_ms": 12_000}
    assert tones.of_entry(entry) == "warn"


def test_an_entry_of_an_earlier_version_is_coloured_by_its_columns() -> None:
    old = Journal(
        kind=EntryKind.REBALANCE_COMPLETED, trigger=Trigger.SESSION_EXPIRED, duration_ms=10,
        waited_for={}, joined=[], left=["a"], details={},
    )  # fmt: skip
    assert tones.of_entry(old) == "bad"


@pytest.mark.parametrize(
    ("before", "tone"),
    [
        ([None], "good"),
        ([None] * 64, "good"),
        ([1], "warn"),
        ([None, 1], "warn"),
        ([0] * 9, "warn"),
    ],
)
def test_slots_that_were_not_handed_over_are_no_green_dot(
    before: list[int | None], tone: str
) -> None:
    entry = Journal(kind=EntryKind.SLOTS_CLAIMED, reason=taken(before))
    assert tones.of_entry(entry) == tone


def test_every_state_and_every_trigger_has_a_colour_of_its_own() -> None:
    text = "".join(path.read_text() for path in STYLES.glob("*.css"))
    fills = dict(re.findall(r"\.rc-fill-(\w+) \{ background: ([^;]+);", text))
    assert {fills[tone] for tone in tones.STATES.values()} == {
        f"var(--rc-{tone})" for tone in tones.STATES.values()
    }
    assert len(set(tones.STATES.values())) == len(tones.STATES)
    colours = dict(re.findall(r"\.(rc-trigger-[\w-]+) \{ background: (#\w+);", text))
    wanted = {tones.trigger_class(trigger) for trigger in (*tones.TRIGGERS, "")}
    assert colours.keys() == wanted and len(set(colours.values())) == len(wanted)
