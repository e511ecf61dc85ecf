"""The bars of a report, from rows to places on a drawing."""

from hypothesis import given
from hypothesis import strategies as st

from console.admin.chart import Cost, draw

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


@given(rows)
def test_bars_are_as_long_as_their_groups_figures(costs: list[Cost]) -> None:
    chart = draw(costs)

    assert (chart is None) == (not any(cost.without_owner_ms for cost in costs))
    if chart is None:
        return
    assert chart.bars[0].percent == 100
    for bar in chart.bars:
        own = [cost for cost in costs if cost.group_id == bar.group_id]
        assert sum(part.ms for part in bar.parts) == sum(cost.without_owner_ms for cost in own)
        assert 0 <= bar.percent <= 100
        assert all(part.ms > 0 and part.colour.startswith("rc-trigger-") for part in bar.parts)
