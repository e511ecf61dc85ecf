"""``rollcall journal tail -f``: each entry is told once, however late its transaction ends."""

import pytest

from rollcall.cli import journal
from rollcall.cli.journal import LATE_S, LATEST_S, Known


class Clock:
    """Seconds that a test sets forward."""

    now = 1_000.0

    def monotonic(self) -> float:
        """As ``time`` has it."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    ours = Clock()
    monkeypatch.setattr(journal, "time", ours)
    return ours


def looked(known: Known, late_s: float, there: range, *but: int) -> list[int]:
    """What a look tells of these numbers."""
    after = known.settled(late_s)
    return [seq for seq in there if seq > after and seq not in but and known.is_new(seq)]


@pytest.mark.parametrize(
    ("s", "late_s"), [(LATE_S - 1, LATE_S), (60.0, LATEST_S), (LATEST_S - 1, LATEST_S)]
)
def test_an_entry_whose_transaction_ends_late_is_told_once(
    clock: Clock, s: float, late_s: float
) -> None:
    """Number 7 is given, and becomes visible ``s`` seconds later, behind fifty greater ones."""
    known = Known(set(), [(float("-inf"), 0), (clock.now, 5)])
    told = looked(known, LATE_S, range(1, 9), 7)
    for newest in range(9, 50):
        clock.now += s / 41
        told += looked(known, LATE_S, range(1, newest), 7)
    assert 7 not in told and len(told) == len(set(told))
    assert looked(known, late_s, range(1, 50))[:1] == [7]
    assert looked(known, late_s, range(1, 50)) == []


def test_what_is_known_does_not_grow_without_end(clock: Clock) -> None:
    known = Known(set(), [(float("-inf"), 0), (clock.now, 0)])
    for newest in range(1, 2_000):
        clock.now += 1
        assert looked(known, LATE_S, range(max(1, newest - 300), newest + 1)) == [newest]
    assert len(known.told) < 2 * LATEST_S and len(known.greatest) < 2 * LATEST_S
