"""Taking note of what needs attention, for the admin and REST. Nothing is decided by it: the rule
goes on firing, and is shown folded, with who took note of it and why.
"""

from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils import timezone

from groups.models import Acknowledgement
from groups.operations.requests import check_reason
from groups.queries import attention, overview

MAX: Final = 1_000
"""Acknowledgements at a time: each rule reads what it was acknowledged for."""


class DoesNotFire(Exception):
    """There is nothing to take note of."""


def acknowledge(
    rule: str, subject: str, *, note: str, actor: str, until: datetime | None = None
) -> Acknowledgement:
    """Take note of a rule that fires for something, or change what was noted.

    Raises ``ValueError`` for a note or an end that cannot be, and ``DoesNotFire``.
    """
    check_reason(note)
    if until is not None and until <= timezone.now():
        raise ValueError("the end has passed")
    with transaction.atomic():
        values = {"note": note, "actor": actor, "until": until, "at": timezone.now()}
        made, _ = Acknowledgement.objects.update_or_create(
            rule=rule, subject=subject, defaults=values
        )
        if Acknowledgement.objects.count() > MAX:
            raise ValueError(f"there are {MAX:,} acknowledgements already")
        fired = attention.fired(overview.look())  # it comes first among its rule's lines now
        if not any((line.rule, line.subject) == (rule, subject) for line in fired):
            raise DoesNotFire(f"Rule {rule} does not fire for {subject or 'the fleet'} now.")
    return made
