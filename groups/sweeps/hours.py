"""Hours of the offset history, summarised as they go by (docs/facts.md).

The position, an hour and a group, moves in the transaction that writes the summary: each hour of a
group is summarised once, whoever does it and wherever it ends. Dropping history waits for nothing:
an hour that is gone has no summary.
"""

import time
from datetime import datetime, timedelta
from typing import Final

from django.db import OperationalError, transaction
from psycopg.errors import QueryCanceled

from groups.postgres.django_connection import execute, rows
from groups.store.sql import hours as sql

NAME: Final = "progress"

LATE_S: Final = 60
"""A commit has its time from before its transaction ends: after an hour, so long is waited for
these."""

GROUPS_AT_ONCE: Final = 100
"""Groups of one statement; of one group, if the statement takes too long."""

STATEMENT_MS_MAX: Final = 30_000
"""A statement that takes longer is given up. A single group's hour is left out then: 30 million
commits of partitions."""

SWEEP_S_MAX: Final = 40.0
"""So long one run goes on; the next one continues."""

HOUR: Final = timedelta(hours=1)


class ProgressHours:
    """Summarises hours until none is left, or time is up."""

    def __init__(self) -> None:
        self._groups = GROUPS_AT_ONCE
        self._done = self._left_out = 0

    def run(self) -> str:
        """One run; returns the result in words."""
        self._done = self._left_out = 0
        until = time.monotonic() + SWEEP_S_MAX
        while time.monotonic() < until and self._turn():
            pass
        left_out = f", {self._left_out} left out: too many commits" if self._left_out else ""
        return f"{self._done} hours of groups summarised{left_out}"

    def _turn(self) -> bool:
        """The next groups; whether there may be more."""
        size, self._groups = self._groups, GROUPS_AT_ONCE
        try:
            with transaction.atomic():
                return self._summarise(size)
        except OperationalError as error:
            if not isinstance(error.__cause__, QueryCanceled):
                raise  # a lock, or PostgreSQL is away: the next run summarises this hour
            if size == 1:
                with transaction.atomic():
                    return self._summarise(size, is_too_long=True)
            self._groups = 1
            return True

    def _summarise(self, size: int, *, is_too_long: bool = False) -> bool:
        hour, after, is_over = self._position()
        if not is_over:
            return False
        names = [name for (name,) in rows(sql.GROUPS, hour=hour, after=after, groups=size)]
        if names and not is_too_long:
            execute(f"SET LOCAL statement_timeout = {STATEMENT_MS_MAX}")
            execute(sql.SUMMARISE, hour=hour, group_ids=names)
            self._done += len(names)
        self._left_out += len(names) if is_too_long else 0
        last = names[-1] if len(names) == size else ""
        execute(sql.MOVE_ON, name=NAME, hour=hour if last else hour + HOUR, group_id=last)
        return True

    def _position(self) -> tuple[datetime, str, bool]:
        """The hour, the last of its groups that is done, and whether the hour is over."""
        found = rows(sql.NEXT, name=NAME, late_s=LATE_S)
        if not found:
            execute(sql.BEGIN, name=NAME)
            found = rows(sql.NEXT, name=NAME, late_s=LATE_S)
        ((hour, after, is_over),) = found
        return hour, after, is_over
