"""Changes of ACLs and of users of the Kafka port as functions of the database, for the web.

It may not write those tables. Their bodies are the statements that nodes execute.
"""

from typing import Any, Final

from django.apps import AppConfig

from groups.access import scram_credentials as scram
from groups.postgres import functions
from groups.postgres.functions import Function
from groups.store.sql import acls

AUTHOR: Final = ("author", "jsonb")

_BINDINGS: Final = (*((column, "text[]") for column in acls.COLUMNS), AUTHOR)
_USER: Final = (("name", "text"), ("mechanism", "text"))

CREATE_ACLS: Final = Function("rollcall_create_acls", acls.CREATE, _BINDINGS)
DELETE_ACLS: Final = Function("rollcall_delete_acls", acls.DELETE, _BINDINGS)
SET_PASSWORD: Final = Function(
    "rollcall_set_credential",
    scram.PUT_NOTED,
    (
        *_USER,
        ("salt", "bytea"),
        ("iterations", "int"),
        ("stored_key", "bytea"),
        ("server_key", "bytea"),
        AUTHOR,
    ),
)
DELETE_USER: Final = Function("rollcall_delete_credential", scram.DROP_NOTED, (*_USER, AUTHOR))

FUNCTIONS: Final = (CREATE_ACLS, DELETE_ACLS, SET_PASSWORD, DELETE_USER)


def sync_functions(sender: AppConfig, using: str = "default", **_: Any) -> None:
    """After every migration, before the grants."""
    functions.sync(FUNCTIONS, using)
