"""What Apache Kafka answered in random scenarios, Rollcall answers as well.

The answers were written by ``python -m tests.differential --record``. Scenarios have groups and
topics of their own, so all of a kind are played at once, against a server in this process.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.differential import recorded
from tests.differential.accepted import TABLE, judge_of
from tests.differential.kafka import OURS, SAME
from tests.differential.kinds import KINDS
from tests.differential.plays import Outcome, replay
from tests.in_process import prepare
from tests.server.serving import Serving, serving

AT_ONCE = 24
"""Scenarios that are played at the same time: their commits share transactions."""


@pytest.fixture
def _prepared(database_url: str, settings: Any) -> None:
    """The settings that Kafka had."""
    prepare(database_url, settings)
    for name, value in {**SAME, **OURS}.items():
        known = name.upper().replace(".", "_")
        kind = type(getattr(settings, known))
        setattr(settings, known, value == "true" if kind is bool else kind(value))


@pytest_asyncio.fixture
async def served(_prepared: None) -> AsyncIterator[Serving]:
    """A server that owns every slot."""
    async with serving() as started:
        yield started


def parked(served: Serving, group_id: str) -> int:
    """The group's requests that have no answer yet and are decided as far as they can be."""
    entry = served.node.coordinator.entries.get(group_id)
    if entry is None or entry.busy or entry.inbox:
        return -1
    return len(entry.parked)


STEP = 10
"""Every tenth scenario stands for all in ``make test``."""


@pytest.mark.asyncio
@pytest.mark.parametrize("step", [STEP, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", KINDS)
async def test_rollcall_answers_as_kafka_did(served: Serving, kind: str, step: int) -> None:
    room = asyncio.Semaphore(AT_ONCE)

    async def played(seed: int, lines: recorded.Lines) -> Outcome:
        async with room:
            play = KINDS[kind](f"-{kind[0]}{seed}-")
            play.is_live = False
            play.parked = lambda group_id: parked(served, group_id)
            try:
                await play.open(served.address)
                return await replay(play, lines, judge_of(kind))
            finally:
                await play.close()

    scenarios = dict(list(recorded.read(kind).items())[::step])
    assert scenarios
    outcomes = await asyncio.gather(*(played(s, lines) for s, lines in scenarios.items()))
    parted = [
        f"{kind} {s}: {o.parted}" for s, o in zip(scenarios, outcomes, strict=True) if o.parted
    ]
    assert not parted, "\n".join(parted)
    played_to_the_end = [len(o.lines) for o in outcomes]
    assert played_to_the_end == [len(lines) for lines in scenarios.values()]


def test_every_accepted_difference_is_of_a_played_kind() -> None:
    for row in TABLE:
        assert set(row.kinds) <= KINDS.keys() and row.reason, row.name
