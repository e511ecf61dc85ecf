"""Guard rails of consumer groups: no partition is revoked while a rebalance is put off."""

from dataclasses import replace

import pytest

from groups.core import events
from groups.core.errors import ErrorCode
from groups.core.group import NO_GUARDS
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


def thaw_in_the_next_batch(talk: Talk) -> None:
    """The freeze ends, and a request comes before the node's tick."""
    talk.rules = replace(talk.rules, guards=NO_GUARDS)
    talk.group = talk.group.with_rules(talk.rules)


def causes(talk: Talk) -> list[tuple[str, int]]:
    """The causes of the last rebalance that ended, with how many members each was."""
    why = next(entry.why for entry in reversed(talk.journal) if entry.why is not None)
    return [(each.trigger, each.members) for each in why.causes]


def test_what_was_put_off_stays_the_first_cause_of_whatever_begins_it() -> None:
    talk, one, two = at_work()
    talk.guard(frozen=True)
    talk.beat(two, member_epoch=-1)
    thaw_in_the_next_batch(talk)

    three = talk.join("c")

    talk.converge(one, three)
    assert causes(talk) == [("member-left", 1), ("member-joined", 1)]


def test_nothing_that_was_put_off_is_a_cause_of_the_last_members_leave() -> None:
    talk, one, two = at_work()
    talk.guard(frozen=True)
    talk.beat(two, member_epoch=-1)
    thaw_in_the_next_batch(talk)
    talk.beat(one, member_epoch=-1)
    assert (talk.kinds()[-1], causes(talk)) == ("emptied", [("member-left", 1)])


def test_a_rebalance_ends_at_its_target_while_the_next_one_is_put_off() -> None:
    talk, one, two = at_work()
    three = talk.join("c")
    target = talk.target_epoch
    talk.guard(frozen=True)
    four = talk.join("d")
    talk.sleep(2_000)

    for _ in range(3):
        for client in (one, two, three, four):
            talk.obey(client)

    ended = talk.journal[-1]
    assert (ended.kind, ended.generation_after) == ("rebalance-completed", target)
    assert causes(talk) == [("member-joined", 1)] and ended.duration_ms == 2_000
    talk.sleep(5_000)
    talk.guard()
    talk.converge(one, two, three, four)
    assert causes(talk) == [("member-joined", 1)]
    assert talk.journal[-1].duration_ms == 0, "the freeze is no part of it"


def test_who_is_removed_while_the_group_is_frozen_is_waited_for_in_the_rebalance_before() -> None:
    talk, one, _silent = at_work()
    three = talk.join("c")
    talk.guard(frozen=True)
    for _ in range(5):
        talk.sleep(10_000)
        talk.obey(one), talk.obey(three)

    assert causes(talk) == [("member-joined", 1), ("session-expired", 1)]
    why = next(entry.why for entry in reversed(talk.journal) if entry.why is not None)
    assert next((one.member_id, one.end) for one in why.awaited) == ("b", "silent")


def test_a_new_owner_of_a_frozen_group_waits_for_nobody() -> None:
    talk, one, two = at_work()
    talk.guard(frozen=True)
    three = talk.join("c")
    talk.reload()
    talk.sleep(3_000)
    talk.guard()
    talk.converge(one, two, three)
    why = next(entry.why for entry in reversed(talk.journal) if entry.why is not None)
    assert (why.ms, why.is_partial) == (0, False)


@pytest.mark.parametrize("is_taken_over", [False, True])
def test_what_any_heartbeat_could_end_is_awaited_only_while_there_is_no_freeze(
    is_taken_over: bool,
) -> None:
    talk, one, two = at_work()
    talk.beat(two, member_epoch=-1)  # the next heartbeat computes the target
    talk.sleep(500)
    talk.guard(frozen=True)
    if is_taken_over:
        talk.reload()
    talk.sleep(3_000)
    talk.guard()
    talk.sleep(700)

    talk.obey(one)

    why = next(entry.why for entry in reversed(talk.journal) if entry.why is not None)
    assert {each.act: each.ms for each in why.awaited if each.member_id == one.member_id} == {
        "heartbeat": 700
    }
