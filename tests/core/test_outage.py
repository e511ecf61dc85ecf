"""Outages of a node, from readings of its figures."""

from typing import Any

from groups.core.journal import Trigger
from groups.core.outage import CALM_MS, Outage, Reading, Watch

GOOD = Reading(now=10_000, holds_lease=True, heard_until=10_000, stalls=3, refused=7, removed=2)


def after(ms: int, **over: int | bool) -> Reading:
    values: dict[str, Any] = {"now": GOOD.now + ms, "heard_until": GOOD.now + ms, **over}
    return GOOD._replace(**values)


def played(*readings: Reading) -> list[Outage]:
    watch, found = Watch(GOOD), []
    for reading in readings:
        watch, over = watch.look(reading)
        found += [] if over is None else [over]
    return found


def lost(ms: int) -> Reading:
    return after(ms, holds_lease=False, heard_until=GOOD.now + 200)


def test_nothing_is_wrong_with_a_node_that_serves() -> None:
    assert played(*(after(500 * n, refused=7 + n) for n in range(20))) == []


def test_an_outage_lasts_from_the_last_that_was_heard_until_the_lease_holds() -> None:
    end = after(9_000 + CALM_MS, extended_ms=8_800, refused=2_317, removed=2)
    assert played(lost(500), lost(5_000), lost(9_000), after(9_500), end) == [
        Outage(Trigger.DATABASE_AWAY, 10_200, 19_000, 8_800, 2_310, 0)
    ]


def test_it_is_told_once_and_the_next_one_has_figures_of_its_own() -> None:
    first = after(3_000 + CALM_MS, extended_ms=2_800, refused=10)
    second = [after(20_000, holds_lease=False, heard_until=29_900, extended_ms=2_800, refused=10)]
    end = after(20_500 + CALM_MS, extended_ms=3_000, refused=11)
    found = played(lost(3_000), first, after(6_000, extended_ms=2_800, refused=10), *second, end)
    assert [(one.extended_ms, one.refused) for one in found] == [(2_800, 3), (200, 1)]


def test_troubles_that_repeat_are_one_outage() -> None:
    flapping = [
        reading for n in range(1, 9) for reading in (lost(1_000 * n), after(1_000 * n + 500))
    ]
    assert [one.until - one.since for one in played(*flapping, after(12_000))] == [7_800]


def test_a_loop_that_stood_still_is_an_outage_of_that_length() -> None:
    found = played(
        after(4_000, stalls=4, extended_ms=3_600), after(7_000, stalls=4, extended_ms=3_600)
    )
    assert found == [Outage(Trigger.LOOP_STALLED, 10_400, 14_000, 3_600, 0, 0)]


def test_its_end_is_known_although_nobody_looked_then() -> None:
    end = after(600 + CALM_MS, extended_ms=315)
    assert played(lost(250), after(600, extended_ms=315), end)[0][1:3] == (10_200, 10_515)


def test_an_outage_that_is_on_is_not_told_yet() -> None:
    assert played(lost(500), lost(60_000), after(60_500)) == []
