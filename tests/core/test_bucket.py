"""The token bucket: no caller is refused, and over time the rate is kept."""

from hypothesis import given
from hypothesis import strategies as st

from groups.core.token_bucket import THROTTLE_MS_MAX, Bucket


def test_a_burst_of_one_second_is_not_throttled() -> None:
    bucket = Bucket.full(5, now=0)

    assert [bucket.take(0) for _ in range(5)] == [0] * 5
    assert bucket.take(0) == 200


def test_a_caller_that_waits_as_told_gets_the_same_delay_again() -> None:
    bucket = Bucket.full(4, now=0)
    for _ in range(4):
        bucket.take(0)

    now, pauses = 0, []
    for _ in range(5):
        pauses.append(bucket.take(now))
        now += pauses[-1]

    assert pauses == [250] * 5


def test_a_throttle_is_shorter_than_a_session() -> None:
    bucket = Bucket.full(1, now=0)

    assert max(bucket.take(0) for _ in range(1_000)) == THROTTLE_MS_MAX
    assert bucket.take(THROTTLE_MS_MAX + 1_000) == 0


def test_a_clock_that_stops_or_goes_back_adds_no_tokens() -> None:
    bucket = Bucket.full(1, now=1_000)
    bucket.take(1_000)

    assert bucket.take(500) == 1_000
    assert bucket.take(1_000) == 1_000


@given(st.integers(1, 200), st.lists(st.integers(0, 50), min_size=50, max_size=300))
def test_one_caller_that_waits_keeps_the_rate(per_second: int, thinking: list[int]) -> None:
    bucket, now = Bucket.full(per_second, now=0), 0
    for pause in thinking:
        now += bucket.take(now) + pause

    assert len(thinking) <= per_second + per_second * now / 1_000 + 1
