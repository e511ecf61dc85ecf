"""Logs one line for each rebalance, with its reason, from decisions that were written.

How many partitions of a classic group moved is known when its leader has sent the assignment,
shortly after the generation rose: its line waits for that, but not for long. The log itself limits
the lines of a storm, and counts those that it leaves out (docs/operating.md, *Logs*).
"""

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from groups.core.group import JournalEntry
from groups.core.journal import EntryKind
from groups.store.apply import Write

logger = logging.getLogger(__name__)

SENTENCES: Final[Mapping[str, str]] = {
    EntryKind.REBALANCE_COMPLETED: "rebalanced",
    EntryKind.REBALANCE_ABANDONED: "a rebalance was abandoned",
    EntryKind.EMPTIED: "the group is empty",
}
"""Kinds of entries that end a rebalance. Constant texts, since the log counts by them."""

MOVED: Final = "moved"

WAIT_S: Final = 10.0
"""How long a line waits for the assignment, in case the leader hangs."""

WAITING_MAX: Final = 1_000

Fields = dict[str, Any]


class RebalanceLog:
    """The log lines of a node; some wait."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._waiting: dict[str, tuple[float, Fields]] = {}

    def read(self, write: Write) -> None:
        """Log the rebalances that one decision ended."""
        row = write.decision.group.durable.group
        for entry in write.decision.journal:
            if entry.kind == EntryKind.STABLE:
                self._say_waiting(row.group_id, entry.details.get(MOVED))
            elif entry.kind in SENTENCES:
                self._say_waiting(row.group_id, None)
                self._ended(entry, row.group_id, len(write.decision.group.durable.members))

    def flush(self) -> None:
        """Log the lines that have waited for long enough."""
        due = self._clock() - WAIT_S
        while self._waiting:
            group_id, (since, _) = next(iter(self._waiting.items()))
            if since > due and len(self._waiting) <= WAITING_MAX:
                return
            self._say_waiting(group_id, None)

    def _ended(self, entry: JournalEntry, group_id: str, members: int) -> None:
        fields: Fields = {
            "group": group_id,
            "trigger": entry.trigger,
            "reason": entry.reason,
            "generation": entry.generation_after,
            "members": members,
            "duration_ms": entry.duration_ms,
        }
        is_whole = entry.kind != EntryKind.REBALANCE_COMPLETED or MOVED in entry.details
        if not is_whole:
            self._waiting[group_id] = (self._clock(), fields)
            return
        say(SENTENCES[entry.kind], {**fields, MOVED: entry.details.get(MOVED)})

    def _say_waiting(self, group_id: str, moved: object) -> None:
        if group_id in self._waiting:
            _, fields = self._waiting.pop(group_id)
            say(SENTENCES[EntryKind.REBALANCE_COMPLETED], {**fields, MOVED: moved})


def say(what: str, fields: Fields) -> None:
    """Log one line; unknown fields are left out."""
    present = {name: value for name, value in fields.items() if value not in (None, "")}
    logger.info(what, extra=present)
