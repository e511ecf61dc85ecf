"""Stopping and starting work: what is paused in a group, and what an operator's word changes.

A pause is a level, not a message: it holds from one operation to the other, whoever joins, dies
or takes the slot over meanwhile. It touches neither membership nor assignment, so it is the same
for every kind of group, and no kind's step knows of it. Pure; who is told and when stands in
``groups.operations.pauses``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from groups.core.authors import user
from groups.core.errors import ErrorCode
from groups.core.events import Verb
from groups.core.group import JournalEntry
from groups.core.journal import EntryKind, Trigger
from groups.core.replies import Operated
from groups.core.rows import Durable, MemberRow

GROUP: Final = "group"
INSTANCE: Final = "instance"
MEMBER: Final = "member"

RUNNING: Final = 0
"""What stands where a pause's id could stand, for a member whom nothing stops."""


class Target(NamedTuple):
    """What is paused: a whole group (named ""), a static member by its instance id, or any other
    member by its id, which ends with the member."""

    scope: str
    name: str


WHOLE: Final = Target(GROUP, "")


@dataclass(frozen=True, slots=True)
class Pause:
    """One pause. ``pause_id`` is the id of the operation that asked for it, so ids rise and none
    is used twice."""

    target: Target
    pause_id: int
    actor: str
    reason: str


Pauses = Mapping[Target, Pause]
"""Everything that is paused in one group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseWork(Verb):
    """An operator stops the fetchers of a group, or of one member. ``member_id`` "": everybody's.

    A static member may be named by its instance id as well.
    """

    member_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeWork(Verb):
    """An operator lets them start again; ``member_id`` as in ``PauseWork``."""

    member_id: str = ""


PauseVerb = PauseWork | ResumeWork


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a verb decided: the pauses afterwards, how the verb ended, and the journal's word for
    it (None where nothing changed)."""

    pauses: Pauses
    operated: Operated
    entry: JournalEntry | None = None


ORDERS_FROM: Final = 2**62
"""Ids of an operator's orders begin here, and so says whoever polls for them and was told none.
Commands of a group's own (docs/commanded.md) are numbered below it, over the same channel."""


class Order(NamedTuple):
    """What a member is to do next. ``command_id`` rises from order to order of a member: twice
    the pause's id to stop (behind ``ORDERS_FROM``), and one more to start when that is over."""

    command_id: int
    stops: bool
    reason: str


def pause_for(pauses: Pauses, member_id: str, instance_id: str | None) -> Pause | None:
    """The pause that keeps this member stopped, the oldest where several do; None: it works."""
    names = [WHOLE, Target(MEMBER, member_id)]
    if instance_id is not None:
        names.append(Target(INSTANCE, instance_id))
    held = [pauses[name] for name in names if name in pauses]
    return min(held, key=lambda pause: pause.pause_id, default=None)


def order_for(
    pauses: Pauses, member_id: str, instance_id: str | None, last_command_id: int
) -> Order | None:
    """What a member is to be told that obeys this order (``ORDERS_FROM``: it was told none); None:
    nothing.

    A level, not a message: whatever was missed meanwhile, the order is about how things are now.
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
    """The id of the pause that whoever has done this command obeys, or ``RUNNING``."""
    number = max(0, command_id - ORDERS_FROM)
    return RUNNING if number % 2 else number // 2


def decide(durable: Durable, pauses: Pauses, verb: PauseVerb) -> Ruling:
    """What the verb does to a group that stands like this; nobody is told anything here."""
    if not durable.exists:
        return _refused(pauses, verb, ErrorCode.GROUP_ID_NOT_FOUND, "there is no such group")
    target = _target(durable, pauses, verb)
    if target is None:
        detail = "the group has no such member"
        return _refused(pauses, verb, ErrorCode.UNKNOWN_MEMBER_ID, detail)
    known = pauses.get(target)
    if isinstance(verb, PauseWork):
        if known is not None:
            detail = f"it was stopped already, by {known.actor}: {known.reason}"
            return _unchanged(pauses, verb, detail)
        pause = Pause(target, verb.operation_id, verb.actor, verb.reason)
        return _ruled({**pauses, target: pause}, durable, target, verb)
    if known is None:
        return _unchanged(pauses, verb, "it was not stopped")
    kept = {name: pause for name, pause in pauses.items() if name != target}
    return _ruled(kept, durable, target, verb)


def _target(durable: Durable, pauses: Pauses, verb: PauseVerb) -> Target | None:
    """What the verb is about; None: neither a member nor paused."""
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
    known = durable.members.get(name)
    if known is not None:
        return known
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
    """Whether anybody can ever be this again: the id of a dynamic member ends with the member."""
    return target.scope != MEMBER or target.name in durable.members


def _unchanged(pauses: Pauses, verb: PauseVerb, detail: str) -> Ruling:
    operated = Operated(verb.operation_id, ErrorCode.NONE, detail, changed=False)
    return Ruling(pauses, operated)


def _refused(pauses: Pauses, verb: PauseVerb, code: ErrorCode, detail: str) -> Ruling:
    return Ruling(pauses, Operated(verb.operation_id, code, detail))
