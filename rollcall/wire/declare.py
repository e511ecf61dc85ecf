"""How a message is declared: one class, its versions as data on its fields.

    @message(api_key=12, versions="0-4", flexible="4+")
    class HeartbeatRequest(Message):
        group_id: str = wire(string)
        group_instance_id: str | None = wire(string, since=3, default=None)

The class is a dataclass with slots and keyword arguments, every field has a default. This
file converts declarations to data; ``decoding`` and ``encoding`` generate code from it. It knows no
message.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple, TypeVar, cast, dataclass_transform

from rollcall.wire.kinds import UNSET, Array, Kind, Struct, Text
from rollcall.wire.kinds import Field as Field

VERSION_LAST: Final = 0x7FFF
_S = TypeVar("_S", bound=type[Struct])


class Message(Struct):
    """A whole message: one API's request or response, or data inside other messages.

    ``api_key`` is None for data without a header of its own; ``versions`` are the first and the
    last declared one.
    """

    __slots__ = ()
    api_key: ClassVar[int | None] = None
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_since: ClassVar[int | None] = None

    @classmethod
    def flexible(cls, version: int) -> bool:
        """Whether this version has compact lengths and tagged fields (KIP-482)."""
        return cls.flexible_since is not None and version >= cls.flexible_since


class _Spec(NamedTuple):
    kind: Kind
    since: int
    until: int
    nullable_since: int | None
    default: object
    tag: int | None


def wire(
    kind: Kind,
    *,
    since: int = 0,
    until: int = VERSION_LAST,
    nullable_since: int | None = None,
    default: object = UNSET,
    tag: int | None = None,
) -> Any:
    """Declare how a field is encoded.

    ``default`` is used if the version has no such field, or the caller gives no value; if it is
    omitted it is zero, empty, or a struct of defaults. A default of None makes the field nullable
    wherever it is present; ``nullable_since`` is for fields that are nullable with another default.
    """
    if default is None and nullable_since is None:
        nullable_since = since
    return _Spec(kind, since, until, nullable_since, default, tag)


def _field(name: str, spec: _Spec) -> Field:
    default = spec.default
    if default is UNSET and not isinstance(spec.kind, Array | type):
        default = "" if isinstance(spec.kind, Text) else spec.kind.zero
    return Field(name, **spec._replace(default=default)._asdict())


def _declare(cls: _S) -> _S:
    fields = tuple(
        _field(name, spec) for name, spec in vars(cls).items() if isinstance(spec, _Spec)
    )
    for field in fields:
        factory = field.default_factory
        made = (
            dataclasses.field(default_factory=factory)
            if factory
            else dataclasses.field(default=field.default)
        )
        setattr(cls, field.name, made)
    declared = dataclass(slots=True, kw_only=True, repr=False, eq=False)(cls)
    declared.wire_fields = fields
    return cast(_S, declared)


@dataclass_transform(kw_only_default=True)
def struct(cls: _S) -> _S:
    """Declare fields that are encoded together inside a message."""
    return _declare(cls)


@dataclass_transform(kw_only_default=True)
def message(
    *, api_key: int | None = None, versions: str, flexible: str = "none"
) -> Callable[[type[Any]], type[Any]]:
    """Declare a message: its key, its versions ("0-9" or "0"), the flexible ones ("6+")."""
    first, _, last = versions.partition("-")

    def declare(cls: type[Any]) -> type[Any]:
        declared = _declare(cls)
        declared.api_key = api_key
        declared.versions = (int(first), int(last or first))
        declared.flexible_since = None if flexible == "none" else int(flexible.rstrip("+"))
        return declared

    return declare


class Layout(NamedTuple):
    """One version of a struct: fields in wire order, tagged fields in tag order, and the rest."""

    plain: tuple[Field, ...]
    tagged: tuple[Field, ...]
    absent: tuple[Field, ...]


def layout(cls: type[Struct], version: int) -> Layout:
    """The fields of ``cls`` in this version."""
    here = [field for field in cls.wire_fields if field.present(version)]
    return Layout(
        plain=tuple(field for field in here if field.tag is None),
        tagged=tuple(sorted((f for f in here if f.tag is not None), key=lambda f: f.tag or 0)),
        absent=tuple(field for field in cls.wire_fields if not field.present(version)),
    )
