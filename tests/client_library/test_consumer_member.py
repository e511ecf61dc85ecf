"""A member of the consumer protocol, alone with the real rules: what it says, and when."""

from random import Random

import pytest

from groups.core.consumer.group import ConsumerGroup
from rollcall.client.core.consumer import ConsumerMachine
from rollcall.client.core.consumer_states import State
from rollcall.client.core.events import Identity, Reply, Subscribe, Subscription, Unsubscribe
from rollcall.wire.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from tests.client_library.world import Player, World

INTERVAL_MS = 5_000


@pytest.fixture
def world() -> World:
    made = World(ConsumerGroup)
    made.catalogue = {"t": 4, "u": 1}
    return made


def member(world: World, name: str, *topics: str, instance_id: str | None = None) -> Player:
    identity = Identity("g", instance_id=instance_id, rack="r1", assignors=("range",))
    return world.add(name, ConsumerMachine(identity, Random(name)), *(topics or ("t",)))


def machine(player: Player) -> ConsumerMachine:
    assert isinstance(player.machine, ConsumerMachine)
    return player.machine


def request(player: Player) -> ConsumerGroupHeartbeatRequest:
    """What it has sent and the coordinator has not received yet."""
    message = player.requests[-1][0].message
    assert isinstance(message, ConsumerGroupHeartbeatRequest)
    return message


def test_a_join_sends_every_field(world: World) -> None:
    anna = member(world, "anna")

    join = request(anna)
    assert (join.member_epoch, join.rack_id, join.server_assignor) == (0, "r1", "range")
    assert join.rebalance_timeout_ms == 300_000
    assert join.subscribed_topic_names == ["t"] and join.subscribed_topic_regex is None
    assert join.topic_partitions == []  # empty, where the seed says null: Kafka wants it so


def test_a_static_member_that_returns_without_a_pattern_does_not_keep_it(world: World) -> None:
    """Kafka's coordinator takes null for "as before", of whoever has had its place before it."""
    anna = member(world, "anna", instance_id="one")

    assert request(anna).subscribed_topic_regex == ""


def test_a_settled_member_sends_only_its_identity(world: World) -> None:
    anna = member(world, "anna")
    world.settle()

    world.sleep(INTERVAL_MS)

    beat = request(anna)
    assert beat == ConsumerGroupHeartbeatRequest(
        group_id="g", member_id=beat.member_id, member_epoch=beat.member_epoch
    )
    assert beat.member_epoch > 0


def test_a_new_subscription_is_sent_at_once(world: World) -> None:
    anna = member(world, "anna")
    world.settle()

    world.subscribe(anna, "t", "u")

    assert request(anna).subscribed_topic_names == ["t", "u"]
    assert request(anna).rebalance_timeout_ms == -1


def test_revoking_stops_delivery_then_calls_back_and_only_then_acknowledges(world: World) -> None:
    anna, ben = member(world, "anna"), None
    world.settle()
    ben = member(world, "ben")
    world.deliver(ben), world.answer(ben)
    world.sleep(INTERVAL_MS)
    world.deliver(anna), world.answer(anna)

    assert anna.changes[-1].startswith("revoked") and len(anna.owned) == 2
    world.sleep(60_000 // 2)  # heartbeats continue, and do not acknowledge them
    said = [r.message.topic_partitions or () for r, _ in anna.requests]  # type: ignore[attr-defined]
    named = [sum(len(topic.partitions) for topic in topics) for topics in said]
    assert named and set(named) <= {0, 4}, "nothing new, or what it has and what it revokes"
    assert not ben.owned

    world.settle()
    world.sleep(INTERVAL_MS, honest=True)
    assert len(ben.owned) == 2


def test_what_could_not_be_named_before_its_topic_was_deleted_is_given_up_all_the_same(
    world: World,
) -> None:
    """It was never the application's, and the coordinator waits to hear that it is not."""
    anna = member(world, "anna", "t", "u")
    world.deliver(anna), world.answer(anna)
    del world.catalogue["u"]
    world.look_up(anna)  # the coordinator has not been told yet
    world.catalogue["u"] = 1
    world.handle(anna), world.deliver(anna), world.answer(anna)
    assert {p.topic for p in anna.owned} == {"t"}

    del world.catalogue["u"]
    world.sleep(2 * INTERVAL_MS, honest=True)

    assert machine(anna).standing.epoch == world.group.durable.group.generation
    assert machine(anna).state is State.STABLE
    before = world.requests
    world.sleep(2 * INTERVAL_MS, honest=True)
    assert world.requests == before + 2, "it is said once"


def test_a_partition_missing_in_an_inflight_heartbeat_is_delivered_after_its_response(
    world: World,
) -> None:
    """The coordinator takes the heartbeat's word for it that nobody works on the rest."""
    anna = acknowledges_a_part(world)

    world.look_up(anna)
    assert {p.topic for p in anna.owned} == {"t"}
    world.deliver(anna), world.answer(anna)

    assert {p.topic for p in anna.owned} == {"s", "t"}
    world.settle()
    world.sleep(INTERVAL_MS, honest=True)
    assert len(anna.owned) == 4 and machine(anna).state is State.STABLE


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_partition_reassigned_in_the_meantime_is_not_delivered(
    world: World, is_lost: bool
) -> None:
    """Whether the answer comes, or the connection ends after the coordinator has heard."""
    anna = acknowledges_a_part(world)
    ben = member(world, "ben", "s")
    world.deliver(ben), world.answer(ben)
    world.deliver(anna)
    if is_lost:
        world.cut(anna)
    world.look_up(anna)

    world.sleep(INTERVAL_MS, honest=True, but="anna", blocked=frozenset({"requests", "answers"}))
    assert len(ben.owned) == 1 and not {p.topic for p in anna.owned} & {"s"} - ben.owned
    world.settle()
    world.sleep(INTERVAL_MS, honest=True)
    assert len(ben.owned) + len(anna.owned) == 4


def acknowledges_a_part(world: World) -> Player:
    """A member that says what it has taken up, while it does not know what the rest is called."""
    world.catalogue = {"t": 1}
    anna = member(world, "anna", "s", "t")
    world.settle()
    world.grow("t", 2)
    world.grow("s", 2)
    world.sleep(INTERVAL_MS)
    world.deliver(anna), world.answer(anna), world.handle(anna)
    assert request(anna).topic_partitions and anna.asked
    return anna


def test_a_fenced_member_loses_all_and_rejoins_under_its_id(world: World) -> None:
    anna = member(world, "anna")
    world.settle()
    before = anna.machine.standing.member_id
    world.sleep(INTERVAL_MS)
    ticket = anna.requests.popleft()[0].ticket

    world.tell(anna, Reply(ticket, ConsumerGroupHeartbeatResponse(error_code=110)))

    assert machine(anna).state is State.FENCED
    assert not anna.owned and anna.changes[-1].startswith("lost")
    world.handle(anna)
    assert machine(anna).state is State.JOINING
    assert (request(anna).member_id, request(anna).member_epoch) == (before, 0)


def test_a_member_without_contact_stops_by_itself_when_its_session_ends(world: World) -> None:
    anna = member(world, "anna")
    world.settle()
    heard = world.now

    world.sleep(44_999)
    assert len(anna.owned) == 4
    world.sleep(1)

    assert world.now == heard + 45_000 and not anna.owned


def test_a_new_subscription_clears_a_fatal_error(world: World) -> None:
    anna = member(world, "anna")
    ticket = anna.requests.popleft()[0].ticket
    refused = ConsumerGroupHeartbeatResponse(error_code=128, error_message="no such pattern")
    world.tell(anna, Reply(ticket, refused))
    assert machine(anna).state is State.FATAL and anna.failures == [128]
    assert anna.machine.due() is None

    world.subscribe(anna, "t")
    world.settle()

    assert machine(anna).state is State.STABLE and len(anna.owned) == 4


def test_a_member_leaves_after_it_has_revoked_everything(world: World) -> None:
    anna = member(world, "anna")
    world.settle()

    world.tell(anna, Unsubscribe())
    assert anna.changes[-1].startswith("revoked") and not anna.requests
    world.handle(anna)

    assert request(anna).member_epoch == -1
    world.settle()
    assert anna.machine.is_gone and not world.group.members


def test_a_static_member_leaves_temporarily(world: World) -> None:
    anna = member(world, "anna", instance_id="i1")
    world.settle()

    world.tell(anna, Unsubscribe())
    world.handle(anna)

    assert (request(anna).member_epoch, request(anna).instance_id) == (-2, "i1")


def test_after_a_lost_response_the_full_request_is_sent_again(world: World) -> None:
    anna = member(world, "anna")
    world.settle()
    world.subscribe(anna, "t", "u")
    world.deliver(anna)
    world.cut(anna)
    world.sleep(2_000)

    again = request(anna)
    assert again.subscribed_topic_names == ["t", "u"] and again.rebalance_timeout_ms == 300_000
    assert again.topic_partitions and again.member_epoch > 0
    world.settle()
    assert len(anna.owned) == 5


def test_a_subscription_set_while_leaving_is_kept_for_later(world: World) -> None:
    anna = member(world, "anna")
    world.settle()
    world.tell(anna, Unsubscribe())

    world.tell(anna, Subscribe(Subscription(("u",))))
    world.settle()

    assert machine(anna).state is State.STABLE and {p.topic for p in anna.owned} == {"u"}
