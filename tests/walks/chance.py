"""Chance that is the same on every version of Python: it uses ``random`` alone."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """Choices of one life."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)

    def below(self, count: int) -> int:
        """A number from 0 on."""
        return int(self._random.random() * count)

    def once_in(self, times: int) -> bool:
        return self.below(times) == 0

    def pick(self, some: Sequence[T]) -> T:
        return some[self.below(len(some))]

    def some(self, all_: Sequence[T], most: int) -> tuple[T, ...]:
        """Up to so many of them, in any order, each once."""
        left, found = list(all_), []
        for _ in range(min(self.below(most + 1), len(left))):
            found.append(left.pop(self.below(len(left))))
        return tuple(found)
