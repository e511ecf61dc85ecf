"""Regular expressions in RE2's syntax: which are good, and what they match (KIP-848)."""

from random import Random

import pytest

from groups.catalogue import regex
from groups.catalogue.regex import Matching


@pytest.mark.parametrize(
    "pattern", ["", "foo.*", "^foo$", "(a|b)+", r"\d{3}", "(?i)FOO", "a" * 4096]
)
def test_a_valid_pattern_has_no_problem(pattern: str) -> None:
    assert regex.problem(pattern) is None


@pytest.mark.parametrize(
    "pattern",
    ["[", "*", "(", "(?=foo)", r"(a)\1", "a{5000}", "a" * 4097, "a{0,999}" * 6, r"\pL" * 101],
)
def test_a_pattern_invalid_in_re2_is_refused_with_a_reason(pattern: str) -> None:
    said = regex.problem(pattern)
    assert said is not None and said.endswith(".")


def test_a_pattern_matches_whole_names() -> None:
    names = ("foo", "foo1", "a-foo", "bar")
    assert regex.matches(["foo", "foo.*", "^.*o$"], names, 5) == {
        "foo": ("foo",),
        "foo.*": ("foo", "foo1"),
        "^.*o$": ("foo", "a-foo"),
    }


def test_an_invalid_pattern_is_skipped() -> None:
    assert regex.matches(["[", "a"], ("a",), 5) == {"a": ("a",)}


def test_a_pattern_not_matched_in_time_is_skipped() -> None:
    names = [f"topic-{n}" for n in range(10_000)]
    assert regex.matches(["topic-.*"], names, 0) == {}


def test_a_pattern_that_is_exponential_with_backtracking_is_fast() -> None:
    names = ["a" * 249 + "!"] * 1_000
    assert regex.matches(["(a+)+b", "(a|aa)+$"], names, 5) == {"(a+)+b": (), "(a|aa)+$": ()}


def test_capture_groups_are_not_evaluated() -> None:
    """It took seconds a name."""
    names = ["x" * 230 + f"-{n}" for n in range(1_000)]
    matching = Matching("(.|a)*" * 600, names)
    for _ in range(100):
        matching.turn()

    assert matching.found == tuple(names)


def test_a_pattern_continues_where_its_last_turn_ended() -> None:
    names = [f"topic-{n:06}" for n in range(200_000)]
    matching = Matching("topic-.*7", names)
    turns = 0
    while not matching.is_over:
        matching.turn()
        turns += 1

    assert turns > 1
    assert matching.found == tuple(name for name in names if name.endswith("7"))


def test_a_pattern_that_exceeds_two_turns_is_too_slow() -> None:
    slow = "(" + "|".join(f".*(a|b).{{{n}}}a" for n in range(20, 80)) + ").*"
    chance = Random(1)
    matching = Matching(slow, ["".join(chance.choices("ab", k=240)) for _ in range(5_000)])
    matching.turn()
    assert not matching.is_over
    matching.turn()

    assert matching.is_too_slow


def test_turns_are_bounded_in_total() -> None:
    names = ["ab" * 120 + f"{n}" for n in range(5_000)]
    some = [Matching("(.|a)*" * 600 + f"(x{n})?", names) for n in range(20)]

    taken = regex.take_turns(some)

    assert 1 <= taken < len(some)
