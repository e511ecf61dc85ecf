"""Lives in which operators drain nodes and nothing else goes wrong: members notice nothing."""

from collections.abc import Iterator, Sequence
from typing import Any, Final
from unittest.mock import patch

import pytest

from proof.saboteurs import at_work
from proof.simulation.cluster import Run
from proof.simulation.run import Outcome, simulate

SEEDS: Final = range(4)
SETTLED_MS: Final = 14_000
"""After this all members have joined: none of what follows is theirs."""

UNSERVED_MS: Final = 50
"""How long a slot that is handed over may have no owner: the bell, a look and a claim."""


def drained(seed: int) -> Outcome:
    return simulate(seed, faults=["operator-drain"], keeps_history=True)


def unserved(history: Sequence[Any]) -> Iterator[float]:
    """For how many milliseconds each slot had no owner, whenever it was handed over."""
    free: dict[int, float] = {}
    for record in history:
        if record["type"] == "row" and record["table"] == "slot":
            if record["node"] is None:
                free.setdefault(record["slot"], record["at"])
            elif record["slot"] in free:
                yield record["at"] - free.pop(record["slot"])
    assert not free, "a slot was never taken"


def rebalances(history: Sequence[Any]) -> list[Any]:
    """Members that are removed, and generations that come when all have long joined."""
    known: dict[str, int] = {}
    found = []
    for record in history:
        if record["type"] != "row":
            continue
        if record["table"] == "removed":
            found.append(record)
        if record["table"] == "group":
            before = known.get(record["group"], record["generation"])
            known[record["group"]] = record["generation"]
            if record["at"] > SETTLED_MS and record["generation"] != before:
                found.append(record)
    return found


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.long if seed else ()) for seed in SEEDS]
)
def test_a_drain_causes_no_rebalance(seed: int) -> None:
    """No slot is without a node for longer than its hand-over takes; I11 holds in the end."""
    outcome = drained(seed)
    assert outcome.violations == []
    assert outcome.records["seen drained"] > 1 and outcome.records["seen undrained"] > 1
    gaps = list(unserved(outcome.history))
    assert gaps or outcome.records["row slot"] < 10, "nothing was handed over"
    assert max(gaps, default=0) <= UNSERVED_MS
    assert rebalances(outcome.history) == []


@pytest.mark.long
def test_a_lost_notification_is_detected() -> None:
    with patch.object(Run, "_rung", staticmethod(lambda _node: None)):
        assert max(unserved(drained(0).history)) > UNSERVED_MS


@pytest.mark.long
def test_sessions_that_are_not_restarted_are_detected() -> None:
    with at_work("outages-count"):
        assert any(rebalances(drained(seed).history) for seed in SEEDS)
