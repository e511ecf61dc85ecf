"""Drained members of consumer groups: the target is without them, and their partitions move as in
any rebalance."""

from typing import Any

import pytest

from groups.core.drains import DrainMember, UndrainMember
from groups.core.errors import ErrorCode
from groups.core.events import TargetComputed
from groups.core.replies import Installed, Operated
from tests.core.consumer.client_talk import ClientTalk
from tests.core.consumer.crossing import Classic, upgraded
from tests.core.consumer.talk import Client, Talk

EVERYTHING = {"foo": [0, 1, 2, 3]}


def drain(talk: Any, name: str, number: int = 9) -> list[Operated]:
    said = DrainMember(operation_id=number, actor="ann", reason="upgrade", member_id=name)
    return list(talk.step(said).operations)


def undrain(talk: Any, name: str, number: int = 10) -> list[Operated]:
    said = UndrainMember(operation_id=number, actor="ann", reason="done", member_id=name)
    return list(talk.step(said).operations)


def two(**options: Any) -> tuple[Talk, Client, Client]:
    talk = Talk({"foo": 4})
    a, b = talk.join("a"), talk.join("b", **options)
    talk.converge(a, b)
    return talk, a, b


def test_a_partition_is_given_on_when_the_drained_member_has_revoked_it() -> None:
    talk, a, b = two()
    mine = dict(b.owned)
    (begun,) = drain(talk, "b")
    assert (begun.error, begun.ended) == (ErrorCode.NONE, False)
    talk.beat(a)
    assert a.told == a.owned, "b has revoked nothing yet"
    talk.beat(b)
    assert b.told == {}
    talk.beat(a)
    assert a.told == a.owned and talk.assigned(b) == {}
    assert {p for parts in mine.values() for p in parts}.isdisjoint(a.owned["foo"])
    assert not talk.last.operations if talk.last else False
    talk.obey(b)
    assert talk.last is not None
    (done,) = talk.last.operations
    assert (done.operation_id, done.error, done.ended) == (9, ErrorCode.NONE, True)
    talk.converge(a, b)
    assert (a.owned, b.owned) == (EVERYTHING, {})
    assert [entry.reason for entry in talk.journal if entry.kind == "member-drained"] == [
        "ann drained app: upgrade"
    ]
    assert talk.triggers()[-1] == "operator"


def test_later_targets_are_without_it_under_any_owner_until_it_is_undone() -> None:
    talk, a, b = two()
    drain(talk, "b")
    talk.converge(a, b)
    talk.reload()
    c = talk.join("c")
    talk.converge(a, b, c)
    assert b.owned == {} and len(a.owned["foo"]) == len(c.owned["foo"]) == 2
    (done,) = undrain(talk, "b")
    assert done.error is ErrorCode.NONE and done.ended
    talk.converge(a, b, c)
    assert b.owned["foo"]


def test_what_changes_nothing_says_so() -> None:
    talk, _, _ = two()
    (unknown,) = drain(talk, "nobody")
    assert unknown.error is ErrorCode.INVALID_REQUEST
    (early,) = undrain(talk, "b")
    assert (early.error, early.changed) == (ErrorCode.NONE, False)
    drain(talk, "b")
    (again,) = drain(talk, "b", 11)
    assert (again.error, again.changed) == (
        ErrorCode.NONE,
        False,
    ) and "ann: upgrade" in again.detail


def test_a_drain_that_is_undone_before_its_end_has_failed() -> None:
    talk, a, b = two()
    drain(talk, "b")
    first, second = undrain(talk, "b")
    assert (first.operation_id, first.error) == (9, ErrorCode.INVALID_REQUEST)
    assert (second.operation_id, second.error) == (10, ErrorCode.NONE)
    talk.converge(a, b)
    assert b.owned["foo"]


def test_a_member_that_leaves_ends_its_drain() -> None:
    talk, a, b = two()
    drain(talk, "b")
    talk.beat(b, member_epoch=-1)
    assert talk.last is not None
    assert [(o.operation_id, o.error) for o in talk.last.operations] == [(9, ErrorCode.NONE)]
    again = talk.join("b")
    talk.converge(a, again)
    assert again.owned["foo"]


@pytest.mark.parametrize("how", ["left for now", "expired"])
def test_a_static_member_that_returns_is_drained_still(how: str) -> None:
    talk, a, b = two(instance_id="i")
    drain(talk, "b")
    talk.converge(a, b)
    if how == "left for now":
        talk.beat(b, member_epoch=-2)
    else:
        talk.now += 40_000
        talk.beat(a)
        talk.sleep(10_000)
        assert "b" not in talk.group.members
        talk.reload()
    back = talk.join("b2", instance_id="i")
    talk.converge(a, back)
    assert (a.owned, back.owned) == (EVERYTHING, {})
    undrain(talk, "b2")
    talk.converge(a, back)
    assert back.owned["foo"]


def test_a_static_member_that_is_away_is_undrained_by_its_instance_id() -> None:
    talk, a, _ = two(instance_id="i")
    drain(talk, "b")
    talk.now += 40_000
    talk.beat(a)
    talk.sleep(10_000)
    (done,) = undrain(talk, "i")
    assert done.error is ErrorCode.NONE and done.changed
    back = talk.join("b2", instance_id="i")
    talk.converge(a, back)
    assert back.owned["foo"]


def test_all_members_may_be_drained() -> None:
    talk, a, b = two()
    drain(talk, "a", 1)
    drain(talk, "b", 2)
    talk.converge(a, b)
    assert a.owned == b.owned == {}
    talk.catalogue["foo"] = ("id-foo", 6)
    talk.converge(a, b)
    assert a.owned == b.owned == {}
    undrain(talk, "a")
    talk.converge(a, b)
    assert a.owned == {"foo": [0, 1, 2, 3, 4, 5]}


def test_a_freeze_keeps_its_partitions_until_the_thaw() -> None:
    talk, a, b = two()
    talk.guard(frozen=True)
    drain(talk, "b")
    talk.obey(b)
    talk.obey(a)
    assert b.owned["foo"] and talk.kinds()[-1] == "rebalance-put-off"
    talk.guard(frozen=False)
    talk.converge(a, b)
    assert (a.owned, b.owned) == (EVERYTHING, {})


def test_a_target_that_was_being_computed_gives_a_drained_member_nothing() -> None:
    talk = Talk({"foo": 4_000}, group_consumer_assignor_offload_enable=True)
    talk.join("a")
    talk.answer()
    b = talk.join("b")
    (question,) = talk.questions
    targets = question.answer()
    assert targets["b"]
    drain(talk, "b")
    talk.questions.clear()
    talk.step(TargetComputed(question=question, targets=targets))
    assert not talk.group.members["b"].target
    assert talk.beat(b).assignment in (None, {})


def test_a_member_that_assigns_is_not_told_of_the_drained_one() -> None:
    talk = ClientTalk(group_consumer_assignors=("mine", "uniform"))
    a, _ = talk.able("a")
    talk.assign(a, {"a": EVERYTHING})
    b, _ = talk.able("b")
    drain(talk, "b")
    asked = a if talk.beat(a).should_assign else b
    assert {member.subscriber.member_id for member in talk.prepare(asked).members} == {"a"}
    refused = talk.install(asked, talk.epoch, {"b": EVERYTHING})
    assert refused.error is ErrorCode.INVALID_REQUEST
    assert talk.install(asked, talk.epoch, {"a": EVERYTHING}) == Installed()
    talk.converge(a, b)
    assert (a.owned, b.owned) == (EVERYTHING, {})


def test_classic_members_of_a_mixed_group_may_be_drained() -> None:
    a = Classic(rebalance_ms=600_000, session_ms=600_000)
    talk, m2 = upgraded(a)
    drain(talk, a.member_id)
    for _ in range(6):
        talk.live(a)
        talk.obey(m2)
    assert (a.works_on, m2.owned) == ({}, {"foo": [0, 1, 2]})


def test_a_downgrade_ends_drains() -> None:
    """The leader of a classic group assigns, to all members."""
    a = Classic(rebalance_ms=600_000, session_ms=600_000)
    talk, m2 = upgraded(a)
    drain(talk, a.member_id)
    talk.beat(m2, member_epoch=-1)
    assert talk.kind == "classic"
    ended = [entry for entry in talk.journal if entry.kind == "member-undrained"]
    assert [entry.member_id for entry in ended] == [a.member_id]
    assert talk.last is not None
    (failed,) = talk.last.operations
    assert (failed.operation_id, failed.error) == (9, ErrorCode.INVALID_REQUEST)
    talk.live(a)
    assert a.works_on == {"foo": [0, 1, 2]}


def test_the_drain_of_a_member_without_partitions_ends_at_once() -> None:
    talk = Talk({"foo": 1})
    a, b = talk.join("a"), talk.join("b")
    talk.converge(a, b)
    begun, done = drain(talk, "b")
    assert not begun.ended and done.ended
    assert done.operation_id == begun.operation_id
