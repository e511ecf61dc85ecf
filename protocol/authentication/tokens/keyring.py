"""An issuer's keys, kept up to date: periodically, and when a token names an unknown key.

While the issuer is unavailable, the last keys stay valid. Everything here runs on the loop; the
source makes the requests.
"""

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from joserfc.jwk import Key

from protocol.authentication.tokens import jwks
from protocol.authentication.tokens.jwks import Jwks, JwksError
from protocol.authentication.tokens.sources import Source, SourceError

logger = logging.getLogger(__name__)

UNKNOWN_EVERY_S: Final = 10.0
"""Minimum time between two requests to the issuer because of an unknown key: clients that invent
keys must not make us send many requests."""


class NoKeys(Exception):
    """The issuer is unavailable, so it is unknown whether a key is its own."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often the issuer is asked, in seconds: usually, and after failures, from the first pause
    to the longest."""

    refresh_s: float
    backoff_s: float
    backoff_max_s: float

    def pause_s(self, failures: int) -> float:
        """The pause after this many failures in sequence; 20 % more or less, at random."""
        if not failures:
            return self.refresh_s
        backoff_s = min(self.backoff_max_s, self.backoff_s * 2.0 ** min(failures - 1, 30))
        return backoff_s * random.uniform(0.8, 1.2)


class Keyring:
    """``run`` updates the keys until it is cancelled; ``find`` returns a token's keys."""

    def __init__(self, source: Source, pace: Pace, now: Callable[[], float]) -> None:
        self._source = source
        self._pace = pace
        self._now = now
        self.keys = Jwks()
        self._failures = 0
        self._loading: asyncio.Task[None] | None = None
        self._unknown_requested_at = -UNKNOWN_EVERY_S

    async def run(self) -> None:
        """Ask the issuer again and again."""
        try:
            while True:
                await self._request()
                await asyncio.sleep(self._pace.pause_s(self._failures))
        finally:
            if self._loading is not None:
                self._loading.cancel()
            self._source.close()

    async def find(self, key_id: str | None, algorithm: str) -> Sequence[Key]:
        """The keys that may have signed the token, maybe none. If there is none, the issuer is
        asked, unless it was asked just before. Raises ``NoKeys`` if it did not answer the last
        time."""
        found = self.keys.fitting(key_id, algorithm)
        if found:
            return found
        if self._may_request():
            await self._request()
            found = self.keys.fitting(key_id, algorithm)
        if not found and (self._failures or not self.keys):
            raise NoKeys("the issuer's keys could not be fetched")
        return found

    def _may_request(self) -> bool:
        """Whether a request to the issuer is running, or allowed."""
        if self._loading is not None:
            return True
        now = self._now()
        if now - self._unknown_requested_at < UNKNOWN_EVERY_S:
            return False
        self._unknown_requested_at = now
        return True

    async def _request(self) -> None:
        """Ask the issuer; concurrent callers share one request."""
        if self._loading is None:
            self._loading = asyncio.create_task(self._load())
            self._loading.add_done_callback(self._loaded)
        await asyncio.shield(self._loading)

    def _loaded(self, _task: "asyncio.Task[None]") -> None:
        self._loading = None

    async def _load(self) -> None:
        try:
            published = await self._source.read()
            self.keys = await asyncio.to_thread(jwks.read, published)  # 7 ms for 100 keys
        except (SourceError, JwksError) as error:
            self._failures += 1
            self._log_failure(str(error))
            return
        if self._failures:
            logger.info("the issuer's keys are there (%d)", len(self.keys))
        self._failures = 0

    def _log_failure(self, why: str) -> None:
        """Log the first failure, then at each doubling: an issuer may be unavailable for days."""
        if self._failures & (self._failures - 1) == 0:
            kept = f"the last {len(self.keys)} go on" if self.keys else "nobody gets in"
            logger.warning("the issuer's keys could not be fetched, %s: %s", kept, why)
