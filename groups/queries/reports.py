"""The pipeline's runs, as screens and REST ask for them."""

from datetime import timedelta
from typing import Final

from django.utils import timezone

from groups.models import ReportRun

REBALANCES: Final = "rebalances"
"""The kind of run that tells what rebalances cost."""

GIVEN_UP_AFTER: Final = timedelta(hours=6)
"""A run that is said to be running for longer has died without a word."""


def going_on(kind: str = REBALANCES) -> ReportRun | None:
    """The run of this kind that is at work, if one is."""
    begun = timezone.now() - GIVEN_UP_AFTER
    runs = ReportRun.objects.filter(kind=kind, state=ReportRun.State.RUNNING, started_at__gte=begun)
    return runs.order_by("-id").first()


def newest(kind: str = REBALANCES) -> ReportRun | None:
    """The newest run of this kind that has something to show."""
    succeeded = ReportRun.objects.filter(kind=kind, state=ReportRun.State.SUCCEEDED)
    return succeeded.order_by("-id").first()
