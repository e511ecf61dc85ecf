"""Ends that are reached by time: freezes with an end, and what other applications add.

The worker checks every few seconds. A freeze is ended by its group's owner, like a user's thaw; so
it is in the journal, and a late worker still finds it.
"""

from typing import Final

from django.db import connection, transaction
from django.utils.module_loading import import_string

from groups.operations.requests import BELL
from groups.postgres.channels import NOTIFY
from groups.store.sql import ends as sql

THAWED_AT_ONCE: Final = 1_000
"""Freezes that one check ends; the next one takes the others."""

WHO: Final = "the end of the freeze"
"""The author of a thaw, in the journal and in the audit."""


OTHERS: Final = dict[str, str]()
"""What other applications end: its name in the result, and the function that ends it and returns
how many."""


def end_what_is_over() -> str:
    """One check; returns the result in words."""
    done = {"freezes": _thaw()} | {what: import_string(end)() for what, end in OTHERS.items()}
    counts = ", ".join(f"{count} {what}" for what, count in done.items() if count)
    return f"ended {counts}" if counts else "nothing has ended"


def _thaw() -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql.THAW, {"actor": WHO, "groups": THAWED_AT_ONCE})
        slots = [slot for (slot,) in cursor.fetchall()]
        for slot in sorted(set(slots)):
            cursor.execute(NOTIFY, {"bell": BELL, "payload": str(slot)})
    return len(slots)
