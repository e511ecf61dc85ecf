"""Acknowledgements of what needs attention. Reads only."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from django.db.models import Q
from django.utils import timezone

from groups.models import Acknowledgement

ABOUT_GROUPS: Final = frozenset(
    ("unsettled", "unowned", "storm", "shared-instance", "silent", "stopped", "frozen", "no-commit")
)
"""Rules whose subject is a group."""

Acknowledged = Mapping[tuple[str, str], Acknowledgement]
"""Valid acknowledgements, by rule and subject."""


def in_force(subjects: Iterable[str] | None = None) -> Acknowledged:
    """Acknowledgements whose end has not passed: all, or those of these subjects. One statement."""
    ends = Q(until__isnull=True) | Q(until__gt=timezone.now())
    rows = Acknowledgement.objects.filter(ends)
    if subjects is not None:
        rows = rows.filter(subject__in=list(subjects))
    return {(row.rule, row.subject): row for row in rows}


def from_json(text: str) -> Acknowledgement:
    """From PostgreSQL's ``to_jsonb`` of a row."""
    row = json.loads(text)
    at, until = row.pop("at"), row.pop("until")
    ends = None if until is None else datetime.fromisoformat(until)
    return Acknowledgement(**row, at=datetime.fromisoformat(at), until=ends)


def subjects_of(rule: str, acknowledged: Acknowledged) -> Sequence[str]:
    """The subjects for which a rule was acknowledged."""
    return [subject for name, subject in acknowledged if name == rule]
