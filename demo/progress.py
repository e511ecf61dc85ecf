"""How far a member has read: invented, since no topic holds a record. No I/O."""

from collections.abc import Collection, Mapping
from random import Random

STEP_MAX = 9


class Progress:
    """The positions of the partitions that a member holds."""

    def __init__(self, seed: str) -> None:
        self._rng = Random(seed)
        self._positions: dict[int, int] = {}

    def unknown(self, held: Collection[int]) -> list[int]:
        """Those whose committed offset has to be fetched; lost ones are dropped."""
        self._positions = {p: at for p, at in self._positions.items() if p in held}
        return sorted(set(held) - self._positions.keys())

    def begin(self, committed: Mapping[int, int]) -> None:
        """Go on where the group had come to; -1 is nowhere yet."""
        self._positions.update({p: max(at, 0) for p, at in committed.items()})

    def advance(self) -> dict[int, int]:
        """Work a little; the result is what to commit."""
        for partition in self._positions:
            self._positions[partition] += self._rng.randint(0, STEP_MAX)
        return dict(self._positions)
