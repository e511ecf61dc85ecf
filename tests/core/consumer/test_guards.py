"""Guard rails of consumer groups: no partition is revoked while a rebalance is put off."""

from groups.core import events
from groups.core.errors import ErrorCode
from tests.core.consumer.talk import Client, Talk

ALL = {"foo": [0, 1, 2, 3]}


def at_work(**rules: int) -> tuple[Talk, Client, Client]:
    """Two members that share a topic, Stable."""
    talk = Talk({"foo": 4}, **rules)
    one, two = talk.join("a"), talk.join("b")
    talk.converge(one, two)
    return talk, one, two


def test_a_new_member_of_a_frozen_group_has_no_partitions_until_the_thaw() -> None:
    talk, one, two = at_work()
    talk.guard(frozen=True)
    target = talk.target_epoch

    three = talk.join("c")
    talk.obey(one)

    assert (talk.assigned(one), talk.assigned(two)) == ({"foo": [0, 1]}, {"foo": [2, 3]})
    assert talk.assigned(three) == {} and three.epoch == target == talk.target_epoch
    talk.guard()
    talk.converge(one, two, three)
    assert talk.assigned(three) != {}


def test_the_partitions_of_a_member_that_leaves_a_frozen_group_stay_unassigned() -> None:
    talk, one, two = at_work()
    talk.guard(frozen=True)
    two_had = talk.assigned(two)

    talk.beat(two, member_epoch=-1)
    talk.obey(one)

    assert list(talk.group.members) == ["a"]
    assert talk.assigned(one) == {"foo": [0, 1]} and two_had == {"foo": [2, 3]}
    assert talk.kinds()[-1] == "rebalance-put-off"
    talk.guard()
    assert (talk.kinds()[-1], talk.journal[-1].trigger) == ("rebalance-started", "member-left")
    talk.converge(one)
    assert talk.assigned(one) == ALL


def test_a_silent_member_of_a_frozen_group_is_removed() -> None:
    talk, one, _two = at_work()
    talk.guard(frozen=True)

    talk.sleep(30_000)
    talk.obey(one)
    talk.sleep(20_000)

    assert list(talk.group.members) == ["a"]
    assert talk.assigned(one) == {"foo": [0, 1]}


def test_a_static_member_of_a_frozen_group_gets_its_partitions_back() -> None:
    talk = Talk({"foo": 4})
    one, two = talk.join("a", instance_id="i1"), talk.join("b", instance_id="i2")
    talk.converge(one, two)
    had = talk.assigned(two)
    talk.guard(frozen=True)
    talk.beat(two, member_epoch=-2)

    again = talk.join("b2", instance_id="i2")

    assert talk.assigned(again) == had
    assert again.told == had


def test_a_group_created_frozen_assigns_nothing() -> None:
    talk = Talk({"foo": 4})
    talk.guard(frozen=True)

    one, two = talk.join("a"), talk.join("b")

    assert (one.told, two.told) == ({}, {})
    assert (one.epoch, two.epoch) == (1, 1)
    talk.guard()
    talk.converge(one, two)
    assert {*talk.assigned(one)["foo"], *talk.assigned(two)["foo"]} == {0, 1, 2, 3}


def test_a_frozen_group_still_owes_its_rebalance_after_a_takeover() -> None:
    talk, one, two = at_work()
    talk.guard(frozen=True)
    talk.beat(two, member_epoch=-1)

    talk.reload()
    talk.obey(one)
    assert talk.assigned(one) == {"foo": [0, 1]}

    talk.guard()
    talk.converge(one)
    assert talk.assigned(one) == ALL


def test_an_operator_cannot_rebalance_a_frozen_group() -> None:
    talk, *_ = at_work()
    talk.guard(frozen=True)
    epoch = talk.epoch

    decision = talk.step(events.ForceRebalance(operation_id=1, actor="ops", reason="x"))

    assert decision.operations[0].error is ErrorCode.INVALID_REQUEST
    assert "frozen" in decision.operations[0].detail
    assert talk.epoch == epoch


def test_the_next_rebalance_starts_when_the_interval_is_over() -> None:
    talk, one, two = at_work()
    talk.guard(interval_ms=40_000)
    talk.sleep(10_000)
    three = talk.join("c")

    talk.sleep(29_000)
    for client in (one, two, three):
        talk.obey(client)
    assert (talk.assigned(one), talk.assigned(three)) == ({"foo": [0, 1]}, {})
    assert talk.state == "Assigning"

    talk.sleep(1_000)
    talk.converge(one, two, three)
    assert talk.assigned(three) != {}


def test_the_first_members_of_a_group_wait_for_no_interval() -> None:
    talk = Talk({"foo": 4})
    talk.guard(interval_ms=40_000)

    one = talk.join("a")

    assert one.told == ALL


def test_an_operator_does_not_wait_for_the_interval() -> None:
    talk, *_ = at_work()
    talk.guard(interval_ms=40_000)

    talk.step(events.ForceRebalance(operation_id=1, actor="ops", reason="x"))

    assert talk.target_epoch == talk.epoch


def test_a_new_owner_restarts_the_interval() -> None:
    talk, one, two = at_work()
    talk.guard(interval_ms=40_000)
    talk.sleep(20_000)
    talk.beat(two, member_epoch=-1)

    talk.reload()
    talk.sleep(39_000)
    talk.obey(one)
    assert talk.assigned(one) == {"foo": [0, 1]}

    talk.sleep(1_000)
    talk.converge(one)
    assert talk.assigned(one) == ALL


def test_a_rebalance_in_progress_is_not_stopped_by_a_freeze() -> None:
    talk, one, two = at_work()
    three = talk.join("c")
    talk.guard(frozen=True)

    for _ in range(3):
        for client in (one, two, three):
            talk.obey(client)

    assert talk.state == "Stable" and talk.assigned(three) != {}
