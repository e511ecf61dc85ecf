"""Stopping and starting work: what is paused in a group, and what an operator's word changes.

A pause is a state, not a message: it lasts from one operation to the next, whichever members join
or fail, and whichever node takes the slot over in between. It changes neither membership nor
assignment, so it is the same for every kind of group (``groups.core.beside``).
``groups.runtime.pauses`` notifies members.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from groups.core.authors import user
from groups.core.errors import ErrorCode
from groups.core.events import RowsVerb
from groups.core.group import JournalEntry
from groups.core.journal import EntryKind, Trigger
from groups.core.replies import Operated
from groups.core.rows import Durable, MemberRow

GROUP: Final = "group"
INSTANCE: Final = "instance"
MEMBER: Final = "member"

RUNNING: Final = 0
"""In place of a pause's id: no pause stops the member."""


class Target(NamedTuple):
    """What is paused: a whole group (name ""), a static member by its instance id, or another
    member by its id, whose pause ends with the member."""

    scope: str
    name: str


WHOLE: Final = Target(GROUP, "")


@dataclass(frozen=True, slots=True)
class Pause:
    """One pause. ``pause_id`` is the id of the operation that created it, so ids increase and are
    never used again."""

    target: Target
    pause_id: int
    actor: str
    reason: str


Pauses = Mapping[Target, Pause]
"""Everything that is paused in one group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseWork(RowsVerb):
    """An operator stops the fetchers of a group, or of one member. ``member_id`` "": those of all
    members.

    A static member may be named by its instance id as well. ``pauses``: what is paused now.
    """

    member_id: str = ""
    pauses: Pauses = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeWork(RowsVerb):
    """An operator starts them again; the fields as in ``PauseWork``."""

    member_id: str = ""
    pauses: Pauses = field(default_factory=dict)


PauseVerb = PauseWork | ResumeWork


class PausesChange(NamedTuple):
    """All pauses of a group before and after an operation."""

    before: Pauses
    after: Pauses


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decision on an operation: the new pauses, the operation's result, and the journal entry
    (None if nothing changed)."""

    pauses: Pauses
    operated: Operated
    entry: JournalEntry | None = None


ORDERS_FROM: Final = 2**62
"""Ids of operators' orders begin here; a member that polls for orders and has received none sends
this value. Commands of a group (docs/commanded.md) have lower numbers, over the same API."""


class Order(NamedTuple):
    """What a member has to do next. ``command_id`` increases from order to order of a member: for a
    stop twice the pause's id (plus ``ORDERS_FROM``), and one more for the start after it."""

    command_id: int
    stops: bool
    reason: str


def pause_for(pauses: Pauses, member_id: str, instance_id: str | None) -> Pause | None:
    """The pause that stops this member, the oldest if there are several; None: it is not
    stopped."""
    names = [WHOLE, Target(MEMBER, member_id)]
    if instance_id is not None:
        names.append(Target(INSTANCE, instance_id))
    held = [pauses[name] for name in names if name in pauses]
    return min(held, key=lambda pause: pause.pause_id, default=None)


def order_for(
    pauses: Pauses, member_id: str, instance_id: str | None, last_command_id: int
) -> Order | None:
    """The next order for a member whose last one was this (``ORDERS_FROM``: none); None: nothing
    changed.

    It depends only on the current state, not on orders that the member has missed.
    """
    pause = pause_for(pauses, member_id, instance_id)
    if pause is not None:
        stop = ORDERS_FROM + 2 * pause.pause_id
        is_new = stop != last_command_id
        return Order(stop, True, f"{pause.actor}: {pause.reason}") if is_new else None
    if obeyed(last_command_id) == RUNNING:
        return None
    return Order(last_command_id + 1, False, "")


def obeyed(command_id: int) -> int:
    """The id of the pause that a member obeys after this command, or ``RUNNING``."""
    number = max(0, command_id - ORDERS_FROM)
    return RUNNING if number % 2 else number // 2


def decide(durable: Durable, pauses: Pauses, verb: PauseVerb) -> Ruling:
    """Decide the operation for the group's current state; it notifies no member."""
    if not durable.exists:
        return _refused(pauses, verb, ErrorCode.GROUP_ID_NOT_FOUND, "there is no such group")
    target = _target(durable, pauses, verb)
    if target is None:
        detail = "the group has no such member"
        return _refused(pauses, verb, ErrorCode.UNKNOWN_MEMBER_ID, detail)
    existing = pauses.get(target)
    if isinstance(verb, PauseWork):
        if existing is not None:
            detail = f"it was stopped already, by {existing.actor}: {existing.reason}"
            return _unchanged(pauses, verb, detail)
        pause = Pause(target, verb.operation_id, verb.actor, verb.reason)
        return _ruled({**pauses, target: pause}, durable, target, verb)
    if existing is None:
        return _unchanged(pauses, verb, "it was not stopped")
    kept = {name: pause for name, pause in pauses.items() if name != target}
    return _ruled(kept, durable, target, verb)


def _target(durable: Durable, pauses: Pauses, verb: PauseVerb) -> Target | None:
    """The target of the operation; None: no member, and not paused."""
    name = verb.member_id
    if not name:
        return WHOLE
    member = _member(durable, name)
    if member is None:
        gone = (Target(MEMBER, name), Target(INSTANCE, name))
        return next((target for target in gone if target in pauses), None)
    if member.instance_id is not None:
        return Target(INSTANCE, member.instance_id)
    return Target(MEMBER, member.member_id)


def _member(durable: Durable, name: str) -> MemberRow | None:
    member = durable.members.get(name)
    if member is not None:
        return member
    return next((row for row in durable.members.values() if row.instance_id == name), None)


def _ruled(pauses: Pauses, durable: Durable, target: Target, verb: PauseVerb) -> Ruling:
    stops = isinstance(verb, PauseWork)
    kept = {t: pause for t, pause in pauses.items() if _can_return(t, durable)}
    member = _member(durable, target.name) if target.name else None
    whose = "the group's work" if target == WHOLE else f"the work of {target.name}"
    entry = JournalEntry(
        EntryKind.PAUSED if stops else EntryKind.RESUMED,
        trigger=Trigger.OPERATOR,
        reason=f"{verb.actor} {'stopped' if stops else 'started'} {whose}: {verb.reason}",
        member_id=target.name or None if member is None else member.member_id,
        client_id=None if member is None else member.client_id,
        generation_before=durable.group.generation,
        generation_after=durable.group.generation,
        details={"scope": target.scope, "name": target.name, "author": user(verb.actor)},
    )
    detail = f"{whose} is to {'stop' if stops else 'start'}"
    if not stops and (WHOLE in kept or (target == WHOLE and kept)):
        detail += "; what else is stopped stays so"
    return Ruling(kept, Operated(verb.operation_id, ErrorCode.NONE, detail), entry)


def _can_return(target: Target, durable: Durable) -> bool:
    """Whether this target can exist again: a dynamic member's id ends with the member."""
    return target.scope != MEMBER or target.name in durable.members


def _unchanged(pauses: Pauses, verb: PauseVerb, detail: str) -> Ruling:
    operated = Operated(verb.operation_id, ErrorCode.NONE, detail, changed=False)
    return Ruling(pauses, operated)


def _refused(pauses: Pauses, verb: PauseVerb, code: ErrorCode, detail: str) -> Ruling:
    return Ruling(pauses, Operated(verb.operation_id, code, detail))
