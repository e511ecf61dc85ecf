"""What a heartbeat is answered from memory, to the byte, and what is left to the queue."""

import struct
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import NoReturn

import pytest

from groups.clients.quotas import Quotas
from groups.core.errors import ErrorCode
from groups.core.events import JoinGroup
from groups.core.group import Rules
from groups.core.rows import Durable, GroupRow, MemberRow, slot_of
from groups.core.subscription import pack_protocols
from groups.runtime.collaborators import Collaborators
from groups.runtime.runtime import CoordinatorRuntime
from protocol.fast_paths.heartbeat_fast_path import (
    HEAD_BYTES,
    HEARTBEAT,
    FastPath,
)
from protocol.fast_paths.short_frames import KEY_BYTES
from protocol.limits.metering import ClientMeter, Metering, Times
from protocol.limits.rates import Windows
from protocol.requests.session import Session
from rollcall.wire.codec import encode
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from tests.loading import adopt

SESSION_MS = 10_000
GENERATION = 7
NOW = 1_000_000
LEASE_MS = 2_000
CORRELATION_ID = b"\x80\x00\x00\x2a"

SUBSCRIPTION = pack_protocols((("range", b""),))
GROUP = GroupRow("g", "classic", "Stable", GENERATION, "consumer", "range", "m", {"synced": True})
MEMBER = MemberRow("m", None, "c", "/h", SESSION_MS, 300_000, 0, SUBSCRIPTION)


class Clock:
    """A clock that a test sets."""

    now = NOW

    def __call__(self) -> int:
        """Milliseconds."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def no_connection() -> NoReturn:
    raise AssertionError("nothing here asks PostgreSQL")


WINDOWS = Windows(11, 1_000)
UNCOUNTED = ClientMeter(
    Metering(Quotas(no_connection, 0, most=1), Times(WINDOWS, WINDOWS, 1_000), 10, lambda: NOW),
    Session(),
)
"""Nobody has a quota."""


@pytest.fixture
def coordinator(clock: Clock) -> CoordinatorRuntime:
    """It serves the group ``g``, whose one member is ``m``."""
    made = CoordinatorRuntime(Rules(), clock, Random(1), Collaborators())
    made.lease_until = NOW + LEASE_MS
    adopt(made, {slot_of("g"): 1}, {"g": Durable(GROUP, {"m": MEMBER}, 5)})
    return made


@pytest.fixture
def path(coordinator: CoordinatorRuntime) -> FastPath:
    """One connection's."""
    return FastPath(coordinator, UNCOUNTED)


def frame(
    version: int = 3,
    *,
    key: int = 12,
    group_id: str = "g",
    member_id: str = "m",
    instance_id: str | None = None,
    generation: int = GENERATION,
    correlation_id: bytes = CORRELATION_ID,
) -> bytes:
    """A Heartbeat as it is in a frame, without its length."""
    request = HeartbeatRequest(
        group_id=group_id,
        generation_id=generation,
        member_id=member_id,
        group_instance_id=instance_id,
    )
    tags = b"\0" if version >= 4 else b""
    head = struct.pack(">hh", key, version) + correlation_id + struct.pack(">h", 1) + b"c" + tags
    first, last = HeartbeatRequest.versions
    return head + encode(request, min(max(version, first), last))


def sent(framed: bytes) -> bytes:
    """The same with its length."""
    return struct.pack(">i", len(framed)) + framed


def heard(coordinator: CoordinatorRuntime) -> int:
    """The time of the member's last sign of life."""
    [session] = coordinator.entries["g"].group.sessions(coordinator.clock())
    return session.heard_at


def join_another(coordinator: CoordinatorRuntime) -> None:
    """A second member comes: a rebalance begins."""
    event = JoinGroup(
        ticket=None,
        member_id="",
        instance_id=None,
        client_id="c",
        client_host="/h",
        session_timeout_ms=SESSION_MS,
        rebalance_timeout_ms=300_000,
        protocol_type="consumer",
        protocols=(("range", b""),),
    )
    entry = coordinator.entries["g"]
    decision = entry.group.step([event], coordinator.clock(), Random(1))
    coordinator.install(entry, decision, 6)


def again(path: FastPath, data: bytes) -> bytes | None:
    """As the connection asks: what begins otherwise is not asked about."""
    return path.again(data) if data[:HEAD_BYTES] == path.head else None


def answer(path: FastPath, left: bytes) -> bytes | None:
    """As the connection asks: other APIs are not asked about."""
    return path.answer(left) if left[:KEY_BYTES] == HEARTBEAT else None


REPLIES = {
    0: b"\0\0\0\x06" + CORRELATION_ID + b"%b",
    1: b"\0\0\0\x0a" + CORRELATION_ID + b"\0\0\0\0%b",
    3: b"\0\0\0\x0a" + CORRELATION_ID + b"\0\0\0\0%b",
    4: b"\0\0\0\x0c" + CORRELATION_ID + b"\0\0\0\0\0%b\0",
}
"""Of each form: length, correlation id, [tags], [throttle time], the error code, [tags]."""


@pytest.mark.parametrize(("version", "reply"), REPLIES.items())
def test_the_answer_is_the_frame_of_its_version(path: FastPath, version: int, reply: bytes) -> None:
    assert (path.answer(frame(version)), path.is_calm) == (reply % b"\0\0", True)
    assert again(path, sent(frame(version))) == reply % b"\0\0"
    old = frame(version, generation=GENERATION - 1)
    refused = reply % struct.pack(">h", ErrorCode.ILLEGAL_GENERATION)
    assert (path.answer(old), path.is_calm) == (refused, False)
    assert path.reply(CORRELATION_ID, ErrorCode.NONE) == reply % b"\0\0"


def test_the_correlation_id_is_that_of_the_request(path: FastPath) -> None:
    path.answer(frame())
    for correlation_id in (b"\0\0\0\0", b"\xff\xff\xff\xff"):
        said = again(path, sent(frame(correlation_id=correlation_id)))
        assert said is not None and said[4:8] == correlation_id


def test_the_queue_answers_who_claims_an_instance(
    path: FastPath, coordinator: CoordinatorRuntime
) -> None:
    static = replace(MEMBER, instance_id="i")
    adopt(coordinator, {}, {"g": Durable(GROUP, {"m": static}, 6)})

    assert path.answer(frame(instance_id="i")) is not None and path.is_calm
    claim = frame(member_id="n", instance_id="i")
    assert path.answer(claim) is None and again(path, sent(claim)) is None


def test_nothing_is_repeated_before_the_first(path: FastPath) -> None:
    assert again(path, sent(frame())) is None
    assert again(path, b"") is None
    assert not path.is_calm and path.group_id == ""


def test_a_rebalance_is_reported(path: FastPath, coordinator: CoordinatorRuntime) -> None:
    join_another(coordinator)

    said = path.answer(frame())

    assert said is not None and said[-2:] == struct.pack(">h", ErrorCode.REBALANCE_IN_PROGRESS)
    assert not path.is_calm


def test_every_answer_is_counted_once_under_its_code(
    path: FastPath, coordinator: CoordinatorRuntime
) -> None:
    counted = coordinator.tallies.heartbeats
    path.answer(frame())
    again(path, sent(frame()))
    again(path, sent(frame()))
    path.answer(frame(generation=GENERATION - 1))
    assert counted[ErrorCode.NONE] == 3

    path.settle()

    assert counted[ErrorCode.ILLEGAL_GENERATION] == 1
    path.settle()
    assert sum(counted.values()) == 4


def test_it_knows_heartbeats_by_their_key() -> None:
    assert struct.pack(">h", HeartbeatRequest.api_key) == HEARTBEAT


# -- what is left to the queue


@pytest.mark.parametrize(
    "left",
    [
        frame(key=13),
        frame(-1),
        frame(HeartbeatRequest.versions[1] + 1),
        frame()[:9],
        frame()[:-1],
        frame(group_id="nobody's"),
        frame(member_id="a stranger"),
    ],
    ids=["another API", "below", "above", "no header", "cut", "no group", "no member"],
)
def test_an_unrecognised_frame_is_left_to_the_queue(path: FastPath, left: bytes) -> None:
    assert answer(path, left) is None
    assert again(path, sent(left)) is None


def test_an_unknown_member_is_left_to_the_queue(
    path: FastPath, coordinator: CoordinatorRuntime
) -> None:
    """Perhaps the slot is another node's: only the queue looks."""
    assert path.answer(frame()) is not None
    adopt(coordinator, {}, {"g": Durable(GROUP, {"n": replace(MEMBER, member_id="n")}, 6)})

    assert again(path, sent(frame())) is None


def test_a_repetition_of_what_was_left_to_the_queue_gets_no_earlier_answer(
    path: FastPath, coordinator: CoordinatorRuntime, clock: Clock
) -> None:
    """Of a member that is not in the group, or that came while the lease was not held."""
    path.answer(frame())
    assert path.answer(frame(member_id="x")) is None
    assert again(path, sent(frame(member_id="x"))) is None

    path.answer(frame())
    clock.now += LEASE_MS
    old = frame(generation=GENERATION - 1)
    assert path.answer(old) is None
    coordinator.lease_until = clock.now + LEASE_MS
    said = again(path, sent(old))
    assert said is not None and said[-2:] == struct.pack(">h", ErrorCode.ILLEGAL_GENERATION)


def test_a_deleted_group_is_left_to_the_queue(
    path: FastPath, coordinator: CoordinatorRuntime
) -> None:
    assert path.answer(frame()) is not None
    coordinator.drop([slot_of("g")], ErrorCode.NOT_COORDINATOR)

    assert again(path, sent(frame())) is None


@pytest.mark.parametrize(
    "other",
    [
        frame(2),
        frame(key=13),
        frame(member_id="n"),
        frame(group_id="h"),
        frame(generation=GENERATION + 1),
    ],
    ids=["version", "API", "member", "group", "generation"],
)
def test_a_different_request_is_not_taken_for_a_repetition(path: FastPath, other: bytes) -> None:
    assert path.answer(frame()) is not None
    assert again(path, sent(other)) is None


def test_a_frame_followed_by_bytes_is_not_taken_for_a_repetition(path: FastPath) -> None:
    path.answer(frame())
    assert again(path, sent(frame()) + b"\0") is None
    assert again(path, struct.pack(">i", len(frame()) + 1) + frame()) is None
    assert again(path, sent(frame())[:-1]) is None


@pytest.mark.parametrize("asks", ["answer", "again"])
def test_nothing_is_answered_from_memory_after_the_lease_ended(
    path: FastPath, clock: Clock, asks: str
) -> None:
    ask: Callable[[], bytes | None] = {
        "answer": lambda: path.answer(frame()),
        "again": lambda: again(path, sent(frame())),
    }[asks]
    path.answer(frame())
    clock.now = NOW + LEASE_MS - 1
    assert ask() is not None
    clock.now = NOW + LEASE_MS
    assert ask() is None


# -- that a member was heard


def test_each_heartbeat_is_a_sign_of_life(
    path: FastPath, coordinator: CoordinatorRuntime, clock: Clock
) -> None:
    """The first, a repeated one, one after a swap of the view, and time that was missed apart."""
    assert heard(coordinator) == NOW
    clock.now += 10
    path.answer(frame())
    assert heard(coordinator) == NOW + 10
    clock.now += 10
    again(path, sent(frame()))
    assert heard(coordinator) == NOW + 20
    coordinator.missed = 5
    clock.now += 10
    again(path, sent(frame()))
    assert heard(coordinator) == NOW + 25
    coordinator.heartbeat_views.put("g", coordinator.entries["g"].group.heartbeat_view())
    clock.now += 10
    again(path, sent(frame()))
    assert heard(coordinator) == NOW + 35


def test_a_heartbeat_of_another_generation_is_no_sign_of_life(
    path: FastPath, coordinator: CoordinatorRuntime, clock: Clock
) -> None:
    clock.now += 10
    assert path.answer(frame(generation=GENERATION - 1)) is not None
    assert again(path, sent(frame(generation=GENERATION - 1))) is not None
    assert heard(coordinator) == NOW


# -- responses to held heartbeats


@pytest.mark.parametrize(
    ("asked", "session_s"),
    [(frame(), SESSION_MS / 1000), (frame(member_id="x"), 0.0), (frame(group_id="x"), 0.0)],
)
def test_the_maximum_hold_depends_on_its_members_session(
    path: FastPath, asked: bytes, session_s: float
) -> None:
    path.answer(asked)
    assert path.session_s() == session_s


def test_a_held_heartbeat_is_answered_with_the_current_state(
    path: FastPath, coordinator: CoordinatorRuntime, clock: Clock
) -> None:
    path.answer(frame())
    clock.now += 10
    assert path.verdict() is ErrorCode.NONE
    assert heard(coordinator) == NOW, "it counted when it came"

    join_another(coordinator)
    assert path.verdict() is ErrorCode.REBALANCE_IN_PROGRESS


def test_a_heartbeat_held_beyond_the_lease_gets_a_retriable_error(
    path: FastPath, coordinator: CoordinatorRuntime, clock: Clock
) -> None:
    path.answer(frame())
    coordinator.heartbeat_views.drop("g")
    assert path.verdict() is ErrorCode.COORDINATOR_NOT_AVAILABLE, "its rows are in doubt"
    coordinator.heartbeat_views.put("g", coordinator.entries["g"].group.heartbeat_view())
    assert path.verdict() is ErrorCode.NONE
    clock.now = NOW + LEASE_MS
    assert path.verdict() is ErrorCode.COORDINATOR_NOT_AVAILABLE


def test_a_heartbeat_held_for_a_lost_slot_is_redirected(
    path: FastPath, coordinator: CoordinatorRuntime
) -> None:
    path.answer(frame())
    coordinator.epochs.clear()
    assert path.verdict() is ErrorCode.NOT_COORDINATOR
