"""What a protocol cannot say is refused before anything is sent."""

import inspect
import threading
from collections.abc import Set as AbstractSet
from dataclasses import fields
from typing import Any, Final

import pytest

from rollcall.client import ASSIGNORS, BlockingMember, Member, TopicPartition, UnknownProtocol
from rollcall.client.core.events import Identity
from rollcall.client.protocols import PROTOCOLS

NOWHERE = "127.0.0.1:1"


def member(protocol: str, **options: Any) -> Member:
    return Member(NOWHERE, "g", options.pop("topics", ["t"]), protocol=protocol, **options)


def test_an_unknown_protocol_error_lists_the_protocols() -> None:
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
        ("classic", {"pattern": "orders("}, "no regular expression"),
        ("draft", {"pattern": "orders("}, "no regular expression"),
        ("classic", {"session_timeout_ms": 6_000, "heartbeat_interval_ms": 6_000}, "shorter"),
        ("classic", {"rebalance_timeout_ms": 2_000}, "shorter"),
        ("commanded", {"threads": 0}, "threads"),
        ("commanded", {"topics": {"t": -1}}, "threads of 't'"),
    ],
)
def test_an_option_of_another_protocol_is_refused(
    protocol: str, options: dict[str, Any], fault: str
) -> None:
    with pytest.raises(ValueError, match=fault):
        member(protocol, **options)


TIMES = [field.name for field in fields(Identity) if field.type is int]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("time", TIMES)
def test_invalid_times_are_refused(protocol: str, time: str) -> None:
    for impossible in (-1, 0, 2**31, 1.5, True, "1000", None):
        with pytest.raises(ValueError, match=time):
            member(protocol, **{time: impossible})


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_unknown_settings_are_refused(protocol: str) -> None:
    with pytest.raises(TypeError, match="sesion_timeout_ms"):
        member(protocol, sesion_timeout_ms=1)
    with pytest.raises(ValueError, match="retry_backoff_max_ms"):
        member(protocol, retry_backoff_ms=2_000)
    with pytest.raises(ValueError, match="cannot be called"):
        member(protocol, on_lost="log it")


WRONG: Final = {
    "x\ud800": "encoded",
    "": "must be a name",
    "x" * 40_000: "bytes",
    b"x": "must be|no assignor",
}


@pytest.mark.parametrize("bad", WRONG, ids=("surrogate", "empty", "long", "bytes"))
@pytest.mark.parametrize(
    "where", ["group", "topic", "client_id", "instance_id", "rack", "assignor"]
)
def test_names_that_cannot_be_encoded_are_refused(where: str, bad: Any) -> None:
    options: dict[str, Any] = {} if where in ("group", "topic") else {where: bad}
    with pytest.raises(ValueError, match=WRONG[bad]):
        Member(
            NOWHERE, bad if where == "group" else "g", [bad if where == "topic" else "t"], **options
        )


@pytest.mark.parametrize("address", ["", "nowhere", "a:b", ":9092", "a:0", "a:65536", "a:1,b"])
def test_invalid_addresses_are_refused(address: str) -> None:
    with pytest.raises(ValueError, match="HOST:PORT"):
        Member(address, "g", ["t"])


def test_invalid_offsets_are_refused() -> None:
    worker = member("consumer")
    for impossible in (-1, 2**63, 0.5, None):
        with pytest.raises(ValueError, match="the offset of t-0"):
            worker.note(TopicPartition("t", 0), impossible)  # type: ignore[arg-type]
    worker.abandon()


OWN: Final = {"changes": {"timeout_s"}}
"""Arguments that only the blocking face has."""


def test_both_interfaces_have_the_same_names_and_parameters() -> None:
    def names(face: type) -> set[str]:
        return {each for each in dir(face) if not each.startswith("_")}

    assert names(BlockingMember) == names(Member)
    for name in [*names(Member), "__init__"]:
        one, other = getattr(Member, name), getattr(BlockingMember, name)
        assert isinstance(one, property) is isinstance(other, property), name
        if not isinstance(one, property):
            assert taken(one) == taken(other, but=OWN.get(name, set())), name


def taken(method: Any, but: AbstractSet[str] = frozenset()) -> list[tuple[str, Any, Any]]:
    """What a method takes: names, kinds and defaults."""
    found = inspect.signature(method).parameters.values()
    return [(each.name, each.kind, each.default) for each in found if each.name not in but]


def test_a_coroutine_callback_of_a_blocking_member_is_refused() -> None:
    async def told(partitions: object) -> None:
        raise AssertionError("never called")

    with pytest.raises(ValueError, match="plain function"):
        BlockingMember(NOWHERE, "g", ["t"], on_lost=told)


async def test_a_refused_subscription_changes_nothing() -> None:
    """Not even what the member would begin with."""
    worker = member("commanded", topics={"t": 2})
    for wanted in ({"topics": ["u"], "blacklist": "x"}, {}):
        with pytest.raises(ValueError, match="topics"):
            worker.subscribe(**wanted)  # type: ignore[arg-type]

    assert worker._subscription.topics == ("t",) and worker._subscription.threads_of("t") == 2
    worker.abandon()


def test_the_default_session_is_the_longest_that_the_protocol_allows() -> None:
    assert member("draft")._identity.session_timeout_ms == 30_000
    assert member("draft", session_timeout_ms=7_000)._identity.session_timeout_ms == 7_000
    assert member("commanded")._identity.session_timeout_ms == 45_000


def test_an_invalid_blocking_member_leaves_no_thread_behind() -> None:
    before = set(threading.enumerate())
    with pytest.raises(ValueError, match="no static members"):
        BlockingMember(NOWHERE, "g", ["t"], protocol="draft", instance_id="i")

    assert set(threading.enumerate()) <= before
