"""What the facts read in an assignment: the same partitions as everybody else, or nothing."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest

from groups.core.assignment import assignment_of, numbers_of, partitions_of
from groups.core.events import SyncGroup, Ticket
from groups.core.facts import Began, Owned, Owns, owned_in, settled
from groups.store.records import ranges
from tests.core.consumer.crossing import Classic, Crossing, classic_group
from tests.core.consumer.wire_bytes import subscription


def pairs(found: Owned | None) -> frozenset[tuple[str, int]] | None:
    if found is None:
        return None
    return frozenset((topic, number) for topic, numbers in found.items() for number in numbers)


def test_both_decoders_agree_on_any_bytes() -> None:
    rng, undecodable = Random(1), 0
    for _ in range(3_000):
        topics = [rng.choice("abc") * rng.randrange(1, 4) for _ in range(rng.randrange(4))]
        parts = {(topic, rng.randrange(9)) for topic in topics for _ in range(3)}
        raw = bytearray(assignment_of(parts, rng.randrange(4)))
        for _ in range(rng.randrange(3)):
            raw[rng.randrange(len(raw))] = rng.choice((0, 1, 2, 255))
        del raw[rng.choice((len(raw), len(raw), rng.randrange(len(raw)))) :]
        expected = partitions_of(bytes(raw))
        assert pairs(numbers_of(bytes(raw))) == expected
        undecodable += expected is None
    assert 300 < undecodable < 2_700


def test_a_partition_that_is_named_twice_is_owned_once() -> None:
    twice = assignment_of([("t", 1), ("t", 2)], 1)
    again = twice.replace((1).to_bytes(4) + (2).to_bytes(4), (2).to_bytes(4) * 2)
    assert again != twice and ranges(owned_in(again)) == {"t": "{[2,2]}"}


@pytest.mark.parametrize(
    "opaque",
    [
        b"connect's own bytes",
        assignment_of([("a topic\0", 1)], 1),
        assignment_of([("t" * 250, 1)], 1),
        assignment_of([("t", -1)], 1),
        assignment_of([("t", 2**31 - 1)], 1),
    ],
)
def test_what_no_catalogue_has_is_opaque(opaque: bytes) -> None:
    assert owned_in(opaque) == {}


def test_what_a_member_lost_earlier_in_a_step_it_has_lost_since_then() -> None:
    """Its SyncGroup comes in one step with the leader's, which gives its partitions to others."""
    dealt = Owns("anna", 2, {"t": (1,)}, lost_ms=700, gains=False)
    synced = Owns("anna", 2, {"t": (1, 3)})
    assert settled([dealt, synced]).owns == {"anna": replace(synced, lost_ms=700)}
    assert settled([synced, dealt]).owns == {"anna": dealt}


def test_a_join_that_a_new_owner_answers_ends_what_the_member_had() -> None:
    """It was not told the generation that the old owner began, and joins again before it syncs."""
    alone = Classic()
    talk = classic_group(alone)
    talk.send(talk.join_event(alone))
    assert talk.state == "CompletingRebalance"
    talk.reload()
    talk.sleep(500)
    alone.wants = "join"
    talk.go_on(alone)
    talk.sleep(300)
    talk.go_on(alone)

    assert talk.state == "Stable" and talk.last is not None
    owns = [fact for fact in talk.last.facts if isinstance(fact, Owns)]
    assert [(fact.lost_ms, fact.gains) for fact in owns] == [(300, True)]


def odd(rng: Random) -> bytes:
    """An assignment: of few partitions, so that many stay; now and then repeated or impossible."""
    numbers = (-1, 0, 1, 2, 3, 3, 4, 2**31 - 1) if rng.random() < 0.2 else range(5)
    parts = {(rng.choice("ab"), rng.choice(numbers)) for _ in range(rng.randrange(5))}
    raw = assignment_of(parts, 1)
    return raw if rng.random() < 0.9 else raw[: rng.randrange(len(raw))]


def synced(talk: Crossing, member_id: str, shares: Mapping[str, bytes]) -> dict[str, Owns]:
    """Who owns what by a SyncGroup."""
    generation = talk.group.durable.group.generation
    event = SyncGroup(
        ticket=Ticket(0, 0),
        generation_id=generation,
        member_id=member_id,
        instance_id=None,
        assignments=shares,
    )
    talk.send(event)
    assert talk.last is not None
    return {fact.member_id: fact for fact in talk.last.facts if isinstance(fact, Owns)}


def test_a_member_that_has_not_asked_keeps_what_both_assignments_name() -> None:
    rng, anna, ben = Random(3), Classic(), Classic()
    talk = classic_group(anna, ben)
    kept = awaited = 0
    old = b""
    for _ in range(400):
        new = odd(rng)
        for member in (anna, ben):
            talk.send(talk.join_event(member))
        leader = talk.group.durable.group.leader
        (other,) = {anna.member_id, ben.member_id} - {leader}
        before, after = pairs(owned_in(old)) or frozenset(), pairs(owned_in(new)) or frozenset()
        has = synced(talk, leader, {other: new}).get(other)
        if has is not None:
            awaited += 1
            named = pairs(has.owned()) or frozenset()
            assert not has.gains and named & before == after & before
            assert all(0 <= number <= 2**31 - 2 for _, number in named)
            kept += bool(named)
        gets = synced(talk, other, {}).get(other)
        assert (gets is None) == (has is None)
        assert gets is None or (gets.gains and (pairs(gets.owned()) or frozenset()) == after)
        old = new
    assert awaited > 200 and kept > 50


def test_the_rack_of_a_classic_member_is_remembered() -> None:
    """KIP-881: its subscription says it, from version 3 on."""
    talk = Crossing({"foo": 3})
    metadata = subscription(["foo"], version=3, rack_id="r1")
    event = talk.join_event(Classic(), protocols=(("range", metadata),), needs_member_id=False)
    talk.send(event)
    assert talk.last is not None
    (began,) = [fact for fact in talk.last.facts if isinstance(fact, Began)]
    assert (began.rack_id, began.topics) == ("r1", ("foo",))
