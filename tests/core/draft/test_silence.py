"""A suspect's silence is its own: the rebalance that it caused gives it no more time."""

from random import Random
from typing import Any

from groups.core import events
from groups.core.draft.group import DraftGroup
from groups.core.earlier import Earlier, Interruption, Noted, Service
from groups.core.group import Rules
from groups.core.replies import DraftJoined

RULES = Rules(group_initial_rebalance_delay_ms=0, group_quiet_window_ms=0)
SESSION_MS = 10_000


class Story:
    """Steps of one group, each written."""

    def __init__(self, group: Any, now: int = 0) -> None:
        self.group, self.now = group, now

    def happens(self, event: events.Event) -> Any:
        decision = self.group.step([event], self.now, Random(self.now))
        self.group = decision.group.with_revision(self.group.durable.revision + 1)
        return decision.answers

    def joins(self, number: int, consumer_id: str = "") -> dict[int, DraftJoined]:
        join = events.DraftJoin(
            ticket=events.Ticket(number, 1), consumer_id=consumer_id, client_id=f"c{number}",
            client_host="/h", session_timeout_ms=SESSION_MS, topics=("t",), strategy="range",
            counts={"t": 2},
        )  # fmt: skip
        return {answer.ticket.connection: answer.reply for answer in self.happens(join)}

    def taken_over(self, now: int) -> "Story":
        """By a node with another clock, after a release without a gap."""
        silences = {s.member_id: Noted(1, s.heard_at) for s in self.group.sessions(self.now)}
        service = Service(self.now - now, (Interruption(self.now, 0, is_noted=True),))
        known = Earlier(service, silences, self.group.waits())
        return Story(type(self.group).merge(self.group.durable, None, RULES, now, known), now)


def two() -> tuple[Story, str, str]:
    """Two consumers of a settled group; the second is silent from 100 on."""
    story = Story(DraftGroup.absent("g", RULES, 0))
    first = story.joins(1)[1].consumer_id
    story.joins(2)
    story.now = 100
    second = story.joins(1, first)[2].consumer_id
    return story, first, second


def test_a_suspect_is_one_again_soon_after_a_takeover() -> None:
    story, first, second = two()
    story.now = 9_000
    story.group.live.beats[first].at = story.now
    story.now = 100 + SESSION_MS
    story.happens(events.Tick())
    assert set(story.group.live.suspects) == {second}
    after = story.taken_over(500_000)
    after.happens(events.Tick())
    assert after.group.durable.group.state == "Stable", "nobody had been told"
    after.now += 3_000
    after.happens(events.Tick())
    assert set(after.group.live.suspects) == {second}
