"""A run of chaos knows when it stood still itself, and members wait as stock clients do."""

import asyncio
import time
from random import Random

import pytest

from proof.chaos.lateness import LATE_S, lateness
from proof.chaos.network import JITTER, RETRY_MAX_S, Backoff
from proof.chaos.record import Record, now


async def test_a_blocked_event_loop_is_recorded() -> None:
    record = Record()
    async with lateness(record):
        await asyncio.sleep(0)  # it begins to look
        begun = now()
        time.sleep(2 * LATE_S)  # noqa: ASYNC251  (nothing runs meanwhile: that is the case)
        while not record.calls:
            await asyncio.sleep(0)

    late = record.calls[0]
    assert late["type"] == "late" and late["at"] == late["since"] <= begun * 1000
    assert LATE_S < record.late_s == pytest.approx((late["until"] - late["since"]) / 1000)


def test_an_unanswered_prober_backs_off() -> None:
    backoff = Backoff(Random(1))
    waits = [backoff.next_s() for _ in range(6)]
    expected = [0.1, 0.2, 0.4, 0.8, RETRY_MAX_S, RETRY_MAX_S]
    assert waits == [pytest.approx(each, rel=JITTER) for each in expected]

    backoff.worked()
    assert backoff.next_s() == pytest.approx(0.1, rel=JITTER)
