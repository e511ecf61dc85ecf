"""What raises the group epoch, what does not, and what time does (CG-11, CG-12, CG-20 to CG-23)."""

from typing import Any

import pytest

from groups.core import events
from groups.core.consumer import rebalance
from groups.core.errors import ErrorCode
from groups.core.group import JournalEntry
from tests.core.consumer.talk import Client, Talk


def test_cg_11_a_silent_member_is_removed_after_its_session() -> None:
    talk = Talk({"foo": 2})
    a, b = talk.join("a"), talk.join("b")
    talk.converge(a, b)
    talk.sleep(44_999)
    talk.beat(b)
    epoch = talk.epoch
    talk.sleep(1)
    assert set(talk.group.members) == {"b"}
    assert (talk.epoch, talk.state) == (epoch + 1, "Assigning")
    assert talk.code(a) is ErrorCode.UNKNOWN_MEMBER_ID
    assert talk.triggers()[-1] == "session-expired"


def test_several_sessions_that_end_together_are_one_rebalance() -> None:
    talk = Talk({"foo": 3})
    a, b, c = talk.join("a"), talk.join("b"), talk.join("c")
    talk.converge(a, b, c)
    talk.sleep(40_000)
    talk.beat(c)
    epoch = talk.epoch
    talk.sleep(5_000)
    assert talk.epoch == epoch + 1
    assert set(talk.journal[-1].left) == {"a", "b"}


def test_cg_12_a_member_that_does_not_revoke_in_time_is_fenced() -> None:
    talk = Talk({"foo": 2})
    a = talk.join("a", rebalance_timeout_ms=10_000)
    talk.join("b")
    talk.beat(a)
    talk.sleep(5_000)
    talk.beat(a)
    talk.sleep(4_999)
    assert "a" in talk.group.members
    talk.sleep(1)
    assert talk.triggers()[-1] == "rebalance-timeout"
    assert talk.code(a) is ErrorCode.UNKNOWN_MEMBER_ID


def test_cg_20_most_votes_choose_the_assignor() -> None:
    talk = Talk({"foo": 3})
    a = talk.join("a", assignor="range")
    b, c = talk.join("b", assignor="range"), talk.join("c", assignor="uniform")
    assert talk.group.durable.group.details["assignor"] == "range"
    talk.beat(a, member_epoch=-1)
    talk.beat(b, member_epoch=-1)
    assert talk.group.durable.group.details["assignor"] == "uniform"
    talk.converge(c)


def test_cg_20_without_a_vote_and_in_a_tie_the_configured_order_decides() -> None:
    talk = Talk({"foo": 3}, group_consumer_assignors=("range", "uniform"))
    talk.join("a")
    assert talk.group.durable.group.details["assignor"] == "range"
    talk.join("b", assignor="uniform"), talk.join("c", assignor="range")
    assert talk.group.durable.group.details["assignor"] == "range"


def test_cg_21_an_assignor_that_fails_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Talk({"foo": 3})
    m = talk.join("m")
    before = talk.group

    def broken(*_: Any) -> Any:
        raise RuntimeError("no idea")

    monkeypatch.setattr(rebalance, "table", lambda: {"uniform": broken})
    with pytest.raises(RuntimeError, match="no idea"):
        talk.beat(Client("n", ("foo",)))
    assert talk.group is before
    assert set(before.members) == {"m"} and before.topic_names == {"foo"}
    talk.check()
    assert talk.code(m) is ErrorCode.NONE


def test_cg_22_another_choice_of_assignor_raises_the_epoch_once() -> None:
    """As in Kafka since 4.4; a minority's, or one without effect, raises nothing."""
    talk = Talk({"foo": 4})
    a, b, c = (talk.join(name, assignor="uniform") for name in "abc")
    talk.converge(a, b, c)
    epoch = talk.epoch
    talk.beat(a, server_assignor="range")
    assert talk.epoch == epoch

    talk.beat(b, server_assignor="range")

    assert talk.epoch == epoch + 1 and talk.triggers()[-1] == "assignor-changed"
    talk.converge(a, b, c)
    assert talk.group.durable.group.details["assignor"] == "range"
    assert [len(m.target) for m in talk.group.members.values()] == [2, 1, 1]
    talk.beat(c, server_assignor="range")
    assert talk.epoch == epoch + 1 and talk.state == "Stable"


@pytest.mark.parametrize(
    ("assignor", "topics", "epoch"),
    [
        (None, (), 1),
        ("uniform", (), 1),
        ("range", (), 2),
        (None, ("foo",), 2),
        ("uniform", ("foo",), 2),
        ("range", ("foo",), 2),
    ],
)
def test_cg_22_a_new_group_has_the_default_assignor(
    assignor: str | None, topics: tuple[str, ...], epoch: int
) -> None:
    """The epochs of Kafka 4.4; a first choice that is not the default is another one."""
    talk = Talk({"foo": 2})
    for name in "mn":
        talk.beat(Client(name, topics if name == "m" else (), assignor=assignor))
        assert talk.epoch == epoch


def test_cg_22_a_tie_raises_nothing() -> None:
    """In Kafka 4.4.0 two votes for two assignors raise the epoch with every heartbeat."""
    talk = Talk({"foo": 2})
    a, b = talk.join("a", assignor="uniform"), talk.join("b", assignor="range")
    epoch = talk.epoch
    talk.converge(a, b)
    assert (talk.epoch, talk.triggers()[-1]) == (epoch, "member-joined")


def test_cg_22_a_choice_beside_another_subscription_raises_the_epoch_once() -> None:
    talk = Talk({"foo": 2, "bar": 2})
    m = talk.join("m")
    talk.beat(m, server_assignor="range", subscribed_topic_names=("foo", "bar"))
    assert (talk.epoch, talk.triggers()[-1]) == (3, "subscription-changed")


@pytest.mark.parametrize(
    "over",
    [
        {"rack_id": "r2"},
        {"rebalance_timeout_ms": 9_000},
        {"server_assignor": "uniform"},
        {"client_id": "other"},
        {"subscribed_topic_names": ("foo",)},
    ],
    ids=str,
)
def test_cg_22_small_changes_are_kept_and_raise_nothing(over: dict[str, Any]) -> None:
    talk = Talk({"foo": 3})
    m = talk.join("m")
    reply = talk.beat(m, **over)
    assert (reply.member_epoch, talk.epoch, talk.state) == (2, 2, "Stable")
    member, (name, value) = talk.group.members["m"], next(iter(over.items()))
    known = {
        "rack_id": member.rack_id,
        "rebalance_timeout_ms": member.row.rebalance_timeout_ms,
        "server_assignor": member.assignor,
        "client_id": member.row.client_id,
        "subscribed_topic_names": member.topics,
    }
    assert known[name] == value


def test_cg_23_new_partitions_are_found_by_the_next_heartbeat() -> None:
    talk = Talk({"foo": 3})
    a, b = talk.join("a"), talk.join("b")
    talk.converge(a, b)
    epoch, was = talk.epoch, b.epoch
    talk.catalogue["foo"] = ("id-foo", 6)
    talk.beat(a)
    assert (talk.epoch, a.epoch) == (epoch + 1, epoch + 1)
    assert talk.group.members["b"].epoch == was, "others learn of it by their own heartbeats"
    talk.beat(b)
    assert (talk.epoch, b.epoch) == (epoch + 1, epoch + 1)
    talk.converge(a, b)
    assert sorted(a.owned["foo"] + b.owned["foo"]) == [0, 1, 2, 3, 4, 5]


def test_a_deleted_topic_is_removed_and_a_recreated_one_is_another() -> None:
    talk = Talk({"foo": 2, "bar": 1})
    m = talk.join("m", "foo", "bar")
    del talk.catalogue["foo"]
    talk.converge(m)
    assert m.owned == {"bar": [0]}
    talk.catalogue["foo"] = ("id-foo-again", 1)
    talk.converge(m)
    assert m.owned == {"bar": [0], "foo-again": [0]}


def test_a_topic_that_a_handler_did_not_look_up_is_not_taken_for_deleted() -> None:
    """Its view is older than another member's join: it could not know of that member's topic."""
    talk = Talk({"foo": 2, "bar": 2})
    a = talk.join("a", "foo")
    b = talk.join("b", "bar")
    epoch = talk.epoch
    talk.beat(a, topics={"foo": ("id-foo", 2)}, looked_up=frozenset({"foo"}))
    assert talk.epoch == epoch
    assert talk.assigned(b) == {"bar": [0, 1]}


def test_the_epoch_rises_by_one_when_two_things_change_at_once() -> None:
    talk = Talk({"foo": 2, "bar": 2})
    m = talk.join("m")
    talk.catalogue["foo"] = ("id-foo", 4)
    talk.beat(m, subscribed_topic_names=("foo", "bar"))
    assert talk.epoch == 3


def completed(talk: Talk) -> JournalEntry:
    return next(e for e in reversed(talk.journal) if e.kind == "rebalance-completed")


def test_the_journal_has_the_epochs_and_the_duration() -> None:
    talk = Talk({"foo": 4})
    a = talk.join("a")
    talk.now += 1_000
    b = talk.join("b")
    talk.now += 1_000
    c = talk.join("c")
    talk.now += 1_000
    talk.converge(a, b, c)
    entry = completed(talk)
    assert (entry.generation_before, entry.generation_after) == (2, talk.epoch)
    assert entry.duration_ms == 2_000
    assert talk.kinds().count("rebalance-completed") == 2


def test_an_operator_forces_a_new_target() -> None:
    talk = Talk({"foo": 4})
    m = talk.join("m")
    force = events.ForceRebalance(operation_id=5, actor="alice", reason="why not")
    (done,) = talk.step(force).operations
    assert (done.operation_id, done.error, done.generation, done.ended) == (5, 0, 3, True)
    assert (talk.epoch, talk.target_epoch, talk.state) == (3, 3, "Reconciling")
    assert talk.triggers()[-1] == "operator" and "alice" in talk.journal[-1].reason
    assert talk.beat(m).member_epoch == 3


def test_an_operation_without_effect_says_so() -> None:
    talk = Talk({"foo": 4})
    force = events.ForceRebalance(operation_id=5, actor="alice", reason="")
    late = events.ForceRebalance(operation_id=6, actor="a", reason="", expected_generation=1)
    evict = events.EvictMember(operation_id=7, actor="a", reason="", member_id="x")
    assert talk.step(force).operations[0].error is ErrorCode.INVALID_REQUEST
    talk.join("m")
    assert talk.step(late).operations[0].error is ErrorCode.INVALID_REQUEST
    assert talk.step(evict).operations[0].error is ErrorCode.INVALID_REQUEST
    assert talk.epoch == 2


def test_an_operator_evicts_a_member() -> None:
    talk = Talk({"foo": 4})
    a, b = talk.join("a"), talk.join("b")
    evict = events.EvictMember(operation_id=7, actor="alice", reason="stuck", member_id="a")
    assert talk.step(evict).operations[0].error is ErrorCode.NONE
    assert talk.code(a) is ErrorCode.UNKNOWN_MEMBER_ID
    talk.converge(b)
    assert b.owned == {"foo": [0, 1, 2, 3]}
