"""What every family of invariants has: the story so far, a voice, and a table of its rules."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from proof.history.format import Record, Violation
from proof.history.observed_state import Story

Rule = Callable[[Any, Record, Record], None]
"""Judges one record before the story goes on. The third is the call that an answer answers, and
the record itself where it is none."""


class Family:
    """Rules that belong together. ``RULES``: by a record's type, or its type and its table or API.

    ``has_rows`` False: no rows were recorded, and what needs them is not judged.
    """

    RULES: ClassVar[Mapping[str, Rule]]

    def __init__(self, story: Story, violations: list[Violation], *, has_rows: bool) -> None:
        self.story = story
        self.has_rows = has_rows
        self._violations = violations

    def say(self, invariant: str, what: str, record: Record) -> None:
        """It did not hold."""
        self._violations.append(Violation(invariant, what, record["at"], record))
