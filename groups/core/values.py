"""Values that are cheap to make and to copy. A step makes thousands, and changes few entries of a
group.

``quick`` makes frozen dataclasses with an ``__init__`` that takes half the time. The one that
``dataclasses`` writes for a frozen class sets each field by ``object.__setattr__(self, name,
value)``, which looks the name up each time. With slots, a field has a descriptor that sets it
directly. The value is as frozen as before. Figures are in docs/hot-path.md.

``SharedDict`` is a dict whose copies share their common entries (a persistent map, as Okasaki calls
it). If each copy copied all entries, ten thousand joins that arrive one by one would copy a hundred
million.
"""

from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from collections.abc import MutableMapping as Base
from dataclasses import MISSING, Field, fields
from itertools import chain
from math import isqrt
from typing import Any, Final, Generic, TypeVar, overload

K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")
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


OVER_MAX: Final = 64
"""Maximum number of differences in a copy; with more (and more than the root of the number of
entries) all entries are merged, so an entry is copied only once in that many copies."""

_ABSENT: Final[Any] = object()
_GONE: Final[Any] = object()
"""The value of a deleted entry of the base."""


class SharedDict(Base[K, V], Generic[K, V]):
    """A dict in insertion order. ``copy`` costs nothing, a copy's first change its differences.

    ``_base`` is shared and never changed, ``_over`` has this copy's differences and takes
    precedence; copies share it until one of them changes (``_owns``). ``touched``: the keys set or
    deleted since it was copied; None if it is no copy, or was cleared.
    """

    __slots__ = ("_base", "_len", "_over", "_owns", "touched")

    def __init__(self, entries: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        self._base: dict[K, V] = dict(entries)
        self._over: dict[Any, Any] = {}
        self._owns = True
        self._len = len(self._base)
        self.touched: set[K] | None = None

    def copy(self) -> "SharedDict[K, V]":
        """Another dict with the same entries; changes of one are not seen in the other."""
        after: SharedDict[K, V] = SharedDict.__new__(SharedDict)
        over = self._over
        if len(over) > OVER_MAX and len(over) > isqrt(len(self._base)):
            after._base, after._over, after._owns = self._entries(), {}, True
        else:
            after._base, after._over, after._owns = self._base, over, False
            self._owns = False
        after._len = self._len
        after.touched = set()
        return after

    def __getitem__(self, key: K) -> V:
        value: V = self._over.get(key, _ABSENT)
        if value is _ABSENT:
            return self._base[key]
        if value is _GONE:
            raise KeyError(key)
        return value

    @overload
    def get(self, key: K, /) -> V | None: ...
    @overload
    def get(self, key: K, /, default: V | D) -> V | D: ...
    def get(self, key: K, /, default: Any = None) -> Any:
        """The value of this key, or the default."""
        value = self._over.get(key, _ABSENT)
        if value is _ABSENT:
            return self._base.get(key, default)
        return default if value is _GONE else value

    def __contains__(self, key: object) -> bool:
        value = self._over.get(key, _ABSENT)
        return key in self._base if value is _ABSENT else value is not _GONE

    def __setitem__(self, key: K, value: V) -> None:
        if not self._owns:
            self._own()
        before = self._over.get(key, _ABSENT)
        if before is _GONE:  # a deleted key is inserted again, at the end
            self._base, self._over, before = self._entries(), {}, _ABSENT
        if before is _ABSENT and key not in self._base:
            self._len += 1
        self._over[key] = value
        if self.touched is not None:
            self.touched.add(key)

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        if not self._owns:
            self._own()
        if key in self._base:
            self._over[key] = _GONE
        else:
            del self._over[key]
        self._len -= 1
        if self.touched is not None:
            self.touched.add(key)

    def clear(self) -> None:
        """Delete all entries."""
        self._base, self._over, self._len, self.touched = {}, {}, 0, None
        self._owns = True

    def _own(self) -> None:
        self._over, self._owns = self._over.copy(), True

    def __len__(self) -> int:
        return self._len

    def __iter__(self) -> Iterator[K]:
        over, base = self._over, self._base
        if not over:
            return iter(base)
        return self._walk()

    def _walk(self) -> Iterator[K]:
        """Yield key by key: a caller that needs only the first need not merge all entries."""
        over, base = self._over, self._base
        for key in base:
            if over.get(key, _ABSENT) is not _GONE:
                yield key
        for key in over:
            if key not in base:
                yield key

    def keys(self) -> KeysView[K]:
        """The current keys."""
        return self._entries().keys()

    def values(self) -> ValuesView[V]:
        """The current values."""
        return self._entries().values()

    def items(self) -> ItemsView[K, V]:
        """The current entries."""
        return self._entries().items()

    def _entries(self) -> dict[K, V]:
        """All entries in order, in a dict that must not be changed."""
        if not self._over:
            return self._base
        entries = self._base.copy()
        for key, value in self._over.items():
            if value is _GONE:
                del entries[key]
            else:
                entries[key] = value
        return entries

    def __repr__(self) -> str:
        return f"SharedDict({self._entries()!r})"


def shared(entries: Mapping[K, V]) -> SharedDict[K, V]:
    """A copy of these entries, for changes."""
    return entries.copy() if isinstance(entries, SharedDict) else SharedDict(entries)


def may_differ(before: Mapping[K, V], after: Mapping[K, V]) -> Iterable[K]:
    """The keys that may differ: few, if one of the dicts is a copy of the other; each key once in
    any case."""
    if isinstance(before, SharedDict) and isinstance(after, SharedDict):
        if before._base is after._base:
            return before._over.keys() | after._over.keys()
    return chain(before, (key for key in after if key not in before))
