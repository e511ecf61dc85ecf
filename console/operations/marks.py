"""Marking a time, for the admin and REST: nothing depends on it."""

from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils import timezone

from console.operations.requests import check_reason
from console.queries import facts
from groups.models import Mark

MAX: Final = 100_000
"""Maximum number of marks: three a day of a hundred teams for a year."""


class UnknownGroup(ValueError):
    """There is no such group, and was none."""


def mark(text: str, *, actor: str, group_id: str = "", at: datetime | None = None) -> Mark:
    """Mark a time, by default now, for a group or for the whole installation.

    Raises ``ValueError`` for an invalid text, an unknown group or a time to come.
    """
    check_reason(text)
    if group_id and not facts.is_known(group_id):
        raise UnknownGroup("there is no such group, and was none")
    now = timezone.now()
    if at is not None and at > now:
        raise ValueError("that time has not come")
    with transaction.atomic():
        found = Mark.objects.create(text=text, actor=actor, group_id=group_id, at=at or now)
        if Mark.objects.count() > MAX:
            raise ValueError(f"there are {MAX:,} marks already")
    return found
