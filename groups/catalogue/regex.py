"""Regular expressions in RE2's syntax: whether one is valid, and which names it matches as a whole.

RE2's time is linear in the text and its memory is limited; but the time for one name depends on the
pattern. So patterns are compiled without expensive features, and matched in turns that measure
their time. Groups and topics are not known here.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from time import monotonic, thread_time
from typing import Any, Final

import re2

CHARS_MAX: Final = 4_096
"""Maximum length of a pattern: it is compiled while a heartbeat waits, and stored with its
member."""

REPEATS_MAX: Final = 5_000
"""Maximum total of a pattern's counted repetitions: RE2 expands each repetition before it notices
that there are too many, while it holds the interpreter's lock."""

PROPERTIES_MAX: Final = 100
"""Unicode classes (``\\pL``) in a pattern: each has hundreds of ranges."""

MEMORY_BYTES_MAX: Final = 1_048_576
"""Maximum memory of a compiled pattern with its caches. An eighth of RE2's default: nothing here
needs more, and patterns that are too large are detected eight times sooner."""

KEPT_MAX: Final = 256
"""Compiled patterns in the cache."""

TURN_S: Final = 0.05
"""CPU time of one pattern's turn."""

NAMES_A_TURN_MIN: Final = 1_000
"""If a turn matches fewer names, the pattern used up its turn. Ordinary patterns match fifty
thousand."""

SLOW_TURNS_MAX: Final = 2
"""A pattern that used up this many turns is refused."""

TOO_SLOW: Final = "takes too long to match"

_REPEATS = re.compile(r"\{(\d{1,4})(?:,(\d{0,4}))?\}")
_PROPERTIES = re.compile(r"\\[pP]")


def problem(pattern: str) -> str | None:
    """Why a pattern is invalid, as a sentence; None if it is valid."""
    if len(pattern) > CHARS_MAX:
        return f"A regular expression has at most {CHARS_MAX} characters."
    if sum(int(most or least) for least, most in _REPEATS.findall(pattern)) > REPEATS_MAX:
        return f"A regular expression repeats at most {REPEATS_MAX} times, all numbers together."
    if len(_PROPERTIES.findall(pattern)) > PROPERTIES_MAX:
        return f"A regular expression has at most {PROPERTIES_MAX} classes of Unicode."
    try:
        _compiled(pattern)
    except re2.error as error:
        message = error.args[0] if error.args else ""
        why = message.decode(errors="replace") if isinstance(message, bytes) else str(message)
        return refusal(pattern, f"is not a valid regular expression: {why}")
    return None


def refusal(pattern: str, why: str) -> str:
    """The sentence for a pattern that cannot be used."""
    return f"SubscribedTopicRegex {pattern} {why}."


class Matching:
    """The matching of a valid pattern with the names of one version of the catalogue, in turns."""

    def __init__(self, pattern: str, names: Sequence[str], version: int = 0) -> None:
        self.pattern = pattern
        self.version = version
        self._slow_turns = 0
        self._names = names
        self._at = 0
        self._found: list[str] = []

    @property
    def is_done(self) -> bool:
        """Whether every name was compared."""
        return self._at == len(self._names)

    @property
    def is_too_slow(self) -> bool:
        """Whether the pattern is refused because it is too slow."""
        return not self.is_done and self._slow_turns >= SLOW_TURNS_MAX

    @property
    def is_over(self) -> bool:
        """Whether no more turns are needed."""
        return self.is_done or self.is_too_slow

    @property
    def found(self) -> tuple[str, ...]:
        """The names that match as a whole, in order, of those compared so far."""
        return tuple(self._found)

    def turn(self) -> None:
        """Compare names until the turn is over, but at least one."""
        matches, begun, end = _compiled(self.pattern).fullmatch, self._at, thread_time() + TURN_S
        for name in self._names[begun:]:
            if matches(name):
                self._found.append(name)
            self._at += 1
            if thread_time() >= end:
                break
        self._slow_turns += not self.is_done and self._at - begun < NAMES_A_TURN_MIN


def take_turns(matchings: Sequence[Matching]) -> int:
    """Give each pattern its turn, within the time of one turn; returns how many had one. For a
    thread."""
    end = thread_time() + TURN_S
    for count, matching in enumerate(matchings, 1):
        matching.turn()
        if thread_time() >= end:
            return count
    return len(matchings)


def matches(
    patterns: Iterable[str], names: Sequence[str], seconds_max: float
) -> Mapping[str, tuple[str, ...]]:
    """The names that each valid pattern matches as a whole, in the order of the names.

    Patterns that are too slow, or not done when all together have taken ``seconds_max``, are left
    out.
    """
    end = monotonic() + seconds_max
    found: dict[str, tuple[str, ...]] = {}
    for pattern in patterns:
        if problem(pattern) is not None:
            continue
        matching = Matching(pattern, names)
        while not matching.is_over and monotonic() < end:
            matching.turn()
        if matching.is_done:
            found[pattern] = matching.found
    return found


@lru_cache(maxsize=KEPT_MAX)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    # The positions of submatches are not needed, and computing them can take seconds.
    options.never_capture = True
    options.max_mem = MEMORY_BYTES_MAX
    return re2.compile(pattern, options)
