"""How silent members were in an hour: the longest silence of each, and how often it was how long.

Sampled where the owner checks its groups anyway (``liveness``), so a heartbeat has no part in it: a
silence is seen up to an eighth of the shortest session of the group late. Decides nothing. In
memory until the hour is over; what an owner that is killed had seen of its hour is lost.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from groups.core.group import Millis, Session
from groups.postgres.array_literals import array, texts

EIGHTHS: Final = 8
"""Parts of a session that are told apart."""

LONGEST_MAX: Final = 2**31 - 1
LOOKS_MAX: Final = 2**15 - 1
"""What the columns take."""

MEMBERS_AT_ONCE: Final = 1_000
"""Groups of one statement have about so many: some milliseconds of work."""

S_PER_HOUR: Final = 3_600

Seen = list[int]
"""The longest silence in milliseconds, and how often it was in each eighth of the session."""


def this_hour() -> int:
    """The hour of this machine's clock, which only says when to write."""
    return int(time.time()) // S_PER_HOUR


class Silences:
    """What was seen in this hour, by group and member."""

    def __init__(self, now: Millis, hour: Callable[[], int] = this_hour) -> None:
        self.hour = hour
        self._began = (hour(), now)
        self._seen: dict[str, dict[str, Seen]] = {}

    @property
    def is_over(self) -> bool:
        """Whether the hour has ended."""
        return self.hour() != self._began[0]

    def look(self, group_id: str, sessions: Iterable[Session], now: Millis) -> None:
        """These members of the group are so silent now."""
        seen = self._seen.get(group_id, {})
        for member_id, heard_at, timeout_ms, _ in sessions:
            silent = max(0, now - heard_at)
            found = seen.get(member_id)
            if found is None:
                found = seen[member_id] = [0] * (1 + EIGHTHS)
            if silent > found[0]:
                found[0] = min(silent, LONGEST_MAX)
            eighth = min(silent * EIGHTHS // max(1, timeout_ms), EIGHTHS - 1)
            found[1 + eighth] = min(found[1 + eighth] + 1, LOOKS_MAX)
        if seen:
            self._seen[group_id] = seen

    def turn(self, now: Millis) -> Iterator[Mapping[str, Any]]:
        """Begin another hour; the columns of the rows of the last one, some at a time."""
        _, began = self._began
        seen, self._seen, self._began = self._seen, {}, (self.hour(), now)
        part: dict[str, dict[str, Seen]] = {}
        for group_id, members in seen.items():
            part[group_id] = members
            if sum(map(len, part.values())) >= MEMBERS_AT_ONCE:
                yield {"age_ms": now - began, **_columns(part)}
                part = {}
        if part:
            yield {"age_ms": now - began, **_columns(part)}


def _columns(groups: Mapping[str, Mapping[str, Seen]]) -> dict[str, Any]:
    rows = [members.values() for members in groups.values()]
    return {
        "group_id": list(groups),
        "members": [texts(list(members)) for members in groups.values()],
        "longest_ms": [array([seen[0] for seen in row]) for row in rows],
        "looks": ["{" + ",".join(str(array(seen[1:])) for seen in row) + "}" for row in rows],
    }
