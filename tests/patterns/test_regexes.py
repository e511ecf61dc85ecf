"""Regular expressions in RE2's syntax: which are good, and what they match (KIP-848)."""

import pytest

from groups import regexes


@pytest.mark.parametrize(
    "pattern", ["", "foo.*", "^foo$", "(a|b)+", r"\d{3}", "(?i)FOO", "a" * 4096]
)
def test_a_good_pattern_has_no_problem(pattern: str) -> None:
    assert regexes.problem(pattern) is None


@pytest.mark.parametrize("pattern", ["[", "*", "(", "(?=foo)", r"(a)\1", "a{5000}", "a" * 4097])
def test_what_re2_does_not_know_is_refused_with_a_sentence(pattern: str) -> None:
    said = regexes.problem(pattern)
    assert said is not None and said.endswith(".")


def test_the_whole_name_is_matched() -> None:
    names = ("foo", "foo1", "a-foo", "bar")
    assert regexes.matches(["foo", "foo.*", "^.*o$"], names, 5) == {
        "foo": ("foo",),
        "foo.*": ("foo", "foo1"),
        "^.*o$": ("foo", "a-foo"),
    }


def test_a_pattern_that_is_none_is_left_out() -> None:
    assert regexes.matches(["[", "a"], ("a",), 5) == {"a": ("a",)}


def test_what_is_not_done_in_time_is_left_out() -> None:
    names = [f"topic-{n}" for n in range(10_000)]
    assert regexes.matches(["topic-.*"], names, 0) == {}


def test_a_pattern_that_would_ruin_a_backtracking_engine_takes_no_time() -> None:
    names = ["a" * 249 + "!"] * 1_000
    assert regexes.matches(["(a+)+b", "(a|aa)+$"], names, 5) == {"(a+)+b": (), "(a|aa)+$": ()}
