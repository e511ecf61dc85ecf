"""A group that is its two halves and nothing else: rows, and what is live.

The part of the ``Group`` protocol that does not depend on the kind, for the kinds that keep
nothing beside the two (classic, draft, commanded). No rule is here, and nothing is asked about the
kind: each says in its own ``step`` what is decided in which order.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, Self, TypeVar

from groups.core.events import Event, Tick
from groups.core.group import Answer, Decision, JournalEntry, Millis, Rules
from groups.core.journal import EntryKind
from groups.core.rows import Durable, MemberRow
from groups.core.working_copy import ABSENT, Gathered, Lives

L = TypeVar("L", bound=Lives)

Check = Callable[[Durable, Durable, Sequence[Answer]], None]


Earliest = tuple[Millis | None]
"""No member's own deadline comes before this one; (None,): none has any."""

EXACT_MAX: Final = 100
"""Members up to which every step looks for the earliest deadline anew. In a larger group one that
has been put off stays in mind until it comes; the tick then decides nothing, and looks."""


class Halves(Generic[L]):
    """What a group of rows and a live half is at one instant, and how a step ends."""

    __slots__ = ("_due", "_durable", "_earliest", "_live", "rules")

    def __init__(self, durable: Durable, live: L, rules: Rules) -> None:
        self.rules = rules
        self._durable = durable
        self._live = live
        self._due: tuple[Millis | None] | None = None
        self._earliest: Earliest | None = None

    @property
    def durable(self) -> Durable:
        """What the rows hold once this value is committed."""
        return self._durable

    @property
    def live(self) -> L:
        """What no row holds."""
        return self._live

    @property
    def has_row(self) -> bool:
        """Whether the group has a row, or will have one by the step that gave this value."""
        return ABSENT not in self._durable.group.details

    def with_revision(self, revision: int) -> Self:
        """The same group after its rows were written."""
        durable = Durable(self._durable.group, self._durable.members, revision)
        after = type(self)(durable, self._live, self.rules)
        after._due, after._earliest = self._due, self._earliest
        return after

    def with_rules(self, rules: Rules) -> Self:
        """The same group under other rules."""
        return type(self)(self._durable, self._live, rules)

    def roster(self) -> tuple[MemberRow, ...]:
        """The members as DescribeGroups lists them."""
        return tuple(self._durable.members.values())

    def _earliest_after(self, after: Self) -> Earliest | None:
        """The same for the group as a step without a tick left it; None: it must be looked for."""
        return None

    def _decided(self, work: Gathered[L], events: Sequence[Event], check: Check) -> Decision:
        """What the step comes to. The group afterwards is self where nothing changed, so that
        ``due`` stays known."""
        if work.has_row and not self._durable.exists:
            work.journal.insert(0, JournalEntry(EntryKind.GROUP_CREATED))
        durable, live = work.durable(), work.changed_live
        after: Any = self  # a group, once its kind has said the rest
        ticked = any(isinstance(event, Tick) for event in events)
        if durable is not self._durable or live is not None or ticked:
            after = type(self)(durable, self._live if live is None else live, self.rules)
            after._earliest = None if ticked else self._earliest_after(after)
        check(self._durable, durable, work.answers)
        return Decision(
            group=after,
            answers=tuple(work.answers),
            journal=tuple(work.journal),
            offsets=tuple(work.offsets.values()),
            offset_deletes=tuple(work.offset_deletes),
            pending=tuple(work.pending.values()),
            operations=tuple(work.operations),
            hung_up=tuple(work.hung_up),
            deleted=work.deleted,
        )
