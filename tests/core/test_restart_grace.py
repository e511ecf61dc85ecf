"""Members that a node loads when it has just started have time to find it; then sessions count."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from groups.coordinator import loading
from groups.coordinator.runtime import CoordinatorRuntime
from groups.core.classic import packing
from groups.core.group import Rules
from groups.core.rows import Durable, GroupRow, MemberRow
from tests.loading import adopt

SESSION_MS = 6_000
GRACE_MS = 30_000

SUBSCRIPTION = packing.pack((("range", b""),))
KINDS = {
    "classic": GroupRow("g", "classic", "Stable", 7, "consumer", "range", "m", {"synced": True}),
    "draft": GroupRow("g", "draft", "Stable", 7, "consumer", "range", None, {}),
}


class Clock:
    """A clock that a test sets."""

    now = 1_000_000

    def __call__(self) -> int:
        """Milliseconds."""
        return self.now


def loaded(kind: str, clock: Clock, coordinator: CoordinatorRuntime) -> Callable[[], int]:
    """Load a group of one member; gives the end of its session."""
    member = MemberRow("m", None, "c", "/h", SESSION_MS, 300_000, 0, SUBSCRIPTION)
    adopt(coordinator, {}, {"g": Durable(KINDS[kind], {"m": member}, 5)})

    def end() -> int:
        [session] = coordinator.entries["g"].group.sessions(clock())
        return session.heard_at + session.timeout_ms - clock()

    return end


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def coordinator(clock: Clock) -> CoordinatorRuntime:
    """One that has just started."""
    made = CoordinatorRuntime(Rules(), clock, Random(1), lambda _ticket, _reply: None)
    made.restart_grace_ms = GRACE_MS
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_loaded_members_get_time_to_return_after_a_start(
    kind: str, clock: Clock, coordinator: CoordinatorRuntime
) -> None:
    end = loaded(kind, clock, coordinator)
    assert end() == GRACE_MS
    clock.now += 10_000
    assert loaded(kind, clock, coordinator)() == GRACE_MS - 10_000, "the node is 10 s old"


def test_the_first_heartbeat_ends_the_grace(clock: Clock, coordinator: CoordinatorRuntime) -> None:
    end = loaded("classic", clock, coordinator)
    view = coordinator.heartbeat_views.get("g")
    assert view is not None

    view.heartbeat("m", None, 7, clock())

    assert end() == SESSION_MS


def test_a_node_that_has_served_for_a_while_grants_one_session(
    clock: Clock, coordinator: CoordinatorRuntime
) -> None:
    loaded("classic", clock, coordinator)
    clock.now += GRACE_MS
    assert loaded("classic", clock, coordinator)() == SESSION_MS


def test_a_session_that_is_longer_stays_as_long(
    clock: Clock, coordinator: CoordinatorRuntime
) -> None:
    coordinator.restart_grace_ms = SESSION_MS - 1
    assert loaded("classic", clock, coordinator)() == SESSION_MS


@pytest.mark.parametrize("kind", KINDS)
def test_sessions_begin_when_all_groups_of_a_load_are_served(
    kind: str, clock: Clock, coordinator: CoordinatorRuntime
) -> None:
    """No request could be received before, however long the others took."""
    coordinator.restart_grace_ms = 0
    member = MemberRow("m", None, "c", "/h", SESSION_MS, 300_000, 0, SUBSCRIPTION)
    rows = {id_: Durable(replace(KINDS[kind], group_id=id_), {"m": member}, 5) for id_ in "gh"}
    merges = loading.adopting(coordinator, {}, rows)
    for merge in merges:
        if merge.group is None:
            clock.now += SESSION_MS
        merge.run()
    for entry in coordinator.entries.values():
        [session] = entry.group.sessions(clock())
        assert session.heard_at == clock()
        assert entry.group.due(clock()) == clock() + SESSION_MS
