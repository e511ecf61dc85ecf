"""The types of values in Kafka's messages.

A kind has its name in Kafka's message definitions and the facts about its encoding (a code for
``struct``, a size). ``decoding`` and ``encoding`` generate code from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final
from uuid import UUID


class Struct:
    """Several fields in sequence; a base for the classes of ``declare.struct``.

    They are compared and shown as dataclasses are. It is written once: to generate it for each of
    250 classes was 40 % of what their import takes.
    """

    __slots__ = ()
    wire_fields: ClassVar[tuple[Field, ...]] = ()

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(getattr(self, f.name) == getattr(other, f.name) for f in self.wire_fields)

    def __repr__(self) -> str:
        values = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in self.wire_fields)
        return f"{self.__class__.__qualname__}({values})"


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value of fixed size. ``code`` is that of ``struct``."""

    name: str
    code: str
    size: int
    zero: object


@dataclass(frozen=True, slots=True)
class Text:
    """A UTF-8 string after its length: int16, or uvarint of length + 1 if compact."""

    name: str = "string"


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes after their length: int32, or uvarint of length + 1 if compact."""

    name: str
    zero: bytes | None


@dataclass(frozen=True, slots=True)
class Array:
    """Elements of one kind after their count: int32, or uvarint of count + 1 if compact.

    ``kept``: its value may be a ``rollcall.wire.kept.Kept``.
    """

    element: Kind
    kept: bool = False

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


def array(element: Kind, *, kept: bool = False) -> Array:
    """The kind of a list whose elements are all of one kind."""
    return Array(element, kept)


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
        """Creates the default if each instance needs its own."""
        if self.default is UNSET:
            return list if isinstance(self.kind, Array) else self.kind  # type: ignore[return-value]
        return None
