"""A commanded member with the real rules: registering, obeying, failing over."""

from random import Random

import pytest

from groups.core import events
from groups.core.commanded.group import CommandedGroup
from rollcall.client.core.commanded import CommandedMachine
from rollcall.client.core.commanded_states import State
from rollcall.client.core.events import (
    Identity,
    Rediscover,
    Reply,
    Subscribe,
    Subscription,
    TopicPartition,
    Unanswered,
)
from rollcall.wire.messages.acknowledge_command import AcknowledgeCommandRequest
from rollcall.wire.messages.leave_group import LeaveGroupRequest
from rollcall.wire.messages.register_consumer import (
    RegisterConsumerRequest,
    RegisterConsumerResponse,
)
from tests.client_library.world import Player, World

SESSION_MS = 12_000
CALLS = frozenset(["calls"])


@pytest.fixture
def world() -> World:
    made = World(CommandedGroup)
    made.catalogue = {"t": 4, "u": 1}
    return made


def member(world: World, name: str, *topics: str, pattern: str | None = None) -> Player:
    machine = CommandedMachine(Identity("g", session_timeout_ms=SESSION_MS), Random(name))
    return world.add(name, machine, *(topics or (() if pattern else ("t",))), pattern=pattern)


def machine(player: Player) -> CommandedMachine:
    assert isinstance(player.machine, CommandedMachine)
    return player.machine


def in_flight(player: Player) -> list[type]:
    """What is on its way to the coordinator."""
    return [type(send.message) for send, _ in player.requests]


def test_it_registers_under_its_own_id_and_obeys_stop_and_start(
    world: World,
) -> None:
    anna = member(world, "anna")
    (register,) = [send.message for send, _ in anna.requests]
    assert isinstance(register, RegisterConsumerRequest)
    assert (register.generation_id, register.session_timeout_ms) == (-1, SESSION_MS)
    assert [(t.name, t.threads) for t in register.topics] == [("t", 1)]

    world.settle()

    assert anna.changes == ["assigned t0,t1,t2,t3"] and anna.machine.standing.epoch == 1
    assert anna.held is not None, "a poll waits for the next command"
    assert world.group.durable.group.state == "Stable"


def test_threads_share_the_partitions_of_the_member(world: World) -> None:
    """Range over threads: two for each topic here, and each partition knows its own."""
    identity = Identity("g", session_timeout_ms=SESSION_MS)
    anna = world.add("anna", CommandedMachine(identity, Random(1)))
    world.tell(anna, Subscribe(Subscription(("t",), threads_by_topic={"t": 2})))
    world.settle()

    threads = anna.machine.standing.threads
    assert [threads[TopicPartition("t", n)] for n in range(4)] == [0, 0, 1, 1]


def test_a_stop_calls_back_and_then_acknowledges_and_nobody_starts_before(world: World) -> None:
    anna = member(world, "anna")
    world.settle()
    ben = member(world, "ben")
    world.sleep(1_000, honest=True, but="anna", blocked=CALLS)
    assert anna.changes[-1] == "revoked t0,t1,t2,t3" and not anna.owned
    assert machine(anna).state is State.OBEYING and not ben.owned
    assert anna.held is not None, "it goes on asking while the application finishes"

    world.handle(anna)
    assert in_flight(anna) == [AcknowledgeCommandRequest]
    world.settle()

    assert len(anna.owned) == len(ben.owned) == 2
    assert anna.machine.standing.epoch == ben.machine.standing.epoch == 2


def test_unsubscribing_during_an_acknowledgement_revokes_first_and_then_leaves(
    world: World,
) -> None:
    """The response arrives while the application is in its callback for lost partitions."""
    anna = member(world, "anna")
    while not (anna.owned and machine(anna).state is State.ACKNOWLEDGING):
        world.sleep(100)
        world.deliver(anna), world.answer(anna), world.handle(anna), world.look_up(anna)
    world.unsubscribe(anna)
    assert anna.changes[-1] == "revoked t0,t1,t2,t3"

    assert in_flight(anna)[-1] is AcknowledgeCommandRequest
    while world.deliver(anna) or world.answer(anna):
        assert machine(anna).state is State.UNSUBSCRIBING
    world.settle()

    assert anna.machine.is_gone and not world.group.roster()


def test_a_member_expelled_for_not_acknowledging_stops_when_it_is_told(world: World) -> None:
    """A callback that does not return: the others get its partitions once it must have stopped."""
    anna = member(world, "anna")
    world.settle()
    ben = member(world, "ben")

    world.sleep(4 * SESSION_MS, honest=True, but="anna", blocked=CALLS)

    assert len(ben.owned) == 4 and not anna.owned
    world.sleep(SESSION_MS, honest=True)
    assert len(anna.owned) == len(ben.owned) == 2, "it came back"


def test_partitions_are_kept_while_the_coordinator_is_looked_up(world: World) -> None:
    """The next coordinator queues the group, finds nothing to change, and causes no rebalance."""
    anna, ben = member(world, "anna"), member(world, "ben")
    world.sleep(1_000, honest=True)
    before = [list(each.changes) for each in (anna, ben)]

    world.fail_over()
    assert len(anna.owned) == 2 and Rediscover() in lost_answer(world, ben)
    world.sleep(2 * SESSION_MS, honest=True)

    assert [each.changes for each in (anna, ben)] == before
    assert anna.machine.standing.epoch == world.group.durable.group.generation


def test_partitions_are_kept_when_the_coordinator_changes_during_a_poll(world: World) -> None:
    """Permission counts from the poll that was answered. The one before took a third of the
    session, so did the one that is refused; a third wait would take the rest."""
    anna = member(world, "anna")
    world.sleep(1_000, honest=True)
    before = list(anna.changes)
    for _ in range(3):
        assert anna.held is not None
        send, until = anna.held
        world.sleep(until - world.now - 1, honest=True)
        anna.held = None
        del anna.waiting[send.ticket]
        world.tell(anna, Unanswered(send.ticket))
        world.sleep(SESSION_MS, honest=True)
    assert anna.changes == before


def lost_answer(world: World, player: Player) -> list[object]:
    """What the member does when its poll has no answer."""
    world.sleep(1_000)
    ticket = player.requests[-1][0].ticket
    return list(player.machine.take(Unanswered(ticket), world.now))


def test_a_rebalance_continues_under_the_next_coordinator(world: World) -> None:
    anna = member(world, "anna")
    world.settle()
    ben = member(world, "ben")
    world.sleep(1_000, honest=True, but="anna", blocked=CALLS)

    world.fail_over()
    world.handle(anna)
    world.sleep(5_000, honest=True)

    assert len(anna.owned) == len(ben.owned) == 2
    assert anna.changes[1:] == ["revoked t0,t1,t2,t3", anna.changes[-1]]


def test_a_new_subscription_is_registered_without_stopping_work(world: World) -> None:
    anna = member(world, "anna")
    world.settle()

    world.subscribe(anna, "t", "u")
    (again,) = [
        s.message for s, _ in anna.requests if isinstance(s.message, RegisterConsumerRequest)
    ]
    assert again.generation_id == anna.machine.standing.epoch and len(anna.owned) == 4
    world.settle()

    assert len(anna.owned) == 5


def test_patterns_and_blacklists_are_resolved_by_the_coordinator(world: World) -> None:
    anna = member(world, "anna", pattern="[uv]")
    world.settle()
    assert anna.changes == ["assigned u0"]
    world.grow("v", 1)
    world.settle()
    assert anna.changes[1:] == ["revoked u0", "assigned u0,v0"]

    world.tell(anna, Subscribe(Subscription(blacklist="[uv]")))
    world.settle()
    assert {each.topic for each in anna.owned} == {"t"}


def test_an_unknown_consumer_stops_at_once_and_registers_again(world: World) -> None:
    anna = member(world, "anna")
    world.settle()
    who = anna.machine.standing.member_id
    world.step(events.EvictMember(operation_id=1, actor="x", reason="", member_id=who))
    world.sleep(100, honest=True, but="anna", blocked=CALLS)

    assert anna.changes[-1] == "lost t0,t1,t2,t3" and not anna.owned
    world.handle(anna)

    (again,) = [send.message for send, _ in anna.requests]
    assert isinstance(again, RegisterConsumerRequest)
    assert (again.consumer_id, again.generation_id) == (who, -1)
    world.settle()
    assert len(anna.owned) == 4


def test_a_member_without_contact_stops_by_itself_when_its_session_ends(world: World) -> None:
    anna = member(world, "anna")
    world.settle()
    world.cut(anna)

    world.sleep(SESSION_MS - 1)
    assert len(anna.owned) == 4
    world.sleep(1)

    assert not anna.owned


def test_a_coordinator_that_holds_no_polls_is_not_flooded(world: World) -> None:
    anna = member(world, "anna")
    world.settle()
    polls = 0
    for _ in range(20):
        world._release(anna)  # an empty answer, at once
        world.answer(anna)
        world.sleep(50)
        polls += world.deliver(anna)

    assert 5 <= polls <= 12  # one each 100 ms, in a second


def test_a_refused_member_retries_with_a_new_subscription(world: World) -> None:
    anna = member(world, "anna")
    ticket = anna.requests.popleft()[0].ticket
    refused = RegisterConsumerResponse(error_code=128, error_message="no such pattern")
    world.tell(anna, Reply(ticket, refused))
    assert machine(anna).state is State.FATAL and anna.failures == [128]

    world.subscribe(anna, "u")
    world.settle()

    assert len(anna.owned) == 1


def test_it_leaves_after_it_has_revoked_everything(world: World) -> None:
    anna, ben = member(world, "anna"), member(world, "ben")
    world.sleep(1_000, honest=True)

    world.unsubscribe(anna)
    assert anna.changes[-1].startswith("revoked") and LeaveGroupRequest not in in_flight(anna)
    world.handle(anna)
    assert in_flight(anna) == [LeaveGroupRequest]
    world.settle()

    assert anna.machine.is_gone and len(ben.owned) == 4


def test_all_topics_but_some_are_a_subscription_too() -> None:
    assert Subscription(blacklist="internal-.*") and Subscription(pattern="t")
    assert not Subscription()
