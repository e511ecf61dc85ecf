"""Named statements as functions of the database, for roles that may not write the tables.

They run with the rights of their owner, and each does one thing. Their bodies are the statements
that nodes execute: each text exists once, and the functions are replaced after every migration, not
in one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import connection, connections, transaction

NO_NODE: Final = -1
"""In place of a node's id in the journal."""

DEFINITION: Final = """
CREATE OR REPLACE FUNCTION {signature} RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $body$
DECLARE
    _row record;
    _is_changed boolean := false;
BEGIN
    FOR _row IN {statement} LOOP
        _is_changed := true;
    END LOOP;{then}
    RETURN _is_changed;
END $body$
"""
"""The statement returns a row for each change."""


@dataclass(frozen=True, slots=True)
class Function:
    """A named statement. ``parameters`` are the statement's, with their types, in order;
    ``constants`` are as SQL; ``then`` are statements that follow if the first one changed
    something."""

    name: str
    statement: str
    parameters: tuple[tuple[str, str], ...]
    constants: Mapping[str, str] = field(default_factory=dict)
    then: tuple[str, ...] = ()

    @property
    def call(self) -> str:
        """The call that a client executes, with the parameters in order; returns whether anything
        changed."""
        placeholders = ", ".join(f"%s::{kind}" for _, kind in self.parameters)
        return f"SELECT {self.name}({placeholders})"

    @property
    def signature(self) -> str:
        """The signature by which PostgreSQL distinguishes functions."""
        return f"{self.name}({', '.join(kind for _, kind in self.parameters)})"

    @property
    def definition(self) -> str:
        """The SQL of the function. Its parameters have no names, which could be those of
        columns."""
        names = {name: f"${n}" for n, (name, _) in enumerate(self.parameters, 1)}
        values = {"node_id": str(NO_NODE), **self.constants, **names}
        then = "".join(f"\n{statement % values};" for statement in self.then)
        if then:
            then = f"\n    IF _is_changed THEN{then}\n    END IF;"
        return DEFINITION.format(
            signature=self.signature, statement=self.statement % values, then=then
        )

    def changes(self, *arguments: Any) -> bool:
        """Execute it on Django's connection; returns whether anything changed."""
        with connection.cursor() as cursor:
            cursor.execute(self.call, arguments)
            return bool(cursor.fetchone() == (True,))


def sync(functions: Iterable[Function], using: str) -> None:
    """Replace the functions by those of this version."""
    with transaction.atomic(using=using), connections[using].cursor() as cursor:
        for function in functions:
            cursor.execute(function.definition)
            # They run with their owner's rights: groups.postgres.roles defines who may call them.
            cursor.execute(f"REVOKE ALL ON FUNCTION {function.signature} FROM PUBLIC")
