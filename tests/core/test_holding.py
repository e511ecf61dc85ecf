"""What a put-off rebalance means for members whose bytes can be read: cooperative ones, mostly."""

import struct
from dataclasses import replace

import pytest

from groups.core import events
from groups.core.classic.group import ClassicGroup
from groups.core.classic.guards import may_go_on
from groups.core.replies import Joined
from groups.core.rows import MemberRow
from groups.core.subscription import pack_protocols
from tests.core.conversation import Conversation, subscription

Parts = dict[str, list[int]]


def assignment(parts: Parts) -> bytes:
    """ConsumerProtocolAssignment v0 of partitions by topic."""
    body = b""
    for name, numbers in parts.items():
        body += struct.pack(">h", len(name)) + name.encode()
        body += struct.pack(f">i{len(numbers)}i", len(numbers), *numbers)
    return struct.pack(">hi", 0, len(parts)) + body + struct.pack(">i", -1)


class Group:
    """A conversation whose leader gives out real partitions."""

    def __init__(self, *lines: str) -> None:
        self.talk = Conversation()
        self.say("rules initial=0s", *lines)

    def say(self, *lines: str) -> str:
        return [self.talk.say(line) for line in lines][-1]

    def give(self, name: str, **shares: Parts) -> None:
        """A member's sync; the leader brings everyone's share."""
        actor = self.talk.actors[name]
        self.answer(
            events.SyncGroup(
                generation_id=actor.generation,
                member_id=actor.member_id,
                instance_id=None,
                assignments={self.talk._id(n): assignment(p) for n, p in shares.items()},
            )
        )

    def join(self, name: str, topics: str, metadata: bytes = b"") -> object:
        """A known member joins again; the answer, None where it has to wait."""
        return self.answer(
            events.JoinGroup(
                member_id=self.talk.actors[name].member_id, instance_id=None, client_id=name,
                client_host="/127.0.0.1", session_timeout_ms=360_000, rebalance_timeout_ms=60_000,
                protocol_type="consumer",
                protocols=(("range", subscription(topics) + metadata),),
            )
        )  # fmt: skip

    def answer(self, event: events.Event) -> object:
        ticket = events.Ticket(9, self.talk.requests)
        self.talk.requests += 1
        asked = replace(event, ticket=ticket)
        decision = self.talk.group.step([asked], self.talk.now, self.talk.rng)
        self.talk._written(decision)
        return next((reply for t, reply in decision.answers if t == ticket), None)

    @property
    def state(self) -> str:
        return self.talk.group.durable.group.state


def shared() -> Group:
    """Two members at work; a leads."""
    group = Group("join a v=3 session=6m", "join b v=3 session=6m", "join a")
    group.give("a", a={"orders": [0, 1]}, b={"orders": [2, 3]})
    group.give("b")
    assert group.state == "Stable"
    return group


def waiting_for_a_third() -> Group:
    """The two of them and a new member have joined again, after the interval."""
    group = shared()
    group.say("rules interval=5m", "tick 5m", "heartbeat a", "heartbeat b")
    group.say("join c v=3 session=6m", "join a", "join b")
    assert group.state == "CompletingRebalance"
    return group


def test_a_member_that_wants_more_keeps_what_it_has() -> None:
    group = shared()
    group.say("rules freeze=true")

    reply = group.join("b", "orders,payments")

    assert isinstance(reply, Joined) and (reply.error, reply.generation_id) == (0, 2)
    assert group.state == "Stable"
    assert group.join("b", "orders,payments") == reply, "asked again, it is told the same"
    group.say("rules freeze=false", "tick 0s")
    assert group.state == "PreparingRebalance"


def test_a_request_for_more_survives_a_takeover() -> None:
    group = shared()
    group.say("rules freeze=true")
    group.join("b", "orders,payments")

    group.say("failover", "rules freeze=false", "tick 0s")

    assert group.state == "PreparingRebalance"


def test_a_member_that_no_longer_wants_its_partitions_waits() -> None:
    """Given its old topics it would join again at once, and so on for ever."""
    group = shared()
    group.say("rules freeze=true")

    assert group.join("b", "payments") is None
    assert group.state == "Stable"


def test_a_waiting_new_member_keeps_waiting_after_a_reload() -> None:
    group = shared()
    group.say("rules freeze=true", "join c v=3", "reload")
    assert "c" in group.talk.waiting.values()

    group.say("rules freeze=false", "tick 0s", "join a")
    answered = group.say("join b")

    assert "c generation 3" in answered


def test_the_second_half_of_a_cooperative_rebalance_is_not_put_off() -> None:
    """The leader withholds what moves until its owner has given it up and joined again."""
    group = waiting_for_a_third()
    group.give("a", a={"orders": [0]}, b={"orders": [2, 3]}, c={})
    assert group.state == "Stable"

    assert group.join("a", "orders", b"gave up 1") is None
    assert group.state == "PreparingRebalance"


def test_an_unrelated_join_does_not_start_the_second_half() -> None:
    group = waiting_for_a_third()
    group.give("a", a={"orders": [0]}, b={"orders": [2, 3]}, c={})

    group.say("join d v=3 session=6m")

    assert group.state == "Stable"


def test_a_rebalance_that_assigns_everything_has_no_second_half() -> None:
    group = waiting_for_a_third()
    group.give("a", a={"orders": [0]}, b={"orders": [2, 3]}, c={"orders": [1]})

    assert isinstance(group.join("a", "orders", b"anything"), Joined)
    assert group.state == "Stable"


@pytest.mark.parametrize(
    ("has", "wants", "goes_on"),
    [
        ({"t": [0]}, b"t", True),
        ({"t": [0]}, b"t,u", True),
        ({"t": [0], "u": [1]}, b"t", False),
        ({}, b"u", True),
    ],
)
def test_a_member_continues_while_it_wants_all_that_it_has(
    has: Parts, wants: bytes, goes_on: bool
) -> None:
    packed = pack_protocols((("range", subscription("x")), ("mine", subscription(wants.decode()))))
    row = MemberRow("m", None, "c", "/h", 1, 1, 0, packed, assignment(has))
    assert may_go_on(row, "mine") is goes_on
    assert not may_go_on(row, "another") and not may_go_on(row, None)
    assert not may_go_on(replace(row, assignment=b"?"), "mine")
    unreadable = pack_protocols((("mine", b"?"),))
    assert not may_go_on(replace(row, subscription=unreadable), "mine")


def test_a_rebalance_owed_according_to_the_rows_is_started_by_the_same_owner() -> None:
    """Its own batch put a rebalance off, and it never heard that the batch was written."""
    group = shared()
    talk, before = group.talk, group.talk.group.live
    group.say("rules freeze=true")
    group.join("b", "orders,payments")

    talk.group = ClassicGroup.merge(talk.group.durable, before, talk.rules, talk.now)
    group.say("rules freeze=false", "tick 0s")
    assert group.state == "PreparingRebalance"


def test_joins_of_a_rebalance_missing_in_the_rows_are_dropped() -> None:
    """Neither where its beginning was not written, nor where another one is written."""
    group = shared()
    talk, stable = group.talk, group.talk.group.durable
    group.say("join c v=3")
    begun = talk.group.live
    talk.group = ClassicGroup.merge(stable, None, talk.rules, talk.now)
    group.say("rules freeze=true", "join d v=3")
    put_off = talk.group.live
    other = replace(stable, group=replace(stable.group, state="CompletingRebalance"))
    for rows, live in ((stable, begun), (other, put_off)):
        assert live.joins
        assert not ClassicGroup.merge(rows, live, talk.rules, talk.now).live.joins


@pytest.mark.parametrize(("most", "state"), [(2, "CompletingRebalance"), (1, "PreparingRebalance")])
def test_a_new_owner_rebalances_only_groups_that_are_too_large(most: int, state: str) -> None:
    group = Group("join a v=3 session=6m", "join b v=3 session=6m", "join a")
    group.say(f"rules max={most}", "failover")
    assert group.state == state
