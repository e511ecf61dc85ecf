"""A dict whose copies share what they have in common (a persistent map, in the sense of Okasaki).

A step changes a private copy of a group, in few places. Were that copied entry by entry, a round
of ten thousand joins that come one at a time would cost a hundred million entries.
"""

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from collections.abc import MutableMapping as Base
from itertools import chain
from math import isqrt
from typing import Any, Final, Generic, TypeVar, overload

K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")

OVER_MAX: Final = 64
"""Differences that a copy takes along; with more of them (more than the root of all entries, where
that is greater) the entries are put together anew, so an entry is copied once in so many copies."""

_ABSENT: Final[Any] = object()
_GONE: Final[Any] = object()
"""Stands for a value where an entry of the base was deleted."""


class SharedDict(Base[K, V], Generic[K, V]):
    """A dict, with the order of a dict. ``copy`` costs the differences alone.

    ``_base`` is shared and never changed, ``_over`` is this one's own and goes first.
    ``touched``: the keys set or deleted since this was copied; None where it is no copy, or is
    another altogether.
    """

    __slots__ = ("_base", "_len", "_over", "touched")

    def __init__(self, entries: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        self._base: dict[K, V] = dict(entries)
        self._over: dict[Any, Any] = {}
        self._len = len(self._base)
        self.touched: set[K] | None = None

    def copy(self) -> "SharedDict[K, V]":
        """Another one with the same entries; neither sees what becomes of the other."""
        after: SharedDict[K, V] = SharedDict.__new__(SharedDict)
        if len(self._over) > max(OVER_MAX, isqrt(len(self._base))):
            after._base, after._over = self._entries(), {}
        else:
            after._base, after._over = self._base, self._over.copy()
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
        """The entry of this key, else the default."""
        value = self._over.get(key, _ABSENT)
        if value is _ABSENT:
            return self._base.get(key, default)
        return default if value is _GONE else value

    def __contains__(self, key: object) -> bool:
        value = self._over.get(key, _ABSENT)
        return key in self._base if value is _ABSENT else value is not _GONE

    def __setitem__(self, key: K, value: V) -> None:
        before = self._over.get(key, _ABSENT)
        if before is _GONE:  # it comes back, and behind all others
            self._base, self._over, before = self._entries(), {}, _ABSENT
        if before is _ABSENT and key not in self._base:
            self._len += 1
        self._over[key] = value
        if self.touched is not None:
            self.touched.add(key)

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        if key in self._base:
            self._over[key] = _GONE
        else:
            del self._over[key]
        self._len -= 1
        if self.touched is not None:
            self.touched.add(key)

    def clear(self) -> None:
        """Delete every entry at once."""
        self._base, self._over, self._len, self.touched = {}, {}, 0, None

    def __len__(self) -> int:
        return self._len

    def __iter__(self) -> Iterator[K]:
        over, base = self._over, self._base
        if not over:
            return iter(base)
        return self._walk()

    def _walk(self) -> Iterator[K]:
        """Key by key: whoever wants the first one need not put all of them together."""
        over, base = self._over, self._base
        for key in base:
            if over.get(key, _ABSENT) is not _GONE:
                yield key
        for key in over:
            if key not in base:
                yield key

    def keys(self) -> KeysView[K]:
        """The keys as they are now."""
        return self._entries().keys()

    def values(self) -> ValuesView[V]:
        """The values as they are now."""
        return self._entries().values()

    def items(self) -> ItemsView[K, V]:
        """The entries as they are now."""
        return self._entries().items()

    def _entries(self) -> dict[K, V]:
        """All entries in order, in a dict that nobody may change."""
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
    """A copy of these entries, to be changed."""
    return entries.copy() if isinstance(entries, SharedDict) else SharedDict(entries)


def may_differ(before: Mapping[K, V], after: Mapping[K, V]) -> Iterable[K]:
    """The keys to look at for whoever wants to know what has changed: few, where one of these came
    from the other by copies; in any case each key once."""
    if isinstance(before, SharedDict) and isinstance(after, SharedDict):
        if before._base is after._base:
            return before._over.keys() | after._over.keys()
    return chain(before, (key for key in after if key not in before))
