"""docs/rebalances.md says what the code's tables say, and the rules do what the tables say."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from groups.core.classic import states
from groups.core.classic.live import Cause, JoinPhase, Window
from groups.core.journal import Trigger
from tests.core.conversation import Conversation

PAGE = Path(__file__).parents[2] / "docs" / "rebalances.md"

TO_STABLE = (
    "rules max=9",
    "join a instance=i1 protocols=x,y rebalance=20s session=10s",
    "join b v=3 protocols=y,x rebalance=20s session=10s",
    "join c instance=i3 protocols=x rebalance=20s session=10s",
    "wait",
    "sync a",
)
"""Three members; b and c have not fetched their assignment, so that their sync can expire."""

EVENTS: dict[str, tuple[str, ...]] = {
    Trigger.MEMBER_JOINED: ("join d v=3 protocols=x",),
    Trigger.LEADER_REJOINED: ("join a",),
    Trigger.METADATA_CHANGED: ("join b topics=payments",),
    Trigger.MEMBER_REPLACED: ("join c id=new protocols=x,y", "join a id=new protocols=y,x"),
    Trigger.MEMBER_LEFT: ("leave b",),
    Trigger.SESSION_EXPIRED: ("tick 10s",),
    Trigger.SYNC_EXPIRED: (
        "tick 9s", "heartbeat a", "heartbeat b", "heartbeat c",
        "tick 9s", "heartbeat a", "heartbeat b", "heartbeat c", "tick 2s",
    ),
    Trigger.OPERATOR: ("force",),
    Trigger.MEMBER_REFUSED: ("rules bytes=200", f"join b topics={'x' * 200}"),
    Trigger.GROUP_OVERSIZED: ("rules max=2", "failover"),
}  # fmt: skip

SETTLED = {states.STABLE: len(TO_STABLE), states.COMPLETING: len(TO_STABLE) - 1}


def rows(heading: str) -> dict[str, list[str]]:
    """The table under a heading: first column to the others."""
    section = PAGE.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][1:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {first: rest for first, *rest in cells}


def names(cell: str) -> set[str]:
    return set(re.findall(r"\w+", cell)) - {"-"}


def test_the_page_documents_every_transition() -> None:
    documented = {state: names(cells[0]) for state, cells in rows("The states").items()}
    assert documented == states.TRANSITIONS


def test_the_page_documents_every_trigger() -> None:
    documented = rows("What starts a rebalance")
    assert {trigger: names(cells[0]) for trigger, cells in documented.items()} == {
        trigger: start.states for trigger, start in states.REBALANCES.items()
    }
    assert {trigger: cells[1] for trigger, cells in documented.items()} == {
        trigger: start.meaning for trigger, start in states.REBALANCES.items()
    }


@pytest.mark.parametrize("trigger", states.REBALANCES)
@pytest.mark.parametrize("state", SETTLED)
def test_a_rebalance_starts_from_the_states_in_the_table(trigger: str, state: str) -> None:
    conversation = Conversation()
    for command in TO_STABLE[: SETTLED[state]]:
        conversation.say(command)
    assert conversation.group.durable.group.state == state
    heard = len(conversation.journal)
    for command in EVENTS[trigger]:
        conversation.say(command)
    started = [e.trigger for e in conversation.journal[heard:] if e.kind == "rebalance-started"]
    expected = state in states.REBALANCES[trigger].states
    assert (trigger in started) is expected
    if expected:
        assert started[0] == trigger, "something else started it first"


@pytest.mark.parametrize("trigger", set(states.REBALANCES) - {Trigger.GROUP_OVERSIZED})
def test_nothing_starts_a_second_rebalance(trigger: str) -> None:
    conversation = Conversation()
    for command in (*TO_STABLE, "join d v=3 protocols=x rebalance=60s"):
        conversation.say(command)
    heard = len(conversation.journal)
    for command in EVENTS[trigger]:
        conversation.say(command)
        if conversation.group.durable.group.state != states.PREPARING:
            break
    assert "rebalance-started" not in [entry.kind for entry in conversation.journal[heard:]]


def test_an_empty_group_is_only_woken_by_a_new_member() -> None:
    woken = {
        trigger for trigger, start in states.REBALANCES.items() if states.EMPTY in start.states
    }
    assert woken == {Trigger.MEMBER_JOINED}


def test_a_quiet_window_shortens_a_join_phase_and_never_extends_it() -> None:
    window = Window(remaining_ms=0, grew=False, last_join=1_000)
    phase = JoinPhase(Cause("t", "r"), 500, 600, 3_000, window)
    assert [phase.deadline(quiet, False) for quiet in (0, 1, 500, 9_000)] == [
        3_600, 1_001, 1_500, 3_600,
    ]  # fmt: skip
    assert phase.deadline(1, True) == 3_600, "somebody has an id, and is on its way"
    assert replace(phase, window=None).deadline(1, False) == 3_600
