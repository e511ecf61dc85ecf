"""Members join, stay and leave: epochs and answers (cases CG-01 to CG-06, CG-10, CG-19, CG-24)."""

from typing import Any

import pytest

from groups.core.errors import ErrorCode
from tests.core.consumer.talk import Client, Talk

INVALID: list[dict[str, Any]] = [
    {"rebalance_timeout_ms": -1},
    {"owned": None},
    {"owned": {"foo": [0]}},
    {"subscribed_topic_names": None},
    {"member_id": ""},
    {"member_id": "", "member_epoch": 1},
    {"member_id": "  "},
    {"member_id": " \t", "member_epoch": 1, "version": 0},
    {"member_id": "", "member_epoch": -1, "version": 0},
    {"member_id": "", "member_epoch": 1, "version": 0},
    {"instance_id": ""},
    {"instance_id": "  "},
    {"rack_id": ""},
    {"member_epoch": -2},
    {"member_epoch": -3},
]


@pytest.mark.parametrize("over", INVALID, ids=str)
def test_cg_01_a_malformed_heartbeat_is_refused_with_a_reason(over: dict[str, Any]) -> None:
    talk = Talk({"foo": 3})
    before = talk.group
    reply = talk.beat(Client("m", ("foo",)), **over)
    assert reply.error is ErrorCode.INVALID_REQUEST
    assert reply.detail is not None and reply.detail.endswith(".")
    assert talk.group is before


def test_cg_01_a_static_leave_without_a_member_id_looks_up_the_group_first() -> None:
    talk = Talk({"foo": 3})
    nameless = Client("", ("foo",), instance_id="i1", epoch=-2)
    assert talk.code(nameless, version=0) is ErrorCode.GROUP_ID_NOT_FOUND
    talk.join("m", instance_id="i1")
    assert talk.code(nameless, version=0) is ErrorCode.FENCED_INSTANCE_ID
    assert talk.code(nameless, version=1) is ErrorCode.INVALID_REQUEST


def test_cg_28_an_invalid_pattern_is_checked_after_its_member() -> None:
    talk = Talk({"foo": 3})
    broken = {"subscribed_topic_regex": "(", "regex_problem": "It is none."}
    assert talk.code(Client("x", (), epoch=3), **broken) is ErrorCode.GROUP_ID_NOT_FOUND
    m = talk.join("m")
    assert talk.code(Client("x", (), epoch=3), **broken) is ErrorCode.UNKNOWN_MEMBER_ID
    assert talk.code(m, member_epoch=99, **broken) is ErrorCode.FENCED_MEMBER_EPOCH
    reply = talk.beat(m, **broken)
    assert (reply.error, reply.detail) == (ErrorCode.INVALID_REGULAR_EXPRESSION, "It is none.")
    assert talk.code(m, member_epoch=-1, **broken) is ErrorCode.NONE, "leaving it is of no use"


def test_cg_01_an_unknown_assignor_is_named() -> None:
    reply = Talk({"foo": 3}).beat(Client("m", ("foo",)), server_assignor="bogus")
    assert reply.error is ErrorCode.UNSUPPORTED_ASSIGNOR
    assert reply.detail is not None and "bogus" in reply.detail


def test_cg_01_a_member_may_subscribe_to_nothing() -> None:
    talk = Talk({"foo": 3})
    reply = talk.beat(Client("m", ()))
    assert (reply.error, reply.member_epoch, reply.assignment) == (ErrorCode.NONE, 1, {})
    assert (talk.state, talk.epoch) == ("Stable", 1)


def test_cg_02_the_first_member_has_everything_at_epoch_2() -> None:
    talk = Talk({"foo": 6})
    reply = talk.beat(Client("", ("foo",)), version=0)
    assert reply.member_id
    assert reply.member_epoch == 2
    assert reply.heartbeat_interval_ms == 5_000
    assert reply.assignment == {"id-foo": (0, 1, 2, 3, 4, 5)}
    assert talk.state == "Stable"
    assert talk.kinds() == ["group-created", "rebalance-started", "rebalance-completed"]


def test_cg_03_a_topic_created_later_is_assigned() -> None:
    talk = Talk()
    reply = talk.beat(m := Client("m", ("foo",)))
    assert (reply.member_epoch, reply.assignment) == (2, {})
    talk.catalogue["foo"] = ("id-foo", 3)
    reply = talk.beat(m)
    assert (reply.member_epoch, reply.assignment) == (3, {"id-foo": (0, 1, 2)})
    assert talk.triggers() == ["member-joined", "topics-changed"]


def test_cg_04_a_quiet_heartbeat_carries_nothing_and_a_full_one_everything() -> None:
    talk = Talk({"foo": 3})
    m = talk.join("m")
    assert talk.beat(m).assignment is None
    assert talk.beat(m, owned={"foo": [0, 1, 2]}).assignment is None
    full = talk.beat(
        m, rebalance_timeout_ms=300_000, subscribed_topic_names=("foo",), owned={"foo": [0, 1, 2]}
    )
    assert full.assignment == {"id-foo": (0, 1, 2)}


def test_a_quiet_heartbeat_changes_nothing_but_the_beat() -> None:
    talk = Talk({"foo": 3})
    m = talk.join("m")
    before, talk.now = talk.group, talk.now + 7
    talk.beat(m)
    assert talk.group is before
    assert talk.group.durable is before.durable
    assert talk.group.live.beats["m"].at == talk.now


def test_cg_05_epochs_ahead_or_too_old_are_fenced() -> None:
    talk = Talk({"foo": 4})
    a = talk.join("a")
    b = talk.join("b")
    talk.converge(a, b)
    now, last = a.epoch, talk.group.members["a"].previous_epoch
    mine = talk.assigned(a)["foo"]
    assert talk.code(a, member_epoch=now + 100) is ErrorCode.FENCED_MEMBER_EPOCH
    assert talk.code(a, member_epoch=last - 1, owned={}) is ErrorCode.FENCED_MEMBER_EPOCH
    assert talk.code(a, member_epoch=last) is ErrorCode.FENCED_MEMBER_EPOCH
    stranger = {"foo": talk.assigned(b)["foo"]}
    assert talk.code(a, member_epoch=last, owned=stranger) is ErrorCode.FENCED_MEMBER_EPOCH
    reply = talk.beat(a, member_epoch=last, owned={"foo": mine[:1]})
    assert (reply.error, reply.member_epoch) == (ErrorCode.NONE, now)


def test_cg_06_unknown_groups_and_members() -> None:
    talk = Talk({"foo": 1})
    stranger = Client("x", ("foo",), epoch=1)
    assert talk.code(stranger) is ErrorCode.GROUP_ID_NOT_FOUND
    assert talk.code(stranger, member_epoch=-1) is ErrorCode.GROUP_ID_NOT_FOUND
    assert talk.group.idle and not talk.group.durable.exists
    talk.join("m")
    assert talk.code(stranger) is ErrorCode.UNKNOWN_MEMBER_ID
    assert talk.code(stranger, member_epoch=-1) is ErrorCode.UNKNOWN_MEMBER_ID


def test_cg_10_leaving_raises_the_epoch_and_computes_no_target() -> None:
    talk = Talk({"foo": 4})
    a, b = talk.join("a"), talk.join("b")
    talk.converge(a, b)
    epoch = talk.epoch
    reply = talk.beat(b, member_epoch=-1)
    assert (reply.member_epoch, reply.heartbeat_interval_ms, reply.assignment) == (-1, 0, None)
    assert (talk.state, talk.epoch, talk.target_epoch) == ("Assigning", epoch + 1, epoch)
    talk.beat(a)
    assert (talk.state, talk.epoch, talk.target_epoch) == ("Stable", epoch + 1, epoch + 1)
    assert talk.assigned(a) == {"foo": [0, 1, 2, 3]}
    assert talk.code(b) is ErrorCode.UNKNOWN_MEMBER_ID


def test_the_departure_of_a_topics_last_subscriber_raises_the_epoch_only_once() -> None:
    talk = Talk({"foo": 2, "bar": 2})
    a, b = talk.join("a", "foo"), talk.join("b", "bar")
    talk.converge(a, b)
    epoch = talk.epoch
    talk.beat(b, member_epoch=-1)
    talk.converge(a)
    assert talk.epoch == epoch + 1
    assert set(talk.group.durable.group.details["topics"]) == {"foo"}


def test_the_last_one_leaves_an_empty_group_with_a_higher_epoch() -> None:
    talk = Talk({"foo": 4})
    a = talk.join("a")
    talk.beat(a, member_epoch=-1)
    assert (talk.state, talk.epoch, talk.target_epoch) == ("Empty", 3, 3)
    assert talk.journal[-1].kind == "emptied"
    assert talk.group.due(talk.now) is None
    assert talk.join("b").epoch == 4


def test_cg_19_a_full_group_refuses_only_new_members() -> None:
    talk = Talk({"foo": 4}, group_consumer_max_size=1)
    a = talk.join("a", instance_id="i1")
    assert talk.code(Client("b", ("foo",))) is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert talk.code(a) is ErrorCode.NONE
    talk.beat(a, member_epoch=-2)
    assert talk.join("c", instance_id="i1").told == {"foo": [0, 1, 2, 3]}, "it kept its place"


def test_cg_24_a_live_member_may_join_again() -> None:
    talk = Talk({"foo": 3})
    m = talk.join("m")
    before = talk.group.durable
    reply = talk.beat(m, member_epoch=0)
    assert (reply.error, reply.member_epoch) == (ErrorCode.NONE, 2)
    assert reply.assignment == {"id-foo": (0, 1, 2)}
    assert talk.group.durable is before


def test_a_member_that_rejoins_during_a_revocation_has_revoked() -> None:
    talk = Talk({"foo": 4})
    a, b = talk.join("a"), talk.join("b")
    assert talk.beat(a).assignment == {"id-foo": (0, 1)}
    reply = talk.beat(a, member_epoch=0)
    assert (reply.member_epoch, reply.assignment) == (talk.epoch, {"id-foo": (0, 1)})
    assert talk.beat(b).assignment == {"id-foo": (2, 3)}
