"""What clients write, as rows hold it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.handlers.support import validation


@given(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\0\uf8ffe0")))
def test_any_text_round_trips(text: str) -> None:
    assert "\0" not in validation.stored(text)
    assert validation.restored(validation.stored(text)) == text


@pytest.mark.parametrize("text", ["", "a note", "ä\U0001f600"])
def test_storable_text_is_stored_unchanged(text: str) -> None:
    assert validation.stored(text) is text
