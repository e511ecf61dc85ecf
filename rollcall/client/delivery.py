"""Delivers changes to the application, one at a time: by callbacks and to the loop over them."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from rollcall.client import calling
from rollcall.client.calling import Callback
from rollcall.client.change_stream import Changes
from rollcall.client.core.events import NOTHING, Change, Kind, Partitions, TopicPartition
from rollcall.client.core.pausing import Gate, Order
from rollcall.client.errors import CommitRefused, Unavailable
from rollcall.client.metrics import Metrics, report
from rollcall.client.offsets import Ledger, Look, gone_of

Callbacks = Mapping[Kind, Callback | None]

log = logging.getLogger("rollcall.client")


class Delivery:
    """``owner`` is the member, which identifies calls of the application (``calling``). ``look``
    returns its standing for a commit, ``epoch`` its current epoch. ``gate`` delays changes while an
    operator has stopped the member's work."""

    def __init__(
        self,
        owner: object,
        callbacks: Callbacks,
        ledger: Ledger,
        look: Look,
        epoch: Callable[[], int],
        metrics: Metrics,
    ) -> None:
        self.changes, self.gate = Changes(), Gate()
        self._owner = owner
        self._callbacks = callbacks
        self._ledger = ledger
        self._look = look
        self._epoch = epoch
        self._metrics = metrics
        self._telling = asyncio.Lock()

    async def deliver(self, change: Change) -> None:
        """Commit noted offsets of revoked partitions, then call the application."""
        async with self._telling:
            noted = {}
            if change.kind is not Kind.ASSIGNED:
                noted = self._ledger.take_noted(change.partitions)
            gone: Partitions = NOTHING
            if change.kind is Kind.REVOKED:
                gone = await self._commit_noted(noted)
            for part in _without(change, gone):
                passed = self.gate.passes(part)
                if passed is not None:
                    await self._deliver(passed)

    async def obey(self, order: Order | None) -> None:
        """Stop or resume work as an operator wants; returns when the application has returned."""
        async with self._telling:
            for change in self.gate.turns(order, self._epoch()):
                await self._deliver(change)

    def takes_losses(self) -> bool:
        """Whether the application has a callback for lost partitions."""
        return self._callbacks[Kind.LOST] is not None

    async def report_loss(self, lost: Partitions) -> None:
        """Call back for lost partitions after the member has ended, when ``changes`` has ended
        too."""
        callback = self._callbacks[Kind.LOST]
        assert callback is not None
        async with self._telling:
            await calling.call_back(self._owner, callback, lost)

    async def _deliver(self, change: Change) -> None:
        callback, began = self._callbacks[change.kind], time.monotonic()
        if callback is not None:
            await calling.call_back(self._owner, callback, change.partitions)
        await self.changes.publish(change)
        took_s = time.monotonic() - began
        report(self._metrics.changed, change.kind.value, len(change.partitions), took_s)

    async def _commit_noted(self, noted: Mapping[TopicPartition, int]) -> Partitions:
        """Commit this before revocation; returns the partitions whose topics were deleted."""
        try:
            await self._ledger.commit(noted, self._look)
        except (CommitRefused, Unavailable) as error:
            # The next owner begins at the last commit: work is repeated, not lost.
            log.warning("%s: not committed before revocation: %s", self._ledger.group, error)
            return frozenset(gone_of(error.codes) if isinstance(error, CommitRefused) else ())
        return NOTHING


def by_kind(
    assigned: Callback | None,
    revoked: Callback | None,
    lost: Callback | None,
    paused: Callback | None,
    resumed: Callback | None,
) -> Callbacks:
    """The callbacks by kind of change. Raises ``ValueError`` for objects that cannot be called."""
    callbacks = {
        Kind.ASSIGNED: assigned,
        Kind.REVOKED: revoked,
        Kind.LOST: lost,
        Kind.PAUSED: paused,
        Kind.RESUMED: resumed,
    }
    for callback in callbacks.values():
        if callback is not None and not callable(callback):
            raise ValueError(f"{callback!r} cannot be called")
    return callbacks


def _without(change: Change, gone: Partitions) -> list[Change]:
    """The change, and as a loss the part of it whose topics were deleted."""
    if not gone:
        return [change]
    kept = change.partitions - gone
    lost = replace(change, kind=Kind.LOST, partitions=gone)
    return [lost, replace(change, partitions=kept)] if kept else [lost]
