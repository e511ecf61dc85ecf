"""Commits of members that keep their partitions while their group rebalances (KIP-429)."""

import asyncio
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rollcall.client import ASSIGNORS, Candidate, Member, Metrics, TopicPartition
from rollcall.testing import Coordinator
from tests.client_library.line import line_to
from tests.server.serving import until

PATIENCE_S = 60
TOPIC = "orders"
OFFSET_COMMIT = 8
ONE = TopicPartition(TOPIC, 0)
COOPERATIVE = ASSIGNORS["cooperative-sticky"]
OPTIONS: dict[str, Any] = {"protocol": "classic", "heartbeat_interval_ms": 100}


class Answers(Metrics):
    """How many requests were answered, by name."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()

    def answered(self, request: str, version: int, seconds: float) -> None:
        self.count[request] += 1


async def test_a_commit_waits_for_the_leaders_assignment() -> None:
    """The coordinator refuses it until then, and the partition is the member's all the while."""
    is_assigning, may_assign = threading.Event(), threading.Event()

    def assign(counts: Any, members: Sequence[Candidate]) -> Any:
        if len(members) > 1:
            is_assigning.set()
            may_assign.wait(PATIENCE_S)
        return COOPERATIVE.assign(counts, members)

    slow, answers = replace(COOPERATIVE, assign=assign), Answers()
    with Coordinator({TOPIC: 1}) as coordinator:
        where = coordinator.bootstrap, "g", [TOPIC]
        async with Member(*where, assignor=slow, metrics=answers, **OPTIONS) as anna:
            await until(lambda: anna.assigned == {ONE})
            async with Member(*where, assignor=slow, **OPTIONS):
                await until(is_assigning.is_set)
                committing = asyncio.ensure_future(anna.commit({ONE: 5}))
                await until(lambda: answers.count["OffsetCommit"] > 0)
                may_assign.set()

                await committing

                assert coordinator.offsets("g") == {ONE: 5} and anna.assigned == {ONE}


async def test_a_commit_that_meets_the_next_generation_is_sent_again_in_it() -> None:
    """The generation rose while it was under way, and its partition stayed."""
    with Coordinator({TOPIC: 1}) as coordinator:
        async with line_to(coordinator.bootstrap) as line:
            member = Member(line.address, "g", [TOPIC], assignor=COOPERATIVE, **OPTIONS)
            async with member:
                await until(lambda: member.assigned == {ONE})
                before = member.epoch
                line.late[OFFSET_COMMIT] = asyncio.Event()
                committing = asyncio.ensure_future(member.commit({ONE: 5}))
                coordinator.rebalance("g")
                await until(lambda: member.epoch > before)

                line.late[OFFSET_COMMIT].set()

                await committing
        assert coordinator.offsets("g") == {ONE: 5}
