"""What Java's sticky assignors make of a group: as recorded of Kafka's own, 4.4.0
(``tests/clients/test_java_sticky.py`` runs them beside)."""

import json
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from console.foresight import classic, java_sticky
from console.foresight.foresight import Scene, Seat, foresee
from tests.foresight.sticky_groups import RULES, Group, changed, fresh, owned, read

RECORDED: Final = [
    json.loads(line)
    for line in Path(__file__).with_name("java_sticky.jsonl").read_text("utf-8").splitlines()
]
"""A line for Java each, and what it answered."""


@pytest.mark.parametrize("one", RECORDED)
def test_java_assigned_the_same_in_as_many_rebalances(one: dict[str, Any]) -> None:
    name, group = read(one["asked"])
    answer = owned(one["owned"])
    assert RULES[name](group.subscribers, group.counts) == answer

    rules = classic.JAVAS[name]
    seats = [Seat(each, "c", "/h", 10_000) for each in group.subscribers]
    found = foresee(Scene("classic", name, seats, group.counts, **rules._asdict()))
    assert found.rebalances == one["rebalances"]
    assert found.moved == sum(len(answer[m] - held) for m, held in group.members.items())
    assert {share.member_id: share.after for share in found.shares} == {
        member: len(parts) for member, parts in answer.items()
    }


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("seed", range(30))
def test_shares_are_even_and_whole_and_nothing_moves_twice(name: str, seed: int) -> None:
    chance = Random(seed)
    group = fresh(chance)
    for _ in range(5):
        group = changed(group, chance)
        shares = RULES[name](group.subscribers, group.counts)
        sizes = [len(parts) for parts in shares.values()]
        assert max(sizes) - min(sizes) <= 1
        every = {(topic, n) for topic, count in group.counts.items() for n in range(count)}
        assert sum(sizes) == len(every) and frozenset().union(*shares.values()) == every
        group = Group(group.counts, shares)
        assert RULES[name](group.subscribers, group.counts) == shares


@pytest.mark.parametrize(
    ("software", "is_known"),
    [
        (("apache-kafka-java", "3.7.1"), True),
        (("apache-kafka-java", "4.4.0-SNAPSHOT"), True),
        (("apache-kafka-java", "3.7.0"), False),
        (("apache-kafka-java", "3.10"), False),
        (("apache-kafka-java", ""), False),
        (("librdkafka", "4.4.0"), False),
        (("", ""), False),
    ],
)
def test_clients_that_are_known(software: tuple[str, str], is_known: bool) -> None:
    assert java_sticky.is_known(software) is is_known
