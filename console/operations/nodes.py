"""Forgetting a node that has left, for the admin and REST: its row is deleted, and nobody calls it
silent any more. A node that comes back registers again."""

import json
from typing import Any, Final

from django.apps import AppConfig
from django.db import connection

from console.operations import functions, sql
from console.operations.drains import PARAMETERS
from console.operations.functions import Function
from console.operations.requests import check_reason
from groups.core.authors import user
from groups.store.sql.nodes import SILENT_S

FORGET: Final = Function("rollcall_forget_node", sql.FORGET_NODE, PARAMETERS)


class NotGone(Exception):
    """The node beats, owns slots, or its process holds its id. Its text is a message for people."""


def sync_functions(sender: AppConfig, using: str = "default", **_: Any) -> None:
    """Create the function after every migration, before the grants."""
    functions.sync((FORGET,), using)


def forget(node_id: int, *, reason: str, actor: str) -> None:
    """Delete the row of a node that has left.

    Raises ``ValueError`` for an invalid reason, and ``NotGone``.
    """
    check_reason(reason)
    if not FORGET.changes(node_id, reason, json.dumps(user(actor))):
        raise NotGone(_why(node_id))


def check(node_id: int) -> None:
    """Raise ``NotGone`` if the node cannot be forgotten now."""
    with connection.cursor() as cursor:
        cursor.execute(sql.CAN_BE_FORGOTTEN, {"node": node_id})
        if cursor.fetchone() != (True,):
            raise NotGone(_why(node_id))


def _why(node_id: int) -> str:
    return (
        f"Node {node_id} cannot be forgotten: it has beaten within {SILENT_S} s, still owns"
        " slots, or its process lives."
    )
