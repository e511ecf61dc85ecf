"""Reconciliation: no partition has two owners (cases CG-07 to CG-09, CG-13, CG-18)."""

import pytest

from groups.core.assignors.types import Parts, Subscriber
from groups.core.consumer import rebalance
from groups.core.consumer.member import UNRELEASED, parts_of
from groups.core.consumer.reconcile import reconcile
from groups.core.errors import ErrorCode
from tests.core.consumer.talk import Client, Talk


class Planned:
    """An assignor that gives what the test has planned."""

    def __init__(self, **targets: dict[str, list[int]]) -> None:
        self.targets = targets

    def __call__(self, members: list[Subscriber], *_: object) -> dict[str, Parts]:
        return {
            m.member_id: parts_of(
                {f"id-{topic}": ps for topic, ps in self.targets.get(m.member_id, {}).items()}
            )
            for m in members
        }


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> Planned:
    planned = Planned()
    monkeypatch.setattr(rebalance, "table", lambda: {"uniform": planned})
    return planned


def test_cg_07_three_members_hand_partitions_over(plan: Planned) -> None:
    talk = Talk({"foo": 6, "bar": 3})
    plan.targets = {"a": {"foo": [0, 1, 2], "bar": [0, 1]}, "b": {"foo": [3, 4, 5], "bar": [2]}}
    a, b = talk.join("a", "foo", "bar"), talk.join("b", "foo", "bar")
    talk.converge(a, b)
    e = talk.epoch
    plan.targets = {
        "a": {"foo": [0, 1], "bar": [0]},
        "b": {"foo": [2, 3], "bar": [2]},
        "c": {"foo": [4, 5], "bar": [1]},
    }
    c = talk.join("c", "foo", "bar")
    assert (c.epoch, c.told) == (e + 1, {}), "at the target's epoch, though with nothing yet"
    talk.beat(a)
    assert (a.epoch, a.told) == (e, {"bar": [0], "foo": [0, 1]})
    talk.beat(b)
    assert (b.epoch, b.told) == (e, {"bar": [2], "foo": [3]})
    assert talk.beat(c).assignment is None
    reply = talk.beat(a, owned={"foo": [0, 1], "bar": [0]})
    assert (reply.member_epoch, reply.assignment) == (e + 1, None)
    talk.beat(c)
    assert c.told == {"bar": [1]}
    reply = talk.beat(b)
    assert (reply.member_epoch, reply.assignment) == (e, None), "no owned list is no answer"
    talk.beat(b, owned={"foo": [3], "bar": [2]})
    assert (b.epoch, b.told) == (e + 1, {"bar": [2], "foo": [2, 3]})
    assert talk.state == "Reconciling"
    talk.beat(c)
    assert c.told == {"bar": [1], "foo": [4, 5]}
    assert talk.state == "Stable"
    assert talk.kinds()[-1] == "rebalance-completed"


def test_a_waiting_member_stays_the_same_object(plan: Planned) -> None:
    talk = Talk({"foo": 2})
    plan.targets = {"a": {"foo": [0, 1]}}
    a = talk.join("a")
    talk.converge(a)
    plan.targets = {"a": {"foo": [0]}, "b": {"foo": [1]}}
    b = talk.join("b")
    talk.beat(b)
    waits = talk.group.members["b"]
    assert waits.state == UNRELEASED
    assert reconcile(waits, talk.target_epoch, None, lambda part: False) is waits


def test_cg_08_the_epoch_stays_until_everything_is_revoked(plan: Planned) -> None:
    talk = Talk({"foo": 4})
    plan.targets = {"a": {"foo": [0, 1, 2, 3]}}
    a = talk.join("a")
    e = a.epoch
    plan.targets = {"a": {"foo": [0, 1, 2]}, "b": {"foo": [3]}}
    talk.join("b")
    talk.beat(a)
    assert (a.epoch, a.told) == (e, {"foo": [0, 1, 2]})
    plan.targets = {"a": {"foo": [0, 1]}, "b": {"foo": [3]}, "c": {"foo": [2]}}
    talk.join("c")
    talk.beat(a, owned={"foo": [0, 1, 2]})
    assert (a.epoch, a.told) == (e, {"foo": [0, 1]}), "more to give up"
    assert talk.group.live.timers["a"].revoking == {("id-foo", 2)}
    talk.beat(a, owned={"foo": [0, 1]})
    assert a.epoch == talk.epoch == e + 2


def test_cg_09_a_partition_returns_before_it_was_revoked(plan: Planned) -> None:
    talk = Talk({"foo": 2})
    plan.targets = {"a": {"foo": [0, 1]}}
    a = talk.join("a")
    plan.targets = {"a": {"foo": [0]}, "b": {"foo": [1]}}
    b = talk.join("b")
    talk.beat(a)
    assert a.told == {"foo": [0]}
    plan.targets = {"a": {"foo": [0, 1]}}
    talk.beat(b, member_epoch=-1)
    a.owned = {"foo": [0, 1]}
    assert talk.beat(a, owned=a.owned).assignment is None, "it must give it up first"
    talk.converge(a)
    assert talk.assigned(a) == {"foo": [0, 1]}
    assert set(talk.group.members["a"].since or {}) == {("id-foo", 0), ("id-foo", 1)}


def test_cg_13_the_rebalance_timer_ends_with_the_acknowledgement() -> None:
    talk = Talk({"foo": 4})
    a = talk.join("a", rebalance_timeout_ms=10_000)
    b = talk.join("b")
    talk.beat(a)
    assert set(talk.group.live.timers) == {"a"}
    talk.sleep(9_999)
    talk.obey(a)
    assert not talk.group.live.timers
    talk.converge(a, b)
    talk.sleep(20_000)
    c = talk.join("c")
    talk.beat(a), talk.beat(b)
    deadlines = [timer.deadline for timer in talk.group.live.timers.values()]
    assert deadlines and min(deadlines) >= talk.now + 10_000
    talk.converge(a, b, c)


def test_cg_18_a_new_subscription_revokes_the_old_partitions_first() -> None:
    talk = Talk({"foo": 2, "bar": 3})
    m = talk.join("m", "foo")
    reply = talk.beat(m, subscribed_topic_names=("bar",), owned={"foo": [0, 1]})
    assert (reply.member_epoch, reply.assignment) == (2, {})
    assert (talk.epoch, talk.state) == (3, "Reconciling")
    reply = talk.beat(m, owned={})
    assert (reply.member_epoch, reply.assignment) == (3, {"id-bar": (0, 1, 2)})
    assert talk.triggers() == ["member-joined", "subscription-changed"]


def test_a_revocation_already_shown_by_the_request_needs_no_round_trip() -> None:
    talk = Talk({"foo": 2, "bar": 3})
    m = talk.join("m", "foo")
    reply = talk.beat(m, subscribed_topic_names=("bar",), owned={})
    assert (reply.member_epoch, reply.assignment) == (3, {"id-bar": (0, 1, 2)})


def test_a_member_that_revokes_or_waits_gets_a_short_interval() -> None:
    talk = Talk({"foo": 2})
    a = talk.join("a")
    waiting = talk.beat(Client("b", ("foo",)))
    revoking = talk.beat(a)
    assert waiting.heartbeat_interval_ms == revoking.heartbeat_interval_ms == 500
    assert talk.beat(a, owned={"foo": [0]}).heartbeat_interval_ms == 500, "more may follow"
    assert talk.beat(a).heartbeat_interval_ms == 5_000


@pytest.mark.parametrize(("pending_ms", "told_ms"), [(0, 5_000), (200, 200), (15_000, 5_000)])
def test_the_short_interval_is_a_setting(pending_ms: int, told_ms: int) -> None:
    """0 switches it off, and no member gets a longer interval than the others."""
    talk = Talk({"foo": 2}, group_consumer_pending_heartbeat_interval_ms=pending_ms)
    a = talk.join("a")

    assert talk.beat(Client("b", ("foo",))).heartbeat_interval_ms == told_ms
    assert talk.beat(a).heartbeat_interval_ms == told_ms


def test_waiting_changes_nothing_durable() -> None:
    talk = Talk({"foo": 2})
    talk.join("a")
    b = talk.join("b")
    assert talk.beat(b).error is ErrorCode.NONE
    before = talk.group
    assert talk.beat(b).error is ErrorCode.NONE
    assert talk.group is before


def test_a_waiting_member_that_used_its_epoch_cannot_use_the_previous_one() -> None:
    talk = Talk({"foo": 2}, group_consumer_assignors=("range",))
    a, b = talk.join("a"), talk.join("b")
    before = b.epoch
    talk.join("c"), talk.beat(a)
    assert talk.beat(b, owned={}).member_epoch == before + 1, "its answer may be lost"
    assert talk.group.members["b"].state == UNRELEASED
    assert talk.beat(b, member_epoch=before, owned={}).error is ErrorCode.NONE, "it is asked again"
    assert talk.beat(b).error is ErrorCode.NONE
    assert talk.code(b, member_epoch=before, owned={}) is ErrorCode.FENCED_MEMBER_EPOCH


def test_a_new_subscription_during_a_revocation_counts_at_once() -> None:
    talk = Talk({"foo": 3, "bar": 2})
    m = talk.join("m", "foo", "bar")
    talk.obey(m)
    everything = {"foo": [0, 1, 2], "bar": [0, 1]}
    reply = talk.beat(m, subscribed_topic_names=("foo",))
    assert reply.assignment == {"id-foo": (0, 1, 2)}
    reply = talk.beat(m, subscribed_topic_names=("bar",))
    assert reply.assignment == {}, "it turned away from foo, and has not given bar up yet"
    assert talk.group.members["m"].revoking == parts_of({"id-foo": (0, 1, 2), "id-bar": (0, 1)})
    assert talk.beat(m, owned=everything).assignment is None
    talk.obey(m)
    talk.converge(m)
    assert m.owned == {"bar": [0, 1]}
