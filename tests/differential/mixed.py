"""Members of both protocols in one group, which is changed there and back."""

from random import Random
from typing import Any

from tests.differential.classic import VERBS, Classic
from tests.differential.consumer import Consumer
from tests.differential.plays import Step
from tests.differential.talking import Answer, Side

MODERN = (0, 1)


class Mixed(Consumer, Classic):
    """Two members of the consumer protocol, three of the classic one, two of them static."""

    counts = {"A": 4, "B": 2}
    letters = "AB"
    steps_max = 40
    first, count = 2, 3

    def choose(self, rnd: Random, side: Side) -> Step:
        """Members that are in speak more often than those that are not."""
        live = [i for i in range(5) if self.member(side, i).is_in]
        i = rnd.choice(live) if live and rnd.random() < 0.8 else rnd.randrange(5)
        is_in = self.member(side, i).is_in
        if i in MODERN:
            verbs = ["ack", "ack", "ack", "beat", "leave", "subscribe", "describe", "commit"]
            step = self.choose_beat(rnd, i, rnd.choice(["join"] * (1 if is_in else 3) + verbs))
            return self._plain(step)
        verbs = [verb for verb in VERBS if verb not in ("cdelete", "clist")]
        return self.choose_classic(rnd, i, rnd.choice(["cjoin"] * (2 if is_in else 4) + verbs))

    def _plain(self, step: Step) -> Step:
        """No static members, one assignor, no topic that is none: the classic ones need it."""
        if step[0] == "join":
            return ("join", step[1], step[2].replace("C", "") or "A", "range", False)
        if step[0] == "subscribe":
            return (*step[:2], step[2].replace("C", "") or "B", False)
        return step

    async def join(
        self, side: Side, i: int, topics: str, assignor: str | None, anew: bool
    ) -> Answer:
        """Nobody of the consumer protocol is static here."""
        self.member(side, i).topics = topics
        return await self.say(
            side, i, 0, [], rebalance_timeout_ms=60_000, server_assignor=assignor,
            subscribed_topic_names=[side.topics[t] for t in topics],
        )  # fmt: skip

    async def describe(self, side: Side) -> Answer:
        """As a group of either kind."""
        answer: Any = await super().describe(side)
        return answer if answer[0] == "NONE" else await self.cdescribe(side)

    def note(self, step: Step, answer: Answer) -> None:
        """A downgrade after which no member synced: what counted as given comes back with the
        next upgrade."""
        super().note(step, answer)
        if answer[:2] == ("sync", "NONE"):
            self.is_downgraded = False
        elif step[0] == "leave" and answer[0] == "NONE":
            self.is_downgraded = True
