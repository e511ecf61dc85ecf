"""The table of kinds: what an absent group becomes, and room for kinds that come later."""

from dataclasses import replace
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from groups import core
from groups.core import events, kinds
from groups.core.classic import group as classic
from groups.core.classic.group import ClassicGroup
from groups.core.commanded import group as commanded
from groups.core.consumer import group as consumer
from groups.core.conversion.step import creates_group, kind_for
from groups.core.draft import group as draft
from groups.core.drains import DrainMember, UndrainMember
from groups.core.errors import ErrorCode
from groups.core.group import Rules


class Toy(ClassicGroup):
    """Some other kind of group."""


def beat() -> events.ConsumerHeartbeat:
    return events.ConsumerHeartbeat(
        member_id="m", member_epoch=0, instance_id=None, rack_id=None, client_id="c",
        client_host="/h", rebalance_timeout_ms=1, subscribed_topic_names=("t",),
        server_assignor=None, owned={},
    )  # fmt: skip


def test_an_absent_group_is_created_by_joins_and_commits_only() -> None:
    commit: dict[str, Any] = {
        "generation_id": -1, "member_id": "", "instance_id": None, "offsets": (),
    }  # fmt: skip
    assert creates_group(beat())
    for epoch in (-2, -1, 1):
        assert not creates_group(replace(beat(), member_epoch=epoch))
    assert creates_group(events.OffsetCommit(**commit, version=9))
    assert creates_group(events.DraftCommit(**commit, version=1))
    assert creates_group(events.TxnOffsetCommit(**commit, producer_id=1, producer_epoch=0))
    for event in (events.DeleteGroup(), events.Tick(), events.OffsetDelete(partitions=())):
        assert not creates_group(event)


@pytest.mark.parametrize("kind", [classic, consumer, draft, commanded], ids=list(kinds.KINDS))
def test_every_kind_of_group_has_a_rule_for_every_event(kind: ModuleType) -> None:
    """A group may have become another one while what concerns it was on its way."""
    found = [event for event in vars(events).values() if isinstance(event, type)]
    every = {event for event in found if issubclass(event, events.Event)}
    operators = {DrainMember, UndrainMember}
    assert kind.HANDLERS.keys() == every - {events.Event, events.Verb, events.RowsVerb} | operators


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_a_kind_without_a_rule_for_an_operation_refuses_it(kind: str) -> None:
    """The rule is in the kinds that can do it, and in no other."""

    class Unheard(events.Verb):
        """No kind has a rule for it."""

    event = Unheard(operation_id=7, actor="ann", reason="why not")
    absent = kinds.KINDS[kind].absent("g", Rules(), 0)
    (operated,) = absent.step([event], 0, Random(0)).operations
    assert (operated.operation_id, operated.error) == (7, ErrorCode.INVALID_REQUEST)
    assert operated.detail == f"a {kind} group cannot do this"


def test_most_events_apply_to_a_classic_group() -> None:
    assert kind_for(events.DeleteGroup()) == "classic"
    assert kinds.KINDS["classic"] is ClassicGroup


def test_a_kind_that_is_registered_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kinds.KINDS, "toy", Toy)
    monkeypatch.setitem(kinds.CREATED_BY, events.Tick, "toy")
    assert kind_for(events.Tick()) == "toy"


def test_a_consumer_heartbeat_creates_a_consumer_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kinds.KINDS, "consumer", Toy)
    assert kind_for(beat()) == "consumer"


SAME = {
    *("group", "work", "live", "states", "timers", "recovery"),
    *("guards", "leave", "operator", "offsets"),
}
"""Files that mean the same in each kind (docs/architecture.md, *Source tree*)."""


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_every_kind_has_the_same_file_names(kind: str) -> None:
    folder = Path(core.__file__).parent / kind
    assert {path.stem for path in folder.glob("*.py")} >= SAME
