"""Changes of the catalogue as functions of the database, for web and worker.

Web and worker may not write topics, nor the offsets that a new topic deletes. The bodies are the
statements that nodes execute (``groups.store.sql.catalogue``).
"""

from typing import Any, Final

from django.apps import AppConfig

from console.operations import functions
from console.operations import sql as own
from console.operations.functions import Function
from groups.store.sql import catalogue as sql

BELL: Final = {"bell": f"'{sql.BELL}'"}

AUTHOR = ("author", "jsonb")

CREATE: Final = Function(
    "rollcall_create_topics",
    sql.CREATE_TOPICS,
    (("names", "text[]"), ("topic_ids", "uuid[]"), ("partitions", "int[]"), AUTHOR),
    BELL,
)
GROW: Final = Function(
    "rollcall_grow_topic", sql.GROW_TOPIC, (("name", "text"), ("count", "int"), AUTHOR), BELL
)
PLACE: Final = Function(
    "rollcall_place_topic",
    own.PLACE_TOPIC,
    (("name", "text"), ("racks", "jsonb"), ("count", "int"), AUTHOR),
    BELL,
)
RAISE_ENDS: Final = Function(
    "rollcall_raise_ends", own.RAISE_ENDS, (("name", "text"), ("ends", "bigint[]")), BELL
)
DELETE: Final = Function(
    "rollcall_delete_topic",
    sql.DELETE_TOPIC,
    (("name", "text"), ("topic_id", "uuid"), AUTHOR),
    BELL,
    (sql.ERASE_PENDING, sql.ERASE_OFFSETS),
)

FUNCTIONS: Final = (CREATE, GROW, PLACE, RAISE_ENDS, DELETE)


def sync_functions(sender: AppConfig, using: str = "default", **_: Any) -> None:
    """Create the functions after every migration, before the grants."""
    functions.sync(FUNCTIONS, using)
