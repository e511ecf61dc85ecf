"""A consumer group's rebalances as facts: members work on while they wait, so only partitions that
have no owner stand still."""

from groups.core import events
from groups.core.rounds import Idle, Outcome, Round
from tests.core.consumer.talk import Talk


def rounds(talk: Talk) -> list[Round]:
    return [fact for fact in talk.noted if isinstance(fact, Round)]


def idle(talk: Talk) -> Idle:
    return rounds(talk)[-1].idle


def test_a_revoked_partition_has_no_owner_until_it_is_assigned_again() -> None:
    talk = Talk({"foo": 4})
    one = talk.join("a")
    talk.converge(one)
    two = talk.join("b")
    talk.beat(one)
    talk.sleep(300)
    talk.beat(one, owned={"foo": [0, 1]})
    talk.sleep(700)
    talk.beat(two)
    talk.converge(one, two)
    assert idle(talk) == Idle(unowned_ms=2 * 700)
    assert rounds(talk)[-1].moved == 2 and rounds(talk)[-1].ms == 1_000


def test_a_dead_members_partitions_stood_still_before_and_after_its_removal() -> None:
    talk = Talk({"foo": 2})
    one, two = talk.join("a"), talk.join("b")
    talk.converge(one, two)
    talk.sleep(40_000)
    talk.beat(one)
    talk.sleep(5_000)
    assert list(talk.group.members) == ["a"]
    talk.sleep(2_000)
    talk.converge(one)
    assert idle(talk) == Idle(silent_ms=45_000, unowned_ms=2_000)


def test_what_nobody_gets_counts_until_the_end() -> None:
    talk = Talk({"foo": 2})
    one = talk.join("a")
    talk.converge(one)
    talk.sleep(45_000)
    (*_, last) = rounds(talk)
    assert last.outcome is Outcome.EMPTIED and last.idle == Idle(silent_ms=2 * 45_000)


def test_a_rebalance_in_which_nothing_moves_is_a_round() -> None:
    talk = Talk({"foo": 2})
    one = talk.join("a")
    talk.converge(one)
    before = len(rounds(talk))
    talk.step(events.ForceRebalance(operation_id=1, actor="ops", reason="x"))
    talk.converge(one)
    (found,) = rounds(talk)[before:]
    assert (found.outcome, found.moved, found.idle) == (Outcome.ASSIGNED, 0, Idle())
    assert [cause.trigger for cause in found.causes] == ["operator"]
