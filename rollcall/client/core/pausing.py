"""What a stopped member reports to its application, and what it delays: pure, for every protocol.

A stopped member stays a member: it is assigned and revokes partitions. Only the application gets no
new partitions until it may start; it never gets a revocation of partitions that it did not get.
"""

from dataclasses import replace
from typing import NamedTuple

from rollcall.client.core.events import NOTHING, Change, Kind, Partitions


class Order(NamedTuple):
    """Why this member's work is stopped: the operator, and the reason."""

    command_id: int
    reason: str


class Gate:
    """Filters changes between the machine and the application.

    ``known``: partitions that the application has got. ``order``: the one that stops it, or None.
    """

    def __init__(self) -> None:
        self.order: Order | None = None
        self.known: Partitions = NOTHING
        self._withheld: Partitions = NOTHING

    def passes(self, change: Change) -> Change | None:
        """The change for the application; None: not now, or not at all."""
        if change.kind is Kind.ASSIGNED:
            if self.order is not None:
                self._withheld |= change.partitions
                return None
            self.known |= change.partitions
            return change
        self._withheld -= change.partitions
        gone = self.known & change.partitions
        self.known -= gone
        return replace(change, partitions=gone) if gone else None

    def turns(self, order: Order | None, epoch: int) -> tuple[Change, ...]:
        """The application's changes for this order; None: start. It is obeyed once the application
        has returned from them."""
        before, self.order = self.order, order
        if (before is None) == (order is None):
            return ()
        if order is not None:
            return (Change(Kind.PAUSED, self.known, epoch),)
        resumed = Change(Kind.RESUMED, self.known, epoch)
        come, self._withheld = self._withheld, NOTHING
        self.known |= come
        return (resumed, Change(Kind.ASSIGNED, come, epoch)) if come else (resumed,)
