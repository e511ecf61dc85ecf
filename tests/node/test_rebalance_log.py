"""The line of a rebalance: one for each, whenever the assignment comes, and none twice."""

from dataclasses import replace
from typing import Any

import pytest

from groups.core.group import JournalEntry
from groups.core.journal import EntryKind
from groups.runtime import rebalance_log
from groups.runtime.rebalance_log import WAIT_S, WAITING_MAX, RebalanceLog
from groups.store.apply import Write
from tests.factories import decision, durable

Line = tuple[str, str, int | None]


class Clock:
    """Seconds that pass when a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[Line]:
    """What was said: the text, the group, and what moved."""
    lines: list[Line] = []

    def say(what: str, fields: dict[str, Any]) -> None:
        lines.append((what, fields["group"], fields.get("moved")))

    monkeypatch.setattr(rebalance_log, "say", say)
    return lines


def wrote(group_id: str, kind: EntryKind, **details: int) -> Write:
    """A decision with one entry."""
    after = durable(group_id)
    return Write(after, replace(decision(after), journal=(JournalEntry(kind, details=details),)))


def test_a_line_waits_for_the_assignment(said: list[Line]) -> None:
    log = RebalanceLog(Clock())
    log.read(wrote("g", EntryKind.REBALANCE_COMPLETED))
    log.flush()
    assert not said

    log.read(wrote("g", EntryKind.STABLE, moved=4))
    log.read(wrote("g", EntryKind.STABLE, moved=9))  # a later SyncGroup ends no rebalance

    assert said == [("rebalanced", "g", 4)]


def test_a_line_that_knows_its_moves_does_not_wait(said: list[Line]) -> None:
    RebalanceLog(Clock()).read(wrote("g", EntryKind.REBALANCE_COMPLETED, moved=0))

    assert said == [("rebalanced", "g", 0)]


def test_a_hung_leader_delays_no_line(said: list[Line]) -> None:
    clock = Clock()
    log = RebalanceLog(clock)
    log.read(wrote("g", EntryKind.REBALANCE_COMPLETED))
    clock.now += WAIT_S
    log.flush()
    assert said == [("rebalanced", "g", None)]

    log.read(wrote("h", EntryKind.REBALANCE_COMPLETED))
    log.read(wrote("h", EntryKind.REBALANCE_COMPLETED))
    log.read(wrote("h", EntryKind.EMPTIED))
    assert said[1:] == [("rebalanced", "h", None)] * 2 + [("the group is empty", "h", None)]


def test_the_number_of_waiting_lines_is_limited(said: list[Line]) -> None:
    log = RebalanceLog(Clock())
    for n in range(WAITING_MAX + 5):
        log.read(wrote(f"g-{n}", EntryKind.REBALANCE_COMPLETED))
    log.flush()

    assert [group_id for _, group_id, _ in said] == [f"g-{n}" for n in range(5)]
