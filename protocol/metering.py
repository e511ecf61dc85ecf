"""What clients use of this node, and how long who used too much pauses (docs/quotas.md).

As with Kafka (KIP-13, KIP-124, KIP-219): what was asked is done and answered at once, with the
pause in ``throttle_time_ms``; the connection is not read meanwhile. Each node counts by itself.
While nobody has a quota nothing here is asked for anything.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from groups.access.quotas import Quotas
from groups.core.quotas.entities import (
    ANSWER_BYTES,
    CONNECTIONS,
    MUTATIONS,
    REQUEST_BYTES,
    REQUEST_TIME,
)
from groups.core.quotas.index import Quota, Scope
from groups.core.quotas.rates import MS_PER_S, Bucket, Rate, Windows
from groups.node import Node
from protocol.session import Session

NS_PER_PERCENT: Final = 10_000_000
"""Of a second."""

SESSION_SHARE: Final = 3
"""A pause is at most such a part of the shortest session that a member may have: between two
heartbeats there is time for two."""

FAMILY: Final = "User:"

CLIENT_ID_CHARS_MAX: Final = 1_024
"""Of a client id; what follows does not tell clients apart. No longer name can have a quota."""

Limits = Mapping[str, Quota]
"""A client's quotas by key."""

NO_LIMITS: Final[Limits] = {}


class Times(NamedTuple):
    """How use is counted: by requests, by changes of the catalogue; and the longest pause."""

    requests: Windows
    mutations: Windows
    pause_ms_max: int


class Metering:
    """A node's counts. ``now`` is in milliseconds. ``paused`` and ``pauses`` are what metrics tell:
    milliseconds and how often, by what the quota was given to and its key."""

    def __init__(self, quotas: Quotas, times: Times, most: int, now: Callable[[], int]) -> None:
        self.quotas = quotas
        self.times = times
        self.now = now
        self.paused = Counter[tuple[str, str]]()
        self.pauses = Counter[tuple[str, str]]()
        self._most = most
        self._used = OrderedDict[tuple[str, Scope], Rate | Bucket]()
        self._known: dict[Scope, Limits] = {}
        self._index = quotas.index

    def limits(self, principal: str, client_id: str) -> Limits:
        """The quotas of a client; most have none."""
        if self._index is not self.quotas.index or len(self._known) >= self._most:
            self._known.clear()
            self._index = self.quotas.index
        client = principal.removeprefix(FAMILY), client_id[:CLIENT_ID_CHARS_MAX]
        found = self._known.get(client)
        if found is None:
            found = self._known[client] = self._index.of(*client)
        return found

    def wrote(self, limits: Limits, reply_bytes: int) -> None:
        """An answer was written: what it has too much pauses the client at the next one."""
        self._count(limits, ANSWER_BYTES, reply_bytes)

    def _count(self, limits: Limits, key: str, amount: float) -> None:
        quota = limits.get(key)
        if quota is not None:
            self._rate(key, quota.scope).add(amount, self.now())

    def pause_ms(self, limits: Limits, request_bytes: int, spent_ns: int) -> int:
        """A request was served: for how long its client pauses."""
        self._count(limits, REQUEST_BYTES, request_bytes)
        self._count(limits, REQUEST_TIME, spent_ns / NS_PER_PERCENT)
        longest, by = 0, ("", "")
        for key in (REQUEST_BYTES, ANSWER_BYTES, REQUEST_TIME):
            quota = limits.get(key)
            if quota is None:
                continue
            wanted = self._rate(key, quota.scope).pause_ms(quota.bound, self.now())
            if wanted > longest:
                longest, by = wanted, (quota.kind, key)
        return self._told(longest, by) if longest else 0

    def mutations(self, limits: Limits, *, is_strict: bool) -> "Mutations | None":
        """What is asked before topics are changed; None where that is free."""
        quota = limits.get(MUTATIONS)
        if quota is None:
            return None
        made = self._kept((MUTATIONS, quota.scope), lambda: Bucket(self.times.mutations))
        assert isinstance(made, Bucket)
        return Mutations(self, quota, made, is_strict)

    def connection_pause_ms(self, address: str) -> int:
        """A connection came from there: 0 where it may; else it is closed after so long, and does
        not count."""
        bound = self.quotas.index.connections(address)
        if bound is None:
            return 0
        rate, now = self._rate(CONNECTIONS, (address, "")), self.now()
        rate.add(1, now)
        wanted = rate.pause_ms(bound, now)
        if not wanted:
            return 0
        rate.add(-1, now)
        return self._told(wanted, ("ip", CONNECTIONS))

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

    def _told(self, wanted_ms: int, by: tuple[str, str]) -> int:
        pause_ms = min(wanted_ms, self.times.pause_ms_max)
        self.paused[by] += pause_ms
        self.pauses[by] += 1
        return pause_ms


class ClientMeter:
    """Whether the clients of one connection are counted, for the fast paths, which count nothing:
    what they do not take is served, and counted, by the queue."""

    __slots__ = ("_metering", "_session", "quotas")

    def __init__(self, metering: Metering, session: Session) -> None:
        self.quotas = metering.quotas
        self._metering = metering
        self._session = session

    def counts(self, client_id: str | None) -> bool:
        """Whether a client has a quota; asked only while somebody has (``quotas.of_clients``)."""
        return bool(self._metering.limits(self._session.principal, client_id or ""))


class Mutations:
    """One request's changes of topics, in partitions (KIP-599). ``is_strict``: it is of a version
    whose clients know that they may be refused; the others are served, and pause."""

    def __init__(self, metering: Metering, quota: Quota, bucket: Bucket, is_strict: bool) -> None:
        self._metering = metering
        self._quota = quota
        self._bucket = bucket
        self._is_strict = is_strict
        self.wait_ms = 0
        """Until there is no debt, as last found; no cap, since nothing waits for it."""

    def take(self, partitions: int) -> bool:
        """Whether so many may be made or deleted; they count, where they may."""
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
        """For how long the connection pauses for it."""
        if not self.wait_ms:
            return 0
        return self._metering._told(self.wait_ms, (self._quota.kind, MUTATIONS))


def metering(node: Node, now: Callable[[], int]) -> Metering:
    """A node's, by its settings."""
    told = node.settings
    length_ms = told.quota_window_size_seconds * MS_PER_S
    session_ms = min(
        told.group_min_session_timeout_ms,
        told.consumer_min_session_timeout_ms,
        told.group_consumer_min_session_timeout_ms,
    )
    times = Times(
        Windows(told.quota_window_num, length_ms),
        Windows(
            told.controller_quota_window_num, told.controller_quota_window_size_seconds * MS_PER_S
        ),
        max(1, min(length_ms, session_ms // SESSION_SHARE)),
    )
    return Metering(node.quotas, times, told.client_quotas_metered_max, now)
