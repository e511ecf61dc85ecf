"""The streams of a web process: their number, owners, filters, and positions.

The loop that serves requests reads a stream. Entries that its client does not read are dropped: a
stream that is too far behind ends, and the client reconnects with the id of its last event.
"""

import asyncio
import threading
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from console.journal_subjects import Kinds
from console.queries.journal_position import Position
from console.queries.journal_rows import JournalRow

BEHIND_MAX: Final = 2_000
"""Entries that may wait while a client reads none."""

SLOW: Final = "slow"
FORBIDDEN: Final = "forbidden"
AWAY: Final = "unavailable"
WENT_BACK: Final = "time_went_back"

ENDS: Final[Mapping[str, str]] = {
    SLOW: "The client is too far behind; come again with the last event's id.",
    FORBIDDEN: "The session or token has ended, or its user may not see this any more.",
    AWAY: "The database cannot be asked just now; come again with the last event's id.",
    WENT_BACK: "The journal stands where it stood before: its database was restored."
    " Come again without an id.",
}
"""Reasons for the end of a stream, for the client."""


class Places:
    """Limits the streams, in total and for each owner. For any thread."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # garbage collection may call ``give`` in the same thread
        self._taken: Counter[object] = Counter()

    def take(self, who: object, most: int, most_of_one: int) -> bool:
        """Whether there is room; ``give`` releases it."""
        with self._lock:
            if self._taken.total() >= most or self._taken[who] >= most_of_one:
                return False
            self._taken[who] += 1
            return True

    def give(self, who: object) -> None:
        """Release a place."""
        with self._lock:
            self._taken[who] -= 1
            self._taken += Counter()

    @property
    def taken(self) -> int:
        """The number of streams."""
        return self._taken.total()


PLACES = Places()
"""The places of this process."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The owner of a stream at its start. ``token_id`` of a token, else ``session_key``; None and
    "": the installation's token, which never expires during the process."""

    user_id: int | None
    token_id: int | None
    session_key: str
    auth_hash: str


class Stream:
    """One client's stream. ``kind`` and ``group_id``: "" for any; ``kinds``: those that its holder
    may read now."""

    def __init__(
        self, position: Position, holder: Holder, kinds: Kinds, group_id: str, kind: str
    ) -> None:
        self.position = position
        self.holder = holder
        self.kinds = kinds
        self._group_id, self._kind = group_id, kind
        self._waiting: deque[tuple[JournalRow, str]] = deque()
        self._rang = asyncio.Event()
        self._listens = False
        self.ended = ""

    def wants(self, entry: JournalRow) -> bool:
        """Whether its client wants, and may read, entries like this."""
        is_kind = entry.kind in self.kinds and self._kind in ("", entry.kind)
        return is_kind and (not self._group_id or entry.group_id == self._group_id)

    def listen(self, is_now: bool) -> None:
        """Whether new entries are collected: not while it reads missed ones, which will include
        them."""
        self._listens = is_now
        if not is_now:
            self._waiting.clear()

    def put(self, entries: Sequence[JournalRow], texts: Mapping[int, str]) -> None:
        """Add entries; those that it does not want also change its position."""
        if not self._listens:
            return
        for entry in entries:
            self._waiting.append((entry, texts[entry.seq] if self.wants(entry) else ""))
        if len(self._waiting) > BEHIND_MAX:
            self.end(SLOW)
        self._rang.set()

    def end(self, why: str) -> None:
        """Send nothing more except the reason (``ENDS``)."""
        self.ended = self.ended or why
        self._waiting.clear()
        self._rang.set()

    async def rung(self, longest_s: float) -> bool:
        """Wait until there are entries, at most this long; returns whether there are."""
        try:
            async with asyncio.timeout(longest_s):
                await self._rang.wait()
        except TimeoutError:
            return False
        self._rang.clear()
        return True

    def taken(self) -> str:
        """Take the collected entries, as events."""
        waiting, self._waiting = self._waiting, deque()
        return "".join(self.event_text(entry, text) for entry, text in waiting)

    def event_text(self, entry: JournalRow, text: str) -> str:
        """An entry as an event; "" if the client knows it, does not want it, or may not read it
        any more."""
        is_new = self.position.note(entry.seq, time.monotonic())
        is_sent = is_new and text and self.wants(entry)
        return f"id: {self.position.text()}\ndata: {text}\n\n" if is_sent else ""

    def still_here(self) -> str:
        """A comment, and the client's position: it may have wanted no entry for hours."""
        self.position.forget(time.monotonic())
        return f": still here\nid: {self.position.text()}\n\n"


def of_event(name: str, data: Any) -> str:
    """An event that is not an entry."""
    return f"event: {name}\ndata: {data}\n\n"
