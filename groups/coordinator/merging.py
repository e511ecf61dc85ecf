"""Groups put together from the rows that were read: on the event loop, or beside it where large.

What is done here is pure: values in, a group that nobody knows yet out. Who seats it is
``groups.coordinator.runtime``.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from groups.core.conversion.step import LONG_STEP_MIN
from groups.core.group import Group, Millis, Rules, wait_for
from groups.core.kinds import KINDS
from groups.core.rows import Durable

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Merge:
    """``work`` gives the group of these rows. ``group`` is None before ``run``, and afterwards
    where the rows make no sense."""

    group_id: str
    work: Callable[[], Group]
    is_long: bool
    group: Group | None = None

    def run(self) -> None:
        """Put it together. What it fails over is in the log."""
        try:
            self.group = self.work()
        except Exception:
            self.group = None
            logger.exception("group %r cannot be loaded", self.group_id)

    async def run_aside(self) -> None:
        """The same, beside the loop where it takes long."""
        if self.is_long:
            await asyncio.to_thread(self.run)
        else:
            self.run()


def takes_long(durable: Durable) -> bool:
    """Whether these rows are too many for the event loop: by the members, the topics that each
    subscribes to and the partitions that it has, as far as rows of this kind tell of them."""
    size = 0
    for row in durable.members.values():
        told = row.details
        try:
            size += 1 + len(told.get("topics", ())) + len(told.get("since", ()))
        except (AttributeError, TypeError):
            return False  # of no kind that is known here: ``run`` finds out
        if size >= LONG_STEP_MIN:
            return True
    return False


def revived(durable: Durable, rules: Rules, clock: Callable[[], Millis], until: Millis) -> Group:
    """The group of these rows, whose next deadline is known."""
    now = clock()
    group = KINDS[durable.group.kind].merge(durable, None, rules, now)
    wait_for(group, until, now)
    group.due(now)
    return group


def begun(group: Group, clock: Callable[[], Millis], since: Millis) -> Group:
    """The same, put together at some time after ``since``, whose sessions begin now."""
    now = clock()
    group = group.rearm(now, now - since)
    group.due(now)
    return group


def rejoined(
    durable: Durable, old: Group, rules: Rules, clock: Callable[[], Millis], doubted_at: Millis
) -> Group:
    """These rows with what is live of the group. Heartbeats met an error while it was in doubt, to
    the very end of this: nobody pays with its session."""
    kind = KINDS[durable.group.kind]
    live = old.live if kind is type(old) else None
    group = kind.merge(durable, live, rules, clock())
    now = clock()
    return group.rearm(now, now - doubted_at)
