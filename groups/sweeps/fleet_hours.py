"""Hours of the whole installation, summarised for the charts of the Overview (docs/facts.md).

An hour has one row, whoever writes it: two workers at once write it once. It is read from the
facts, so an hour in which no worker ran is summarised later.
"""

from datetime import timedelta
from typing import Final

from groups.postgres.django_connection import execute, rows
from groups.store.sql import fleet_hours as sql

GROUPS: Final = 20
"""Groups that an hour names, those whose rebalances cost most."""

LATE: Final = timedelta(minutes=30)
"""So long after its end an hour is summarised although hours of progress are missing."""

BACK: Final = timedelta(days=30)
KEPT: Final = timedelta(days=92)
"""How far back hours are made up for, and how long they are kept: 2,208 rows."""

AT_ONCE: Final = 24
"""Hours of one run; the next one continues."""


def run() -> str:
    """Summarise what is over; returns the result in words."""
    done = 0
    while done < AT_ONCE and (found := rows(sql.NEXT, late=LATE, back=BACK)):
        execute(sql.SUMMARISE, hour=found[0][0], groups=GROUPS)
        done += 1
    execute(sql.DROP, kept=KEPT)
    return f"{done} hours of the installation summarised"
