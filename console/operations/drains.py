"""Draining a node, and withdrawing a drain, for the admin and REST.

Nodes find it at their next check, and plan without a drained node (``groups.cluster.slot_keeper``).
A drain that could never complete is refused here.
"""

import json
from typing import Any, Final

from django.apps import AppConfig
from django.db import connection, transaction

from console.operations import functions, sql
from console.operations.functions import Function
from console.operations.requests import check_reason
from console.queries import drains as queries
from groups.core.authors import user

PARAMETERS: Final = (("node", "int"), ("reason", "text"), ("author", "jsonb"))

DRAIN: Final = Function("rollcall_drain_node", sql.DRAIN, PARAMETERS)
UNDRAIN: Final = Function("rollcall_undrain_node", sql.UNDRAIN, PARAMETERS)

FUNCTIONS: Final = (DRAIN, UNDRAIN)

LOCK: Final = "SELECT pg_advisory_xact_lock(%s, 0)"
LOCK_KEY: Final = 0x526C6472
"""The key of a lock that serializes drains ("Rldr"): of two nodes drained at once, each check would
otherwise count on the other node to take the slots."""


class NoTaker(Exception):
    """No other node could take the slots. Its text is a message for people."""


def sync_functions(sender: AppConfig, using: str = "default", **_: Any) -> None:
    """Create the functions after every migration, before the grants."""
    functions.sync(FUNCTIONS, using)


def drain(node_id: int, *, reason: str, actor: str) -> bool:
    """Drain a node that has a row; returns whether that is new.

    Raises ``ValueError`` for an invalid reason, and ``NoTaker``.
    """
    check_reason(reason)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(LOCK, [LOCK_KEY])
        if queries.of(node_id) is not None:
            return False
        check(node_id)
        return DRAIN.changes(node_id, reason, json.dumps(user(actor)))


def undrain(node_id: int, *, reason: str, actor: str) -> bool:
    """Withdraw the drain of a node, whether it exists or not; returns whether there was one.

    Raises ``ValueError`` for an invalid reason.
    """
    check_reason(reason)
    return UNDRAIN.changes(node_id, reason, json.dumps(user(actor)))


def check(node_id: int) -> None:
    """Raise ``NoTaker`` if the node cannot be drained now."""
    if not queries.look().takers(node_id):
        raise NoTaker(f"No other live node could take the slots of node {node_id}.")
