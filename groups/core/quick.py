"""Frozen values that are made for every request: an ``__init__`` that takes half the time.

The one that ``dataclasses`` writes for a frozen class sets each field by
``object.__setattr__(self, name, value)``, which looks the name up each time. With slots, a field
has a descriptor that sets it directly. The value is as frozen as before. Figures are in
docs/hot-path.md.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

T = TypeVar("T")


def quick(cls: type[T]) -> type[T]:
    """A decorator above ``@dataclass(frozen=True, slots=True)``."""
    all_fields = fields(cls)  # type: ignore[arg-type]  # a dataclass, which its type does not say
    names: dict[str, Any] = {"MISSING": MISSING}
    first = [_parameter(f, names) for f in all_fields if not f.kw_only]
    named = [_parameter(f, names) for f in all_fields if f.kw_only]
    parameters = ", ".join(["self", *first, *(["*", *named] if named else [])])
    lines = [_line(f, names, getattr(cls, f.name).__set__) for f in all_fields]
    exec("\n    ".join([f"def __init__({parameters}):", *lines, "pass"]), names)
    cls.__init__ = names["__init__"]  # type: ignore[method-assign]
    return cls


def _parameter(field: Field[Any], names: dict[str, Any]) -> str:
    if field.default is not MISSING:
        names[f"default_{field.name}"] = field.default
        return f"{field.name}=default_{field.name}"
    if field.default_factory is not MISSING:
        names[f"make_{field.name}"] = field.default_factory
        return f"{field.name}=MISSING"
    return field.name


def _line(field: Field[Any], names: dict[str, Any], setter: Callable[..., None]) -> str:
    name = field.name
    names[f"set_{name}"] = setter
    if field.default_factory is MISSING:
        return f"set_{name}(self, {name})"
    return f"set_{name}(self, make_{name}() if {name} is MISSING else {name})"


_COPIERS: dict[type, Callable[..., Any]] = {}


def replaced(value: T, /, **changes: Any) -> T:
    """``dataclasses.replace`` of a value with slots, in half of the time: fields are copied as they
    are, ``__init__`` is not called. An unknown field raises ``KeyError``."""
    kind = value.__class__
    copier = _COPIERS.get(kind)
    if copier is None:
        copier = _COPIERS[kind] = _copier(kind)
    made: T = copier(value, changes)
    return made


def _copier(cls: type) -> Callable[..., Any]:
    """A function from a value and its changes to the copy, written for the fields of the class."""
    assert not hasattr(cls, "__post_init__")
    names = [f.name for f in fields(cls)]
    known: dict[str, Any] = {f"set_{name}": getattr(cls, name).__set__ for name in names}
    known |= {"cls": cls, "new": object.__new__}
    known["setters"] = {name: known[f"set_{name}"] for name in names}
    lines = [
        "def copier(value, changes):",
        "made = new(cls)",
        *(f"set_{name}(made, value.{name})" for name in names),
        "for name in changes: setters[name](made, changes[name])",
        "return made",
    ]
    exec("\n    ".join(lines), known)
    made: Callable[..., Any] = known["copier"]
    return made
