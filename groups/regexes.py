"""Regular expressions in RE2's syntax: is one good, and which names does it match as a whole.

RE2 takes time that grows with the text alone and memory that is bounded, so that nobody's pattern
can hold a node up. No group and no topic is known here.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from time import monotonic
from typing import Any, Final

import re2

CHARS_MAX: Final = 4_096
"""Of one pattern: it is compiled while a heartbeat waits, and kept with its member."""

KEPT_MAX: Final = 256
"""Compiled patterns that are kept; one may take a few MiB."""

SLICE: Final = 500
"""Names between two looks at the clock."""


def problem(pattern: str) -> str | None:
    """Why a pattern is not one, as a sentence; None for a good one."""
    if len(pattern) > CHARS_MAX:
        return f"A regular expression has at most {CHARS_MAX} characters."
    try:
        _compiled(pattern)
    except re2.error as error:
        said = error.args[0] if error.args else ""
        why = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
        return f"SubscribedTopicRegex {pattern} is not a valid regular expression: {why}."
    return None


def matches(
    patterns: Iterable[str], names: Sequence[str], seconds_max: float
) -> Mapping[str, tuple[str, ...]]:
    """The names that each good pattern matches as a whole, in the order of the names.

    A pattern that is not done after ``seconds_max``, all patterns together, is left out.
    """
    end = monotonic() + seconds_max
    found: dict[str, tuple[str, ...]] = {}
    for pattern in patterns:
        if problem(pattern) is not None:
            continue
        some = _matched(_compiled(pattern), names, end)
        if some is None:
            break
        found[pattern] = some
    return found


def _matched(compiled: Any, names: Sequence[str], end: float) -> tuple[str, ...] | None:
    some: list[str] = []
    for at in range(0, len(names), SLICE):
        if monotonic() > end:
            return None
        some += [name for name in names[at : at + SLICE] if compiled.fullmatch(name)]
    return tuple(some)


@lru_cache(maxsize=KEPT_MAX)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)
