"""The rounds of random lives: each rebalance that the journal explains is one, with the same causes
and waits, and nothing in it is negative."""

from collections import Counter

import pytest

from groups.core.group import Decision, JournalEntry
from groups.core.journal import EntryKind
from groups.core.rounds import Outcome, Round
from tests.walks import recorded

OF_CLASSIC = {EntryKind.STABLE: Outcome.ASSIGNED, EntryKind.EMPTIED: Outcome.EMPTIED}
OF_OTHERS = {EntryKind.REBALANCE_COMPLETED: Outcome.ASSIGNED, EntryKind.EMPTIED: Outcome.EMPTIED}


def outcome_of(decision: Decision, entry: JournalEntry) -> Outcome | None:
    """How the rebalance ended that this entry ends, if it ends one."""
    if (
        entry.kind is EntryKind.REBALANCE_COMPLETED
        and entry.details.get("joined_count") is not None
    ):
        return None  # a join phase: an assignment has to follow
    ends = OF_OTHERS if entry.kind is EntryKind.REBALANCE_COMPLETED else OF_CLASSIC
    return ends.get(entry.kind)


def ended(decision: Decision) -> list[Round]:
    return [fact for fact in decision.facts if isinstance(fact, Round)]


@pytest.mark.parametrize("kind", recorded.KINDS)
def test_each_rebalance_that_ends_is_a_round(kind: str) -> None:
    seen = Counter[str]()
    for seed in range(recorded.LIVES):
        for _, decision in recorded.lived(kind, seed).written:
            if decision.deleted:
                continue
            found = ended(decision)
            told = [outcome_of(decision, entry) for entry in decision.journal]
            expected = Counter(outcome for outcome in told if outcome is not None)
            outcomes = Counter(one.outcome for one in found)
            seen.update(outcomes)
            del outcomes[Outcome.INTERRUPTED]
            assert outcomes == expected, f"{kind} {seed}"
            for one in found:
                check(one)
    assert seen[Outcome.ASSIGNED] and seen[Outcome.EMPTIED]
    assert seen[Outcome.INTERRUPTED] or kind in ("consumer", "draft", "commanded")


def check(found: Round) -> None:
    """Its causes have all of its time; every wait is within it."""
    assert sum(cause.ms for cause in found.causes) == found.ms or not found.causes
    assert min(found.ms, found.age_ms, *found.idle, found.members, found.moved) >= 0
    assert found.idle.parts == 0 and found.idle.since == 0
    assert all(one.ms > 0 for one in found.awaited())
    if not found.is_partial:
        assert found.causes and all(one.ms <= found.ms for one in found.awaited())
