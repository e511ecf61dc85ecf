"""What every family of invariants has: the state so far, the list of violations, and a table of its
rules."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from proof.history.format import Record, Violation
from proof.history.observed_state import Story

Rule = Callable[[Any, Record, Record], None]
"""Judges one record before the state is updated. The third argument is the call that a response
answers, or the record itself if it is no response."""


class Family:
    """Rules that belong together. ``RULES``: by a record's type, or its type and its table or API.

    ``has_rows`` False: no rows were recorded, and rules that need them are skipped.
    """

    RULES: ClassVar[Mapping[str, Rule]]

    def __init__(self, story: Story, violations: list[Violation], *, has_rows: bool) -> None:
        self.story = story
        self.has_rows = has_rows
        self._violations = violations

    def say(self, invariant: str, what: str, record: Record) -> None:
        """Report a violation."""
        self._violations.append(Violation(invariant, what, record["at"], record))
