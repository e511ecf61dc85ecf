"""Changes of a group's own settings by operators: the web's counterpart of
``groups.runtime.group_configs``, with the same lock, rules and journal entry.

The group's owner is notified at the commit, and applies the change.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.apps import AppConfig
from django.conf import settings
from django.db import connection, transaction

from console.operations import functions, sql
from console.operations.functions import Function
from console.operations.requests import check_reason
from groups.core.authors import user
from groups.core.configs.entries import Change
from groups.core.configs.group import Broker, Values, changed
from groups.core.errors import ErrorCode, Refuse
from groups.core.rows import slot_of
from groups.models import GroupConfig
from groups.store.sql import configs

SET: Final = Function(
    "rollcall_set_group_config",
    sql.SET,
    (
        ("group_ids", "text[]"),
        ("slot", "smallint"),
        *((name, "text[]") for name in ("names", "values", "before", "after")),
        ("reason", "text"),
        ("author", "jsonb"),
    ),
    {"bell": f"'{configs.BELL}'"},
    (configs.NOTE,),
)

SHORT: Final = "SET LOCAL idle_in_transaction_session_timeout = '10s'"
"""Nodes wait for the same lock: a suspended web process must not hold it."""


MOST: Final = "GROUP_CONFIGS_MAX"


@dataclass(frozen=True, slots=True)
class Altered:
    """A group's own settings before and after a change."""

    before: Values
    after: Values

    @property
    def names(self) -> Sequence[str]:
        """The settings that differ."""
        names = sorted({*self.before, *self.after})
        return [name for name in names if self.before.get(name) != self.after.get(name)]


def sync_functions(sender: AppConfig, using: str = "default", **_: object) -> None:
    """Create the functions after every migration, before the grants."""
    functions.sync((SET,), using)


def own(group_id: str) -> Values:
    """The group's own settings; it need not exist (KIP-1142)."""
    return dict(GroupConfig.objects.filter(group_id=group_id).values_list("name", "value"))


def alter(
    group_id: str,
    changes: Sequence[Change],
    broker: Broker,
    *,
    reason: str,
    actor: str,
    seen: Callable[[Values], None] = lambda _values: None,
    dry_run: bool = False,
) -> Altered:
    """Change a group's own settings: all of the changes or none.

    ``seen`` is called with the current settings under the lock, and may raise. Raises ``Refuse`` as
    ``group_configs.changed``, and POLICY_VIOLATION when the maximum number of settings is reached;
    ``ValueError`` for an invalid reason.
    """
    check_reason(reason)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(SHORT)
            cursor.execute(configs.LOCK)
        before = own(group_id)
        seen(before)
        altered = Altered(before, changed(before, changes, broker))
        _admit(len(altered.after) - len(before))
        if altered.names and not dry_run:
            _write(group_id, altered, reason, actor)
    return altered


def _admit(more: int) -> None:
    most: int = getattr(settings, MOST)
    if more > 0 and GroupConfig.objects.count() + more > most:
        detail = f"There are {most:,} settings of groups already (group.configs.max)."
        raise Refuse(ErrorCode.POLICY_VIOLATION, detail)


def _write(group_id: str, altered: Altered, reason: str, actor: str) -> None:
    after = altered.after
    put = [name for name in altered.names if name in after]
    SET.changes(
        [group_id],
        slot_of(group_id),
        put,
        [after[name] for name in put],
        [_as_json(altered.before, altered.names)],
        [_as_json(after, altered.names)],
        reason,
        json.dumps(user(actor)),
    )


def _as_json(values: Mapping[str, str], names: Sequence[str]) -> str:
    return json.dumps({name: values.get(name) for name in names})
