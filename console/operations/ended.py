"""Acknowledgements of situations that are over, and silences, ended by the worker
(``groups.sweeps.ends``)."""

from typing import Any

from django.utils import timezone

from console.queries import attention, overview
from groups.models import Acknowledgement, AttentionRule


def end_acknowledgements() -> int:
    """Acknowledgements whose end has passed, and those of rules that do not fire any more; beside
    them silences and thresholds whose end has passed, which are not counted."""
    AttentionRule.objects.filter(until__lte=timezone.now()).delete()
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
