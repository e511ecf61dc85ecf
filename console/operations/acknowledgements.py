"""Acknowledging what needs attention, for the admin and REST. Nothing depends on it: the rule
continues to fire, and is shown folded, with the author and the note."""

from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils import timezone

from console.operations.requests import check_reason
from console.queries import attention, overview
from groups.models import Acknowledgement

MAX: Final = 1_000
"""Maximum number of acknowledgements: each rule's query receives those of the rule."""


class DoesNotFire(Exception):
    """The rule does not fire for this subject."""


def acknowledge(
    rule: str, subject: str, *, note: str, actor: str, until: datetime | None = None
) -> Acknowledgement:
    """Acknowledge a rule that fires, or change the acknowledgement.

    Raises ``ValueError`` for an invalid note or end, and ``DoesNotFire``.
    """
    check_reason(note)
    if until is not None and until <= timezone.now():
        raise ValueError("the end has passed")
    with transaction.atomic():
        values = {"note": note, "actor": actor, "until": until, "at": timezone.now()}
        acknowledgement, _ = Acknowledgement.objects.update_or_create(
            rule=rule, subject=subject, defaults=values
        )
        if Acknowledgement.objects.count() > MAX:
            raise ValueError(f"there are {MAX:,} acknowledgements already")
        fired = attention.fired(overview.look())  # it is now the first of its rule's lines
        if not any((line.rule, line.subject) == (rule, subject) for line in fired):
            raise DoesNotFire(f"Rule {rule} does not fire for {subject or 'the fleet'} now.")
    return acknowledgement
