"""Any order of joins, heartbeats, silence, partition changes and failovers: what must hold, holds.

The conversation checks every invariant after each command (two owners, a ticket answered twice, a
partition without owner). Here is what only a whole schedule shows: no request waits for ever.
"""

import os

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from groups.core.draft.states import STABLE
from tests.core.draft.conversation import Conversation

EXAMPLES = int(os.environ.get("ROLLCALL_TEST_EXAMPLES", "60"))

WHO = st.sampled_from("abcd")
WHICH = st.sampled_from(["t", "u", "t,u"])
SESSION = st.sampled_from(["6s", "10s", "30s"])
PAUSE = st.sampled_from(["1s", "5s", "6s", "11s", "31s"])


class Schedules(RuleBasedStateMachine):
    """One group; every consumer does what it likes, when it likes."""

    def __init__(self) -> None:
        super().__init__()
        self.talk = Conversation()
        self.generations: dict[int, frozenset[tuple[str, str]]] = {}

    @rule(who=WHO, topics=WHICH, session=SESSION)
    def join(self, who: str, topics: str, session: str) -> None:
        self.talk.say(f"join {who} topics={topics} session={session}")

    @rule(who=WHO)
    def join_without_its_id(self, who: str) -> None:
        self.talk.say(f"join {who} id=none")

    @rule(who=WHO)
    def heartbeat(self, who: str) -> None:
        self.talk.say(f"heartbeat {who}")

    @rule(who=WHO)
    def leave(self, who: str) -> None:
        self.talk.say(f"leave {who}")

    @rule(who=WHO)
    def hang_up(self, who: str) -> None:
        self.talk.say(f"hang-up {who}")

    @rule(pause=PAUSE)
    def tick(self, pause: str) -> None:
        self.talk.say(f"tick {pause}")

    @rule(pause=PAUSE)
    def sleep(self, pause: str) -> None:
        self.talk.say(f"sleep {pause}")

    @rule(count=st.integers(0, 5))
    def topics(self, count: int) -> None:
        self.talk.say(f"topics u={count}")

    @rule()
    def force(self) -> None:
        self.talk.say("force")

    @rule(guards=st.sampled_from(["freeze=true", "freeze=false", "interval=8s"]))
    def guards(self, guards: str) -> None:
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
        if durable.group.state != STABLE:
            return
        dealt = frozenset((c, row.assignment.hex()) for c, row in durable.members.items())
        # A consumer that leaves a frozen group leaves its partitions unassigned.
        assert dealt <= self.generations.setdefault(durable.group.generation, dealt)

    def teardown(self) -> None:
        """All members fall silent: within two sessions every waiting request is answered."""
        self.talk.say("tick 31s")
        self.talk.say("tick 31s")
        assert not self.talk.waiting


TestSchedules = Schedules.TestCase
TestSchedules.settings = settings(max_examples=EXAMPLES, stateful_step_count=30)
