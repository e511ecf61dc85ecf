"""The checker: passes each record to every rule for it, then updates the state.

The families are a table; no rule is here.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from proof.history.commit_before_answer import Telling
from proof.history.family import Family
from proof.history.fencing import Fencing
from proof.history.format import Record, Violation
from proof.history.generations import Generations
from proof.history.observed_state import Story
from proof.history.offsets import Offsets
from proof.history.ownership import Ownership
from proof.history.placement import Placement
from proof.history.recorded_facts import RecordedFacts
from proof.history.session_expiry import Silence
from proof.history.termination import Endings
from proof.history.transactions import Transactions

FAMILIES: Final[Sequence[type[Family]]] = (
    Generations,
    Ownership,
    Fencing,
    Offsets,
    Transactions,
    Silence,
    Telling,
    Endings,
    Placement,
    RecordedFacts,
)
"""Each judges for itself; if several find a violation, the first is reported first."""

ANSWERS: Final = frozenset({"ok", "fail", "info"})

Judge = Callable[[Record, Record], None]


class Checker:
    """Takes records one by one; ``violations`` are the invariants that did not hold."""

    def __init__(self, *, has_rows: bool = True) -> None:
        self.violations: list[Violation] = []
        self._story = Story()
        self._families = [f(self._story, self.violations, has_rows=has_rows) for f in FAMILIES]
        self._judges: dict[tuple[str, str], Sequence[Judge]] = {}

    def take(self, record: Record) -> None:
        """Judge one record."""
        kind, call = record["type"], record
        if kind in ANSWERS:
            call = self._story.calls.pop(record["call"])
        if kind != "ok" or not self._story.is_about_another(call):
            about = record["table"] if kind == "row" else call.get("api", "")
            judges = self._judges.get((kind, about))
            for judge in self._find(kind, about) if judges is None else judges:
                judge(record, call)
        self._story.take(record, call)

    def _find(self, kind: str, about: str) -> Sequence[Judge]:
        """The rules for this type of record, and for this type about this table or API."""
        found = [
            partial(family.RULES[key], family)
            for family in self._families
            for key in (kind, f"{kind} {about}")
            if key in family.RULES
        ]
        self._judges[kind, about] = found
        return found


def check(records: Iterable[Record], *, has_rows: bool = True) -> list[Violation]:
    """All violations in a history. ``has_rows`` False: no rows were recorded, and rules that need
    them are skipped."""
    checker = Checker(has_rows=has_rows)
    for record in records:
        checker.take(record)
    return checker.violations
