"""Which protocol or assignor a group goes by: most votes, and what decides a tie."""

import pytest

from groups.core.assignors.client_side import FIRST, NAMED, SERVER, Elected, Vote, elect
from groups.core.classic.join_phase import select_protocol
from tests.core.consumer.talk import Talk


@pytest.mark.parametrize(
    ("preferences", "chosen"),
    [
        ({("range", "sticky"): 2, ("sticky", "range"): 1}, "range"),
        ({("range", "sticky"): 1, ("sticky", "range"): 2}, "sticky"),
        ({("sticky", "range"): 1, ("range", "sticky"): 1}, "range"),
        ({("range", "sticky"): 1, ("sticky", "range"): 1}, "range"),
        ({("z", "a"): 1, ("a", "z"): 1}, "a"),
        ({("mine", "range"): 5, ("range",): 1}, "range"),
        ({("b", "a"): 1, ("b", "c", "a"): 1, ("a", "b"): 2}, "a"),
    ],
)
def test_most_votes_win_and_ties_go_to_the_lesser_name(
    preferences: dict[tuple[str, ...], int], chosen: str
) -> None:
    """A vote is for the first name in a member's list that all support."""
    assert select_protocol(preferences) == chosen


@pytest.mark.parametrize("first", ["uniform", "range"])
def test_of_two_assignors_with_equal_votes_the_first_offered_wins(first: str) -> None:
    """Whichever of the two members came first."""
    second = {"uniform": "range", "range": "uniform"}[first]
    talk = Talk({"foo": 4})
    one, two = talk.join("a", assignor=first), talk.join("b", assignor=second)
    talk.converge(one, two)
    assert _assignor(talk) == "uniform"

    three = talk.join("c", assignor="range")
    talk.converge(one, two, three)
    assert _assignor(talk) == "range"


def _assignor(talk: Talk) -> str | None:
    named: str | None = talk.group.durable.group.details["assignor"]
    return named


OFFERED = ("uniform", "range")


def votes(**counts: int) -> dict[Vote, int]:
    """``named_x``: members that name x; ``first_x``: as their first; ``server_x``: a server-side
    one."""
    kinds = {"named": NAMED, "first": FIRST, "server": SERVER}
    return {(kinds[k.split("_")[0]], k.split("_")[1], 0): n for k, n in counts.items()}


@pytest.mark.parametrize(
    ("counts", "chosen"),
    [
        ({}, None),
        ({"server_range": 1}, None),
        ({"named_x": 1}, "x"),
        ({"named_x": 1, "named_y": 2}, "y"),
        ({"named_x": 1, "named_y": 1}, "x"),
        ({"named_x": 2, "named_y": 2, "first_y": 2}, "y"),
        ({"named_x": 1, "server_range": 1}, "x"),
        ({"named_x": 1, "server_range": 2}, None),
        ({"named_x": 1, "server_unknown": 2}, "x"),
    ],
)
def test_members_elect_the_assignor(counts: dict[str, int], chosen: str | None) -> None:
    expected = None if chosen is None else Elected(chosen, 0, 0)
    assert elect(votes(**counts), OFFERED) == expected
