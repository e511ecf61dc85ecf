"""A past of a group, told with exact times: rows of the facts as the store would have written."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Protocol

from django.db import connection

DAY = datetime(2026, 11, 27, tzinfo=UTC)
"""Yesterday, of these stories."""

LIFE = """
INSERT INTO rollcall_life (at, era, xid, life, group_id, member_id, instance_id, client_id,
    client_host, principal, software_name, software_version, kind, session_timeout_ms,
    rebalance_timeout_ms, pattern, protocols, revision, joined_generation, joined_at, origin,
    left_generation, left_at, departure, heard_at)
VALUES (%(at)s, 0, 1, %(life)s, %(group_id)s, %(member_id)s, NULL, %(member_id)s, %(host)s, '',
    'kafka-python', '2.2', 'classic', 45000, 300000, '', '{}', 1, 1, %(joined_at)s, 'joined',
    %(left_generation)s, %(left_at)s, %(departure)s, %(heard_at)s)
"""
LIFE_OPEN = """
INSERT INTO rollcall_life_open (life, group_id, member_id, client_id, client_host, principal,
    software_name, software_version, kind, session_timeout_ms, rebalance_timeout_ms, pattern,
    protocols, revision, joined_generation, joined_at, origin)
VALUES (%(life)s, %(group_id)s, %(member_id)s, %(member_id)s, %(host)s, '', 'kafka-python', '2.2',
    'classic', 45000, 300000, '', '{}', 1, 1, %(joined_at)s, 'joined')
"""
OWNED = """
INSERT INTO rollcall_ownership (at, era, xid, group_id, life, topic, partitions, from_generation,
    from_at, until_generation, until_at)
VALUES (%(until_at)s, 0, 1, %(group_id)s, %(life)s, %(topic)s, %(partitions)s, 1, %(from_at)s, 2,
    %(until_at)s)
"""
OWNED_OPEN = """
INSERT INTO rollcall_ownership_open (group_id, life, topic, partitions, from_generation, from_at)
VALUES (%(group_id)s, %(life)s, %(topic)s, %(partitions)s, 1, %(from_at)s)
"""
ROUND = """
INSERT INTO rollcall_round (at, era, xid, group_id, generation, kind, outcome, started_at,
    ended_at, is_partial, members, moved, stopped_ms, silent_ms, unowned_ms, triggers,
    cause_members, cause_ids, cause_at_ms, cause_ms, acts, ends, counts, lives, waited_ms)
VALUES (%(ended_at)s, 0, 1, %(group_id)s, %(generation)s, 'classic', %(outcome)s, %(started_at)s,
    %(ended_at)s, false, %(members)s, %(moved)s, %(stopped_ms)s, %(silent_ms)s, %(unowned_ms)s,
    ARRAY[%(trigger)s], '{1}', ARRAY[%(who)s], '{0}', ARRAY[%(ms)s], %(acts)s, %(ends)s,
    %(counts)s, %(lives)s, %(waited_ms)s)
"""


def execute(statement: str, **values: Any) -> None:
    """One statement."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


class Execute(Protocol):
    """Executes a statement with named values."""

    def __call__(self, statement: str, **values: Any) -> None: ...


class Past:
    """The past of one group. Times are minutes after ``start``; lives have numbers from
    ``first``."""

    def __init__(
        self,
        group_id: str = "packers",
        start: datetime = DAY,
        run: Execute = execute,
        first: int = 1,
    ) -> None:
        self.group_id = group_id
        self.start = start
        self._execute = run
        self._numbers = count(first)

    def time(self, minute: float) -> datetime:
        """A minute of the story."""
        return self.start + timedelta(minutes=minute)

    def life(
        self,
        member_id: str,
        joined: float,
        left: float | None = None,
        departure: str = "left",
        *,
        silent: float = 0,
        host: str = "/10.0.0.1",
    ) -> int:
        """A member's life, silent for so many minutes before it ended; its number."""
        number = next(self._numbers)
        values = {
            "life": number,
            "group_id": self.group_id,
            "member_id": member_id,
            "host": host,
            "joined_at": self.time(joined),
        }
        open_ = {"left_generation": None, "left_at": None, "departure": None, "heard_at": None}
        self._execute(LIFE, at=self.time(joined), **values, **open_)
        if left is None:
            self._execute(LIFE_OPEN, **values)
        else:
            ended = {"left_generation": 2, "left_at": self.time(left), "departure": departure}
            heard_at = self.time(left - silent)
            self._execute(LIFE, at=self.time(left), **values, **ended, heard_at=heard_at)
        return number

    def owned(
        self,
        life: int,
        ranges: str,
        since: float,
        until: float | None = None,
        topic: str = "orders",
    ) -> None:
        """Partitions that a life owned, as PostgreSQL writes ranges."""
        values = {
            "group_id": self.group_id,
            "life": life,
            "topic": topic,
            "partitions": ranges,
            "from_at": self.time(since),
        }
        if until is None:
            self._execute(OWNED_OPEN, **values)
        else:
            self._execute(OWNED, **values, until_at=self.time(until))

    def rebalanced(
        self,
        generation: int,
        ended: float,
        *,
        ms: int = 1_000,
        trigger: str = "member-joined",
        who: str = "anna",
        outcome: str = "assigned",
        waits: Mapping[str, Sequence[tuple[int | None, int]]] | None = None,
        cost: tuple[int, int, int] = (0, 0, 0),
        moved: int = 0,
        members: int = 2,
    ) -> None:
        """A rebalance. ``waits``: by "act:end", lives and milliseconds."""
        runs = dict(waits or {})
        every = [pair for pairs in runs.values() for pair in pairs]
        self._execute(
            ROUND,
            group_id=self.group_id,
            generation=generation,
            outcome=outcome,
            started_at=self.time(ended) - timedelta(milliseconds=ms),
            ended_at=self.time(ended),
            members=members,
            moved=moved,
            stopped_ms=cost[0],
            silent_ms=cost[1],
            unowned_ms=cost[2],
            trigger=trigger,
            who=who,
            ms=ms,
            acts=[key.partition(":")[0] for key in runs],
            ends=[key.partition(":")[2] for key in runs],
            counts=[len(pairs) for pairs in runs.values()],
            lives=[life for life, _ in every],
            waited_ms=[waited for _, waited in every],
        )
