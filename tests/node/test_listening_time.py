"""A session is so much time in which its member could be heard, whatever the lease does meanwhile.

The real coordinator with a group of each kind, on a clock that the test sets. Signs of life come
while the lease holds, and after it is over; then the member is silent. Its session must end after
exactly so much time in which the node listened: earlier would remove a member that was heard,
later would keep a dead one.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groups.core import events
from groups.core.errors import ErrorCode
from groups.core.group import Beat, Rules
from groups.core.rows import slot_of
from groups.core.signs_of_life import ClassicHeartbeat, CommandPoll, Sign
from groups.runtime import runtime
from groups.runtime.collaborators import Collaborators
from groups.runtime.runtime import STALL_MS, CoordinatorRuntime
from tests.core.every_kind import ABSENT, JOINS, RULES, SESSION_MS, TICKET, settled
from tests.loading import adopt

TICK_MS: Final = 50
"""As often as a node looks whether it listens; nothing finer is known to it."""

SLACK_MS: Final = 4 * TICK_MS

SIGNS: Final[dict[str, Callable[[str, int], Sign]]] = {
    "classic": lambda who, now: ClassicHeartbeat(who, None, now),
    "consumer": lambda who, now: events.ConsumerHeartbeat(
        ticket=TICKET, member_id=who, member_epoch=now, instance_id=None, rack_id=None,
        client_id="c", client_host="/h", rebalance_timeout_ms=-1, subscribed_topic_names=None,
        server_assignor=None, owned=None, topics={},
    ),
    "draft": lambda who, now: events.DraftHeartbeat(
        ticket=TICKET, consumer_id=who, generation_id=now
    ),
    "commanded": lambda who, now: CommandPoll(who),
}  # fmt: skip


class Listener:
    """A coordinator whose node's lease ends and comes back when the test says so."""

    def __init__(self, kind: str) -> None:
        self.now = 1_000_000
        self.listened_ms = 0
        self.coordinator = CoordinatorRuntime(Rules(), lambda: self.now, Random(1), Collaborators())
        group, self.member_id = settled(kind)
        self.sign = SIGNS[kind](self.member_id, group.durable.group.generation)
        self.stale = SIGNS[kind](self.member_id + "?", group.durable.group.generation - 1)
        self.coordinator.lease_until = self.now + 10**9
        adopt(self.coordinator, {slot_of("g"): 1}, {"g": group.durable})
        self.coordinator.entries["g"].group = type(group).merge(
            group.durable, None, RULES, self.coordinator.clock()
        )

    def holds(self, is_held: bool) -> None:
        """As ``SlotKeeper._recovered``, or its opposite."""
        if is_held and not self.coordinator.holds_lease:
            self.coordinator.lease_until = self.now + 10**9
            self.coordinator.awake()
        elif not is_held:
            self.coordinator.lease_until = self.now

    def passes(self, ms: int) -> None:
        """Tick by tick, as ``groups.node`` does."""
        for _ in range(ms // TICK_MS):
            self.now += TICK_MS
            if self.coordinator.holds_lease:
                self.coordinator.listened_at = self.now
                self.listened_ms += TICK_MS

    def sleeps(self, ms: int) -> None:
        """The process is suspended."""
        self.now += ms
        if self.coordinator.holds_lease and ms > STALL_MS:
            self.coordinator.awake()
        elif self.coordinator.holds_lease:
            self.coordinator.listened_at = self.now
            self.listened_ms += ms

    def says(self) -> None:
        """The member's sign of life comes, whatever can be said to it now."""
        if self.coordinator.holds_lease:
            beat = self.coordinator.entries["g"].group.beat_of(self.sign)
            assert beat is not None
            beat.at = self.coordinator.clock()
        else:
            self.coordinator.heard("g", self.sign)

    def session_ends_after_ms(self) -> int:
        """How much listening, from now on, until a tick would remove the silent member."""
        (session,) = self.coordinator.entries["g"].group.sessions(self.coordinator.clock())
        return session.heard_at + session.timeout_ms - self.coordinator.clock()


Act = tuple[str, int]

ACTS: Final = st.lists(
    st.one_of(
        st.tuples(st.just("passes"), st.integers(1, 60).map(lambda n: n * TICK_MS)),
        st.tuples(st.just("sleeps"), st.integers(1, 60).map(lambda n: n * 100)),
        st.tuples(st.sampled_from(["ends", "is back", "says", "stale"]), st.just(0)),
    ),
    max_size=30,
)


def live(kind: str, acts: Sequence[Act]) -> tuple[int, int]:
    """How long the member's session still is, in listening time, and how long it should be."""
    one = Listener(kind)
    one.says()
    said_at = one.listened_ms
    for what, ms in acts:
        if what == "ends":
            one.holds(False)
        elif what == "is back":
            one.holds(True)
        elif what == "says":
            one.says()
            said_at = one.listened_ms
        elif what == "stale":
            one.coordinator.heard("g", one.stale)
        else:
            getattr(one, what)(ms)
        if one.listened_ms - said_at >= SESSION_MS:
            break
    one.holds(True)
    return one.session_ends_after_ms(), SESSION_MS - (one.listened_ms - said_at)


@pytest.mark.parametrize("kind", ABSENT)
@given(acts=ACTS)
def test_a_session_is_listening_time_since_the_last_sign_of_life(
    kind: str, acts: Sequence[Act]
) -> None:
    left, should_be = live(kind, acts)
    assert abs(left - should_be) <= SLACK_MS


OUTAGE: Final[Sequence[Act]] = (
    ("passes", 9_000), ("ends", 0), ("passes", 3_000), ("says", 0), ("passes", 3_000),
    ("is back", 0), ("passes", 1_000),
)  # fmt: skip
STALE: Final[Sequence[Act]] = tuple(("stale", 0) if act[0] == "says" else act for act in OUTAGE)


def _deaf(self: CoordinatorRuntime, group_id: str, sign: Sign) -> None:
    """Nobody is heard while the lease is over."""


def _by_the_clock(self: CoordinatorRuntime, group_id: str, sign: Sign) -> None:
    """The clock runs on in an outage, and is set back after it."""
    beat = self.entries[group_id].group.beat_of(sign)
    if beat is not None:
        beat.at = self.clock()


def _anybody(self: CoordinatorRuntime, group_id: str, _sign: Sign) -> None:
    """Whoever asks keeps the group's members alive."""
    beats: dict[str, Beat] = self.entries[group_id].group.live.beats
    for beat in beats.values():
        beat.at = self.listened


@pytest.mark.parametrize(
    ("mistake", "acts"),
    [(_deaf, OUTAGE), (_by_the_clock, OUTAGE), (_anybody, STALE)],
    ids=["deaf", "by the clock", "anybody"],
)
@pytest.mark.parametrize("kind", ABSENT)
def test_each_planted_defect_is_detected(kind: str, mistake: Any, acts: Sequence[Act]) -> None:
    left, should_be = live(kind, acts)
    assert abs(left - should_be) <= SLACK_MS
    with patch.object(CoordinatorRuntime, "heard", mistake):
        left, should_be = live(kind, acts)
    assert abs(left - should_be) > SLACK_MS


def waiting(kind: str, one: Listener) -> events.Event:
    """A request of the member that waits for a decision, and keeps it alive."""
    if kind == "classic":
        return events.SyncGroup(
            ticket=TICKET, generation_id=one.sign.generation_id, member_id=one.member_id,  # type: ignore[union-attr]
            instance_id=None, assignments={},
        )  # fmt: skip
    return JOINS[kind] if kind == "commanded" else one.sign  # type: ignore[return-value]


@pytest.mark.parametrize("kind", ABSENT)
def test_a_failed_decision_still_counts_as_a_sign_of_life(kind: str) -> None:
    """The group is in a batch or in doubt for so long that its requests are refused: no client
    sends a heartbeat while one waits. A request that the member is to blame for counts for
    nothing."""
    one = Listener(kind)
    one.says()
    entry = one.coordinator.entries["g"]
    entry.suspended = True
    one.coordinator.submit("g", waiting(kind, one))
    one.passes(9_000)
    assert one.session_ends_after_ms() <= SESSION_MS - 9_000

    one.coordinator.refuse(entry, list(entry.inbox), ErrorCode.UNKNOWN_SERVER_ERROR)
    assert one.session_ends_after_ms() <= SESSION_MS - 9_000
    one.coordinator.refuse_waiting(entry, ErrorCode.COORDINATOR_NOT_AVAILABLE)
    assert one.session_ends_after_ms() == SESSION_MS


@pytest.mark.parametrize("kind", ABSENT)
def test_a_request_refused_by_a_full_inbox_counts_as_a_sign_of_life(kind: str) -> None:
    one = Listener(kind)
    one.says()
    one.passes(9_000)

    with patch.object(runtime, "INBOX_EVENTS_MAX", 0):
        one.coordinator.submit("g", waiting(kind, one))

    assert one.session_ends_after_ms() == SESSION_MS


def test_every_kind_has_a_sign_of_life() -> None:
    assert SIGNS.keys() == ABSENT.keys() == JOINS.keys()
