"""An installation's own partition assignment strategies, by the names in its settings.

The only module that imports what this setting names. ``groups.core.draft.strategies`` defines a
strategy, and what happens if its result is invalid.
"""

from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from groups.core.strategy import Strategy

ENTRY_POINTS = "rollcall.partition_assignment_strategies"
"""The group of entry points for strategies of other packages."""


class NoStrategy(ValueError):
    """The setting names something unusable; the text says what, and why."""


def load(pairs: Iterable[str]) -> tuple[tuple[str, Strategy], ...]:
    """Friendly names and functions, from ``name=value`` pairs; raises ``NoStrategy``.

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
