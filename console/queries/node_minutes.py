"""What nodes did along time, from the minutes that they write. One statement."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import connection

from console.queries.sql import node_minutes as sql


class NodeTime(NamedTuple):
    """A node in some time: heartbeats and commits a second, the longest delay of its event loop,
    and the most slots that it owned."""

    node_id: int
    at: datetime
    heartbeats: float
    commits: float
    lag_ms: int
    slots: int


def read(since: datetime, step: timedelta) -> list[NodeTime]:
    """Of each node in order, in steps of this length; times without a row are missing."""
    values: dict[str, Any] = {"since": since, "step": step}
    with connection.cursor() as cursor:
        cursor.execute(sql.READ, values)
        return [NodeTime(*row) for row in cursor.fetchall()]
