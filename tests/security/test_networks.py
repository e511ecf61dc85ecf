"""Whoever has one IPv6 address has all of its network of 64 bits: every limit by address, of the
Kafka port and of the web, counts them as one. A new limit by address belongs here."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from types import SimpleNamespace
from typing import Any, Final

import pytest
from django.test import RequestFactory

from console.people import audit, openid_client
from console.people.shares import Shares
from groups.clients import wire_audit
from groups.clients.wire_audit import FAILURES_OF_ONE_MAX
from groups.core.quotas.index import QuotaIndex
from protocol.authentication.lockouts import Lockouts
from protocol.limits.budgets import Admission
from protocol.limits.metering import Metering, Times
from protocol.limits.rates import Windows
from web.forwarded import counted_address

ADDRESSES: Final = 5_000
PER_ADDRESS: Final = 3

Admits = Callable[[str], bool]


def network(prefix: str = "2001:db8:1:2") -> list[str]:
    """Addresses of one network, from its beginning to its end."""
    return [f"{prefix}:{n:x}::{n * 13:x}" for n in range(1, ADDRESSES + 1)]


@dataclass(eq=False)
class Visitor:
    """A connection as the limit on connections sees it."""

    peer: str
    has_spoken: bool = True

    def abort(self) -> None:
        """It has spoken, and is not closed for another."""


def connections() -> Admits:
    door = Admission(ADDRESSES, per_address=PER_ADDRESS, per_second=ADDRESSES, now=0)
    return lambda at: door.enter(Visitor(at), 0) is not None


def connection_quota(of: str | None = None) -> Admits:
    index = QuotaIndex({(("ip", of),): {"connection_creation_rate": float(PER_ADDRESS)}})
    windows = Windows(2, 500)
    times = Times(windows, windows, 1_000)
    found: Any = SimpleNamespace(index=index)
    meter = Metering(found, times, ADDRESSES, lambda: 10_000)
    return lambda at: not meter.connection_pause_ms(at)


def connection_quota_of_an_address() -> Admits:
    return connection_quota("2001:db8:1:2::77")


def lockouts_of_the_web() -> Admits:
    locks, request = Lockouts(PER_ADDRESS, 60_000), RequestFactory().get("/")

    def admits(at: str) -> bool:
        request.META["REMOTE_ADDR"] = at
        who = ("ann", counted_address(request) or "")
        is_locked = locks.is_locked(who, 0)
        locks.failed(who, 0)
        return not is_locked

    return admits


def shares() -> Admits:
    shared = Shares(PER_ADDRESS, ADDRESSES)
    return lambda at: shared.take(at, 0)


def audited_failures() -> Admits:
    told, by = wire_audit.WireAudit(lambda: None), count()  # type: ignore[arg-type,return-value]
    left = FAILURES_OF_ONE_MAX - PER_ADDRESS

    def admits(at: str) -> bool:
        login: Any = SimpleNamespace(by=SimpleNamespace(client_host=f"/{at}"))
        while next(by) < left:
            told._may_list(login)
        return told._may_list(login)

    return admits


LIMITS: Final = (
    connections,
    connection_quota,
    connection_quota_of_an_address,
    lockouts_of_the_web,
    shares,
    audited_failures,
)


@pytest.mark.parametrize("limit", LIMITS)
def test_the_addresses_of_a_network_have_the_limit_of_one(limit: Callable[[], Admits]) -> None:
    admits = limit()
    assert sum(map(admits, network())) <= PER_ADDRESS
    assert not admits("2001:DB8:1:2:0:0:0:FFFF") and not admits("2001:db8:1:2::9%eth0")


@pytest.mark.parametrize("limit", LIMITS)
def test_another_network_and_ipv4_have_their_own(limit: Callable[[], Admits]) -> None:
    admits = limit()
    for at in network()[:100]:
        admits(at)
    assert admits("2001:db8:1:3::1") and admits("10.0.0.1")


def test_budgets_of_requests_are_shares() -> None:
    """Which count networks (above)."""
    for budget in (audit._refusals, audit._lockouts, openid_client._attempts):
        assert isinstance(budget, Shares)


def test_connections_that_end_give_their_places_back() -> None:
    door = Admission(100, per_address=2, per_second=1_000, now=0)
    first, second, third, fourth = map(Visitor, network()[:4])
    assert [door.enter(each, 0) for each in (first, second, third)] == [0, 0, None]
    door.leave(second)
    assert door.enter(third, 0) == 0 and door.enter(fourth, 0) is None
    door.leave(first)
    door.leave(third)
    assert not door._by_address
