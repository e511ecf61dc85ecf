"""The statements for state beside a group: what is paused in it, and its freeze. Pure."""

from collections.abc import Iterator

from groups.core.configs.freeze import FROZEN, FreezeChange
from groups.core.configs.group import FREEZE
from groups.core.pauses import PausesChange
from groups.core.rows import slot_of
from groups.postgres.array_literals import Statement, array
from groups.store.sql import configs, pauses


def statements(group_id: str, change: PausesChange | FreezeChange) -> Iterator[Statement]:
    """Write the change, and notify who has to know."""
    if isinstance(change, PausesChange):
        yield from _pauses(group_id, change)
    else:
        yield from _freeze(group_id, change)


def _pauses(group_id: str, change: PausesChange) -> Iterator[Statement]:
    before, after = change
    if gone := sorted(before.keys() - after.keys()):
        scopes, names = ([target[part] for target in gone] for part in (0, 1))
        yield pauses.DROP, {"group_id": group_id, "scopes": scopes, "names": names}
    for target in sorted(after.keys() - before.keys()):
        pause = after[target]
        yield (
            pauses.PUT,
            {
                "group_id": group_id,
                "slot": slot_of(group_id),
                "scope": target.scope,
                "name": target.name,
                "pause_id": pause.pause_id,
                "actor": pause.actor,
                "reason": pause.reason,
            },
        )
    yield pauses.RING, {"bell": pauses.BELL, "group_id": group_id}


def _freeze(group_id: str, change: FreezeChange) -> Iterator[Statement]:
    values = {"group_id": group_id, "name": FREEZE, "until": change.until}
    if change.frozen:
        yield configs.FREEZE_GROUP, {**values, "slot": slot_of(group_id), "value": FROZEN}
    else:
        yield configs.THAW_GROUP, values
    yield configs.RING, {"bell": configs.BELL, "group_ids": array([group_id])}
