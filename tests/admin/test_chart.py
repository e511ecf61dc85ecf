"""The bars of a report, from rows to places on a drawing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.admin.chart import LABEL_WIDTH, TICKS_MAX, WIDTH, Cost, draw, shortened

rows = st.lists(
    st.builds(
        Cost,
        st.sampled_from(["a", "b", "c & d"]),
        st.sampled_from([f"trigger-{n}" for n in range(12)]),
        st.integers(0, 10**10),
    ),
    max_size=30,
)


def test_empty_data_draws_nothing() -> None:
    assert draw([]) is None
    assert draw([Cost("a", "member-left", 0)]) is None


def test_the_longest_comes_first() -> None:
    chart = draw([Cost("a", "x", 1), Cost("b", "x", 3), Cost("c", "x", 2)])

    assert chart is not None
    assert [bar.group_id for bar in chart.bars] == ["b", "c", "a"]


def test_the_costliest_trigger_comes_first_and_each_has_its_own_colour() -> None:
    chart = draw([Cost("a", "member-left", 5), Cost("b", "session-expired", 9)])

    assert chart is not None
    assert chart.legend == [
        ("rc-trigger-session-expired", "session expired"),
        ("rc-trigger-member-left", "member left"),
    ]


@pytest.mark.parametrize(
    ("longest", "labels"),
    [
        (4_000, ["0", "1 s", "2 s", "3 s", "4 s"]),
        (90_000, ["0", "15 s", "30 s", "45 s", "1 min", "1 min 15 s", "1 min 30 s"]),
        (90, ["0"]),
    ],
)
def test_the_axis_has_round_numbers(longest: int, labels: list[str]) -> None:
    chart = draw([Cost("a", "x", longest)])

    assert chart is not None
    assert [tick.label for tick in chart.ticks] == labels


@given(rows)
def test_everything_drawn_is_on_the_drawing(costs: list[Cost]) -> None:
    chart = draw(costs)

    assert (chart is None) == (not any(cost.without_owner_ms for cost in costs))
    if chart is None:
        return
    for bar in chart.bars:
        assert 0 <= bar.y < chart.floor
        for part in bar.parts:
            assert part.x >= LABEL_WIDTH
            assert part.x + part.width <= WIDTH
            assert part.colour.startswith("rc-trigger-")
    assert len(chart.ticks) <= TICKS_MAX + 1
    assert all(LABEL_WIDTH <= tick.x <= WIDTH for tick in chart.ticks)


def test_a_long_name_keeps_its_beginning_and_its_end() -> None:
    short = shortened("payments-settlement-worker-group-eu-central-1")

    assert short.startswith("payments")
    assert short.endswith("central-1")
    assert len(short) <= 30
    assert shortened("orders") == "orders"
