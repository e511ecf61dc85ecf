"""Which targets are worked out within a step, by counted work; and what is made ready beside it."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from types import FrameType
from typing import Any

import pytest

from groups.core import events
from groups.core.assignors.registry import table
from groups.core.assignors.types import NOWHERE, Racks
from groups.core.consumer import target_schedule, targets
from groups.core.consumer.group import ConsumerGroup
from groups.core.consumer.index import Index
from groups.core.consumer.member import Member
from groups.core.consumer.work import Work
from groups.core.group import Rules
from groups.core.rows import MemberRow
from groups.topics.assignor_worker import answer
from tests.core.consumer.talk import Client, Talk

LINES_MAX = 60
"""Lines of the assignors that run for each unit of a question's size, at the most."""


class Lines:
    """Counts the lines of the assignors that run."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, frame: FrameType, event: str, _arg: Any) -> Any:
        if "/groups/core/assignors/" not in frame.f_code.co_filename:
            return None
        self.count += event == "line"
        return self


def group_of(
    rng: Random, members: int, topics: int, partitions: int, each: int, kinds: int
) -> tuple[Work, Racks]:
    """A group of that many members, each with one of so many kinds of subscription."""
    catalogue = {f"t{i:04}": (f"{i:032x}", partitions) for i in range(topics)}
    names = sorted(catalogue)
    subscriptions = [tuple(sorted(rng.sample(names, min(each, topics)))) for _ in range(kinds)]
    found: dict[str, Member] = {}
    for i in range(members):
        row = MemberRow(f"m{i:05}", None, "c", "/h", 45_000, 60_000, i)
        said = rng.choice(["uniform", "uniform*3", "uniform*50"])
        rack_id = rng.choice([None, "a", "b"])
        one = Member(row, topics=rng.choice(subscriptions), assignor=said, rack_id=rack_id)
        found[row.member_id] = one
    index = Index.of(found.values(), {"topics": {n: list(t) for n, t in catalogue.items()}})
    near = tuple(frozenset(rng.sample("abc", 2)) for _ in range(partitions))
    racks = {topic: near for topic, _ in catalogue.values()}
    empty = ConsumerGroup.absent("g", Rules(), 0)
    live = replace(empty.live, racks=racks)
    return Work(empty.durable.group, found, index, live, Rules(), 0, rng), racks


@pytest.mark.parametrize("name", sorted(table()))
def test_work_within_a_step_is_bounded_by_the_size_of_the_task(name: str) -> None:
    """Whatever the shape: members, topics, partitions, subscriptions, racks, weights."""
    rng = Random(name)
    for _ in range(60):
        members = rng.choice([1, 3, 20, 100, 300])
        shape = (rng.choice([1, 5, 50, 300]), rng.choice([1, 2, 20]), rng.choice([1, 4, 40]))
        work, racks = group_of(rng, members, *shape, kinds=rng.choice([1, 2, members]))
        size = targets.size_of(work)
        if size > target_schedule.INLINE_MAX:
            continue
        question = replace(targets.question(work, name, table()[name]), racks=racks or NOWHERE)
        assert len(question.members) == members
        lines = Lines()
        before = sys.gettrace()
        sys.settrace(lines)
        try:
            question.answer()
        finally:
            sys.settrace(before)
        assert lines.count <= LINES_MAX * size, (name, members, shape, size)


def test_different_subscriptions_are_counted_per_topic() -> None:
    """Three members of a thousand topics each are few members and few partitions, and much work."""
    topics = {f"t{i}": 1 for i in range(1_300)}
    talk = Talk(topics, group_consumer_assignor_offload_enable=True)
    names = sorted(topics)
    for i in range(3):
        talk.beat(Client(f"m{i}", tuple(names[i * 50 : i * 50 + 1_200])))
    assert talk.questions, "it was worked out within the step"


def test_equal_subscriptions_are_counted_once() -> None:
    topics = {f"t{i}": 1 for i in range(1_000)}
    talk = Talk(topics, group_consumer_assignor_offload_enable=True)
    for i in range(3):
        talk.beat(Client(f"m{i}", tuple(topics)))
    assert not talk.questions


def test_the_size_of_a_task_is_the_sum_of_its_parts() -> None:
    """Members, partitions, and names: of all members together, unless they say the same."""
    alike, _ = group_of(Random(1), members=3, topics=5, partitions=4, each=5, kinds=1)
    assert targets.size_of(alike) == 3 + 5 * 4 + 5
    unlike, _ = group_of(Random(2), members=3, topics=5, partitions=4, each=2, kinds=3)
    assert targets.size_of(unlike) == 3 + 5 * 4 + 3 * 2


def test_known_topics_are_outdated_when_the_catalogue_or_matches_change() -> None:
    index = Index(catalogue={"t": ("id", 1)}, matches={"t.*": ("t",)})
    converted = targets.ConvertedMembers([], index)
    assert converted.knows(index) and converted.knows(replace(index, unsettled=1))
    assert not converted.knows(replace(index, catalogue={"t": ("id", 2)}))
    assert not converted.knows(replace(index, matches={}))


def decided(group: ConsumerGroup, event: events.Event) -> Mapping[str, Any]:
    """The observable result of a step."""
    decision = group.step([event], 2_000_000, Random(1))
    assert isinstance(decision.group, ConsumerGroup)
    durable = decision.group.durable
    return {
        "group": durable.group,
        "members": dict(durable.members),
        "facts": dict(decision.group.members),
        "journal": decision.journal,
        "answers": decision.answers,
    }


@pytest.mark.parametrize("meanwhile", ["nothing", "joins", "leaves", "subscribes", "topic"])
def test_the_result_computed_outside_the_step_equals_the_one_computed_inside(
    monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    monkeypatch.setattr(target_schedule, "INLINE_MAX", 0)
    topics = {"a": 7, "b": 5, "c": 3}
    talk = Talk(topics, group_consumer_assignor_offload_enable=True)
    clients = [Client(f"m{i}", ("a", "b", "c")[: 1 + i % 3]) for i in range(6)]
    for client in clients:
        talk.beat(client)
        talk.answer()
    for client in clients * 3:
        talk.beat(client)
        talk.answer()
    talk.step(events.EvictMember(operation_id=1, actor="a", reason="r", member_id="m5"))
    talk.beat(clients[0])
    question = talk.questions.pop()
    match meanwhile:
        case "joins":
            talk.beat(Client("new", ("a",)))
        case "leaves":
            talk.beat(clients[1], member_epoch=-1)
        case "subscribes":
            talk.beat(clients[2], subscribed_topic_names=("a",))
        case "topic":
            talk.catalogue["a"] = ("id-a", 8)
            talk.beat(clients[3])
    beside = answer("g", question)
    assert beside.ready and beside.targets is not None
    alone = events.TargetComputed(question=question, targets=beside.targets)
    before = talk.group
    assert decided(before, beside) == decided(before, alone)
    talk.step(beside)
    now = talk.group.members
    is_used = any(now.get(member_id) is done.after for member_id, done in beside.ready.items())
    assert is_used is (meanwhile != "topic"), "it is right while topics are what they were"
