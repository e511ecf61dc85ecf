"""A member of the 0.9 draft with the real rules: what it says, when, and when it keeps silent."""

from random import Random

import pytest

from groups.core import events
from groups.core.draft.group import DraftGroup
from rollcall.client.core.draft import DraftMachine
from rollcall.client.core.draft_states import State
from rollcall.client.core.events import Identity, LookUp, Rediscover, Reply, Tick, Unanswered
from rollcall.wire.messages.draft.heartbeat import HeartbeatRequest
from rollcall.wire.messages.draft.join_group import JoinGroupRequest, JoinGroupResponse
from rollcall.wire.messages.draft.leave_group import LeaveGroupRequest
from tests.client_library.world import Player, World

SESSION_MS, BEAT_MS = 12_000, 4_000


@pytest.fixture
def world() -> World:
    made = World(DraftGroup)
    made.catalogue = {"t": 4, "u": 1}
    return made


def member(world: World, name: str, *topics: str, pattern: str | None = None) -> Player:
    identity = Identity("g", session_timeout_ms=SESSION_MS, heartbeat_frequency=3)
    machine = DraftMachine(identity, "range", Random(name))
    return world.add(name, machine, *(topics or (() if pattern else ("t",))), pattern=pattern)


def machine(player: Player) -> DraftMachine:
    assert isinstance(player.machine, DraftMachine)
    return player.machine


def in_flight(player: Player) -> list[type]:
    """What is on its way to the coordinator."""
    return [type(send.message) for send, _ in player.requests]


def until(world: World, player: Player, state: State) -> None:
    """Time passes, and all but this member's callbacks return, until it is in that state."""
    for _ in range(100):
        if machine(player).state is state:
            return
        world.sleep(100, honest=True, but=player.name, blocked=frozenset(["calls"]))
    raise AssertionError(f"{player.name} never is {state.name}")


def test_it_joins_without_an_id_and_receives_id_generation_and_partitions(
    world: World,
) -> None:
    anna = member(world, "anna")
    (join,) = [send.message for send, _ in anna.requests]
    assert isinstance(join, JoinGroupRequest)
    assert (join.consumer_id, join.session_timeout_ms) == ("", SESSION_MS)
    assert (join.topics, join.partition_assignment_strategy) == (["t"], "range")

    world.settle()

    assert anna.machine.standing.member_id.startswith("g-") and anna.machine.standing.epoch == 1
    assert anna.changes == ["assigned t0,t1,t2,t3"]


def test_heartbeats_are_as_frequent_as_configured(world: World) -> None:
    anna = member(world, "anna")
    world.settle()

    world.sleep(BEAT_MS - 1)
    assert not in_flight(anna)
    world.sleep(1)

    assert in_flight(anna) == [HeartbeatRequest]


def test_illegal_generation_stops_then_commits_and_calls_back_and_then_rejoins(
    world: World,
) -> None:
    """Heartbeats continue until the join: the application may need longer than one interval."""
    anna = member(world, "anna")
    world.settle()
    member(world, "ben")

    until(world, anna, State.PREPARING)
    assert anna.changes[-1] == "revoked t0,t1,t2,t3" and not anna.owned
    world.sleep(BEAT_MS)
    assert in_flight(anna) == [HeartbeatRequest]
    world.handle(anna)

    assert machine(anna).state is State.JOINING and in_flight(anna)[-1] is JoinGroupRequest
    world.settle()
    assert anna.machine.standing.epoch == 2 and len(anna.owned) == 2


def test_no_heartbeat_is_sent_between_the_join_and_its_response(world: World) -> None:
    member(world, "anna")
    world.settle()
    ben = member(world, "ben")
    world.deliver(ben)
    waited = 0

    while ben.parked:  # until Anna, who sends nothing, counts as dead
        assert not ben.requests
        world.sleep(100)
        waited += 100

    assert waited > 2 * BEAT_MS and ben.answers


def test_partitions_are_kept_while_the_coordinator_is_looked_up(world: World) -> None:
    """The coordinator fails over within the session: no member rejoins, no generation rises."""
    anna, ben = member(world, "anna"), member(world, "ben")
    world.sleep(3 * BEAT_MS, honest=True)
    before = [list(each.changes) for each in (anna, ben)]
    generation = anna.machine.standing.epoch

    world.fail_over()
    world.sleep(BEAT_MS)
    assert in_flight(anna) == [HeartbeatRequest] and len(anna.owned) == 2
    world.sleep(2 * SESSION_MS, honest=True)

    assert [each.changes for each in (anna, ben)] == before
    assert anna.machine.standing.epoch == generation


def test_after_a_disconnect_the_coordinator_is_looked_up(world: World) -> None:
    anna = member(world, "anna")
    world.settle()
    world.sleep(BEAT_MS)
    ticket = anna.requests[0][0].ticket

    effects = anna.machine.take(Unanswered(ticket), world.now)

    assert Rediscover() in effects
    assert machine(anna).state is State.STABLE and len(anna.owned) == 4


def test_a_coordinator_silent_for_a_session_counts_as_dead(world: World) -> None:
    """The heartbeat waits for a whole session; by then this member's own session is over, too."""
    anna = member(world, "anna")
    world.settle()
    world.sleep(BEAT_MS)
    assert anna.requests[0][0].timeout_ms == SESSION_MS
    world.now += SESSION_MS - BEAT_MS

    effects = anna.machine.take(Tick(), world.now)

    assert Rediscover() in effects and not anna.owned
    assert machine(anna).state is State.FENCED


def test_a_late_response_takes_effect_only_after_a_heartbeat_confirms_it(world: World) -> None:
    """The response comes when the coordinator has long given the partitions to another. Whoever
    counted the session from there would work on what is Ben's (``World.check``)."""
    anna = member(world, "anna")
    world.deliver(anna)
    ben = member(world, "ben")
    nothing = frozenset(["requests", "answers", "calls"])
    world.sleep(2 * SESSION_MS + BEAT_MS, honest=True, but="anna", blocked=nothing)
    assert len(ben.owned) == 4 and anna.answers

    world.answer(anna)

    assert not anna.owned and in_flight(anna) == [HeartbeatRequest]
    world.sleep(2 * SESSION_MS, honest=True)
    assert len(anna.owned) == len(ben.owned) == 2


def test_heartbeats_continue_while_a_join_is_delayed(world: World) -> None:
    """CoordinatorStartupNotComplete, for long: the member must not die of its own patience."""
    anna = member(world, "anna")
    world.settle()
    world.subscribe(anna, "u")
    world.handle(anna)
    seen = []
    for _ in range(40):
        world.sleep(500)
        while anna.requests:
            send, _ = anna.requests.popleft()
            seen.append(type(send.message))
            if isinstance(send.message, JoinGroupRequest):
                world.tell(anna, Reply(send.ticket, JoinGroupResponse(error_code=14)))
            else:
                anna.requests.appendleft((send, world.now))
                world.deliver(anna), world.answer(anna)

    assert HeartbeatRequest in seen and len(world.group.roster()) == 1
    world.settle()
    world.sleep(2_000, honest=True)
    assert {each.topic for each in anna.owned} == {"u"}


def test_an_unknown_consumer_loses_all_and_rejoins_without_an_id(world: World) -> None:
    anna = member(world, "anna")
    world.settle()
    who = anna.machine.standing.member_id
    world.step(events.EvictMember(operation_id=1, actor="x", reason="", member_id=who))
    world.sleep(BEAT_MS, honest=True, but="anna", blocked=frozenset(["calls"]))

    assert anna.changes[-1] == "lost t0,t1,t2,t3" and not anna.owned
    world.handle(anna)

    (join,) = [send.message for send, _ in anna.requests]
    assert isinstance(join, JoinGroupRequest) and join.consumer_id == ""


def test_a_session_that_is_too_long_is_refused_and_a_new_subscription_retries(
    world: World,
) -> None:
    identity = Identity("g", session_timeout_ms=60_000)
    anna = world.add("anna", DraftMachine(identity, "range", Random(1)), "t")
    world.settle()
    assert machine(anna).state is State.FATAL and anna.failures == [26]

    world.subscribe(anna, "t")

    assert in_flight(anna) == [JoinGroupRequest]


def test_a_pattern_is_matched_by_the_member_which_rejoins_when_its_topics_change(
    world: World,
) -> None:
    anna = member(world, "anna", pattern="[uv]")
    assert not in_flight(anna), "it does not know the topics yet"
    world.settle()
    assert anna.changes == ["assigned u0"]

    world.grow("v", 2)
    world.sleep(machine(anna).identity.metadata_max_age_ms + BEAT_MS, honest=True)

    assert anna.changes[1:] == ["revoked u0", "assigned u0,v0,v1"]


def test_unchanged_topics_cause_no_rejoin(world: World) -> None:
    anna = member(world, "anna", pattern="[uv]")
    world.settle()
    world.catalogue["w"] = 3
    age = machine(anna).identity.metadata_max_age_ms
    world.sleep(age - 1, honest=True)
    looked = machine(anna).take(Tick(), world.now + 1)

    assert LookUp() in looked and anna.changes == ["assigned u0"]
    assert LookUp() not in machine(anna).take(Tick(), world.now + 2), "it has just looked"


def test_it_leaves_after_it_has_revoked_everything(world: World) -> None:
    anna = member(world, "anna")
    world.settle()

    world.unsubscribe(anna)
    assert anna.changes[-1].startswith("revoked") and not anna.requests
    world.handle(anna)

    assert in_flight(anna) == [LeaveGroupRequest]
    world.settle()
    assert anna.machine.is_gone and not world.group.roster()


def test_a_leave_does_not_wait_behind_a_held_join(world: World) -> None:
    """Another connection carries it: answers of one connection come in order."""
    anna = member(world, "anna")
    world.settle()
    ben = member(world, "ben")
    world.sleep(BEAT_MS, honest=True, but="ben", blocked=frozenset(["requests"]))
    world.subscribe(anna, "t", "u")
    world.deliver(ben)
    world.sleep(BEAT_MS, honest=True, but="ben", blocked=frozenset(["answers"]))
    world.unsubscribe(anna)
    world.handle(anna)
    world.settle()

    assert anna.machine.is_gone
    world.sleep(2 * SESSION_MS, honest=True)
    assert len(ben.owned) == 4
