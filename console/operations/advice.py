"""Accepting and muting advice, for the admin and REST. The pipeline goes on to give it; what is
muted is not shown until its end."""

from datetime import datetime
from typing import Final

from django.db import transaction
from django.utils import timezone

from console.operations.requests import check_reason
from console.queries import advice, reports
from groups.models import AdviceDecision

MAX: Final = 10_000
"""Maximum number of decisions that hold: each page reads them."""


class NoSuchAdvice(Exception):
    """The newest run does not give this advice."""


def decide(
    key: advice.Key, verdict: str, *, reason: str, actor: str, until: datetime | None = None
) -> AdviceDecision:
    """Decide about an advice of the newest run, or decide anew. Decisions whose end has passed are
    deleted.

    Raises ``ValueError`` for an invalid reason or end, and ``NoSuchAdvice``.
    """
    check_reason(reason)
    now = timezone.now()
    if until is not None and verdict != AdviceDecision.Verdict.MUTED:
        raise ValueError("only what is muted has an end")
    if until is not None and until <= now:
        raise ValueError("the end has passed")
    group_id, rule, subject = key
    if not advice.exists(reports.newest(advice.REPORT), key):
        raise NoSuchAdvice(f"There is no advice {rule} about {subject} of group {group_id} now.")
    with transaction.atomic():
        AdviceDecision.objects.filter(until__lte=now).delete()
        values = {"verdict": verdict, "reason": reason, "actor": actor, "until": until, "at": now}
        decision, _ = AdviceDecision.objects.update_or_create(
            group_id=group_id, rule=rule, subject=subject, defaults=values
        )
        if AdviceDecision.objects.count() > MAX:
            raise ValueError(f"there are {MAX:,} decisions already")
    return decision
