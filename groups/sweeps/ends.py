"""Ends that are reached by time: acknowledgements of situations that are over, and freezes with an
end.

The worker checks every few seconds. A freeze is ended by its group's owner, like a user's thaw; so
it is in the journal, and a late worker still finds it.
"""

from typing import Any, Final

from django.db import connection, transaction
from django.utils import timezone

from groups.models import Acknowledgement
from groups.operations.requests import BELL
from groups.postgres.channels import NOTIFY
from groups.queries import attention, overview
from groups.store.sql import ends as sql

THAWED_AT_ONCE: Final = 1_000
"""Freezes that one check ends; the next one takes the others."""

WHO: Final = "the end of the freeze"
"""The author of a thaw, in the journal and in the audit."""


def end_what_is_over() -> str:
    """One check; returns the result in words."""
    thawed, ended = _thaw(), _end_acknowledgements()
    done = {"freezes": thawed, "acknowledgements": ended}
    counts = ", ".join(f"{count} {what}" for what, count in done.items() if count)
    return f"ended {counts}" if counts else "nothing has ended"


def _thaw() -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql.THAW, {"actor": WHO, "groups": THAWED_AT_ONCE})
        slots = [slot for (slot,) in cursor.fetchall()]
        for slot in sorted(set(slots)):
            cursor.execute(NOTIFY, {"bell": BELL, "payload": str(slot)})
    return len(slots)


def _end_acknowledgements() -> int:
    """Acknowledgements whose end has passed, and those of rules that do not fire any more."""
    noted: list[Any] = list(Acknowledgement.objects.all())
    if not noted:
        return 0
    now = timezone.now()
    holding = {(line.rule, line.subject) for line in attention.fired(overview.look(now))}
    over = [
        row
        for row in noted
        if (row.until is not None and row.until <= now) or (row.rule, row.subject) not in holding
    ]
    # not one that was acknowledged again in the meantime, for a new situation
    return sum(Acknowledgement.objects.filter(pk=row.pk, at=row.at).delete()[0] for row in over)
