"""The connections of clients to nodes. Reads, and notifies nodes to write them.

Nodes keep no list, and write their connections on request (``client_connections`` in
``groups.runtime``), so that they cost nothing otherwise.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from threading import BoundedSemaphore
from typing import Any, Final

from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from console.queries.drains import SILENT_AFTER
from groups.models import ClientConnection, ConnectionsNoted, Node
from groups.postgres.channels import NOTIFY
from groups.postgres.django_connection import give_back
from groups.store.sql import connections as sql

FRESH: Final = timedelta(seconds=1)
"""Rows of this age are not requested again; nodes do not write more often."""

WAIT_S: Final = 3.0
"""A node that has not written its connections by then is shown with its older rows."""

LOOK_S: Final = 0.05

WAITING_MAX: Final = 4
"""Requests that wait for nodes at the same time, in a web process: each holds a thread. A further
one gets the existing rows."""

_seats = BoundedSemaphore(WAITING_MAX)

FILTERS: Final = ("listener", "address", "principal", "client_id", "software")


def rows(filters: Mapping[str, Any]) -> QuerySet[ClientConnection]:
    """Connections of live nodes, by ``FILTERS``, ``node_id`` and ``group_id``."""
    connections = ClientConnection.objects.filter(node_id__in=_live().values("node_id"))
    for name in ("node_id", *FILTERS):
        if name in filters:
            connections = connections.filter((name, filters[name]))
    if "group_id" in filters:
        connections = connections.filter(groups__contains=[filters["group_id"]])
    return connections


def refresh() -> None:
    """Let the nodes write their connections, unless they just have, and wait until they have."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        requested_at: datetime = cursor.fetchone()[0]
    late = _late(requested_at)
    if not late:
        return
    with connection.cursor() as cursor:
        cursor.execute(NOTIFY, {"bell": sql.BELL, "payload": ""})
    if not _seats.acquire(blocking=False):
        return
    try:
        deadline = time.monotonic() + WAIT_S
        while _late(requested_at) and time.monotonic() < deadline:
            give_back()  # others may use the connection during the pause
            time.sleep(LOOK_S)
    finally:
        _seats.release()


def noted() -> Sequence[Mapping[str, Any]]:
    """When each live node last wrote its connections, and their number; None: never. Two
    statements."""
    notes = {row.node_id: row for row in ConnectionsNoted.objects.all()}
    return [
        {
            "node_id": node_id,
            "noted_at": notes[node_id].noted_at if node_id in notes else None,
            "connections": notes[node_id].connections if node_id in notes else None,
        }
        for node_id in _live().order_by("node_id").values_list("node_id", flat=True)
    ]


def _live() -> QuerySet[Node]:
    return Node.objects.filter(beat_at__gte=Now() - SILENT_AFTER)


def _late(requested_at: datetime) -> Collection[int]:
    """Live nodes whose rows are older than the request accepts. One statement."""
    fresh = ConnectionsNoted.objects.filter(noted_at__gte=requested_at - FRESH)
    late = _live().exclude(node_id__in=fresh.values("node_id"))
    return list(late.values_list("node_id", flat=True))
