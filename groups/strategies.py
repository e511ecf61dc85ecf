"""Partition assignment strategies of an installation's own, by the names in its settings.

The one place that imports what a setting names. What a strategy promises, and what happens when
it breaks that, is told in ``groups.core.draft.strategies``.
"""

from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from groups.core.strategy import Strategy

ENTRY_POINTS = "rollcall.partition_assignment_strategies"
"""The group of entry points in which a package may offer a strategy."""


class NoStrategy(ValueError):
    """The setting names something that cannot be used; the text says what, and why not."""


def load(pairs: Iterable[str]) -> tuple[tuple[str, Strategy], ...]:
    """Friendly names and functions, of ``name=value`` pairs; raises ``NoStrategy``.

    A value is ``package.module:function``, ``package.module.function``, or the name of an entry
    point.
    """
    return tuple((name, _found(value)) for name, value in (pair.split("=", 1) for pair in pairs))


def _found(value: str) -> Strategy:
    try:
        found = _entry_point(value) or _imported(value)
    except (ImportError, AttributeError, ValueError) as error:
        raise NoStrategy(f"partition.assignment.strategies: {value}: {error}") from error
    if not callable(found):
        raise NoStrategy(f"partition.assignment.strategies: {value} is not a function")
    return found  # type: ignore[no-any-return]


def _entry_point(value: str) -> Any:
    return next((p.load() for p in entry_points(group=ENTRY_POINTS, name=value)), None)


def _imported(value: str) -> Any:
    module, _, name = value.partition(":") if ":" in value else value.rpartition(".")
    return getattr(import_module(module), name)
