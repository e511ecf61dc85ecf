"""Large messages are freed a few elements at a time.

CPython frees a list with all that nobody else holds in one go, and gives the interpreter to no
other thread meanwhile: 20 ms for the 100,000 elements that a frame may have.
"""

from typing import Any

from rollcall.wire.kinds import Array, Struct

SLICE = 500
"""Elements that are freed in one go: a tenth of a millisecond."""


def discard(messages: list[Any]) -> None:
    """Empty the list, and free what it alone held, piece by piece.

    Lists within the messages are left as they are: somebody else may hold them, too.
    """
    parts: list[Any] = []
    for message in messages:
        if isinstance(message, Struct):
            parts.append(message)
            _gather(message, parts)
    messages.clear()
    parts.reverse()  # whoever has elements goes before them, and leaves them behind
    message = None
    while parts:
        del parts[-SLICE:]


def _gather(value: Struct, parts: list[Any]) -> None:
    """The elements of all arrays, each behind the value that has it."""
    for name, has_arrays in _arrays(type(value)):
        items = getattr(value, name) or ()
        parts.extend(items)
        if has_arrays:
            for item in items:
                _gather(item, parts)


_found: dict[type[Struct], tuple[tuple[str, bool], ...]] = {}


def _arrays(kind: type[Struct]) -> tuple[tuple[str, bool], ...]:
    """The fields that hold arrays, and whether their elements have such fields."""
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
