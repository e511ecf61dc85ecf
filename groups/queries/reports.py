"""The pipeline's runs, for screens and REST."""

from datetime import timedelta
from typing import Final

from django.utils import timezone

from groups.models import ReportRun

REBALANCES: Final = "rebalances"
"""The kind of run with the cost of rebalances."""

GIVEN_UP_AFTER: Final = timedelta(hours=6)
"""A run that is recorded as running for longer has failed without a record."""


def going_on(kind: str = REBALANCES) -> ReportRun | None:
    """The running run of this kind, if there is one."""
    begun = timezone.now() - GIVEN_UP_AFTER
    runs = ReportRun.objects.filter(kind=kind, state=ReportRun.State.RUNNING, started_at__gte=begun)
    return runs.order_by("-id").first()


def newest(kind: str = REBALANCES) -> ReportRun | None:
    """The newest successful run of this kind."""
    succeeded = ReportRun.objects.filter(kind=kind, state=ReportRun.State.SUCCEEDED)
    return succeeded.order_by("-id").first()
