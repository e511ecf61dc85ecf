"""Budgets shared by unauthenticated clients: one address uses up its own part only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.people import shares
from console.people.shares import Shares
from groups.core.networks import network_of


def test_one_address_uses_up_its_own_share_only() -> None:
    budget = Shares(of_one=5, of_all=20)

    assert sum(budget.take("192.0.2.1", 0) for _ in range(1_000)) == 5
    assert budget.take("192.0.2.2", 0)


def test_the_total_is_bounded() -> None:
    budget = Shares(of_one=5, of_all=20)
    assert sum(budget.take(f"192.0.2.{n}", 0) for n in range(100)) == 20


def test_a_persistent_caller_gets_its_share_and_delays_nobody() -> None:
    """One more each 200 ms, however often it asked in between."""
    budget = Shares(of_one=5, of_all=20)
    for _ in range(5):
        budget.take("a", 0)

    taken = [ms for ms in range(0, 1_000, 10) if budget.take("a", ms)]

    assert taken == [200, 400, 600, 800]
    assert budget.take("b", 1_000)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 300)), max_size=200))
def test_nobody_exceeds_their_rate(asked: list[tuple[str, int]]) -> None:
    budget, now = Shares(of_one=3, of_all=5), 0
    taken = []
    for whose, later in asked:
        now += later
        if budget.take(whose, now):
            taken.append(whose)

    assert len(taken) <= 5 + now * 5 / 1_000
    assert all(taken.count(whose) <= 3 + now * 3 / 1_000 for whose in "abc")


def test_the_number_of_counted_addresses_is_limited_and_the_total_still_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shares, "KNOWN_MAX", 2)
    budget = Shares(of_one=1, of_all=4)
    assert sum(budget.take(str(n % 3), 0) for n in range(30)) == 4


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9%eth0", "2001:db8:1:2::/64"),
        ("", ""),
        ("testclient", "testclient"),
    ],
)
def test_addresses_of_one_network_share_one_budget(address: str, network: str) -> None:
    assert network_of(address) == network
