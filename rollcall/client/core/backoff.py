"""The pause before the next attempt: doubling, with jitter (KIP-580). No clock."""

from random import Random
from typing import Self

from rollcall.client.core.events import Identity, Millis

JITTER = 0.2


class Backoff:
    """``first`` milliseconds, then twice as long each time up to ``most``, each 20 % either way."""

    __slots__ = ("attempts", "first", "most", "rng")

    def __init__(self, first: Millis, most: Millis, rng: Random) -> None:
        self.first = first
        self.most = most
        self.rng = rng
        self.attempts = 0

    @classmethod
    def of(cls, identity: Identity, rng: Random) -> Self:
        """With the member's times."""
        return cls(identity.retry_backoff_ms, identity.retry_backoff_max_ms, rng)

    def next(self) -> Millis:
        """An attempt has failed: the pause before the next."""
        wait: float = min(self.most, self.first * 2 ** min(self.attempts, 20))
        self.attempts += 1
        return int(wait * self.rng.uniform(1 - JITTER, 1 + JITTER))

    def reset(self) -> None:
        """An attempt has succeeded."""
        self.attempts = 0
