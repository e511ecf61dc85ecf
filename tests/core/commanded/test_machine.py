"""Any order of registrations, polls, acknowledgements, silence, topic changes and failovers: nobody
ever works on what another works on, every generation is dealt once, and nothing gets stuck.

The conversation checks the owners and the invariants after each command; here only the commands
are found by chance.
"""

import os

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from groups.core.commanded.states import COMPLETING, EMPTY, STABLE
from tests.core.commanded.conversation import Conversation

EXAMPLES = int(os.environ.get("ROLLCALL_TEST_EXAMPLES", "200"))

WHO = st.sampled_from(["a", "b", "c"])
WHICH = st.sampled_from(["topics=t", "topics=t:2,u", "topics=u", "white=[tu]", "black=t"])
SESSION = st.sampled_from(["6s", "10s"])
PAUSE = st.sampled_from(["500ms", "2s", "5500ms", "9500ms", "12s"])


class Schedules(RuleBasedStateMachine):
    """Three consumers, two topics, and a node that fails over when it likes."""

    def __init__(self) -> None:
        super().__init__()
        self.talk = Conversation()
        self.generations: dict[int, frozenset[tuple[str, str]]] = {}

    def knows(self, who: str) -> bool:
        return who in self.talk.actors

    @initialize()
    def two_work(self) -> None:
        for command in ("register a", "register b", "settle"):
            self.talk.say(command)

    @rule(who=WHO, which=WHICH, session=SESSION)
    def register(self, who: str, which: str, session: str) -> None:
        self.talk.say(f"register {who} {which} session={session}")

    @rule(who=WHO, which=WHICH)
    def register_again(self, who: str, which: str) -> None:
        if self.knows(who) and self.talk.actors[who].works_on:
            self.talk.say(f"register {who} again {which}")

    @rule(who=WHO)
    def poll(self, who: str) -> None:
        if self.knows(who):
            self.talk.say(f"poll {who}")

    @rule(who=WHO)
    def acknowledge(self, who: str) -> None:
        if self.knows(who) and self.talk.actors[who].last:
            self.talk.say(f"ack {who}")

    @rule(who=WHO, back=st.integers(1, 3))
    def acknowledge_what_it_was_told_before(self, who: str, back: int) -> None:
        if self.knows(who) and self.talk.actors[who].last > back:
            self.talk.say(f"ack {who} {self.talk.actors[who].last - back}")

    @rule()
    def settle(self) -> None:
        self.talk.say("settle")

    @rule(who=WHO)
    def settle_but_for_one(self, who: str) -> None:
        self.talk.say(f"settle not={who}")

    @rule(who=WHO)
    def leave(self, who: str) -> None:
        if self.knows(who):
            self.talk.say(f"leave {who}")

    @rule(who=WHO)
    def evict(self, who: str) -> None:
        self.talk.say(f"evict {who}")

    @rule(pause=PAUSE)
    def tick(self, pause: str) -> None:
        self.talk.say(f"tick {pause}")

    @rule(pause=PAUSE, who=WHO)
    def tick_while_somebody_polls(self, pause: str, who: str) -> None:
        if self.knows(who):
            self.talk.say(f"tick {pause} alive={who}")

    @rule(pause=PAUSE)
    def sleep(self, pause: str) -> None:
        self.talk.say(f"sleep {pause}")

    @rule(t=st.integers(0, 5), u=st.integers(0, 3))
    def topics(self, t: int, u: int) -> None:
        self.talk.say(f"topics t={t} u={u}")

    @rule()
    def force(self) -> None:
        self.talk.say("force")

    @rule(guards=st.sampled_from(["freeze=true", "freeze=false", "interval=8s", "retries=0"]))
    def guard_rails(self, guards: str) -> None:
        self.talk.say(f"rules {guards}")

    @rule()
    def failover(self) -> None:
        self.talk.say("failover")

    @rule()
    def reload(self) -> None:
        self.talk.say("reload")

    @invariant()
    def a_generation_was_dealt_once(self) -> None:
        durable = self.talk.group.durable
        if durable.group.state not in (COMPLETING, STABLE):
            return
        dealt = frozenset(
            (c, row.assignment.hex()) for c, row in durable.members.items() if row.assignment
        )
        # A consumer that leaves frees its partitions until the next rebalance.
        assert dealt <= self.generations.setdefault(durable.group.generation, dealt)

    def teardown(self) -> None:
        """All consumers obey and none is stuck; then all fall silent and are removed."""
        self.talk.say("rules freeze=false")
        self.talk.say("tick 10s")
        self.talk.say("settle")
        assert self.talk.group.durable.group.state in (STABLE, EMPTY)
        self.talk.say("tick 1m")
        assert not self.talk.group.durable.members


TestSchedules = Schedules.TestCase
TestSchedules.settings = settings(max_examples=EXAMPLES, stateful_step_count=40)
