"""Changes of ACLs, users and quotas of the Kafka port as functions of the database, for the web.

The web may not write those tables. The bodies are the statements that nodes execute.
"""

from typing import Any, Final

from django.apps import AppConfig

from console.operations import functions
from console.operations.functions import Function
from groups.clients import scram_credentials as scram
from groups.store.sql import acls, quotas

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

_QUOTAS: Final = tuple((column, "text[]") for column in (*quotas.ENTITY, "key"))

SET_QUOTAS: Final = Function(
    "rollcall_set_quotas", quotas.SET, (*_QUOTAS, ("value", "float8[]"), AUTHOR)
)
REMOVE_QUOTAS: Final = Function("rollcall_remove_quotas", quotas.REMOVE, (*_QUOTAS, AUTHOR))

FUNCTIONS: Final = (
    *(CREATE_ACLS, DELETE_ACLS, SET_PASSWORD, DELETE_USER),
    *(SET_QUOTAS, REMOVE_QUOTAS),
)


def sync_functions(sender: AppConfig, using: str = "default", **_: Any) -> None:
    """Create the functions after every migration, before the grants."""
    functions.sync(FUNCTIONS, using)
