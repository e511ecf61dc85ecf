"""What the facts read in an assignment: the same partitions as everybody else, or nothing."""

from dataclasses import replace
from random import Random

import pytest

from groups.core.assignment import assignment_of, numbers_of, partitions_of
from groups.core.facts import Owns, owned_in, settled
from groups.store.facts import ranges
from tests.core.consumer.crossing import Classic, classic_group


def pairs(found: dict[str, tuple[int, ...]] | None) -> frozenset[tuple[str, int]] | None:
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
