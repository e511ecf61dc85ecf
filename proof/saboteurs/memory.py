"""Saboteurs of a node's memory: leases, sessions, timers, and parked requests."""

from collections.abc import Mapping
from typing import Any, Final
from unittest.mock import PropertyMock

from groups.cluster.lease_loop import LeaseLoop
from groups.core.classic.group import ClassicGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.earlier import Earlier, Service
from groups.core.errors import ErrorCode
from groups.core.group import Beat
from groups.core.rows import slot_of
from groups.runtime.runtime import CoordinatorRuntime
from proof.saboteurs.breaking import MEMBERS, NODES, Saboteur, around, nothing, put, several
from proof.simulation.desk import Desk

ZOMBIES: Final = ("node-zombie", "client-crash", "client-leave", "client-double")
SLEEPS: Final = ("database-crash", "node-pause", "database-cut")


def _drop_silently(original: Any) -> Any:
    def drop(self: CoordinatorRuntime, slots: Any, code: ErrorCode) -> None:
        slots = list(slots)
        for group_id, entry in self.entries.items():
            if slot_of(group_id) in slots:
                entry.parked.clear()
        original(self, slots, code)

    return drop


def _outages_count(original: Any) -> Any:
    def start(self: Service, since: int, timeout_ms: int) -> int:
        started: int = original(self, since, timeout_ms)
        return started - 3_600

    return start


def _anew(_self: Earlier, _member_id: str, _timeout_ms: int, now: int) -> Beat:
    return Beat(now)


def _cached(original: Any) -> Any:
    cache = dict[Any, Any]()

    async def fetch(self: Any, request: Any) -> Any:
        key = (self.process, request.group_id)
        if key not in cache:
            cache[key] = await original(self, request)
        return cache[key]

    return fetch


async def _goes_on(self: LeaseLoop, lease_until: int) -> None:
    """All of ``recovered`` except the check of who owns the slots now."""
    self._observer.forget()
    self.coordinator.lease_until = lease_until
    self.coordinator.awake()
    self.availability.notify()
    self._slots.look_soon()


SABOTEURS: Final[Mapping[str, Saboteur]] = {
    "parked-forgotten": Saboteur(
        "who is parked is not answered when a slot is lost",
        around(CoordinatorRuntime, "drop", _drop_silently),
        ("node-pause", "database-cut", "client-crash", "operator-rebalance"),
    ),
    "memory-without-lease": Saboteur(
        "memory is believed whether or not the lease holds",
        put(CoordinatorRuntime, "holds_lease", PropertyMock(return_value=True)),
        ZOMBIES,
    ),
    "lease-without-look": Saboteur(
        "a lease is taken up again without a look at who owns the slots",
        put(LeaseLoop, "recovered", _goes_on),
        ZOMBIES,
    ),
    "outages-count": Saboteur(
        "a takeover counts the time in which nobody served as silence",
        around(Service, "start", _outages_count),
        ("node-crash", "node-pause"),
    ),
    "sessions-anew": Saboteur(
        "a takeover starts sessions anew",
        put(Earlier, "beat", _anew),
        ("slots-traded",),
    ),
    "timers-not-rearmed": Saboteur(
        "a node that slept does not start its timers anew, and who beats meanwhile is not heard",
        several(
            put(CoordinatorRuntime, "_heard", nothing),
            put(ClassicGroup, "rearm", lambda self, now, missed: self),
            put(ConsumerGroup, "rearm", lambda self, now, missed: self),
        ),
        (
            "database-crash",
            "database-cut",
            "client-double",
            "client-crash",
            "operator-rebalance",
        ),
    ),
    "timers-after-sleep": Saboteur(
        "timers that ran out in a sleep fire after it",
        put(CoordinatorRuntime, "awake", nothing),
        SLEEPS,
    ),
    "timers-lost": Saboteur(
        "timers are not armed", put(CoordinatorRuntime, "_rearm", nothing), MEMBERS
    ),
    "offsets-from-cache": Saboteur(
        "committed offsets are read from memory", around(Desk, "_fetch", _cached), NODES
    ),
}
