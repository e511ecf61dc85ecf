"""What clients use of this node, and how long a client over its quota pauses (docs/quotas.md).

As in Kafka (KIP-13, KIP-124, KIP-219): a request is served at once, with the pause in
``throttle_time_ms``; the connection is not read meanwhile. Each node counts by itself. While there
are no quotas nothing here is called.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from groups.clients.quotas import Quotas
from groups.core.networks import network_of
from groups.core.quotas.entities import (
    ANSWER_BYTES,
    CONNECTIONS,
    MUTATIONS,
    REQUEST_BYTES,
    REQUEST_TIME,
)
from groups.core.quotas.index import Quota, Scope
from groups.node import Node
from protocol.limits.rates import MS_PER_S, Bucket, Rate, Windows
from protocol.requests.session import Session

NS_PER_PERCENT: Final = 10_000_000
"""Nanoseconds in a percent of a second."""

SESSION_SHARE: Final = 3
"""A pause is at most this part of the shortest session that a member may have: two pauses fit
between heartbeats."""

FAMILY: Final = "User:"

CLIENT_ID_CHARS_MAX: Final = 1_024
"""Maximum length of a client id; longer ones are cut. No longer name can have a quota."""

Limits = Mapping[str, Quota]
"""A client's quotas by key."""

NO_LIMITS: Final[Limits] = {}


class Times(NamedTuple):
    """How use is counted: windows for requests and for changes of the catalogue; the longest
    pause."""

    requests: Windows
    mutations: Windows
    pause_ms_max: int


class Metering:
    """A node's counts. ``now`` is in milliseconds. ``paused`` and ``pauses`` are for metrics:
    milliseconds and number of pauses, by the quota's entity and key."""

    def __init__(self, quotas: Quotas, times: Times, most: int, now: Callable[[], int]) -> None:
        self.quotas = quotas
        self.times = times
        self.now = now
        self.paused = Counter[tuple[str, str]]()
        self.pauses = Counter[tuple[str, str]]()
        self._most = most
        self._used = OrderedDict[tuple[str, Scope], Rate | Bucket]()
        self._limits: dict[Scope, Limits] = {}
        self._index = quotas.index

    def limits(self, principal: str, client_id: str) -> Limits:
        """The quotas of a client; most clients have none."""
        if self._index is not self.quotas.index or len(self._limits) >= self._most:
            self._limits.clear()
            self._index = self.quotas.index
        client = principal.removeprefix(FAMILY), client_id[:CLIENT_ID_CHARS_MAX]
        found = self._limits.get(client)
        if found is None:
            found = self._limits[client] = self._index.of(*client)
        return found

    def wrote(self, limits: Limits, reply_bytes: int) -> None:
        """Count a response: if it exceeds the quota, the client pauses at its next request."""
        self._count(limits, ANSWER_BYTES, reply_bytes)

    def _count(self, limits: Limits, key: str, amount: float) -> None:
        quota = limits.get(key)
        if quota is not None:
            self._rate(key, quota.scope).add(amount, self.now())

    def pause_ms(self, limits: Limits, request_bytes: int, spent_ns: int) -> int:
        """Count a request that was served; returns how long its client pauses."""
        self._count(limits, REQUEST_BYTES, request_bytes)
        self._count(limits, REQUEST_TIME, spent_ns / NS_PER_PERCENT)
        longest, by = 0, ("", "")
        for key in (REQUEST_BYTES, ANSWER_BYTES, REQUEST_TIME):
            quota = limits.get(key)
            if quota is None:
                continue
            pause = self._rate(key, quota.scope).pause_ms(quota.bound, self.now())
            if pause > longest:
                longest, by = pause, (quota.kind, key)
        return self._count_pause(longest, by) if longest else 0

    def mutations(self, limits: Limits, *, is_strict: bool) -> "Mutations | None":
        """Counts a request's changes of topics; None if they have no quota."""
        quota = limits.get(MUTATIONS)
        if quota is None:
            return None
        bucket = self._kept((MUTATIONS, quota.scope), lambda: Bucket(self.times.mutations))
        assert isinstance(bucket, Bucket)
        return Mutations(self, quota, bucket, is_strict)

    def connection_pause_ms(self, address: str) -> int:
        """0 if a connection from this address is allowed; otherwise it is closed after this time,
        and not counted."""
        bound = self.quotas.index.connections(address)
        if bound is None:
            return 0
        rate, now = self._rate(CONNECTIONS, (network_of(address), "")), self.now()
        rate.add(1, now)
        pause = rate.pause_ms(bound, now)
        if not pause:
            return 0
        rate.add(-1, now)
        return self._count_pause(pause, ("ip", CONNECTIONS))

    def _rate(self, key: str, scope: Scope) -> Rate:
        found = self._kept((key, scope), lambda: Rate(self.times.requests))
        assert isinstance(found, Rate)
        return found

    def _kept(self, at: tuple[str, Scope], make: Callable[[], Rate | Bucket]) -> Rate | Bucket:
        used = self._used
        found = used.get(at)
        if found is None:
            found = used[at] = make()
            if len(used) > self._most:
                used.popitem(last=False)
        else:
            used.move_to_end(at)
        return found

    def _count_pause(self, wanted_ms: int, by: tuple[str, str]) -> int:
        pause_ms = min(wanted_ms, self.times.pause_ms_max)
        self.paused[by] += pause_ms
        self.pauses[by] += 1
        return pause_ms


class ClientMeter:
    """Whether the clients of one connection have quotas. The fast paths count nothing, so requests
    of such clients go to the queue. An answer holds while ``quotas`` has the same index."""

    __slots__ = ("_metering", "_session", "quotas")

    def __init__(self, metering: Metering, session: Session) -> None:
        self.quotas = metering.quotas
        self._metering = metering
        self._session = session

    def counts(self, client_id: str | None) -> bool:
        """Whether the client has a quota."""
        return self.quotas.of_clients and bool(
            self._metering.limits(self._session.principal, client_id or "")
        )


class Mutations:
    """One request's changes of topics, in partitions (KIP-599). ``is_strict``: clients of its
    version know that it may be refused; others are served, and pause."""

    def __init__(self, metering: Metering, quota: Quota, bucket: Bucket, is_strict: bool) -> None:
        self._metering = metering
        self._quota = quota
        self._bucket = bucket
        self._is_strict = is_strict
        self.wait_ms = 0
        """Time until there is no debt, when last computed; not limited, since nothing waits for
        it."""

    def take(self, partitions: int) -> bool:
        """Whether this many may be created or deleted; if so, they are counted."""
        now, bound = self._metering.now(), self._quota.bound
        wait_ms = self._bucket.pause_ms(bound, now)
        if wait_ms and self._is_strict:
            self.wait_ms = wait_ms
            return False
        self._bucket.take(partitions, bound, now)
        if not self._is_strict:
            self.wait_ms = self._bucket.pause_ms(bound, now)
        return True

    def pause_ms(self) -> int:
        """How long the connection pauses for it."""
        if not self.wait_ms:
            return 0
        return self._metering._count_pause(self.wait_ms, (self._quota.kind, MUTATIONS))


def metering(node: Node, now: Callable[[], int]) -> Metering:
    """The metering of a node, by its settings."""
    settings = node.settings
    length_ms = settings.quota_window_size_seconds * MS_PER_S
    session_ms = min(
        settings.group_min_session_timeout_ms,
        settings.consumer_min_session_timeout_ms,
        settings.group_consumer_min_session_timeout_ms,
    )
    times = Times(
        Windows(settings.quota_window_num, length_ms),
        Windows(
            settings.controller_quota_window_num,
            settings.controller_quota_window_size_seconds * MS_PER_S,
        ),
        max(1, min(length_ms, session_ms // SESSION_SHARE)),
    )
    return Metering(node.quotas, times, settings.client_quotas_metered_max, now)
