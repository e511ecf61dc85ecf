"""What a protocol cannot say is refused before anything is sent."""

import threading
from typing import Any

import pytest

from rollcall.client import ASSIGNORS, BlockingMember, Member, UnknownProtocol

NOWHERE = "127.0.0.1:1"


def member(protocol: str, **options: Any) -> Member:
    return Member(NOWHERE, "g", options.pop("topics", ["t"]), protocol=protocol, **options)


def test_an_unknown_protocol_is_told_which_there_are() -> None:
    with pytest.raises(UnknownProtocol, match="consumer, classic, draft, commanded"):
        member("raft")


@pytest.mark.parametrize(
    ("protocol", "options", "fault"),
    [
        ("draft", {"instance_id": "i"}, "no static members"),
        ("draft", {"assignor": ["range", "roundrobin"]}, "one of the coordinator's strategies"),
        ("draft", {"assignor": ASSIGNORS["sticky"]}, "one of the coordinator's strategies"),
        ("draft", {"heartbeat_frequency": 1}, "at least 2"),
        ("draft", {"blacklist": "x"}, "only commanded groups"),
        ("consumer", {"threads": 2}, "only commanded groups"),
        ("classic", {"topics": {"t": 2}}, "only commanded groups"),
        ("commanded", {"instance_id": "i"}, "no static members"),
        ("commanded", {"assignor": "range"}, "the coordinator's affair"),
        ("commanded", {"pattern": "x"}, "either topics, or a pattern"),
        ("commanded", {"topics": [], "pattern": "x", "blacklist": "y"}, "either topics"),
    ],
)
def test_what_a_protocol_does_not_have_is_refused(
    protocol: str, options: dict[str, Any], fault: str
) -> None:
    with pytest.raises(ValueError, match=fault):
        member(protocol, **options)


async def test_a_subscription_that_is_refused_changes_nothing() -> None:
    """Not even what the member would begin with."""
    worker = member("commanded", topics={"t": 2})
    for wanted in ({"topics": ["u"], "blacklist": "x"}, {}):
        with pytest.raises(ValueError, match="topics"):
            worker.subscribe(**wanted)  # type: ignore[arg-type]

    assert worker._subscription.topics == ("t",) and worker._subscription.threads_of("t") == 2
    worker.abandon()


def test_a_session_is_as_long_as_the_protocol_allows_unless_said() -> None:
    assert member("draft")._identity.session_timeout_ms == 30_000
    assert member("draft", session_timeout_ms=7_000)._identity.session_timeout_ms == 7_000
    assert member("commanded")._identity.session_timeout_ms == 45_000


def test_a_blocking_member_that_cannot_be_leaves_no_thread_behind() -> None:
    before = set(threading.enumerate())
    with pytest.raises(ValueError, match="no static members"):
        BlockingMember(NOWHERE, "g", ["t"], protocol="draft", instance_id="i")

    assert set(threading.enumerate()) <= before
