"""How large a message is, before it is written: what takes long is written beside the loop."""

from rollcall.wire.declare import Message
from rollcall.wire.kinds import Array, Struct

LARGE_ELEMENTS = 500
"""Array elements of a message that takes milliseconds to write; one of 50,000 takes 50 ms."""


def is_large(message: Message) -> bool:
    """Whether the message has so many elements, all nestings together."""
    return _left(message, LARGE_ELEMENTS) < 0


def _left(value: Struct, room: int) -> int:
    """What is left of ``room`` after the elements of this value; below zero ends the count."""
    for field in value.wire_fields:
        if not isinstance(field.kind, Array):
            continue
        items = getattr(value, field.name) or ()
        room -= len(items)
        if isinstance(field.kind.element, type):
            for item in items:
                if room < 0:
                    return room
                room = _left(item, room)
    return room
