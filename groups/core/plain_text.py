"""What a text that people read may hold: one line, and nothing that changes how others look.

Reasons are read in the journal, in logs and on screens by people who did not write them. Ids are
another matter: Kafka allows any character there.
"""

import unicodedata
from typing import Final

BIDI: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that turn the direction of what is written beside them."""

NOT_TEXT: Final = frozenset(["Cc", "Cs", "Zl", "Zp"])
"""Unicode's categories of control characters, halves of characters, and separators of lines."""

REASON_CHARS_MAX: Final = 1_000
"""Of a reason: everybody reads it in the journal later."""


def text_problem(text: str) -> str | None:
    """Why people should not be shown this text; None where they may be."""
    if text.isascii() and text.isprintable():
        return None
    for character in text:
        if character in BIDI or unicodedata.category(character) in NOT_TEXT:
            return f"The character U+{ord(character):04X} is not allowed in a text."
    return None


def one_line(text: str) -> str:
    """The text without line breaks and the blanks around them."""
    return " ".join(text.split())
