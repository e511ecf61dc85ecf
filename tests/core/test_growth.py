"""What an event costs in a large group: counted in entries and deadlines, not in seconds."""

from collections import Counter
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import pytest

from groups.core import events
from groups.core.assignment import Parts
from groups.core.classic.group import ClassicGroup
from groups.core.classic.live import Live
from groups.core.commanded import thread_offers
from groups.core.commanded.group import CommandedGroup
from groups.core.group import Decision, Group, Rules
from groups.core.replies import Joined
from groups.core.rows import MemberRow
from groups.core.values import SharedDict

MEMBERS = 1_000

PER_EVENT_MAX = 300
"""Entries copied and deadlines looked at: with a plain copy and a plain minimum it is thousands."""


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many entries were copied and deadlines read."""
    counted: Counter[str] = Counter()
    copy, entries, earliest = SharedDict.copy, SharedDict._entries, Live.earliest_of

    def counting_copy(self: SharedDict[Any, Any]) -> SharedDict[Any, Any]:
        counted["entries"] += len(self._over)
        return copy(self)

    def counting_entries(self: SharedDict[Any, Any]) -> dict[Any, Any]:
        counted["entries"] += len(self._base) if self._over else 0
        return entries(self)

    def counting_earliest(self: Live, ids: Iterable[str], *args: Any) -> int | None:
        looked_at = list(ids)
        counted["deadlines"] += len(looked_at)
        return earliest(self, looked_at, *args)

    monkeypatch.setattr(SharedDict, "copy", counting_copy)
    monkeypatch.setattr(SharedDict, "_entries", counting_entries)
    monkeypatch.setattr(Live, "earliest_of", counting_earliest)
    return counted


class Crowd:
    """A classic group whose members come one at a time, as a node steps it."""

    def __init__(self, **rules: int) -> None:
        self.now = 1_000
        self.group = ClassicGroup.absent("g", Rules(**rules), self.now)  # type: ignore[arg-type]
        self.rng = Random(1)
        self.requests = 0

    def step(self, event: events.Event) -> Decision:
        before = self.group
        decision = before.step([event], self.now, self.rng)
        assert isinstance(decision.group, ClassicGroup)
        self.group = decision.group
        if self.group.durable is not before.durable:
            self.group = self.group.with_revision(before.durable.revision + 1)
        self.group.due(self.now)
        self.now += 1
        return decision

    def join(self, member_id: str) -> Decision:
        return self.step(
            events.JoinGroup(
                ticket=self.ticket(), member_id=member_id, instance_id=None, client_id="c",
                client_host="/h", session_timeout_ms=45_000, rebalance_timeout_ms=300_000,
                protocol_type="consumer", protocols=(("range", b""),), needs_member_id=True,
            )
        )  # fmt: skip

    def sync(self, member_id: str, *everyone: str) -> Decision:
        return self.step(
            events.SyncGroup(
                ticket=self.ticket(), generation_id=self.group.durable.group.generation,
                member_id=member_id, instance_id=None,
                assignments=dict.fromkeys(everyone, b"all"),
            )
        )  # fmt: skip

    def ticket(self) -> events.Ticket:
        self.requests += 1
        return events.Ticket(self.requests, 1)

    def wait(self) -> None:
        """Until the join phase is over."""
        while self.group.durable.group.state == "PreparingRebalance":
            due = self.group.due(self.now)
            assert due is not None
            self.now = max(self.now, due)
            self.step(events.Tick())


def given_id(decision: Decision) -> str:
    reply = decision.answers[0].reply
    assert isinstance(reply, Joined)
    return reply.member_id


def test_members_that_join_one_at_a_time_cost_the_same_each(
    work: Counter[str],
) -> None:
    crowd = Crowd()
    spent: dict[str, float] = {}

    def measure(what: str, act: Callable[[str], object], ids: list[str]) -> None:
        work.clear()
        for member_id in ids:
            act(member_id)
        spent[what] = work.total() / len(ids)

    ids: list[str] = []
    measure("ids", lambda _: ids.append(given_id(crowd.join(""))), [""] * MEMBERS)
    measure("joins", crowd.join, ids)
    crowd.wait()
    leader = crowd.group.durable.group.leader
    assert leader is not None and len(crowd.group.durable.members) == MEMBERS
    others = [m for m in ids if m != leader]
    measure("syncs", crowd.sync, others)
    crowd.sync(leader, *ids)
    assert crowd.group.durable.group.state == "Stable"
    crowd.join(leader)
    measure("joins again", crowd.join, others)
    for member_id in (*others, leader):
        crowd.sync(member_id, *(ids if member_id == leader else ()))
    leave = events.LeaveGroup
    measure("leaves", lambda m: crowd.step(leave(members=(events.Leaver(m, None),))), others[:500])
    assert {what: cost for what, cost in spent.items() if cost > PER_EVENT_MAX} == {}, spent


def test_a_postponed_deadline_costs_a_large_group_one_tick() -> None:
    crowd = Crowd(group_quiet_window_ms=0, group_initial_rebalance_delay_ms=100_000)
    ids = [given_id(crowd.join("")) for _ in range(150)]
    for member_id in ids:
        crowd.join(member_id)
    stale = crowd.group.due(crowd.now)
    assert stale is not None and stale < 50_000, "an id's, although all were used"
    crowd.now = stale
    assert not crowd.step(events.Tick()).answers
    due = crowd.group.due(crowd.now)
    assert due == 101_000 + 150, "the join phase's"


def test_commanded_consumers_that_register_together_cost_the_same_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Counted in rows whose topics or partitions are looked at: a few for each consumer, and not
    those of all others."""
    looked: Counter[str] = Counter()
    of_row = thread_offers.topics_in, thread_offers.parts_in

    def topics_in(row: MemberRow) -> frozenset[str]:
        looked["topics"] += 1
        return of_row[0](row)

    def parts_in(row: MemberRow) -> Parts:
        looked["partitions"] += 1
        return of_row[1](row)

    monkeypatch.setattr(thread_offers, "topics_in", topics_in)
    monkeypatch.setattr(thread_offers, "parts_in", parts_in)
    group: Group = CommandedGroup.absent("g", Rules(), 1_000)
    registrations = [
        events.RegisterConsumer(
            ticket=events.Ticket(number, 1), consumer_id="", generation_id=-1, client_id="c",
            client_host="/h", session_timeout_ms=10_000, threads={"t": 1, f"t{number}": 1},
            counts={"t": 4},
        )
        for number in range(MEMBERS)
    ]  # fmt: skip

    group = group.step(registrations, 1_000, Random(1)).group

    assert len(group.durable.members) == MEMBERS
    assert isinstance(group, CommandedGroup) and len(group.counts) == MEMBERS + 1
    assert looked.total() <= 20 * MEMBERS, looked
