"""Array literals arrive as what they were, whatever is in them."""

import psycopg
from hypothesis import given
from hypothesis import strategies as st

from groups.postgres.array_literals import AT_ONCE, array

LEGAL = st.characters(exclude_characters="\0", codec="utf-8")
TEXTS = st.lists(st.none() | st.text(LEGAL), min_size=1)
NUMBERS = st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=1)


def test_values_round_trip_through_postgresql(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:

        def back(literal: object, kind: str) -> object:
            row = connection.execute(f"SELECT %s::{kind}[]".encode(), [literal]).fetchone()
            assert row is not None
            return row[0]

        @given(TEXTS)
        def texts(values: list[str | None]) -> None:
            assert back(array(values), "text") == values

        @given(NUMBERS)
        def numbers(values: list[int | None]) -> None:
            assert back(array(values), "bigint") == values

        texts()
        numbers()
        odd = ["NULL", "", "{}", '"', "\\", 'a"b', '","', ","]
        for some in (odd, *([one, "usual"] for one in odd), *([one] for one in odd)):
            assert back(array(some), "text") == some
        assert back(array([]), "text") == []
        for none in ([], [None] * (AT_ONCE + 1)):  # many are joined in parts
            assert back(array([*none, *odd * AT_ONCE]), "text") == [*none, *odd * AT_ONCE]
            assert back(array([*none, *range(AT_ONCE)]), "bigint") == [*none, *range(AT_ONCE)]


def test_bytes_stay_a_list() -> None:
    assert array([b"a", b""]) == [b"a", b""]
