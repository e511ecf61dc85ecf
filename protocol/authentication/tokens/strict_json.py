"""Parses JSON of clients and issuers strictly.

Duplicate names, NaN, or a number that no float can hold could mean one thing to the signer and
another to us.
"""

import json
from math import isfinite
from typing import Any


class JsonError(ValueError):
    """The text is not valid here; the message says why."""


def read(text: bytes) -> dict[str, Any]:
    """An object; raises ``JsonError``. The caller limits its length."""
    try:
        found = json.loads(
            text.decode(), object_pairs_hook=_once, parse_constant=_no_number, parse_float=_number
        )
    except JsonError:
        raise
    except (ValueError, RecursionError):  # not UTF-8, a number of 5,000 digits, 1,000 brackets
        raise JsonError("no JSON") from None
    if not isinstance(found, dict):
        raise JsonError("no object of JSON")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise JsonError("a name comes twice")
    return found


def _no_number(word: str) -> Any:
    raise JsonError(f"{word} is no number")


def _number(text: str) -> float:
    found = float(text)
    if not isfinite(found):
        raise JsonError("a number that no float holds")
    return found
