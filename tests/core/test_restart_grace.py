"""Members that a node loads after an outage have time to find it; then sessions count."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from groups.core.earlier import Interruption, Noted, Service
from groups.core.group import Rules
from groups.core.rows import Durable, GroupRow, MemberRow, slot_of
from groups.core.subscription import pack_protocols
from groups.runtime import loading
from groups.runtime.collaborators import Collaborators
from groups.runtime.runtime import CoordinatorRuntime
from tests.loading import adopt

SESSION_MS = 6_000
GRACE_MS = 30_000

SUBSCRIPTION = pack_protocols((("range", b""),))
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


def loaded(
    kind: str, clock: Clock, coordinator: CoordinatorRuntime, grace_ms: int = GRACE_MS
) -> Callable[[], int]:
    """Load a group of one member that was heard a second before its owner was gone; gives what its
    session has left."""
    member = MemberRow("m", None, "c", "/h", SESSION_MS, 300_000, 0, SUBSCRIPTION)
    service = Service(7_000 - clock(), (Interruption(7_000, grace_ms, is_noted=True),))
    silences = {"g": {"m": Noted(90_000, 6_000)}}
    inherited = loading.Inherited({slot_of("g"): service}, silences, {})
    adopt(coordinator, {}, {"g": Durable(KINDS[kind], {"m": member}, 5)}, inherited)

    def end() -> int:
        [session] = coordinator.entries["g"].group.sessions(clock())
        return session.heard_at + session.timeout_ms - clock()

    return end


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def coordinator(clock: Clock) -> CoordinatorRuntime:
    return CoordinatorRuntime(Rules(), clock, Random(1), Collaborators())


@pytest.mark.parametrize("kind", KINDS)
def test_members_get_time_to_return_after_a_long_outage(
    kind: str, clock: Clock, coordinator: CoordinatorRuntime
) -> None:
    end = loaded(kind, clock, coordinator)
    assert end() == GRACE_MS
    clock.now += 10_000
    assert end() == GRACE_MS - 10_000
    assert coordinator.shifts == {slot_of("g"): 7_000 - 1_000_000}


def test_the_first_heartbeat_ends_the_grace(clock: Clock, coordinator: CoordinatorRuntime) -> None:
    end = loaded("classic", clock, coordinator)
    view = coordinator.heartbeat_views.get("g")
    assert view is not None

    view.heartbeat("m", None, 7, clock())

    assert end() == SESSION_MS


@pytest.mark.parametrize("kind", KINDS)
def test_without_an_outage_sessions_go_on(
    kind: str, clock: Clock, coordinator: CoordinatorRuntime
) -> None:
    assert loaded(kind, clock, coordinator, 0)() == SESSION_MS - 1_000


def test_a_session_that_is_longer_stays_as_long(
    clock: Clock, coordinator: CoordinatorRuntime
) -> None:
    assert loaded("classic", clock, coordinator, SESSION_MS - 2_000)() == SESSION_MS - 1_000


@pytest.mark.parametrize("kind", KINDS)
def test_sessions_begin_when_all_groups_of_a_load_are_served(
    kind: str, clock: Clock, coordinator: CoordinatorRuntime
) -> None:
    """No request could be received before, however long the others took."""
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
