"""Targets in batches, and targets that are worked out elsewhere (KIP-1263)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from groups.core import events
from groups.core.assignors.task import AssignorFailed
from groups.core.assignors.types import Parts, Racks, Subscriber
from groups.core.consumer import target_schedule
from groups.core.errors import ErrorCode
from tests.core.consumer.talk import Client, Talk

ALL = {"foo": [0, 1, 2, 3]}


def batched(**rules: object) -> Talk:
    """A group with one new target a second at the most."""
    return Talk({"foo": 4, "bar": 2}, group_consumer_assignment_interval_ms=1_000, **rules)


def elsewhere(monkeypatch: pytest.MonkeyPatch, **rules: object) -> Talk:
    """A group whose every target is worked out elsewhere."""
    monkeypatch.setattr(target_schedule, "INLINE_MAX", 0)
    return Talk({"foo": 4, "bar": 2}, group_consumer_assignor_offload_enable=True, **rules)


# -- at most once per interval


def test_the_first_member_waits_for_nothing() -> None:
    assert batched().join("a").told == ALL


def test_a_member_that_joins_within_the_interval_waits_for_its_end() -> None:
    talk = batched()
    one = talk.join("a")
    target = talk.target_epoch

    two, three = talk.join("b"), talk.join("c")

    assert (two.epoch, two.told) == (target, {})
    assert (talk.epoch, talk.target_epoch, talk.state) == (target + 2, target, "Assigning")
    talk.sleep(999)
    assert talk.target_epoch == target
    talk.sleep(1)
    assert talk.target_epoch == talk.epoch, "one target for both"
    talk.converge(one, two, three)


def test_a_thousand_joins_compute_one_target_per_interval() -> None:
    talk = batched()
    targets = set()
    for number in range(100):
        talk.join(f"m{number:03}")
        talk.sleep(100)
        targets.add(talk.target_epoch)
    assert len(targets) == 11, "one at once, and ten in as many seconds"


def test_members_get_a_short_heartbeat_interval_while_a_target_waits() -> None:
    talk = batched()
    one = talk.join("a")
    usual = talk.beat(one).heartbeat_interval_ms

    soon = talk.rules.group_consumer_pending_heartbeat_interval_ms
    two = Client("b", ("foo",))
    assert talk.beat(two).heartbeat_interval_ms == soon < usual
    assert talk.beat(one).heartbeat_interval_ms == soon


def test_after_a_departure_the_next_heartbeat_computes_the_target() -> None:
    """As with Kafka: who leaves computes nothing, and nothing is due by itself."""
    talk = batched()
    one, two = talk.join("a"), talk.join("b")
    talk.converge(one, two)
    talk.beat(two, member_epoch=-1)

    talk.sleep(10_000)
    assert talk.state == "Assigning"
    talk.obey(one)
    assert talk.assigned(one) == ALL


def test_unsubscribed_partitions_are_revoked_at_once() -> None:
    talk = batched()
    one = talk.join("a", "foo", "bar")
    one.owned = dict(one.told or {})
    target = talk.target_epoch

    talk.beat(one, subscribed_topic_names=("bar",), owned=one.owned)

    assert one.told == {"bar": [0, 1]} and talk.target_epoch == target
    assert talk.group.members["a"].state == "unrevoked-partitions"
    reply = talk.beat(one, owned={"bar": [0, 1]})
    assert reply.member_epoch == target, "no epoch ahead of the target's"
    talk.converge(one)


def test_a_new_topic_comes_with_the_next_target() -> None:
    talk = batched()
    one = talk.join("a")
    talk.beat(one, subscribed_topic_names=("foo", "bar"), owned=ALL)
    assert talk.assigned(one) == ALL

    talk.sleep(1_000)
    talk.converge(one)
    assert talk.assigned(one) == {**ALL, "bar": [0, 1]}


def test_an_operator_does_not_wait() -> None:
    talk = batched()
    talk.join("a")
    talk.join("b")

    talk.step(events.ForceRebalance(operation_id=1, actor="ops", reason="x"))

    assert talk.target_epoch == talk.epoch


def test_a_new_owner_computes_a_due_target_at_once() -> None:
    talk = batched()
    one = talk.join("a")
    two = talk.join("b")

    talk.reload()
    talk.obey(one)

    assert talk.target_epoch == talk.epoch
    talk.converge(one, two)


def test_a_freeze_overrides_the_interval() -> None:
    talk = batched()
    one, two = talk.join("a"), talk.join("b")
    talk.guard(frozen=True)
    target = talk.target_epoch

    talk.sleep(30_000)
    talk.obey(one)
    assert talk.target_epoch == target and talk.group.due(talk.now) is not None
    talk.guard()
    talk.converge(one, two)


def test_a_postponed_target_still_waits_for_the_interval() -> None:
    """Two reasons to wait: the later one counts, and no tick comes before it for nothing."""
    talk = batched()
    one, two = talk.join("a"), talk.join("b")
    talk.converge(one, two)
    talk.guard(frozen=True)
    talk.obey(one)
    talk.beat(two, member_epoch=-1)
    talk.rules = replace(talk.rules, group_consumer_assignment_interval_ms=15_000)

    talk.guard()
    assert talk.target_epoch < talk.epoch
    due = talk.group.due(talk.now)
    assert due is not None and due > talk.now
    talk.sleep(15_000)
    assert talk.target_epoch == talk.epoch
    talk.converge(one)


def test_a_shorter_interval_applies_to_the_current_wait() -> None:
    talk = batched()
    talk.join("a")
    talk.join("b")

    talk.rules = replace(talk.rules, group_consumer_assignment_interval_ms=0)
    talk.group = talk.group.with_rules(talk.rules)
    talk.sleep(0)

    assert talk.target_epoch == talk.epoch


# -- worked out elsewhere


def test_a_large_first_target_is_installed_after_the_response(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk = elsewhere(monkeypatch)
    one = talk.join("a")

    assert (one.epoch, one.told, talk.state) == (1, {}, "Assigning")
    talk.answer()
    talk.converge(one)
    assert talk.assigned(one) == ALL


def test_only_one_task_is_requested_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = elsewhere(monkeypatch)
    one, two, three = talk.join("a"), talk.join("b"), talk.join("c")
    assert [len(question.members) for question in talk.questions] == [1]

    talk.answer()
    talk.sleep(0)
    assert [len(question.members) for question in talk.questions] == [3]
    talk.converge(one, two, three)


def test_members_that_changed_during_the_task_are_left_out_of_its_target(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk = elsewhere(monkeypatch)
    one, two = talk.join("a"), talk.join("b")
    talk.answer()
    talk.converge(one, two)
    talk.join("c")
    (question,) = talk.questions
    talk.beat(two, member_epoch=-1)
    four = talk.join("d")

    talk.step(events.TargetComputed(question=question, targets=question.answer()))
    talk.questions.clear()

    assert talk.target_epoch == question.epoch < talk.epoch
    assert talk.group.members["d"].target == frozenset()
    assert set(talk.group.members) == {"a", "c", "d"}
    assert four.told == {}


def test_a_static_member_that_returned_during_the_task_gets_its_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk = elsewhere(monkeypatch)
    one = talk.join("a", instance_id="i")
    talk.beat(one, member_epoch=-2)
    again = talk.join("a2", instance_id="i")
    talk.answer()
    talk.converge(again)
    assert talk.assigned(again) == ALL


def test_partitions_unsubscribed_during_the_task_are_not_assigned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk = elsewhere(monkeypatch)
    one = talk.join("a", "foo", "bar")
    talk.beat(one, subscribed_topic_names=("bar",))
    (question,) = talk.questions

    talk.step(events.TargetComputed(question=question, targets=question.answer()))

    assert {topic for topic, _ in talk.group.members["a"].target} == {"id-bar"}


def test_an_obsolete_result_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk = elsewhere(monkeypatch)
    talk.join("a")
    (old,) = talk.questions
    talk.step(events.ForceRebalance(operation_id=1, actor="ops", reason="x"))
    (_, new) = talk.questions

    talk.step(events.TargetComputed(question=old, targets=old.answer()))
    assert talk.target_epoch == 1
    talk.step(events.TargetComputed(question=new, targets=new.answer()))
    assert talk.target_epoch == new.epoch == talk.epoch
    before = talk.group
    talk.step(events.TargetComputed(question=new, targets=new.answer()))
    assert talk.group is before, "told twice"


def test_a_lost_result_is_requested_again(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = elsewhere(monkeypatch)
    one = talk.join("a")
    talk.obey(one)
    talk.questions.clear()

    for _ in range(3):
        talk.sleep(target_schedule.ANSWER_MS_MAX // 3)
        talk.obey(one)

    talk.converge(one)
    assert talk.assigned(one) == ALL


def test_after_a_takeover_the_next_heartbeat_requests_the_task_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk = elsewhere(monkeypatch)
    one = talk.join("a")
    talk.questions.clear()
    talk.reload()
    talk.converge(one)
    assert talk.assigned(one) == ALL


def test_a_result_for_a_deleted_group_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = elsewhere(monkeypatch)
    one = talk.join("a")
    talk.beat(one, member_epoch=-1)
    assert talk.ask(events.DeleteGroup()).error is ErrorCode.NONE
    talk.answer()
    assert not talk.group.durable.exists


# -- assignors from outside


def greedy(
    members: Sequence[Subscriber], counts: Mapping[str, int], _racks: Racks
) -> Mapping[str, Parts]:
    """The first member gets everything."""
    first = min(members, key=lambda member: member.member_id)
    return {first.member_id: frozenset((t, p) for t in first.topics for p in range(counts[t]))}


def twice(
    members: Sequence[Subscriber], counts: Mapping[str, int], racks: Racks
) -> Mapping[str, Parts]:
    """Everybody gets the same, which must not be."""
    (everything,) = greedy(members, counts, racks).values()
    return {member.member_id: everything for member in members}


def plugged(assign: object, **rules: object) -> Talk:
    return Talk({"foo": 4}, plugged_in={"own": assign}, group_consumer_assignors=("own",), **rules)


def test_a_custom_assignor_decides() -> None:
    talk = plugged(greedy)
    one, two = talk.join("a"), talk.join("b", assignor="own")
    talk.converge(one, two)
    assert (talk.assigned(one), talk.assigned(two)) == (ALL, {})


def test_an_invalid_assignment_fails_the_heartbeat_and_changes_nothing() -> None:
    talk = plugged(twice)
    talk.join("a")
    before = talk.group

    with pytest.raises(AssignorFailed, match=r"own failed.*b was given .* what another has"):
        talk.beat(Client("b", ("foo",)))

    assert talk.group is before


@pytest.mark.parametrize(
    "answer",
    [
        {"a": frozenset({("id-foo", 4)})},
        {"a": frozenset({("id-foo", -1)})},
        {"a": frozenset({("id-bar", 0)})},
        {"stranger": frozenset({("id-foo", 0)})},
        {"a": None},
        None,
        {"a": frozenset({"foo"})},
    ],
)
def test_an_invalid_result_counts_as_an_assignors_failure(answer: object) -> None:
    with pytest.raises(AssignorFailed):
        plugged(lambda *_: answer).join("a")


def test_a_failure_without_a_waiting_heartbeat_is_journalled_once_and_retried() -> None:
    talk = plugged(twice, group_consumer_assignment_interval_ms=1_000)
    one = talk.join("a")
    two = talk.join("b")  # has to wait, so nothing fails yet

    talk.sleep(20_000)

    assert talk.kinds().count("assignment-failed") == 1
    assert "own failed" in talk.journal[-1].reason
    assert talk.assigned(one) == ALL, "everybody keeps what there was"
    talk.rules = replace(talk.rules, plugged_in={"own": greedy})
    talk.group = talk.group.with_rules(talk.rules)
    talk.sleep(1_000)
    talk.converge(one, two)


def test_a_failure_in_another_thread_is_journalled_and_retried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk = elsewhere(monkeypatch)
    one = talk.join("a")
    (question,) = talk.questions
    talk.questions.clear()

    talk.step(events.TargetComputed(question=question, targets=None, error="out of ideas"))

    assert talk.journal[-1].kind == "assignment-failed"
    assert talk.journal[-1].reason == "out of ideas"
    talk.sleep(target_schedule.RETRY_MS)
    talk.converge(one)
    assert talk.assigned(one) == ALL


# -- weights


def test_a_member_of_triple_weight_gets_three_times_as_much() -> None:
    talk = Talk({"foo": 8})
    one = talk.join("a", assignor="uniform*3")
    two = talk.join("b")
    talk.converge(one, two)
    assert (len(talk.assigned(one)["foo"]), len(talk.assigned(two)["foo"])) == (6, 2)
    assert talk.group.durable.group.details["assignor"] == "uniform"


@pytest.mark.parametrize("wish", ["uniform*0", "uniform*x", "bogus*2", "*2", ""])
def test_an_invalid_choice_is_refused(wish: str) -> None:
    code = Talk({"foo": 8}).code(Client("a", ("foo",), assignor=wish))
    assert code is ErrorCode.UNSUPPORTED_ASSIGNOR


# -- racks


def test_partitions_go_to_members_in_their_racks() -> None:
    talk = Talk({"foo": 4}, group_consumer_assignors=("uniform-rack",))
    near = {"id-foo": tuple(frozenset({f"r{p % 2}"}) for p in range(4))}
    clients = [Client(m, ("foo",)) for m in "ab"]
    for client, rack in zip(clients, ("r1", "r0"), strict=True):
        talk.beat(client, rack_id=rack, racks=near)
    for _ in range(6):
        for client in clients:
            talk.beat(client, owned=client.told, racks=near)
    assert [talk.assigned(client) for client in clients] == [{"foo": [1, 3]}, {"foo": [0, 2]}]
