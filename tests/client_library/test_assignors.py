"""Classic assignors: what members write for each other, and who gets what.

The bytes and the results called Java's were written by Apache Kafka's own client, 4.3.1.
"""

from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rollcall.client.assignors import ASSIGNORS, Candidate, Claim, formats, sticky
from rollcall.client.core.events import NOTHING, Partitions, TopicPartition
from tests.examples import at_most

OWNED = frozenset({TopicPartition("t", 1), TopicPartition("s", 2), TopicPartition("t", 0)})
FULL = Claim(("t", "s"), OWNED, 7, "r1", b"\1\2")

JAVA_PLAIN = "000300000002000173000174ffffffff00000000ffffffffffff"
JAVA_V3 = (
    "000300000002000173000174000000020102000000020001730000000100000002"
    "0001740000000200000000000000010000000700027231"
)
JAVA_OLDER = {
    0: "000000000002000173000174000000020102",
    1: (
        "000100000002000173000174000000020102000000020001730000000100000002"
        "000174000000020000000000000001"
    ),
    2: (
        "000200000002000173000174000000020102000000020001730000000100000002"
        "00017400000002000000000000000100000007"
    ),
}
JAVA_ASSIGNMENT = (
    "000300000002000173000000010000000200017400000002" + "0000000000000001" + "ffffffff"
)
JAVA_STICKY = "0000000200017300000001000000020001740000000200000000000000010000" + "0007"

MEMBERS = (
    Candidate("m1", None, Claim(("a", "b"))),
    Candidate("m2", None, Claim(("b", "a", "c"))),
    Candidate("m0", "i9", Claim(("a",))),
)
JAVA_RESULTS = {
    "range": {"m0": "a0 a1", "m1": "a2 a3 b0 b1", "m2": "a4 b2 c0"},
    "roundrobin": {"m0": "a0 a3", "m1": "a1 a4 b1", "m2": "a2 b0 b2 c0"},
}


def written(partitions: Partitions | set[TopicPartition]) -> str:
    return " ".join(f"{topic}{number}" for topic, number in sorted(partitions))


def test_a_subscription_is_encoded_like_java() -> None:
    assert formats.subscription(FULL).hex() == JAVA_V3
    assert formats.subscription(Claim(("t", "s"))).hex() == JAVA_PLAIN


@pytest.mark.parametrize("version", JAVA_OLDER)
def test_subscriptions_of_older_clients_are_read(version: int) -> None:
    claim = formats.read_subscription(bytes.fromhex(JAVA_OLDER[version]))

    assert set(claim.topics) == {"s", "t"} and claim.user_data == b"\1\2"
    assert claim.owned == (OWNED if version >= 1 else NOTHING)
    assert claim.generation == (7 if version >= 2 else -1)


def test_known_fields_of_a_later_subscription_version_are_read() -> None:
    later = b"\x00\x04" + formats.subscription(FULL)[2:] + b"more"

    assert formats.read_subscription(later).owned == OWNED


def test_an_assignment_is_encoded_like_java() -> None:
    assert formats.assignment(OWNED).hex() == JAVA_ASSIGNMENT
    assert formats.assignment(()).hex() == "000300000000ffffffff"
    assert formats.read_assignment(bytes.fromhex(JAVA_ASSIGNMENT)) == OWNED


def test_sticky_user_data_is_encoded_like_java() -> None:
    sticky, cooperative = ASSIGNORS["sticky"], ASSIGNORS["cooperative-sticky"]

    assert sticky.user_data(NOTHING, -1) is None
    memory = sticky.user_data(OWNED, 7)
    assert memory is not None and memory.hex() == JAVA_STICKY
    assert formats.read_sticky_user_data(memory) == (OWNED, 7)
    assert cooperative.user_data(NOTHING, -1) == b"\xff\xff\xff\xff"
    assert cooperative.user_data(OWNED, 7) == b"\0\0\0\7"


@pytest.mark.parametrize("data", [b"", b"\0", b"\xff\xff\0\0", b"\0\3\0\0\0\7"])
def test_invalid_subscription_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(formats.Unreadable):
        formats.read_subscription(data)


@pytest.mark.parametrize("name", JAVA_RESULTS)
def test_assignments_equal_javas(name: str) -> None:
    given = ASSIGNORS[name].assign({"a": 5, "b": 3, "c": 1}, MEMBERS)

    assert {member: written(partitions) for member, partitions in given.items()} == JAVA_RESULTS[
        name
    ]


def test_a_new_sticky_member_gets_its_share_and_nobody_loses_more_than_that() -> None:
    had = {"a": {0, 1, 2}, "b": {3, 4, 5}}
    members = [
        Candidate(name, None, Claim(("t",), owned("t", numbers), 4))
        for name, numbers in had.items()
    ]
    given = ASSIGNORS["sticky"].assign({"t": 6}, [*members, Candidate("c", None, Claim(("t",)))])

    assert sorted(map(len, given.values())) == [2, 2, 2]
    assert given["a"] < owned("t", had["a"]) and given["b"] < owned("t", had["b"])


def test_a_cooperative_partition_that_moves_is_unassigned_for_one_round() -> None:
    old = Candidate("a", None, Claim(("t",), owned("t", {0, 1}), 4))
    new = Candidate("b", None, Claim(("t",)))
    first = ASSIGNORS["cooperative-sticky"].assign({"t": 2}, [old, new])
    assert first == {"a": {TopicPartition("t", 0)}, "b": set()}

    gave_up = Candidate("a", None, Claim(("t",), owned("t", {0}), 5))
    second = ASSIGNORS["cooperative-sticky"].assign({"t": 2}, [gave_up, new])
    assert second == {"a": {TopicPartition("t", 0)}, "b": {TopicPartition("t", 1)}}


def test_of_two_sticky_claims_the_newer_generation_wins() -> None:
    stale = Candidate("a", None, Claim(("t",), owned("t", {0, 1}), 3))
    fresh = Candidate("b", None, Claim(("t",), owned("t", {0}), 5))

    given = ASSIGNORS["sticky"].assign({"t": 2}, [stale, fresh])

    assert given == {"a": {TopicPartition("t", 1)}, "b": {TopicPartition("t", 0)}}


CROWD = 1_000


@pytest.mark.parametrize("name", ["sticky", "cooperative-sticky"])
def test_many_members_get_even_shares_and_keep_what_they_have(name: str) -> None:
    """Ten partitions each; then one joins, and half of them leave."""
    fresh = [Candidate(f"m{n:04}", None, Claim(("t",))) for n in range(CROWD)]
    first = ASSIGNORS[name].assign({"t": 10 * CROWD}, fresh)
    assert {len(each) for each in first.values()} == {10}
    held = [
        Candidate(each.member_id, None, Claim(("t",), frozenset(first[each.member_id]), 1))
        for each in fresh
    ]

    joined = ASSIGNORS[name].assign(
        {"t": 10 * CROWD}, [*held, Candidate("new", None, Claim(("t",)))]
    )
    halved = ASSIGNORS[name].assign({"t": 10 * CROWD}, held[: CROWD // 2])

    given_up = sum(len(first[each.member_id] - joined[each.member_id]) for each in fresh)
    assert given_up == 9, "no more than the newcomer's share"
    assert all(first[each.member_id] < halved[each.member_id] for each in held[: CROWD // 2])
    assert {len(each) for each in halved.values()} == {20}


class Counting(tuple[str, ...]):
    """A list of candidates that counts how often it is iterated."""

    walks = 0

    def __iter__(self) -> Iterator[str]:
        Counting.walks += 1
        return super().__iter__()


def test_the_member_with_the_fewest_partitions_is_found_without_a_scan() -> None:
    given = {f"m{n}": {TopicPartition("t", n)} for n in range(50)}
    Counting.walks = 0
    takers = sticky.Takers(given, {"t": Counting(given)})
    made = Counting.walks

    for number in range(50, 500):
        given[takers.least("t")].add(TopicPartition("t", number))

    assert {len(each) for each in given.values()} == {10}
    assert Counting.walks == made


def owned(topic: str, numbers: set[int]) -> Partitions:
    return frozenset(TopicPartition(topic, number) for number in numbers)


NAMES = st.sampled_from("abcdef")
WANTED = st.dictionaries(
    NAMES, st.sets(st.sampled_from(["s", "t", "u"]), min_size=1), min_size=1, max_size=6
)
COUNTS = st.dictionaries(st.sampled_from(["s", "t"]), st.integers(0, 9))


@pytest.mark.parametrize("name", ASSIGNORS)
@settings(max_examples=at_most(60))
@given(wanted=WANTED, counts=COUNTS)
def test_every_subscribed_partition_has_one_subscribed_owner(
    name: str, wanted: Mapping[str, set[str]], counts: Mapping[str, int]
) -> None:
    members = [Candidate(each, None, Claim(tuple(topics))) for each, topics in wanted.items()]

    given = ASSIGNORS[name].assign(counts, members)

    found = [partition for partitions in given.values() for partition in partitions]
    topics = set().union(*wanted.values())
    assert sorted(found) == sorted(
        TopicPartition(t, n) for t in topics for n in range(counts.get(t, 0))
    )
    assert all(each.topic in wanted[m] for m, partitions in given.items() for each in partitions)


@settings(max_examples=at_most(80))
@given(wanted=WANTED, counts=COUNTS, claims=st.dictionaries(NAMES, st.sets(st.integers(0, 9))))
def test_sticky_shares_are_as_even_as_subscriptions_allow(
    wanted: Mapping[str, set[str]], counts: Mapping[str, int], claims: Mapping[str, set[int]]
) -> None:
    members = [
        Candidate(each, None, Claim(tuple(topics), owned("t", claims.get(each, set())), 1))
        for each, topics in wanted.items()
    ]

    given = ASSIGNORS["sticky"].assign(counts, members)

    for giver, partitions in given.items():
        for taker in wanted:
            could = any(each.topic in wanted[taker] for each in partitions)
            assert not could or len(partitions) <= len(given[taker]) + 1, (giver, taker)
