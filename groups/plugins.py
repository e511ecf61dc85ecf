"""Assignors from other packages: found by entry point, loaded when the node starts
(docs/assignors.md).

Only those that ``group.consumer.assignors`` names are imported. ``groups.core.assignors.task``
checks their results.
"""

from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points

from groups.core.assignors.registry import NAMES
from groups.core.assignors.types import Assignor

GROUP = "rollcall.assignors"
"""The group of entry points: the assignor's name = a function, or a class without arguments."""


class NotLoaded(RuntimeError):
    """A named assignor is not installed or cannot be imported; the node does not start."""


def load(names: Iterable[str]) -> Mapping[str, Assignor]:
    """Those of the named assignors that are not built in. Raises ``NotLoaded``."""
    return {name: _load(name) for name in names if name not in NAMES}


def _load(name: str) -> Assignor:
    found = entry_points(group=GROUP, name=name)
    if not found:
        raise NotLoaded(f"No installed package has the assignor {name} (entry points {GROUP}).")
    (entry, *others) = found
    if others:
        raise NotLoaded(f"Several installed packages have an assignor {name}.")
    return _imported(entry)


def _imported(entry: EntryPoint) -> Assignor:
    try:
        loaded = entry.load()
        assign = loaded() if isinstance(loaded, type) else loaded
    except Exception as error:
        raise NotLoaded(f"The assignor {entry.name} ({entry.value}): {error!r}") from error
    if not callable(assign):
        raise NotLoaded(f"The assignor {entry.name} ({entry.value}) cannot be called.")
    return assign  # type: ignore[no-any-return]  # whatever it is: its answers are checked
