"""Lag of groups: only for partitions whose end offset the catalogue knows.

Reads only, one statement each.
"""

from typing import NamedTuple

from django.db import connection

from console.queries.sql import lags as sql


class Summary(NamedTuple):
    """A group's total lag, and the partition with the greatest."""

    total: int
    topic: str
    partition: int
    most: int


def summary(group_id: str) -> Summary | None:
    """None if no end offset is known of any partition with a committed offset of the group."""
    with connection.cursor() as cursor:
        cursor.execute(sql.SUMMARY, {"group_id": group_id})
        row = cursor.fetchone()
    if row is None:
        return None
    total, topic, partition, most = row
    return Summary(int(total), topic, partition, int(most))
