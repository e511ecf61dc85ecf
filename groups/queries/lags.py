"""How far a group is behind: of the partitions whose end the catalogue knows, and of no others.

Reads only, one statement each.
"""

from typing import NamedTuple

from django.db import connection

from groups.store.sql import lags as sql


class Summary(NamedTuple):
    """The whole of a group's lag, and the partition that is furthest behind."""

    total: int
    topic: str
    partition: int
    most: int


def summary(group_id: str) -> Summary | None:
    """None: no end is known of any partition that the group has an offset of."""
    with connection.cursor() as cursor:
        cursor.execute(sql.SUMMARY, {"group_id": group_id})
        found = cursor.fetchone()
    if found is None:
        return None
    total, *rest = found
    return Summary(int(total), *rest)  # PostgreSQL sums to numeric
