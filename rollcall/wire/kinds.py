"""The kinds of value that Kafka's messages are made of.

A kind knows its name in Kafka's message definitions and its form in bytes as
far as that is a fact (a code for ``struct``, a size). How code is made of it
stands in ``decoding`` and ``encoding``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final
from uuid import UUID


class Struct:
    """Several fields in a row; a base for the classes that ``declare.struct`` makes."""

    __slots__ = ()
    wire_fields: ClassVar[tuple[Field, ...]] = ()


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value of one size. ``code`` is what ``struct`` calls it."""

    name: str
    code: str
    size: int
    zero: object


@dataclass(frozen=True, slots=True)
class Text:
    """A string of UTF-8 behind its length: int16, or uvarint of length + 1 when compact."""

    name: str = "string"


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes behind their length: int32, or uvarint of length + 1 when compact."""

    name: str
    zero: bytes | None


@dataclass(frozen=True, slots=True)
class Array:
    """Elements of one kind behind their count: int32, or uvarint of count + 1 when compact."""

    element: Kind

    @property
    def name(self) -> str:
        element = self.element
        return "[]" + (element.__name__ if isinstance(element, type) else element.name)


Kind = Fixed | Text | Blob | Array | type[Struct]

int8 = Fixed("int8", "b", 1, 0)
int16 = Fixed("int16", "h", 2, 0)
int32 = Fixed("int32", "i", 4, 0)
int64 = Fixed("int64", "q", 8, 0)
float64 = Fixed("float64", "d", 8, 0.0)
boolean = Fixed("bool", "?", 1, False)
uuid = Fixed("uuid", "16s", 16, UUID(int=0))
string = Text()
blob = Blob("bytes", b"")
records = Blob("records", None)


def array(element: Kind) -> Array:
    """The kind of a list whose elements are all of one kind."""
    return Array(element)


UNSET: Final = object()


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its kind, the versions that have it, and those in which it may be null."""

    name: str
    kind: Kind
    since: int
    until: int
    nullable_since: int | None
    default: object
    tag: int | None

    def present(self, version: int) -> bool:
        return self.since <= version <= self.until

    def nullable(self, version: int) -> bool:
        return self.nullable_since is not None and version >= self.nullable_since

    @property
    def default_factory(self) -> Callable[[], Any] | None:
        """What makes the default where each instance needs one of its own."""
        if self.default is UNSET:
            return list if isinstance(self.kind, Array) else self.kind  # type: ignore[return-value]
        return None
