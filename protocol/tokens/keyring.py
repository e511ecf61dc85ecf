"""An issuer's keys, kept up to date: by the clock, and when a token names one that is not there.

While the issuer is away the last keys go on. Everything here runs on the loop; asking is the
source's.
"""

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from joserfc.jwk import Key

from protocol.tokens import jwks
from protocol.tokens.jwks import Jwks, JwksError
from protocol.tokens.sources import Source, SourceError

logger = logging.getLogger(__name__)

UNKNOWN_EVERY_S: Final = 10.0
"""Between two times that the issuer is asked because a token names an unknown key: whoever makes
such keys up shall not make us knock."""


class NoKeys(Exception):
    """The issuer cannot be asked: nobody can say whether a key is its own."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often the issuer is asked, in seconds: as a rule, and after the first failure and at the
    most after many."""

    refresh_s: float
    backoff_s: float
    backoff_max_s: float

    def pause_s(self, failures: int) -> float:
        """After so many failures without a success; by chance a fifth more or less."""
        if not failures:
            return self.refresh_s
        wanted = min(self.backoff_max_s, self.backoff_s * 2.0 ** min(failures - 1, 30))
        return wanted * random.uniform(0.8, 1.2)


class Keyring:
    """``run`` asks until cancelled; ``find`` gives a token's keys."""

    def __init__(self, source: Source, pace: Pace, now: Callable[[], float]) -> None:
        self._source = source
        self._pace = pace
        self._now = now
        self.known = Jwks()
        self._failures = 0
        self._asking: asyncio.Task[None] | None = None
        self._asked_for_unknown_at = -UNKNOWN_EVERY_S

    async def run(self) -> None:
        """The issuer is asked again and again."""
        try:
            while True:
                await self._ask()
                await asyncio.sleep(self._pace.pause_s(self._failures))
        finally:
            if self._asking is not None:
                self._asking.cancel()
            self._source.close()

    async def find(self, key_id: str | None, algorithm: str) -> Sequence[Key]:
        """The keys that may have signed so, perhaps none. Where there is none the issuer is asked,
        unless it was of late. ``NoKeys`` where it did not answer the last time."""
        found = self.known.fitting(key_id, algorithm)
        if found:
            return found
        if self._may_ask():
            await self._ask()
            found = self.known.fitting(key_id, algorithm)
        if not found and (self._failures or not self.known):
            raise NoKeys("the issuer's keys cannot be had")
        return found

    def _may_ask(self) -> bool:
        """Whether the issuer is being asked already, or may be."""
        if self._asking is not None:
            return True
        now = self._now()
        if now - self._asked_for_unknown_at < UNKNOWN_EVERY_S:
            return False
        self._asked_for_unknown_at = now
        return True

    async def _ask(self) -> None:
        """Once, for all who want to know."""
        if self._asking is None:
            self._asking = asyncio.create_task(self._load())
            self._asking.add_done_callback(self._asked)
        await asyncio.shield(self._asking)

    def _asked(self, _task: "asyncio.Task[None]") -> None:
        self._asking = None

    async def _load(self) -> None:
        try:
            published = await self._source.read()
            self.known = await asyncio.to_thread(jwks.read, published)  # 7 ms for 100 keys
        except (SourceError, JwksError) as error:
            self._failures += 1
            self._tell(str(error))
            return
        if self._failures:
            logger.info("the issuer's keys are there (%d)", len(self.known))
        self._failures = 0

    def _tell(self, why: str) -> None:
        """The first time, and then when it doubles: an issuer may be away for days."""
        if self._failures & (self._failures - 1) == 0:
            kept = f"the last {len(self.known)} go on" if self.known else "nobody gets in"
            logger.warning("the issuer's keys cannot be had, %s: %s", kept, why)
