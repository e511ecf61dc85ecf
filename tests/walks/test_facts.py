"""The facts of random lives: at every moment they say whose members a group has, and who owns what,
as the members were told."""

from collections import Counter
from collections.abc import Iterable, Mapping

import pytest

from groups.core.assignment import Parts
from groups.core.classic.group import ClassicGroup
from groups.core.commanded.thread_offers import parts_in
from groups.core.consumer.group import ConsumerGroup
from groups.core.errors import ErrorCode
from groups.core.facts import Ended, owned_in
from groups.core.group import Decision, Group
from groups.core.replies import Synced
from tests.walks import recorded
from tests.walks.ledger import Ledger, parts_of


@pytest.mark.parametrize("kind", recorded.KINDS)
def test_the_facts_say_who_is_there_and_who_owns_what(kind: str) -> None:
    ledgers = []
    for seed in range(recorded.LIVES):
        ledgers.append(checked(kind, seed))
    assert any(ledger.ended for ledger in ledgers) and any(ledger.gained for ledger in ledgers)


SINCE_MENDED = (("consumer", 700262), ("consumer", 700885))
"""Lives that were judged wrongly: a deleted topic came back."""


@pytest.mark.parametrize(("kind", "seed"), SINCE_MENDED)
def test_what_was_judged_wrongly(kind: str, seed: int) -> None:
    checked(kind, seed)


def checked(kind: str, seed: int) -> Ledger:
    """The facts of a life, compared after each of its steps with what the group says."""
    ledger = Ledger()
    for _, decision in recorded.lived(kind, seed).written:
        ledger.take(decision)
        group = decision.group
        there = () if decision.deleted else group.durable.members
        assert ledger.lives.keys() == set(there), f"{kind} {seed}"
        check_owners(ledger, decision)
    return ledger


def lasting(ledger: Ledger, group: ConsumerGroup) -> frozenset[str]:
    """The names of the group's topics that have not been deleted while somebody held partitions of
    them: in a catalogue, one that is made again is another one with an id of its own, here not."""
    held = {topic_id for member in group.members.values() for topic_id, _ in member.holds}
    ledger.deleted |= held - {topic_id for topic_id, _ in group.topics.values()}
    topics = group.topics.items()
    return frozenset(name for name, (topic_id, _) in topics if topic_id not in ledger.deleted)


def check_owners(ledger: Ledger, decision: Decision) -> None:
    """What each kind says that its members own."""
    group, owned = decision.group, ledger.owned
    if isinstance(group, ConsumerGroup):
        known = lasting(ledger, group)
        assert _known(owned, known) == _known(holders(group), known)
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
    """Whoever was told its assignment in this step owns it, unless it is opaque."""
    told = [
        parts_of(owned_in(reply.assignment))
        for _, reply in decision.answers
        if isinstance(reply, Synced) and reply.error is ErrorCode.NONE
    ]
    everything = list(owned.values())
    assert all(any(parts <= each for each in everything) for parts in told)
