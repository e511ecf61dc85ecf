"""Changes of the catalogue as functions of the database, for those who are no node.

Web and worker may not write topics, let alone the offsets that a new topic sweeps away. They may
execute these functions, which act as their owner and can do one thing each. Their bodies are the
statements that nodes execute (``groups.store.sql.catalogue``): there is one text of each, and the
functions are made anew behind every migration, not by one.
"""

from dataclasses import dataclass
from typing import Any, Final

from django.apps import AppConfig
from django.db import connections, transaction

from groups.store.sql import catalogue as sql

NO_NODE = -1
"""In place of a node's id in the journal: no node did it."""

DEFINITION = """
CREATE OR REPLACE FUNCTION {signature} RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $body$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN {statement} LOOP
        _is_changed := true;
    END LOOP;
    RETURN _is_changed;
END $body$
"""
"""A statement gives a row back for each topic that it changed."""


@dataclass(frozen=True, slots=True)
class Function:
    """A statement under a name. ``parameters`` are the statement's, with their types, in order."""

    name: str
    statement: str
    parameters: tuple[tuple[str, str], ...]

    @property
    def call(self) -> str:
        """What a client executes, with the parameters in order: whether anything was changed."""
        given = ", ".join(f"%s::{kind}" for _, kind in self.parameters)
        return f"SELECT {self.name}({given})"

    @property
    def signature(self) -> str:
        """As PostgreSQL tells functions apart."""
        return f"{self.name}({', '.join(kind for _, kind in self.parameters)})"

    @property
    def definition(self) -> str:
        """The function. Its parameters have no names, which might be those of columns."""
        names = {name: f"${n}" for n, (name, _) in enumerate(self.parameters, 1)}
        said = {"bell": f"'{sql.BELL}'", "node_id": str(NO_NODE), **names}
        return DEFINITION.format(signature=self.signature, statement=self.statement % said)


AUTHOR = ("author", "jsonb")

CREATE: Final = Function(
    "rollcall_create_topics",
    sql.CREATE_TOPICS,
    (("names", "text[]"), ("topic_ids", "uuid[]"), ("partitions", "int[]"), AUTHOR),
)
GROW: Final = Function(
    "rollcall_grow_topic", sql.GROW_TOPIC, (("name", "text"), ("count", "int"), AUTHOR)
)
PLACE: Final = Function(
    "rollcall_place_topic",
    sql.PLACE_TOPIC,
    (("name", "text"), ("racks", "jsonb"), ("count", "int"), AUTHOR),
)
RAISE_ENDS: Final = Function(
    "rollcall_raise_ends", sql.RAISE_ENDS, (("name", "text"), ("ends", "bigint[]"))
)

FUNCTIONS: Final = (CREATE, GROW, PLACE, RAISE_ENDS)


def sync_functions(sender: AppConfig, using: str = "default", **_: Any) -> None:
    """Make the functions as this version has them (post_migrate, before the grants)."""
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        for function in FUNCTIONS:
            cursor.execute(function.definition)
            # They act as their owner: who may call them is told by groups.postgres.roles.
            cursor.execute(f"REVOKE ALL ON FUNCTION {function.signature} FROM PUBLIC")
