"""Positions in the journal: a reader that reconnects gets each entry once, late ones too."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.queries.journal_position import GAPS_MAX, LATEST_S, Position

ODD = ("", "-1", "1~", "~1", "1~2", "5~3-2", "9~3,3", "9~4,3", "9" * 20, "١", "1~1-1-1", "1\n", "x")


@given(st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 40))
def test_entries_in_any_order_are_sent_once(seed: int, entries: int, late: int) -> None:
    rng = Random(seed)
    order = sorted(range(1, entries + 1), key=lambda seq: seq + rng.uniform(0, late))
    position, told = Position(), []
    for came in range(len(order)):
        if rng.random() < 0.3:  # the client comes back, to whichever process
            position = Position.read(position.text(), float(came))
        for seq in rng.sample(order[: came + 1], came + 1):  # what a look finds, again and again
            if position.note(seq, 0.0):
                told.append(seq)

    assert sorted(told) == list(range(1, entries + 1))


def test_the_event_id_covers_late_entries() -> None:
    position = Position.behind([5, 8, 9], 0.0)
    assert position.text() == "9~6-7"

    assert position.note(12, 0.0) and position.note(7, 0.0)
    assert position.text() == "12~6,10-11"
    again = Position.read(position.text(), 100.0)

    assert [again.note(seq, 100.0) for seq in (5, 6, 7, 9, 10, 11, 12, 13)] == [
        *(False, True, False, False, True, True, False, True)
    ]
    assert again.text() == "13"


def test_gaps_are_waited_for_within_limits_of_time_and_number() -> None:
    position = Position.behind([1, 3], 0.0)
    position.forget(LATEST_S - 1)
    assert position.text() == "3~2"
    position.forget(LATEST_S)
    assert position.text() == "3"

    for seq in range(5, 1_000, 2):
        position.note(seq, 0.0)
    assert len(position.gaps) == GAPS_MAX
    assert Position.read(position.text(), 0.0).text() == position.text()


@pytest.mark.parametrize("text", ODD)
def test_an_invalid_position_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text[:100])}$"):
        Position.read(text, 0.0)


def test_a_gap_is_not_waited_for_any_longer_if_the_clock_was_set_back() -> None:
    position = Position(1)
    position.note(3, 10_000.0)
    position.forget(100.0)
    position.forget(100.0 + LATEST_S)

    assert not position.gaps
