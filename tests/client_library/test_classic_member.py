"""A member of the classic protocol with the real rules: joining, leading, giving up."""

from collections.abc import Sequence
from random import Random
from uuid import UUID

import pytest

from groups.core.classic.group import ClassicGroup
from rollcall.client.assignors import ASSIGNORS
from rollcall.client.assignors.shape import Assignment, Assignor, Candidate, Counts
from rollcall.client.core.classic import ClassicMachine
from rollcall.client.core.classic_states import State
from rollcall.client.core.events import (
    Identity,
    Subscribe,
    Subscription,
    TopicPartition,
    Topics,
    Unsubscribe,
)
from rollcall.wire.declare import Message
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.join_group import JoinGroupRequest
from rollcall.wire.messages.sync_group import SyncGroupRequest
from tests.client_library.world import Player, World


@pytest.fixture
def world() -> World:
    made = World(ClassicGroup, group_initial_rebalance_delay_ms=0)
    made.catalogue = {"t": 4, "u": 1}
    return made


def member(
    world: World,
    name: str,
    assignor: str,
    instance_id: str | None = None,
    rebalance_timeout_ms: int = 300_000,
) -> Player:
    identity = Identity("g", instance_id=instance_id, rebalance_timeout_ms=rebalance_timeout_ms)
    return world.add(name, ClassicMachine(identity, [ASSIGNORS[assignor]], Random(name)), "t")


def machine(player: Player) -> ClassicMachine:
    assert isinstance(player.machine, ClassicMachine)
    return player.machine


def test_eager_members_give_up_everything_before_they_join_again(world: World) -> None:
    anna = member(world, "anna", "range")
    world.settle()
    ben = member(world, "ben", "range")
    world.sleep(10_000, honest=True)

    assert anna.changes == ["assigned t0,t1,t2,t3", "revoked t0,t1,t2,t3", "assigned t0,t1"] or (
        anna.changes == ["assigned t0,t1,t2,t3", "revoked t0,t1,t2,t3", "assigned t2,t3"]
    )
    assert len(anna.owned) == len(ben.owned) == 2


def test_cooperative_members_give_up_only_what_moves(world: World) -> None:
    anna = member(world, "anna", "cooperative-sticky")
    world.settle()
    ben = member(world, "ben", "cooperative-sticky")
    world.sleep(10_000, honest=True)

    assert anna.changes == ["assigned t0,t1,t2,t3", "revoked t2,t3"]
    assert ben.changes == ["assigned t2,t3"]
    assert anna.machine.standing.epoch == 3  # one round to give up, one to take up


def test_partitions_lost_during_a_round_are_assigned_in_the_next(
    world: World,
) -> None:
    """The leader holds back what anna said she owns; it does not know that she lost it since."""
    ben = member(world, "ben", "cooperative-sticky")
    world.subscribe(ben, "u")
    world.settle()
    anna = member(world, "anna", "cooperative-sticky", rebalance_timeout_ms=20_000)
    world.sleep(10_000, honest=True)
    assert len(anna.owned) == 4

    world.subscribe(ben, "t", "u")
    world.settle(but="anna", blocked=frozenset({"requests", "answers"}))
    while not anna.requests:
        world.sleep(100)
    for act in (world.deliver, world.answer, world.deliver):
        assert act(anna)  # her heartbeat, its response, and her join
    assert machine(anna).state is State.JOINING
    while anna.owned:  # the answer to the join is late
        world.sleep(100, honest=True, but="anna", blocked=frozenset({"answers"}))
    world.sleep(10_000, honest=True)

    assert len(anna.owned | ben.owned) == 5


def test_a_join_is_repeated_with_the_assigned_id(world: World) -> None:
    anna = member(world, "anna", "range")
    world.deliver(anna)

    world.answer(anna)

    again = anna.requests[-1][0].message
    assert isinstance(again, JoinGroupRequest) and again.member_id.startswith("app-")


def test_the_leader_looks_up_the_topics_before_it_assigns(world: World) -> None:
    anna = member(world, "anna", "range")
    for _ in range(2):
        world.deliver(anna), world.answer(anna)

    assert machine(anna).state is State.SYNCING
    assert len(anna.asked) == 1 and not anna.requests


def test_the_leader_rejoins_when_a_topic_has_grown(world: World) -> None:
    anna = member(world, "anna", "range")
    world.settle()
    world.catalogue["t"] = 5

    world.sleep(61_000, honest=True)

    assert len(anna.owned) == 5


def test_a_pattern_is_matched_by_the_member_against_existing_topics(world: World) -> None:
    anna = member(world, "anna", "range")
    world.settle()
    world.tell(anna, Subscribe(Subscription(pattern="[uv]")))
    world.settle()
    assert {each.topic for each in anna.owned} == {"u"}

    world.catalogue["v"] = 2
    everything = {name: (UUID(int=7), count) for name, count in world.catalogue.items()}
    world.tell(anna, Topics(everything))
    world.settle()

    assert {each.topic for each in anna.owned} == {"u", "v"}


def test_heartbeats_go_on_while_the_application_gives_up_its_partitions(world: World) -> None:
    anna = member(world, "anna", "range")
    world.settle()
    world.subscribe(anna, "t", "u")
    assert anna.changes[-1].startswith("revoked") and not anna.owned

    world.sleep(3_000)

    assert isinstance(anna.requests[-1][0].message, HeartbeatRequest)


def test_a_leaving_dynamic_member_leaves_at_once_and_a_static_one_does_not(world: World) -> None:
    anna, ben = member(world, "anna", "range"), member(world, "ben", "range", "i1")
    world.sleep(10_000, honest=True)
    world.tell(ben, Unsubscribe())
    world.settle()
    assert ben.machine.is_gone and len(world.group.roster()) == 2

    world.tell(anna, Unsubscribe())
    world.settle()

    assert anna.machine.is_gone and [row.instance_id for row in world.group.roster()] == ["i1"]


@pytest.mark.parametrize("assignor", ["range", "sticky", "cooperative-sticky"])
@pytest.mark.parametrize(("topics", "more"), [(("t",), "u"), (("t", "u"), "t"), (("u",), "t")])
def test_a_static_member_that_returns_with_other_topics_gets_them(
    world: World, assignor: str, topics: tuple[str, ...], more: str
) -> None:
    """The coordinator gives it what it had, and begins no rebalance for it (KIP-345)."""
    world.catalogue["u"] = 2
    anna, ben = member(world, "anna", assignor), member(world, "ben", assignor, "i1")
    for each in (anna, ben):
        world.subscribe(each, *topics)
    world.sleep(10_000, honest=True)
    had = {each.topic for each in ben.owned}
    assert had == set(topics)

    world.unsubscribe(ben)
    world.settle()
    world.subscribe(ben, more)
    world.sleep(10_000, honest=True)

    assert {each.topic for each in ben.owned} == {more}
    assert all(machine(each).state is State.STABLE for each in (anna, ben))


def test_a_leader_that_ignores_subscriptions_is_asked_once_for_a_better_assignment(
    world: World,
) -> None:
    """Java's members ask again and again, and such a group never comes to rest."""

    def assign(counts: Counts, members: Sequence[Candidate]) -> Assignment:
        given = {TopicPartition("t", 0), TopicPartition("u", 0)}
        return {each.member_id: {*given} for each in members}

    identity = Identity("g")
    careless = ClassicMachine(identity, [Assignor("careless", assign)], Random(1))
    anna = world.add("anna", careless, "t")
    world.sleep(60_000, honest=True)

    assert anna.owned == {TopicPartition("t", 0)}
    assert world.group.durable.group.generation == 2


@pytest.mark.parametrize("asked", [JoinGroupRequest, SyncGroupRequest])
def test_unsubscribing_during_a_round_revokes_first_and_then_leaves(
    world: World, asked: type[Message]
) -> None:
    """A cooperative member keeps its partitions in a round; that round's answers come while the
    application is being told that they are gone."""
    anna = member(world, "anna", "cooperative-sticky")
    world.settle()
    world.subscribe(anna, "t", "u")
    while not isinstance(anna.requests[-1][0].message, asked):
        world.deliver(anna), world.answer(anna), world.look_up(anna), world.work_out(anna)
    world.unsubscribe(anna)
    assert anna.changes[-1] == "revoked t0,t1,t2,t3"

    world.deliver(anna), world.answer(anna)
    assert machine(anna).state is State.UNSUBSCRIBING
    world.settle()

    assert machine(anna).is_gone and not world.group.roster()
