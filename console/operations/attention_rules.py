"""Thresholds of what needs attention for a group or for all whose ids begin alike, and silences."""

from datetime import datetime
from typing import Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from console.operations.requests import check_reason
from console.queries.attention_rules import SETTINGS, TUNABLE, highest
from groups.models import AttentionRule

MAX: Final = 200
"""Maximum number of rows: each rule compares the groups that it finds with all of its own, and a
thousand cost the Overview two seconds. Beginnings of ids serve for many groups."""


def apply(
    rule: str,
    name: str,
    *,
    is_prefix: bool,
    threshold: int | None,
    reason: str,
    actor: str,
    until: datetime | None = None,
) -> AttentionRule:
    """Give these groups a threshold, or without one silence the rule until an end; what was said of
    the same groups before is replaced. Raises ``ValueError`` for what makes no sense."""
    check_reason(reason)
    problem = trouble(rule, name, is_prefix=is_prefix, threshold=threshold, until=until)
    if problem is not None:
        raise ValueError(problem[1])
    values = {"reason": reason, "actor": actor, "until": until, "at": timezone.now()}
    with transaction.atomic():
        row, _ = AttentionRule.objects.update_or_create(
            rule=rule,
            is_prefix=is_prefix,
            name=name,
            threshold__isnull=threshold is None,
            defaults={**values, "threshold": threshold},
        )
        if AttentionRule.objects.count() > MAX:
            raise ValueError(f"there are {MAX:,} such rules already")
    return row


def trouble(
    rule: str, name: str, *, is_prefix: bool, threshold: int | None, until: datetime | None
) -> tuple[str, str] | None:
    """The field that makes no sense, and why; None: all do."""
    if rule not in SETTINGS:
        return "rule", "it is not about groups"
    if not name and not is_prefix:
        return "name", "a group has an id"
    most = getattr(settings, "GROUP_ID_MAX_BYTES")  # noqa: B009 made of the table
    if len(name.encode()) > most:
        return "name", f"a group's id has at most {most:,} bytes"
    if until is not None and until <= timezone.now():
        return "until", "the end has passed"
    if threshold is None:
        return None if until is not None else ("until", "a silence has an end")
    if rule not in TUNABLE:
        return "threshold", "this rule has none: it can be silenced"
    if not 1 <= threshold <= highest(rule):
        return "threshold", f"it is from 1 to {highest(rule):,}"
    return None
