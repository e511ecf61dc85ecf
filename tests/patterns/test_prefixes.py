"""What every match of a pattern begins with, by which an authorizer judges it, as RE2 says."""

from itertools import product

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from groups.catalogue import regex
from protocol.handlers.support.patterns import prefix

PLAIN = ("a", "b", "A", "-", "_", r"\.", r"\-")
REPEATS = ("*", "+", "?", "{0}", "{0,1}", "{2}")
SILENT = (r"\Q", r"\E", r"\Q\E", "(?i)", "(?-i)", "(?mi-s)", "(?U)", "(?)")
"""What RE2 pushes no expression for: a repetition behind it is one of what stands before."""
GROUPS = ("(", "(?:", "(?i:", "(?P<x>", "()", ")", "|", "^", "$", r"\A", r"\b", r"\z")
ATOMS = (".", "[ab]", "[^a]", "[[:alpha:]]", r"\pL", r"\x61", r"\x{61}", r"\141", r"\C", "é", "\\")

written = st.lists(
    st.one_of(*(st.sampled_from(some) for some in (PLAIN, REPEATS, SILENT, GROUPS, ATOMS))),
    min_size=1,
    max_size=7,
).map("".join)
NAMES = tuple("".join(name) for size in range(4) for name in product("abA.-", repeat=size))


@given(written)
@example("a*")
@example("a(?i)*b")
@example(r"a\Q\E*b")
@example("a+(?i)*b")
@example(r"a\Q\E(?U)\Q\E{0}b")
@example("a|b")
@example("(?i)a")
def test_every_name_that_a_pattern_matches_begins_with_its_prefix(pattern: str) -> None:
    assume(regex.problem(pattern) is None)
    begins = prefix(pattern)
    others = [name for name in NAMES if not name.startswith(begins)]
    assert regex.matches([pattern], others, 5) == {pattern: ()}


@pytest.mark.parametrize(
    ("pattern", "begins"),
    [
        ("tenant-.*", "tenant-"),
        (r"^tenant\.(a|b).*", ""),
        (r"^tenant\.[ab].*$", "tenant."),
        ("tenant-(?:a.*)", "tenant-"),
        ("tenant-?", "tenant"),
        ("tenant-(?i)a.*", "tenant"),
    ],
)
def test_literal_prefixes_are_found(pattern: str, begins: str) -> None:
    assert prefix(pattern) == begins
