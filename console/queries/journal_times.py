"""The entries of the journal between two times.

An index on the time would cost every write (``groups.store.sql.sweeps``). But numbers rise with
time: the number of the first entry since a time is found by bisection, some twenty look-ups within
one statement.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from console.queries.sql import journal_times as sql
from groups.models import Journal

EARLIEST: Final = datetime(1970, 2, 1, tzinfo=UTC)
LATEST: Final = datetime(9000, 1, 1, tzinfo=UTC)
"""Nothing is remembered beyond these; a month from there is a time that Python knows."""

TOLERANCE: Final = timedelta(minutes=1)
"""How far an entry's time may be from those of its neighbours: two sessions take number and time
in either order, and the clock of the database's host is corrected now and then."""


def between(
    rows: QuerySet[Journal], since: datetime | None, until: datetime | None
) -> QuerySet[Journal]:
    """Those of the entries from ``since`` on and before ``until``; None sets no bound."""
    if since is not None:
        rows = rows.filter(at__gte=since, id__gte=_first(since, TOLERANCE))
    if until is not None:
        rows = rows.filter(at__lt=until, id__lte=_first(until, -TOLERANCE))
    return rows


def first(moment: datetime, tolerance: timedelta = TOLERANCE) -> int:
    """The number of the first entry that was written at this time or later, by its time and the
    tolerance; the greatest number if there is none, and 0 in an empty journal. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(sql.FIRST_SINCE, (tolerance, moment))  # type: ignore[arg-type]
        (found,) = cursor.fetchone()
    return int(found)


def _first(moment: datetime, tolerance: timedelta) -> RawSQL:
    """The same within another statement."""
    return RawSQL(sql.FIRST_SINCE, [tolerance, moment])
