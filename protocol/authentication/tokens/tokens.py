"""Verifies clients' tokens beside the loop, one after another, with the issuer's keys."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, TypeVar

from groups.places import Places
from protocol.authentication.tokens import sources
from protocol.authentication.tokens.keyring import Keyring, Pace
from protocol.authentication.tokens.verification import Claimed, Judged, TokenError, Verification

WAITING_MAX: Final = 1_024
"""Tokens that wait to be read or verified, a few tenths of a second's worth. One more ends its
connection, or another one of the address that has most of them."""

AT_ONCE: Final = 16
"""One by the thread, and those that it finds meanwhile: a few milliseconds' worth."""


Result = TypeVar("Result")


class Tokens:
    """The state that a node's listeners with OAUTHBEARER share. ``now_s``: seconds since 1970."""

    def __init__(
        self,
        verification: Verification,
        source: sources.Source,
        pace: Pace,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        self.verification = verification
        self.keyring = Keyring(source, pace, time.monotonic)
        self.now_s = now_s
        self.places = Places(AT_ONCE, WAITING_MAX)
        self._beside = ThreadPoolExecutor(1, "tokens")

    async def run(self) -> None:
        """Keep the keys up to date, until cancelled."""
        try:
            await self.keyring.run()
        finally:
            self._beside.shutdown(wait=False, cancel_futures=True)

    async def claimed(self, token: str, address: str) -> Claimed:
        """Whose it says to be, before anybody has verified it; ``TokenError``, ``Crowded``."""
        return await self._work(partial(self.verification.claimed, token), address)

    async def judged(self, token: str, claimed: Claimed, address: str) -> Judged:
        """What it says, verified; ``TokenError``, ``Crowded``, ``NoKeys``."""
        keys = await self.keyring.find(claimed.key_id, claimed.algorithm)
        if not keys:
            raise TokenError("no key of the issuer has signed the token")
        judged = self.verification.judged
        work = partial(judged, token, claimed.algorithm, keys, self.now_s())
        return await self._work(work, address)

    async def _work(self, do: Callable[[], Result], address: str) -> Result:
        await self.places.take(address)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._beside, do)
        finally:
            self.places.give()
