"""What people may be shown: any writing, on one line, and nothing that hides what it says."""

import pytest

from console.plain_text import BIDI, one_line, text_problem


@pytest.mark.parametrize("text", ["", "a new deployment", "größer", "重新部署", "новый 🙂"])
def test_texts_of_any_script_are_accepted(text: str) -> None:
    assert text_problem(text) is None


@pytest.mark.parametrize("mark", [*sorted(BIDI), "\n", "\0", "\x85", "\u2028", "\u2029", "\ud800"])
@pytest.mark.parametrize("around", ["a{}b", "größer{}"])
def test_invisible_and_line_breaking_characters_are_named(mark: str, around: str) -> None:
    found = text_problem(around.format(mark))
    assert found == f"The character U+{ord(mark):04X} is not allowed in a text."


def test_lines_are_joined() -> None:
    assert one_line(" a\n\tb ") == "a b"
