"""What a step decided, as plain data: all that the node, the store and the members see of it."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from groups.core.assignors.task import AssignmentTask
from groups.core.conversion.step import may_take_long, runs_foreign_code
from groups.core.events import Event
from groups.core.group import Beat, Decision, Group, Millis
from groups.core.values import may_differ

Told = dict[str, Any]


def plain(value: object) -> Any:
    """The same as JSON has it. The order of a set, or a mapping, does not count."""
    match value:
        case Enum():
            return value.name
        case bytes():
            return value.hex()
        case Beat():
            return value.at
        case AssignmentTask():
            facts = (value.epoch, value.name, list(value.members), value.counts, value.racks)
            return plain((*facts, value.is_foreign))
        case AbstractSet():
            return sorted(map(plain, value), key=repr)
        case Mapping():
            return {str(plain(key)): plain(each) for key, each in value.items()}
        case str() | int() | float() | None:
            return value
        case Sequence():
            return [plain(each) for each in value]
    if is_dataclass(value):
        compared = (field.name for field in fields(value) if field.compare)
        return {name: plain(getattr(value, name)) for name in compared}
    assert isinstance(value, Callable), value  # type: ignore[arg-type]
    return value.__name__  # type: ignore[attr-defined]


def standing(group: Group, now: Millis) -> Told:
    """What others see of a group between two steps."""
    state = {
        "row": group.durable.group,
        "members": list(group.durable.members),
        "due": group.due(now),
        "face": group.heartbeat_view(),
        "sessions": [session[:3] for session in group.sessions(now)],
        "waits for": group.waiting(now),
        "waiting": sorted(group.live.tickets()) if hasattr(group.live, "tickets") else [],
        "idle": group.idle,
        "breadth": group.breadth,
    }
    return {name: plain(value) for name, value in state.items()}


def decided(before: Group, said: Sequence[Event], decision: Decision, now: Millis) -> Told:
    """All consequences of a step, and the state of the group afterwards."""
    was, after = before.durable.members, decision.group.durable.members
    changed = sorted(id_ for id_ in may_differ(was, after) if was.get(id_) is not after.get(id_))
    parts = {
        field.name: plain(getattr(decision, field.name))
        for field in fields(decision)
        if field.name != "group"
    }
    return {
        **parts,
        "changed": {id_: plain(after.get(id_)) for id_ in changed},
        "is long": may_take_long(before, said),
        "is foreign": runs_foreign_code(before, said),
        **standing(decision.group, now),
    }


def digest(told: object) -> str:
    """So short that a life fits on a few lines; two of them are the same by chance once in 65,536
    times."""
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:4]
