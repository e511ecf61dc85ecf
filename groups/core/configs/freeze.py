"""An operator's word about a freeze. Pure; ``groups.coordinator.group_configs`` writes it."""

from dataclasses import dataclass

from groups.core.events import Verb


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFreeze(Verb):
    """An operator freezes a group, so that no rebalance begins, or thaws it
    (docs/configuration.md, ``rollcall.freeze``). No group's step knows of it.

    ``until``: when the freeze ends, as PostgreSQL writes an instant; None: when somebody thaws the
    group. Of a thaw: freezes that end later, or not by themselves, are left alone.
    """

    frozen: bool
    until: str | None = None
