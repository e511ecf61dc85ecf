"""The streams of a web process: how many, whose, what each wants, and what it was told.

A stream is read by the loop that serves requests. What its client does not take is not kept: who
is too far behind is ended, and comes back with the id of the last event.
"""

import asyncio
import threading
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from groups.queries.journal_position import Position
from groups.queries.journal_rows import Entry

BEHIND_MAX: Final = 2_000
"""Entries that came while a stream's client took none."""

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
"""Why a stream ends, for the client."""


class Places:
    """How many streams there may be, in all and of one caller. For any thread."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a place may be given back by the collection of garbage
        self._taken: Counter[object] = Counter()

    def take(self, who: object, most: int, most_of_one: int) -> bool:
        """Whether there was room; ``give`` gives it back."""
        with self._lock:
            if self._taken.total() >= most or self._taken[who] >= most_of_one:
                return False
            self._taken[who] += 1
            return True

    def give(self, who: object) -> None:
        """One less."""
        with self._lock:
            self._taken[who] -= 1
            self._taken += Counter()

    @property
    def taken(self) -> int:
        """How many there are."""
        return self._taken.total()


PLACES = Places()
"""Of this process."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Whose a stream is, as they came in. ``token_id`` of a token, else ``session_key``; None and
    "": the installation's own token, which ends with the process."""

    user_id: int | None
    token_id: int | None
    session_key: str
    auth_hash: str


class Stream:
    """One client's. ``kind`` and ``group_id``: "" for any."""

    def __init__(self, position: Position, holder: Holder, group_id: str, kind: str) -> None:
        self.position = position
        self.holder = holder
        self._group_id, self._kind = group_id, kind
        self._waiting: deque[tuple[Entry, str]] = deque()
        self._rang = asyncio.Event()
        self._listens = False
        self.ended = ""

    def wants(self, entry: Entry) -> bool:
        """Whether its client asked for such entries."""
        is_kind = not self._kind or entry.kind == self._kind
        return is_kind and (not self._group_id or entry.group_id == self._group_id)

    def listen(self, is_now: bool) -> None:
        """Whether what comes is kept for it: not while it reads what it missed, where it comes upon
        that, too."""
        self._listens = is_now
        if not is_now:
            self._waiting.clear()

    def put(self, entries: Sequence[Entry], texts: Mapping[int, str]) -> None:
        """More entries have come; also those that it does not want change where it stands."""
        if not self._listens:
            return
        for entry in entries:
            self._waiting.append((entry, texts[entry.seq] if self.wants(entry) else ""))
        if len(self._waiting) > BEHIND_MAX:
            self.end(SLOW)
        self._rang.set()

    def end(self, why: str) -> None:
        """No word more but why (``ENDS``)."""
        self.ended = self.ended or why
        self._waiting.clear()
        self._rang.set()

    async def rung(self, longest_s: float) -> bool:
        """Wait until something has come, so long at the most; whether it has."""
        try:
            async with asyncio.timeout(longest_s):
                await self._rang.wait()
        except TimeoutError:
            return False
        self._rang.clear()
        return True

    def taken(self) -> str:
        """What has come, as events."""
        waiting, self._waiting = self._waiting, deque()
        return "".join(self.told(entry, text) for entry, text in waiting)

    def told(self, entry: Entry, text: str) -> str:
        """One entry as an event; "" where its client knows it, or does not want it."""
        is_new = self.position.note(entry.seq, time.monotonic())
        return f"id: {self.position.text()}\ndata: {text}\n\n" if is_new and text else ""

    def still_here(self) -> str:
        """A comment, and where the client stands: it may have wanted nothing for hours."""
        self.position.forget(time.monotonic())
        return f": still here\nid: {self.position.text()}\n\n"


def of_event(name: str, data: Any) -> str:
    """An event that is no entry."""
    return f"event: {name}\ndata: {data}\n\n"
