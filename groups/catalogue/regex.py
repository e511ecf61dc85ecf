"""Regular expressions in RE2's syntax: is one good, and which names does it match as a whole.

RE2 takes time that grows with the text alone and memory that is bounded; how long that is for one
name is up to the pattern all the same. So a pattern is compiled without what makes it dear, and
matched in turns, which count the time that they take. No group and no topic is known here.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from time import monotonic, thread_time
from typing import Any, Final

import re2

CHARS_MAX: Final = 4_096
"""Of one pattern: it is compiled while a heartbeat waits, and kept with its member."""

REPEATS_MAX: Final = 5_000
"""All that a pattern repeats by a number, together: RE2 writes out each repetition before it finds
that there are too many, with the interpreter's lock in its hand."""

PROPERTIES_MAX: Final = 100
"""Unicode classes (``\\pL``) of a pattern: each has hundreds of ranges."""

MEMORY_BYTES_MAX: Final = 1_048_576
"""Of one compiled pattern with what it remembers of texts. An eighth of RE2's own: nothing here
needs more, and what is too large is found to be so eight times sooner."""

KEPT_MAX: Final = 256
"""Compiled patterns that are kept."""

TURN_S: Final = 0.05
"""Of CPU, for a pattern at a time: then others have theirs."""

NAMES_A_TURN_MIN: Final = 1_000
"""Who gets through fewer names in a turn has run out of it. Ordinary patterns do fifty thousand."""

SLOW_TURNS_MAX: Final = 2
"""A pattern that has run out so often is refused."""

TOO_SLOW: Final = "takes too long to match"

_REPEATS = re.compile(r"\{(\d{1,4})(?:,(\d{0,4}))?\}")
_PROPERTIES = re.compile(r"\\[pP]")


def problem(pattern: str) -> str | None:
    """Why a pattern is not one, as a sentence; None for a good one."""
    if len(pattern) > CHARS_MAX:
        return f"A regular expression has at most {CHARS_MAX} characters."
    if sum(int(most or least) for least, most in _REPEATS.findall(pattern)) > REPEATS_MAX:
        return f"A regular expression repeats at most {REPEATS_MAX} times, all numbers together."
    if len(_PROPERTIES.findall(pattern)) > PROPERTIES_MAX:
        return f"A regular expression has at most {PROPERTIES_MAX} classes of Unicode."
    try:
        _compiled(pattern)
    except re2.error as error:
        said = error.args[0] if error.args else ""
        why = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
        return refusal(pattern, f"is not a valid regular expression: {why}")
    return None


def refusal(pattern: str, why: str) -> str:
    """The sentence for a pattern that cannot be used."""
    return f"SubscribedTopicRegex {pattern} {why}."


class Matching:
    """A good pattern on its way through the names of some version, one turn at a time."""

    def __init__(self, pattern: str, names: Sequence[str], version: int = 0) -> None:
        self.pattern = pattern
        self.version = version
        self._slow_turns = 0
        self._names = names
        self._at = 0
        self._found: list[str] = []

    @property
    def is_done(self) -> bool:
        """Whether every name was looked at."""
        return self._at == len(self._names)

    @property
    def is_too_slow(self) -> bool:
        """Whether it is not worth while to go on."""
        return not self.is_done and self._slow_turns >= SLOW_TURNS_MAX

    @property
    def is_over(self) -> bool:
        """Whether there is no use for another turn."""
        return self.is_done or self.is_too_slow

    @property
    def found(self) -> tuple[str, ...]:
        """The names that match as a whole, in their order, of those that were looked at."""
        return tuple(self._found)

    def turn(self) -> None:
        """Look at names until the turn is over, and at one at least."""
        matches, begun, end = _compiled(self.pattern).fullmatch, self._at, thread_time() + TURN_S
        for name in self._names[begun:]:
            if matches(name):
                self._found.append(name)
            self._at += 1
            if thread_time() >= end:
                break
        self._slow_turns += not self.is_done and self._at - begun < NAMES_A_TURN_MIN


def take_turns(matchings: Sequence[Matching]) -> int:
    """Give each its turn, for as long as one turn; how many had theirs. For a thread."""
    end = thread_time() + TURN_S
    for count, matching in enumerate(matchings, 1):
        matching.turn()
        if thread_time() >= end:
            return count
    return len(matchings)


def matches(
    patterns: Iterable[str], names: Sequence[str], seconds_max: float
) -> Mapping[str, tuple[str, ...]]:
    """The names that each good pattern matches as a whole, in the order of the names.

    A pattern that is not done after ``seconds_max``, all patterns together, or is too slow, is left
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
    # Nobody asks which part of a name a group matched, and finding that out is what takes seconds.
    options.never_capture = True
    options.max_mem = MEMORY_BYTES_MAX
    return re2.compile(pattern, options)
