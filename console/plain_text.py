"""Validates texts that are displayed: one line, without characters that change the display of
others.

Reasons appear in the journal, in logs and on screens of other people. Ids are different: Kafka
allows any character there.
"""

import unicodedata
from typing import Final

BIDI: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that change the direction of the text beside them."""

NOT_TEXT: Final = frozenset(["Cc", "Cs", "Zl", "Zp"])
"""Unicode's categories of control characters, surrogates, and line separators."""

REASON_CHARS_MAX: Final = 1_000
"""Maximum length of a reason, which is displayed in the journal."""


def text_problem(text: str) -> str | None:
    """Why this text must not be displayed; None if it may."""
    if text.isascii() and text.isprintable():
        return None
    for character in text:
        if character in BIDI or unicodedata.category(character) in NOT_TEXT:
            return f"The character U+{ord(character):04X} is not allowed in a text."
    return None


def one_line(text: str) -> str:
    """The text without line breaks and the spaces around them."""
    return " ".join(text.split())
