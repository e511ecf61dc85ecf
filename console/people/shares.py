"""A budget that strangers share: so much a second for each address, and so much for all of them.

Without the first, one stranger uses up what there is, and everybody else is refused. Arithmetic
only. Who is refused has taken nothing: whoever goes on asking delays nobody by that.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from groups.core.group import Millis
from groups.core.networks import network_of

MS_PER_S: Final = 1_000

KNOWN_MAX: Final = 10_000
"""Addresses that are counted at a time, with 200 bytes each; of more, the one that has asked
nothing for longest starts anew, and what there is for all still holds."""


@dataclass(slots=True)
class _Left:
    """Thousandths of what may be taken, at a time."""

    milli: int
    at: Millis

    def has_one(self, per_second: int, now: Millis) -> bool:
        """Whether there is one, after what was gained since."""
        gained = max(0, now - self.at) * per_second
        self.milli, self.at = min(self.milli + gained, per_second * MS_PER_S), max(self.at, now)
        return self.milli >= MS_PER_S


class Shares:
    """``of_one`` a second for each address, ``of_all`` for all together; as many at once."""

    def __init__(self, of_one: int, of_all: int) -> None:
        assert 0 < of_one < of_all
        self.of_one = of_one
        self.of_all = of_all
        self._all = _Left(of_all * MS_PER_S, 0)
        self._of: OrderedDict[str, _Left] = OrderedDict()

    def take(self, address: str, now: Millis) -> bool:
        """Whether this address may have one more."""
        whose = network_of(address)
        mine = self._of.setdefault(whose, _Left(self.of_one * MS_PER_S, now))
        self._of.move_to_end(whose)
        if len(self._of) > KNOWN_MAX:
            self._of.popitem(last=False)
        if not (mine.has_one(self.of_one, now) and self._all.has_one(self.of_all, now)):
            return False
        mine.milli -= MS_PER_S
        self._all.milli -= MS_PER_S
        return True
