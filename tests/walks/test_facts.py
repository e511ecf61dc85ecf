"""The facts of random lives: at every moment they say whose members a group has, and who owns what,
as the members were told."""

from collections import Counter
from collections.abc import Iterable, Mapping

import pytest

from groups.core.assignment import Parts, partitions_of
from groups.core.classic.group import ClassicGroup
from groups.core.commanded.thread_offers import parts_in
from groups.core.consumer.group import ConsumerGroup
from groups.core.errors import ErrorCode
from groups.core.facts import Ended, owned_in
from groups.core.group import Decision, Group
from groups.core.replies import Synced
from tests.walks import recorded
from tests.walks.ledger import Ledger, parts_of
from tests.walks.life import PEOPLE, Life


@pytest.mark.parametrize("kind", PEOPLE)
def test_the_facts_say_who_is_there_and_who_owns_what(kind: str) -> None:
    ledgers = []
    for seed in range(recorded.LIVES):
        ledger = Ledger()
        for _, decision in Life(kind, seed).live().written:
            ledger.take(decision)
            group = decision.group
            there = () if decision.deleted else group.durable.members
            assert ledger.lives.keys() == set(there), f"{kind} {seed}"
            check_owners(ledger.owned, decision)
        ledgers.append(ledger)
    assert any(ledger.ended for ledger in ledgers) and any(ledger.gained for ledger in ledgers)


def check_owners(owned: Mapping[str, Parts], decision: Decision) -> None:
    """What each kind says that its members own."""
    group = decision.group
    if isinstance(group, ConsumerGroup):
        assert _known(owned, group.topics) == _known(holders(group), group.topics)
    elif isinstance(group, ClassicGroup):
        check_classic(owned, group)
        if not any(isinstance(fact, Ended) for fact in decision.facts):
            check_told(owned, decision)
    else:
        assert {m: parts for m, parts in owned.items() if parts} == _parts(group)


def _known(owned: Mapping[str, Parts], topics: Iterable[str]) -> Mapping[str, Parts]:
    """Without topics that the group does not know any more."""
    found = {m: frozenset(at for at in parts if at[0] in topics) for m, parts in owned.items()}
    return {m: parts for m, parts in found.items() if parts}


def holders(group: ConsumerGroup) -> Mapping[str, Parts]:
    """What members hold, by topic name."""
    names = {topic_id: name for name, (topic_id, _) in group.topics.items()}
    return {
        m: frozenset((names[t], p) for t, p in member.holds if t in names)
        for m, member in group.members.items()
    }


def _parts(group: Group) -> Mapping[str, Parts]:
    """What the rows of a kind say whose assignments the coordinator makes."""
    rows = group.durable.members.items()
    found = {m: parts_in(row) for m, row in rows}
    return {m: parts for m, parts in found.items() if parts}


def check_classic(owned: Mapping[str, Parts], group: ClassicGroup) -> None:
    """No partition has two owners, unless the leader gave it to both."""
    rows = group.durable.members.items()
    given = {m: parts_of(owned_in(row.assignment)) for m, row in rows}
    dealt = Counter(part for parts in given.values() for part in parts)
    owners = Counter(part for parts in owned.values() for part in parts)
    assert all(count <= max(1, dealt[part]) for part, count in owners.items())


def check_told(owned: Mapping[str, Parts], decision: Decision) -> None:
    """Whoever was told its assignment in this step owns it."""
    told = [
        partitions_of(reply.assignment) or frozenset()
        for _, reply in decision.answers
        if isinstance(reply, Synced) and reply.error is ErrorCode.NONE
    ]
    everything = list(owned.values())
    assert all(any(parts <= each for each in everything) for parts in told)
