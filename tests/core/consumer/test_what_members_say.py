"""What a member says of the assignors that it can run, by itself."""

import pytest

from groups.core.assignors.client_side import (
    ASSIGNORS_MAX,
    FIRST,
    NAMED,
    SERVER,
    ClientAssignor,
    Elected,
    elect,
    fault_of,
    named,
    votes_of,
)

ONE, TWO = (
    ClientAssignor("one"),
    ClientAssignor("two", minimum_version=2, maximum_version=4, version=3),
)


def many(count: int) -> tuple[ClientAssignor, ...]:
    return tuple(ClientAssignor(f"a{number}") for number in range(count))


def test_the_number_of_assignors_is_limited_and_each_is_named_once() -> None:
    assert fault_of(()) is None and fault_of((ONE, TWO)) is None
    assert fault_of(many(ASSIGNORS_MAX)) is None
    assert str(ASSIGNORS_MAX + 1) in (fault_of(many(ASSIGNORS_MAX + 1)) or "")
    assert "more than once" in (fault_of((ONE, TWO, ONE)) or "")
    assert "name" in (fault_of((TWO, ClientAssignor("  "))) or "")


@pytest.mark.parametrize(("version", "is_good"), [(1, False), (2, True), (4, True), (5, False)])
def test_a_member_writes_in_a_version_that_it_reads(version: int, is_good: bool) -> None:
    assert (fault_of((TWO._replace(version=version),)) is None) is is_good


def test_metadata_round_trips_through_a_row() -> None:
    said = ClientAssignor("x", 5, 1, 3, 2, b"\x00\xff")
    assert ClientAssignor.unpacked(said.packed()) == said
    assert named((ONE, said), "x") is said and named((ONE,), "x") is None


@pytest.mark.parametrize(
    ("lowest", "highest", "may"), [(2, 4, True), (1, 4, False), (2, 5, False), (3, 3, True)]
)
def test_a_member_that_reads_what_all_others_write_may_assign(
    lowest: int, highest: int, may: bool
) -> None:
    assert Elected("two", lowest, highest).may_run((ONE, TWO)) is may
    assert not Elected("one", lowest, highest).may_run((TWO,))


def test_a_member_with_its_own_assignors_does_not_vote_for_the_servers() -> None:
    assert list(votes_of((), None)) == []
    assert list(votes_of((), "range")) == [(SERVER, "range", 0)]
    assert list(votes_of((ONE, TWO), "range")) == [
        (FIRST, "one", 0), (NAMED, "one", 0), (NAMED, "two", 3),
    ]  # fmt: skip


def test_votes_are_ordered_by_count_then_first_places_then_name() -> None:
    offered = ("range",)
    named_thrice = {(NAMED, "b", 1): 2, (NAMED, "b", 4): 1, (NAMED, "a", 0): 2, (FIRST, "a", 0): 2}
    assert elect(named_thrice, offered) == Elected("b", 1, 4)
    tie = {(NAMED, "a", 0): 2, (NAMED, "b", 0): 2, (FIRST, "b", 0): 1}
    assert elect(tie, offered) == Elected("b", 0, 0)
    assert elect({**tie, (FIRST, "a", 0): 1}, offered) == Elected("a", 0, 0)
    assert elect({(NAMED, "a", 0): 2, (SERVER, "range", 0): 2}, offered) == Elected("a", 0, 0)
    assert elect({(NAMED, "a", 0): 2, (SERVER, "range", 0): 3}, offered) is None
    assert elect({(NAMED, "a", 0): 2, (SERVER, "gone", 0): 3}, offered) == Elected("a", 0, 0)
    assert elect({(SERVER, "range", 0): 3}, offered) is None
