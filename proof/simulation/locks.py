"""Row locks of a modelled PostgreSQL: who holds them, who waits, and for how long.

Slots and groups need only two modes: share and exclusive. No rows here.
"""

from collections import defaultdict
from collections.abc import Callable
from itertools import chain
from typing import Final

from proof.simulation.world import MS, Micros, World

SHARE: Final = "share"
EXCLUSIVE: Final = "exclusive"
KEY_SHARE: Final = "key share"
"""The lock of a foreign key: it does not conflict with an update of other columns."""

LOCK_TIMEOUT: Final[Micros] = 1_000 * MS

Key = tuple[str, object]


class Locks:
    """All row locks. A transaction is any hashable object that holds some of them."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._held: dict[Key, dict[object, str]] = defaultdict(dict)
        self._of: dict[object, dict[Key, None]] = defaultdict(dict)
        self._waiting: dict[Key, list[tuple[object, str, Callable[[bool], None]]]] = defaultdict(
            list
        )

    def concern(self, session: object) -> bool:
        """Whether any transaction of the session holds a lock, or waits for one: it is granted to a
        backend that hangs, too."""
        holding = (by for by, keys in self._of.items() if keys)
        waiting = (by for entries in self._waiting.values() for by, _, _ in entries)
        return any(getattr(by, "session", None) is session for by in chain(holding, waiting))

    def is_free(self, key: Key, by: object, mode: str) -> bool:
        """Whether the lock is available at once."""
        if mode == KEY_SHARE:
            return True
        others = [m for who, m in self._held[key].items() if who is not by and m != KEY_SHARE]
        return not others if mode == EXCLUSIVE else EXCLUSIVE not in others

    def take(self, key: Key, by: object, mode: str, then: Callable[[bool], None]) -> None:
        """Call ``then(True)`` with the lock held, or ``then(False)`` after the lock timeout."""
        if self.is_free(key, by, mode):
            self._hold(key, by, mode)
            then(True)
            return
        entry = (by, mode, then)
        self._waiting[key].append(entry)
        self.world.after(LOCK_TIMEOUT, self._give_up, key, entry)

    def release(self, by: object) -> None:
        """A transaction ended: the waiting ones continue, in order."""
        mine = self._of.pop(by, {})
        for key in mine:
            del self._held[key][by]
        for key in mine:
            waiting, self._waiting[key] = self._waiting[key], []
            for who, mode, then in waiting:
                if self.is_free(key, who, mode):
                    self._hold(key, who, mode)
                    self.world.after(0, then, True)
                else:
                    self._waiting[key].append((who, mode, then))

    def _hold(self, key: Key, by: object, mode: str) -> None:
        self._held[key][by] = mode
        self._of[by][key] = None

    def _give_up(self, key: Key, entry: tuple[object, str, Callable[[bool], None]]) -> None:
        if entry in self._waiting[key]:
            self._waiting[key].remove(entry)
            entry[2](False)
