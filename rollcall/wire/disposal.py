"""Frees large messages a few elements at a time.

CPython frees a list with all its otherwise unreferenced elements at once, while no other thread can
run: 20 ms for the 100,000 elements that a frame may have.
"""

from typing import Any

from rollcall.wire.kept import Kept
from rollcall.wire.kinds import Array, Struct

SLICE = 500
"""Elements that are freed at once: a tenth of a millisecond."""


def discard(messages: list[Any]) -> None:
    """Empty the list, and free the elements that only it referenced, piece by piece.

    Lists within the messages are not changed, since others may reference them.
    """
    parts: list[Any] = []
    for message in messages:
        if isinstance(message, Struct):
            parts.append(message)
            _gather(message, parts)
    messages.clear()
    parts.reverse()  # containers come before their elements
    message = None
    while parts:
        del parts[-SLICE:]


def _gather(value: Struct, parts: list[Any]) -> None:
    """The elements of all arrays, each after the value that contains it."""
    for name, has_arrays in _arrays(type(value)):
        items = getattr(value, name) or ()
        if isinstance(items, Kept):
            continue  # others reference it
        parts.extend(items)
        if has_arrays:
            for item in items:
                _gather(item, parts)


_found: dict[type[Struct], tuple[tuple[str, bool], ...]] = {}


def _arrays(kind: type[Struct]) -> tuple[tuple[str, bool], ...]:
    """The fields with arrays, and whether their elements have such fields."""
    if kind in _found:
        return _found[kind]
    found = []
    for field in kind.wire_fields:
        if isinstance(field.kind, Array):
            element = field.kind.element
            has_arrays = isinstance(element, type) and bool(_arrays(element))
            found.append((field.name, has_arrays))
    _found[kind] = arrays = tuple(found)
    return arrays
