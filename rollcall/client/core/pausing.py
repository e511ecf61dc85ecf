"""What a stopped member tells its application, and what it keeps back: pure, for every protocol.

A stopped member goes on being one: what it is given it is given, what it gives up it gives up.
Only the application is told of no new work until it may begin; it never hears that something
goes of which it never heard that it came.
"""

from dataclasses import replace
from typing import NamedTuple

from rollcall.client.core.events import NOTHING, Change, Kind, Partitions


class Order(NamedTuple):
    """Why this member's work is stopped: who wanted it and what for, in the operator's words."""

    command_id: int
    reason: str


class Gate:
    """Between what the machine says and what the application hears.

    ``known``: partitions of which the application knows that they are its own. ``order``: the one
    that keeps it stopped, or None.
    """

    def __init__(self) -> None:
        self.order: Order | None = None
        self.known: Partitions = NOTHING
        self._withheld: Partitions = NOTHING

    def passes(self, change: Change) -> Change | None:
        """The change as the application is to hear it; None: not now, or not at all."""
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
        """What the application is to hear of this order; None: work. It is obeyed once the
        application has returned from that."""
        before, self.order = self.order, order
        if (before is None) == (order is None):
            return ()
        if order is not None:
            return (Change(Kind.PAUSED, self.known, epoch),)
        resumed = Change(Kind.RESUMED, self.known, epoch)
        come, self._withheld = self._withheld, NOTHING
        self.known |= come
        return (resumed, Change(Kind.ASSIGNED, come, epoch)) if come else (resumed,)
