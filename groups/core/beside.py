"""Operators' requests about state beside a group: what is paused in it, and its freeze.

Such state changes neither members nor generation, so a request is decided in the same way for every
kind of group, and leaves the group as it is. It is alone in its step (``events.RowsVerb``).
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from groups.core import pauses
from groups.core.configs import freeze
from groups.core.configs.freeze import FreezeChange, SetFreeze
from groups.core.events import Event
from groups.core.group import Decision, Group, JournalEntry
from groups.core.pauses import PausesChange, PauseVerb, PauseWork, ResumeWork
from groups.core.replies import Operated
from groups.core.rows import Durable


class Ruling(NamedTuple):
    """The decision on a request; without a change there is no entry."""

    operated: Operated
    change: PausesChange | FreezeChange | None = None
    entry: JournalEntry | None = None


def _pause(durable: Durable, event: PauseVerb) -> Ruling:
    ruling = pauses.decide(durable, event.pauses, event)
    change = None if ruling.entry is None else PausesChange(event.pauses, ruling.pauses)
    return Ruling(ruling.operated, change, ruling.entry)


def _freeze(durable: Durable, event: SetFreeze) -> Ruling:
    operated, change = freeze.decide(durable, event)
    entry = None if change is None else freeze.entry(durable, event, change)
    return Ruling(operated, change, entry)


RULES: Final[Mapping[type[Event], Callable[[Durable, Any], Ruling]]] = {
    PauseWork: _pause,
    ResumeWork: _pause,
    SetFreeze: _freeze,
}


def decide(group: Group, event: Event) -> Decision:
    """The decision on one of ``RULES``."""
    ruling = RULES[type(event)](group.durable, event)
    journal = () if ruling.entry is None else (ruling.entry,)
    return Decision(group, journal=journal, operations=(ruling.operated,), beside=ruling.change)
