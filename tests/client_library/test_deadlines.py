"""When a member must stop by itself, in a form that catches a member that computes it otherwise.

Each story is played twice: by the real machine, and by one that has the mistake which the story is
about. With the mistake, two members work on one partition for a while, and ``World.check``, which
looks after every event, finds them. The random lives of ``test_machines`` meet such moments too,
but not in every run.
"""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import pytest

from groups.core.classic.group import ClassicGroup
from groups.core.commanded.group import CommandedGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.draft.group import DraftGroup
from rollcall.client.assignors import ASSIGNORS
from rollcall.client.core.classic import ClassicMachine
from rollcall.client.core.commanded import CommandedMachine
from rollcall.client.core.consumer import ConsumerMachine
from rollcall.client.core.draft import DraftMachine
from rollcall.client.core.events import Identity
from tests.client_library.world import AnyGroup, Player, World

SESSION_MS = 45_000
"""Of the consumer protocol; the others are told theirs."""

SHORT_MS = 20_000
REBALANCE_MS = 20_000

ANSWERS = frozenset(["answers"])
EVERYTHING = frozenset(["requests", "answers"])
CALLS = frozenset(["calls"])


# Mistakes


class CountsFromTheAnswer:
    """The session begins when an answer is heard; the coordinator's began when it was asked."""

    _heard_at: int

    def take(self, event: Any, now: int) -> Any:
        before = self._heard_at
        effects = super().take(event, now)  # type: ignore[misc]
        if self._heard_at != before:
            self._heard_at = now
        return effects


class KnowsSessionsOnly:
    """As long as heartbeats are answered, all is well."""

    def _lease(self) -> int:
        heard: int = self._heard_at  # type: ignore[attr-defined]
        session: int = self.identity.session_timeout_ms  # type: ignore[attr-defined]
        return heard + session


class ForgetsUnheardRevocations(ConsumerMachine):
    """It need not revoke what it was not told to revoke."""

    def _lease(self) -> int:
        ends = [self._heard_at + self.identity.session_timeout_ms]
        return min([*ends, *([] if self._revoke_until is None else [self._revoke_until])])


class ForgetsHeardRevocations(ConsumerMachine):
    """It revokes in its own time what it was told to revoke."""

    def _lease(self) -> int:
        ends = [self._heard_at + self.identity.session_timeout_ms]
        if self._requests.unanswered_since is not None:
            ends.append(self._requests.unanswered_since + self.identity.rebalance_timeout_ms)
        return min(ends)


def machine(kind: Any, name: str, rebalance_ms: int = REBALANCE_MS) -> Any:
    """A member of this class, mistaken or not."""
    session_ms = SESSION_MS if issubclass(kind, ConsumerMachine) else SHORT_MS
    identity = Identity("g", session_timeout_ms=session_ms, rebalance_timeout_ms=rebalance_ms)
    rng = Random(name)
    if issubclass(kind, ClassicMachine):
        return kind(identity, [ASSIGNORS["cooperative-sticky"]], rng)
    return kind(identity, "range", rng) if issubclass(kind, DraftMachine) else kind(identity, rng)


class Cast(NamedTuple):
    """Who plays: the group, the members, and how much longer an answer takes than it should."""

    group: type[AnyGroup]
    member: type
    delay_ms: int


CASTS = {
    "consumer": Cast(ConsumerGroup, ConsumerMachine, 20_000),
    "classic": Cast(ClassicGroup, ClassicMachine, 15_000),
    "draft": Cast(DraftGroup, DraftMachine, 10_000),
    "commanded": Cast(CommandedGroup, CommandedMachine, 2_000),
}


def world_of(group: type[AnyGroup]) -> World:
    made = World(group, group_initial_rebalance_delay_ms=0)
    made.catalogue = {"t": 4}
    return made


def pair(world: World, first: type, second: type) -> tuple[Player, Player]:
    """Anna and Ben, who share four partitions."""
    anna = world.add("anna", machine(first, "anna", 10 * REBALANCE_MS), "t")
    world.settle()
    ben = world.add("ben", machine(second, "ben", 10 * REBALANCE_MS), "t")
    world.sleep(30_000, honest=True)
    assert len(anna.owned) == len(ben.owned) == 2
    return anna, ben


# Stories


def an_answer_comes_late_and_then_none(cast: Cast, kind: type) -> None:
    """Anna's heartbeat is heard at once, its answer takes long; then she is cut off. The
    coordinator gives hers to Ben a session after it heard her."""
    world = world_of(cast.group)
    anna, ben = pair(world, kind, cast.member)
    while not anna.answers:
        world.sleep(100, honest=True, but="anna", blocked=ANSWERS)
    world.sleep(cast.delay_ms, honest=True, but="anna", blocked=ANSWERS)
    world.answer(anna)
    world.sleep(2 * SESSION_MS, honest=True, but="anna", blocked=EVERYTHING)
    assert len(ben.owned) == 4 and not anna.owned


@pytest.mark.parametrize("protocol", CASTS)
def test_a_session_counts_from_the_request_not_from_the_response(protocol: str) -> None:
    """Catches "session counted from the answer", in every machine."""
    cast = CASTS[protocol]
    an_answer_comes_late_and_then_none(cast, cast.member)

    mistaken = type("Mistaken", (CountsFromTheAnswer, cast.member), {})
    with pytest.raises(AssertionError):
        an_answer_comes_late_and_then_none(cast, mistaken)


def the_application_hangs_when_all_must_join_again(kind: type) -> None:
    """Anna is told to rejoin, answers every heartbeat, and her application does not return from
    ``on_assigned``. When the rebalance timeout ends, the group continues without her."""
    world = world_of(ClassicGroup)
    anna = world.add("anna", machine(kind, "anna"), "t")
    world.settle(but="anna", blocked=CALLS)
    assert len(anna.owned) == 4
    ben = world.add("ben", machine(ClassicMachine, "ben"), "t")
    world.sleep(2 * REBALANCE_MS, honest=True, but="anna", blocked=CALLS)
    assert len(ben.owned) == 4 and not anna.owned


def test_a_classic_member_does_not_outlive_a_rebalance_that_it_holds_up() -> None:
    """Catches "rebalance deadline ignored" in the classic machine: its session never ends."""
    the_application_hangs_when_all_must_join_again(ClassicMachine)

    mistaken = type("Mistaken", (KnowsSessionsOnly, ClassicMachine), {})
    with pytest.raises(AssertionError):
        the_application_hangs_when_all_must_join_again(mistaken)


def the_word_to_revoke_never_arrives(kind: type) -> None:
    """The coordinator has told Anna to give up two of four; the answer is lost, and all others."""
    world = world_of(ConsumerGroup)
    anna = world.add("anna", machine(kind, "anna"), "t")
    world.settle()
    ben = world.add("ben", machine(ConsumerMachine, "ben"), "t")
    world.sleep(6_000, honest=True, but="anna", blocked=ANSWERS)
    world.sleep(REBALANCE_MS, honest=True, but="anna", blocked=EVERYTHING)
    assert len(ben.owned) == 4 and not anna.owned


def the_revocation_hangs_and_then_the_network(kind: type) -> None:
    """Anna's ``on_revoked`` for two of four does not return; she is heard until shortly before
    the coordinator's deadline. She has to stop working on the other two as well."""
    world = world_of(ConsumerGroup)
    anna = world.add("anna", machine(kind, "anna"), "t")
    world.settle()
    ben = world.add("ben", machine(ConsumerMachine, "ben"), "t")
    world.sleep(REBALANCE_MS - 1_000, honest=True, but="anna", blocked=CALLS)
    assert len(anna.owned) == 2 and anna.changes[-1].startswith("revoked")
    world.sleep(REBALANCE_MS, honest=True, but="anna", blocked=CALLS | EVERYTHING)
    assert len(ben.owned) == 4 and not anna.owned


@pytest.mark.parametrize(
    ("story", "mistaken"),
    [
        (the_word_to_revoke_never_arrives, ForgetsUnheardRevocations),
        (the_revocation_hangs_and_then_the_network, ForgetsHeardRevocations),
    ],
)
def test_a_consumer_protocol_member_knows_when_a_revocation_is_too_late(
    story: Callable[[type], None], mistaken: type
) -> None:
    """Catches "rebalance deadline ignored" in the consumer protocol's machine: both of its
    clauses, that for what it was told and that for what it may have been told."""
    story(ConsumerMachine)

    with pytest.raises(AssertionError):
        story(mistaken)
