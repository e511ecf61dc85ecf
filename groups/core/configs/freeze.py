"""An operator's freeze or thaw of a group: its setting ``rollcall.freeze``, with an end
(docs/configuration.md)."""

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from groups.core.authors import user
from groups.core.configs.group import FREEZE, Values
from groups.core.errors import ErrorCode
from groups.core.events import RowsVerb
from groups.core.group import JournalEntry
from groups.core.journal import EntryKind, Trigger
from groups.core.replies import Operated
from groups.core.rows import Durable

FROZEN: Final = "true"


class Ends(NamedTuple):
    """A freeze's end, compared with another time: no end is the latest of all."""

    is_same: bool
    is_later: bool


UNREAD: Final = Ends(is_same=False, is_later=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFreeze(RowsVerb):
    """An operator freezes a group, so that no rebalance begins, or thaws it.

    ``until``: when the freeze ends, as ISO 8601; None: when it is thawed. For a thaw: freezes that
    end later, or have no end, are not changed. ``values``: the group's own settings now; ``ends``:
    how the end of its freeze compares with ``until``; ``obstacle`` as in ``ResetOffsets``.
    """

    frozen: bool
    until: str | None = None
    values: Values = field(default_factory=dict)
    ends: Ends = UNREAD
    obstacle: str = ""


class FreezeChange(NamedTuple):
    """What a freeze or thaw changes. ``until``: as in ``SetFreeze``; ``values``: all own settings
    of the group after it."""

    frozen: bool
    until: str | None
    values: Values


def decide(durable: Durable, verb: SetFreeze) -> tuple[Operated, FreezeChange | None]:
    """Decide the operation; None: nothing changes. A group that does not exist is not frozen: a
    later group of the id would be frozen too."""
    is_frozen = verb.values.get(FREEZE) == FROZEN
    if verb.frozen and not is_frozen:
        if not durable.exists:
            return _refused(verb, ErrorCode.GROUP_ID_NOT_FOUND, "the group is gone"), None
        if verb.obstacle:
            return _refused(verb, ErrorCode.POLICY_VIOLATION, verb.obstacle), None
    if _is_in_force(verb, is_frozen):
        return _done(verb, f"the group was {_word(verb)} already", changed=False), None
    after = {name: value for name, value in verb.values.items() if name != FREEZE}
    if verb.frozen:
        after[FREEZE] = FROZEN
    change = FreezeChange(verb.frozen, verb.until, after)
    return _done(verb, f"the group is {_word(verb)}", changed=True), change


def _is_in_force(verb: SetFreeze, is_frozen: bool) -> bool:
    """Whether the group is as the operator wants it."""
    if verb.frozen:
        return is_frozen and verb.ends.is_same
    return not is_frozen or (verb.until is not None and verb.ends.is_later)


def entry(durable: Durable, verb: SetFreeze, change: FreezeChange) -> JournalEntry:
    """The change of the setting, as for any other change of settings."""
    details: dict[str, Any] = {
        "author": user(verb.actor),
        "before": {FREEZE: verb.values.get(FREEZE)},
        "after": {FREEZE: change.values.get(FREEZE)},
    }
    if verb.frozen and verb.until is not None:
        details["until"] = verb.until
    return JournalEntry(
        EntryKind.CONFIG_CHANGED,
        Trigger.REQUEST,
        verb.reason,
        generation_before=durable.group.generation,
        generation_after=durable.group.generation,
        details=details,
    )


def _word(verb: SetFreeze) -> str:
    return "frozen" if verb.frozen else "thawed"


def _done(verb: SetFreeze, detail: str, *, changed: bool) -> Operated:
    return Operated(verb.operation_id, ErrorCode.NONE, detail, changed=changed)


def _refused(verb: SetFreeze, code: ErrorCode, detail: str) -> Operated:
    return Operated(verb.operation_id, code, detail)
