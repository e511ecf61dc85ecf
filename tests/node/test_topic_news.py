"""How often all groups with held heartbeats are compared with the catalogue."""

import pytest

from groups.topics.topic_news import PAUSE_S, SHARE, pause_s


def test_comparisons_take_at_most_a_tenth_of_the_time() -> None:
    assert pause_s(0.001) == PAUSE_S
    for took_s in (0.1, 1.0, 10.0):
        assert took_s / (took_s + pause_s(took_s)) == pytest.approx(SHARE)
