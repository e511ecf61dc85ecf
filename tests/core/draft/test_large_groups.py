"""A large group of the draft: its next deadline is known without a scan of all members."""

from collections.abc import Iterable, Mapping
from random import Random

import pytest

from groups.core import events
from groups.core.draft import join
from groups.core.draft.group import DraftGroup
from groups.core.draft.live import Live
from groups.core.errors import ErrorCode
from groups.core.group import Rules
from groups.core.rows import Durable
from groups.core.step import EXACT_MAX
from groups.core.values import may_differ
from tests.core.draft.invariants import check_thoroughly

RULES = Rules()
FEW = 3
SESSIONS = (10_000, 20_000, 30_000)


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The members whose deadline is read."""
    seen: list[str] = []
    earliest = Live.earliest_of

    def looking(self: Live, consumer_ids: Iterable[str], durable: Durable) -> int | None:
        ids = list(consumer_ids)
        seen.extend(ids)
        return earliest(self, ids, durable)

    monkeypatch.setattr(Live, "earliest_of", looking)
    return seen


class Crowd:
    """Consumers that join, heartbeat and leave, and the node that ticks on request."""

    def __init__(self, size: int, looked: list[str] | None = None) -> None:
        self.looked = [] if looked is None else looked
        self.now = 1_000
        self.rng = Random(3)
        self.requests = 0
        self.group = DraftGroup.absent("g", RULES, self.now)
        for _ in range(size + 1):  # the first one makes a generation by itself, and falls silent
            self.join("", self.rng.choice(SESSIONS))
        while self.group.durable.group.state != "Stable":
            self.tick()

    @property
    def ids(self) -> list[str]:
        return list(self.group.durable.members)

    def step(self, event: events.Event) -> None:
        before = self.group
        decision = before.step([event], self.now, self.rng)
        assert isinstance(decision.group, DraftGroup)
        self.group = decision.group
        if self.group.durable is not before.durable:
            self.group = self.group.with_revision(before.durable.revision + 1)
        due, exact = self.group.due(self.now), self.exact()
        assert due is None if exact is None else due is not None and due <= exact
        if isinstance(event, events.Tick):
            assert due == exact, "a deadline that was put off costs one tick and no more"

    def exact(self) -> int | None:
        """By a scan of all members, which does not count as one of the group's own."""
        seen = len(self.looked)
        due = DraftGroup(self.group.durable, self.group.live, RULES).due(self.now)
        del self.looked[seen:]
        return due

    def tick(self) -> None:
        due = self.group.due(self.now)
        assert due is not None
        self.now = max(self.now, due)
        self.step(events.Tick())

    def join(self, consumer_id: str, session_ms: int) -> None:
        self.requests += 1
        self.step(
            events.DraftJoin(
                ticket=events.Ticket(1, self.requests), consumer_id=consumer_id, client_id="c",
                client_host="/h", session_timeout_ms=session_ms, topics=("t",), strategy="range",
                counts={"t": 4},
            )
        )  # fmt: skip

    def beat(self, consumer_id: str) -> None:
        self.group.live.beats[consumer_id].at = self.now

    def step_all(self) -> None:
        """In a round nearly all join, else they beat."""
        for consumer_id in self.ids:
            if consumer_id not in self.group.durable.members or self.rng.random() < 0.02:
                continue
            if self.group.durable.group.state == "Stable":
                self.beat(consumer_id)
            else:
                self.join(consumer_id, self.rng.choice(SESSIONS))


@pytest.mark.parametrize("size", [EXACT_MAX, EXACT_MAX + 1])
def test_a_join_of_a_round_scans_all_members_only_in_a_small_group(
    size: int, looked: list[str]
) -> None:
    crowd = Crowd(size, looked)
    crowd.now += 1
    crowd.join("", SESSIONS[1])  # a round begins, and grants every member a full session
    looked.clear()
    for consumer_id in crowd.ids[:20]:
        crowd.join(consumer_id, SESSIONS[0])
    each = len(looked) / 20
    assert each > EXACT_MAX - 21 if size == EXACT_MAX else each <= FEW


def test_the_next_deadline_is_never_missed() -> None:
    crowd = Crowd(EXACT_MAX + 30)
    rng = Random(5)
    states = set()
    for turn in range(100):
        crowd.now += rng.choice((0, 1, 700))
        if turn % 10 == 9:
            crowd.step_all()
        match rng.randrange(8):
            case 0:
                crowd.join("", rng.choice((6_000, *SESSIONS)))
            case 1 | 2 | 3:
                crowd.join(rng.choice(crowd.ids), rng.choice(SESSIONS))
            case 4:
                leaver = events.Leaver(rng.choice(crowd.ids), None)
                crowd.step(events.LeaveGroup(members=(leaver,)))
            case 5:
                crowd.step_all()
                crowd.tick()
            case 6:
                crowd.step(events.DeleteGroup())
            case _:
                generation = crowd.group.durable.group.generation
                crowd.step(
                    events.DraftHeartbeat(
                        consumer_id=rng.choice(crowd.ids), generation_id=generation
                    )
                )
        states.add(crowd.group.durable.group.state)
    assert len(states) > 1 and len(crowd.ids) > EXACT_MAX


def test_a_short_session_bounds_the_next_deadline_from_the_join_on() -> None:
    crowd = Crowd(EXACT_MAX + 30)
    crowd.join("", 6_000)
    for consumer_id in crowd.ids:
        crowd.join(consumer_id, SESSIONS[2])
    assert crowd.group.durable.group.state == "Stable"
    assert crowd.group.due(crowd.now) == crowd.now + 6_000


def first_join(
    number: int, topics: tuple[str, ...], counts: Mapping[str, int] | None = None
) -> events.DraftJoin:
    """The first join of a consumer."""
    return events.DraftJoin(
        ticket=events.Ticket(number, 1),
        consumer_id="",
        client_id="c",
        client_host="h",
        session_timeout_ms=10_000,
        topics=topics,
        strategy="range",
        counts=counts or {},
    )


def test_the_number_of_topics_of_a_group_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(join, "TOPICS_MAX", 4)
    group = DraftGroup.absent("g", RULES, 0)

    def told(number: int, *topics: str) -> ErrorCode:
        nonlocal group
        decision = group.step([first_join(number, topics)], 1, Random(1))
        assert isinstance(decision.group, DraftGroup)
        group = decision.group
        return ErrorCode(decision.answers[0].reply.error) if decision.answers else ErrorCode.NONE

    assert told(1, "a", "b", "c") is ErrorCode.NONE
    assert told(2, "c", "d", "e") is ErrorCode.GROUP_MAX_SIZE_REACHED
    assert told(3, "c", "d") is ErrorCode.NONE
    assert told(4, "a", "b", "c", "d") is ErrorCode.NONE, "those of others cost nothing"
    assert set(group.counts) == {"a", "b", "c", "d"}


def test_a_join_does_not_pay_for_topics_of_others() -> None:
    """It copied the counts of all topics, 200,000 at most, on the event loop."""
    group = DraftGroup.absent("g", RULES, 0)
    seen = []
    for number, topic in enumerate(["a", "b", "b"]):
        counts = {topic: 3, **{f"t{n}": 2 for n in range(100)}}
        event = first_join(number, tuple(counts), counts)
        group = group.step([event], 1, Random(1)).group  # type: ignore[assignment]
        check_thoroughly(group.durable, group.live)
        seen.append(group.counts)
    assert set(may_differ(seen[0], seen[1])) == {"b"}
    assert seen[2] is seen[1], "nothing is new"
    assert group.breadth == 3 + 102 + 206, "newcomers, topics and partitions"
