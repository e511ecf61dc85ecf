"""The journal of a consumer group's rebalance: who gave what to whom, and what had no owner."""

from typing import Any

from groups.core import events
from groups.core.consumer import partition_moves
from groups.core.consumer.partition_moves import Moves
from tests.core.consumer.talk import Talk


def completed(talk: Talk) -> Any:
    """The facts of the last rebalance that ended."""
    entry = [entry for entry in talk.journal if entry.kind == "rebalance-completed"][-1]
    return entry.details


def test_moves_have_their_owners_and_their_time_without_owner() -> None:
    talk = Talk({"foo": 4})
    one = talk.join("a")
    talk.converge(one)
    two = talk.join("b")
    talk.beat(one)  # is told to give two up
    talk.sleep(300)
    talk.beat(one, owned={"foo": [0, 1]})  # did so
    talk.sleep(700)
    talk.beat(two)
    talk.converge(one, two)

    (pair,) = completed(talk)["handed_over"]
    some = ["foo-2", "foo-3"]
    assert pair == {"from": "a", "to": "b", "gone": False, "partitions": 2, "some": some}
    assert completed(talk)["unowned"] == 2
    assert completed(talk)["unowned_longest"] == [["foo-2", 700], ["foo-3", 700]]


def test_where_every_partition_has_an_owner_the_time_without_owner_is_zero() -> None:
    talk = Talk({"foo": 2})
    talk.converge(talk.join("a"))

    details = completed(talk)
    assert (details["unowned"], details["unowned_longest"], details["unowned_longest_ms"]) == (
        0,
        [],
        0,
    )


def test_partitions_of_a_dead_member_are_without_owner_since_its_last_heartbeat() -> None:
    talk = Talk({"foo": 2})
    one, two = talk.join("a"), talk.join("b")
    talk.converge(one, two)
    talk.sleep(40_000)
    talk.beat(one)
    talk.sleep(5_000)
    assert list(talk.group.members) == ["a"]
    talk.converge(one)

    (pair,) = completed(talk)["handed_over"]
    assert (pair["from"], pair["to"], pair["gone"]) == ("b", "a", True)
    assert completed(talk)["unowned_longest_ms"] == 45_000


def test_the_first_members_take_nothing_from_others() -> None:
    talk = Talk({"foo": 4})
    one = talk.join("a")
    talk.converge(one)
    assert completed(talk)["handed_over"] == [] and completed(talk)["unowned"] == 0


def test_a_returning_static_member_takes_nothing_from_itself() -> None:
    talk = Talk({"foo": 4})
    one, two = talk.join("a", instance_id="i1"), talk.join("b")
    talk.converge(one, two)
    talk.beat(one, member_epoch=-2)
    talk.sleep(500)
    again = talk.join("a2", instance_id="i1")
    talk.step(events.ForceRebalance(operation_id=1, actor="ops", reason="x"))
    talk.converge(again, two)
    assert completed(talk)["handed_over"] == [] and completed(talk)["unowned"] == 0


def test_each_rebalance_reports_only_its_own_moves() -> None:
    talk = Talk({"foo": 4})
    one, two = talk.join("a"), talk.join("b")
    talk.converge(one, two)
    assert completed(talk)["handed_over"]
    talk.step(events.ForceRebalance(operation_id=1, actor="ops", reason="x"))
    talk.converge(one, two)
    assert completed(talk)["handed_over"] == []


def test_the_list_of_moves_is_bounded_and_the_rest_counted() -> None:
    seen = Moves()
    for taker in range(100):
        parts = [("t", 10 * taker + p) for p in range(10)]
        seen.free(parts, "giver", 0, 0)
        seen.give(parts, f"taker-{taker:02}", 5)
    told = seen.details({"giver"}, str)

    assert len(told["handed_over"]) == partition_moves.PAIRS_NAMED_MAX
    assert told["handed_over_pairs"] == 100
    assert len(told["handed_over"][0]["some"]) == partition_moves.PARTITIONS_NAMED_MAX
    assert told["handed_over"][0]["partitions"] == 10
    assert len(told["unowned_longest"]) == partition_moves.PARTITIONS_NAMED_MAX
    assert told["unowned"] == 1_000


def test_a_forced_rebalance_raises_the_epoch_by_one_and_recomputes_the_same_target() -> None:
    talk = Talk({"foo": 4})
    one, two = talk.join("a"), talk.join("b")
    talk.converge(one, two)
    epoch = talk.epoch
    before = {m: member.target for m, member in talk.group.members.items()}

    talk.step(events.ForceRebalance(operation_id=1, actor="ops", reason="x"))

    assert (talk.epoch, talk.target_epoch) == (epoch + 1, epoch + 1)
    assert {m: member.target for m, member in talk.group.members.items()} == before
    assert talk.state == "Reconciling", "members have yet to come to the new epoch"
    talk.converge(one, two)
    assert (one.epoch, two.epoch) == (epoch + 1, epoch + 1)


def test_members_are_ordered_by_partitions_handed_over_then_by_name() -> None:
    told = Moves()
    for giver, parts in (("b", (0, 1)), ("c", (2,)), ("a", (3,)), ("d", (4,))):
        told.free({("t", p) for p in parts}, giver, 10, 10)
        told.give({("t", p) for p in parts}, "z", 10)
    pairs = told.details({"a", "b", "c", "z"}, lambda part: f"{part[0]}-{part[1]}")["handed_over"]
    assert [(p["from"], p["to"], p["partitions"], p["gone"]) for p in pairs] == [
        ("b", "z", 2, False), ("a", "z", 1, False), ("c", "z", 1, False), ("d", "z", 1, True),
    ]  # fmt: skip


def test_partitions_freed_before_the_group_was_empty_are_not_reported_later() -> None:
    talk = Talk({"foo": 2})
    one, two = talk.join("a"), talk.join("b")
    talk.converge(one, two)
    talk.beat(one, member_epoch=-1)
    talk.beat(two, member_epoch=-1)
    talk.sleep(60_000)

    talk.converge(talk.join("c"))
    assert completed(talk)["handed_over"] == [] and completed(talk)["unowned"] == 0
