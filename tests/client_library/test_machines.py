"""Random lives of library members with the coordinator's real rules between them.

Whatever the network loses, delays and repeats, however long applications take, no partition ever
has two owners (``World.check``, after every single event); and when all behave again, every
member that wants to work does, and every partition that is wanted has its one owner.
"""

import os
import re
from dataclasses import replace
from random import Random
from typing import Any, ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from groups.core import events
from groups.core.classic.group import ClassicGroup
from groups.core.commanded.group import CommandedGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.draft.group import DraftGroup
from rollcall.client.assignors import ASSIGNORS
from rollcall.client.core.classic import ClassicMachine
from rollcall.client.core.commanded import CommandedMachine
from rollcall.client.core.consumer import ConsumerMachine
from rollcall.client.core.draft import DraftMachine
from rollcall.client.core.events import Identity, Machine, TopicPartition
from rollcall.client.dialects.kafka import KAFKA
from rollcall.client.errors import CommitRefused
from rollcall.client.offsets import CommitRequest
from tests.client_library.world import Player, World

EXAMPLES = int(os.environ.get("ROLLCALL_TEST_EXAMPLES", "60"))

SESSION_MS = 45_000
REBALANCES_MS = 20_000, 60_000
NAMES = ("anna", "ben", "cleo", "dan")
PEOPLE = st.sampled_from(NAMES)
TOPICS = st.lists(st.sampled_from(["s", "t"]), min_size=1, max_size=2, unique=True)
COUNTS = st.dictionaries(st.sampled_from(["s", "t"]), st.integers(1, 5), min_size=1)
BLOCKED = st.frozensets(st.sampled_from(["requests", "answers", "calls"]), min_size=1)

CALM_MS = 400_000
"""Longer than any session, rebalance and back-off one after another."""


class Lives(RuleBasedStateMachine):
    """What all kinds of members share; ``new`` makes one."""

    kind: ClassVar[Any] = ConsumerGroup
    assignors: ClassVar[tuple[str, ...]] = ()

    @initialize(counts=COUNTS, crowd=st.integers(0, 3), ms=st.sampled_from([0, 20_000]))
    def begin(self, counts: dict[str, int], crowd: int, ms: int) -> None:
        self.world = World(self.kind, group_initial_rebalance_delay_ms=0)
        self.world.catalogue = counts
        self.lives = 0
        self.commits: list[tuple[Player, CommitRequest, dict[TopicPartition, int]]] = []
        for name in NAMES[:crowd]:
            self.join(name, ["s", "t"], False)
        self.world.sleep(ms, honest=True)

    def new(self, identity: Identity, rng: Random) -> Machine:
        return ConsumerMachine(identity, rng)

    def of(self, name: str) -> Player | None:
        return self.world.players.get(name)

    # Members and their applications

    @rule(name=PEOPLE, topics=TOPICS, static=st.booleans())
    def join(self, name: str, topics: list[str], static: bool) -> None:
        if self.of(name) is None:
            self.lives += 1
            identity = Identity(
                "g",
                instance_id=f"i-{name}" if static else None,
                session_timeout_ms=SESSION_MS,
                rebalance_timeout_ms=REBALANCES_MS[self.lives % 2],
            )
            self.world.add(name, self.new(identity, Random(self.lives)), *topics)

    @rule(name=PEOPLE, topics=TOPICS)
    def change_subscription(self, name: str, topics: list[str]) -> None:
        if player := self.of(name):
            self.world.subscribe(player, *topics)

    @rule(name=PEOPLE)
    def unsubscribe(self, name: str) -> None:
        if player := self.of(name):
            self.world.unsubscribe(player)

    @rule(name=PEOPLE)
    def die(self, name: str) -> None:
        """Killed: it works on nothing any more, but the group does not know yet."""
        self.world.players.pop(name, None)

    @rule(name=PEOPLE)
    def return_from_the_call(self, name: str) -> None:
        if player := self.of(name):
            self.world.handle(player)

    @rule(name=PEOPLE)
    def begin_to_commit(self, name: str) -> None:
        """For all that is its own. The first attempt does not come through."""
        player = self.of(name)
        if player is None or not (mine := player.owned | player.finishing):
            return
        standing = player.machine.standing
        request = CommitRequest(dict.fromkeys(mine, 1), lambda: standing, KAFKA)
        self.commits.append((player, request, {each: self.world.given[each] for each in mine}))

    @rule(which=st.integers(0, 50))
    def commit_again(self, which: int) -> None:
        """If it may: none of it has been assigned to others since."""
        if not self.commits:
            return
        player, asked, before = self.commits[which % len(self.commits)]
        if self.world.players.get(player.name) is not player:
            return
        try:
            asked.check()
        except CommitRefused:
            return
        assert {each: self.world.given[each] for each in before} == before

    # The network and the clock

    @rule(name=PEOPLE)
    def hear_the_request(self, name: str) -> None:
        if player := self.of(name):
            self.world.deliver(player)
            self.world.check()

    @rule(name=PEOPLE)
    def hear_the_answer(self, name: str) -> None:
        if player := self.of(name):
            self.world.answer(player)

    @rule(name=PEOPLE, which=st.integers(0, 50))
    def hear_an_old_answer_again(self, name: str, which: int) -> None:
        if player := self.of(name):
            self.world.repeat(player, which)

    @rule(name=PEOPLE)
    def cut_the_connection(self, name: str) -> None:
        if player := self.of(name):
            self.world.cut(player)

    @rule(name=PEOPLE)
    def learn_of_topics(self, name: str) -> None:
        if player := self.of(name):
            self.world.look_up(player)

    @rule(name=PEOPLE)
    def the_assignor_has_thought(self, name: str) -> None:
        if player := self.of(name):
            self.world.work_out(player)

    @rule(ms=st.sampled_from([100, 3_000, 20_000, 50_000]))
    def time_goes_by(self, ms: int) -> None:
        self.world.sleep(ms)

    @rule(ms=st.sampled_from([0, 1_000, 10_000]))
    def all_goes_well_for_a_while(self, ms: int) -> None:
        self.world.sleep(ms, honest=True)

    @rule(name=PEOPLE, ms=st.sampled_from([10_000, 50_000, 70_000]), blocked=BLOCKED)
    def one_is_cut_off_while_the_others_go_on(
        self, name: str, ms: int, blocked: frozenset[str]
    ) -> None:
        self.world.sleep(ms, honest=True, but=name, blocked=blocked)

    @rule(topic=st.sampled_from(["s", "t"]), count=st.integers(1, 6))
    def a_topic_grows(self, topic: str, count: int) -> None:
        self.world.grow(topic, count)

    @rule()
    def an_operator_forces_a_rebalance(self) -> None:
        self.world.step(events.ForceRebalance(operation_id=1, actor="x", reason=""))

    def teardown(self) -> None:
        """Nobody is stuck."""
        if not hasattr(self, "world"):
            return
        world = self.world
        world.sleep(CALM_MS, honest=True)
        players = world.players.values()
        working = [p for p in players if (p.topics or p.pattern) and not p.failures]
        wanted = {
            TopicPartition(topic, n)
            for player in working
            for topic in world.catalogue
            if topic in player.topics or re.fullmatch(player.pattern or "", topic)
            for n in range(world.catalogue[topic])
        }
        states = {p.name: p.machine.state.name for p in working}  # type: ignore[attr-defined]
        assert set(states.values()) <= {"STABLE"}, states
        owned = {each for player in world.players.values() for each in player.owned}
        assert owned == wanted, (owned ^ wanted, states)


class OwnPatterns:
    """Members whose patterns are Python's: those that match themselves, and here commanded ones."""

    @rule(name=PEOPLE, pattern=st.sampled_from(["s", "[st]", "u?t"]))
    def subscribe_by_a_pattern(self, name: str, pattern: str) -> None:
        world: World = self.world  # type: ignore[attr-defined]
        if player := world.players.get(name):
            world.subscribe(player, pattern=pattern)


class DraftLives(OwnPatterns, Lives):
    """Members of the 0.9 draft, and coordinators that die."""

    kind = DraftGroup

    def new(self, identity: Identity, rng: Random) -> Machine:
        session_ms = SESSION_MS // 2 + 1_000 * (self.lives % 2)
        return DraftMachine(replace(identity, session_timeout_ms=session_ms), "range", rng)

    @rule()
    def the_coordinator_dies(self) -> None:
        self.world.fail_over()


class CommandedLives(OwnPatterns, Lives):
    """Members that are told to stop and to start, and coordinators that die."""

    kind = CommandedGroup

    def new(self, identity: Identity, rng: Random) -> Machine:
        return CommandedMachine(identity, rng)

    @rule()
    def the_coordinator_dies(self) -> None:
        self.world.fail_over()


class ClassicLives(OwnPatterns, Lives):
    """Eager members."""

    kind = ClassicGroup
    assignors: ClassVar[tuple[str, ...]] = ("range",)

    def new(self, identity: Identity, rng: Random) -> Machine:
        return ClassicMachine(identity, [ASSIGNORS[name] for name in self.assignors], rng)


class CooperativeLives(ClassicLives):
    """Members that keep what they own while they join."""

    assignors = ("cooperative-sticky",)


class StickyLives(ClassicLives):
    """Eager members that remember."""

    assignors = ("sticky", "range")


TestConsumerLives = Lives.TestCase
TestDraftLives = DraftLives.TestCase
TestCommandedLives = CommandedLives.TestCase
TestClassicLives = ClassicLives.TestCase
TestCooperativeLives = CooperativeLives.TestCase
TestStickyLives = StickyLives.TestCase
for _case in (
    TestConsumerLives,
    TestDraftLives,
    TestCommandedLives,
    TestClassicLives,
    TestCooperativeLives,
    TestStickyLives,
):
    _case.settings = settings(
        max_examples=EXAMPLES,
        stateful_step_count=40,
        suppress_health_check=list(HealthCheck),
    )
del _case  # pytest would collect it as one more
