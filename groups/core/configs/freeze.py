"""An operator's freeze or thaw of a group. Pure; ``groups.runtime.group_configs`` writes it."""

from dataclasses import dataclass

from groups.core.events import Verb


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFreeze(Verb):
    """An operator freezes a group, so that no rebalance begins, or thaws it (docs/configuration.md,
    ``rollcall.freeze``). It is not an event of the group.

    ``until``: when the freeze ends, in PostgreSQL's format; None: when it is thawed. For a thaw:
    freezes that end later, or have no end, are not changed.
    """

    frozen: bool
    until: str | None = None
