"""The pipeline's runs, as screens and REST ask for them."""

from datetime import timedelta
from typing import Final

from django.utils import timezone

from groups.models import ReportRun

GIVEN_UP_AFTER: Final = timedelta(hours=6)
"""A run that is said to be running for longer has died without a word."""


def going_on() -> ReportRun | None:
    """The run that is at work, if one is."""
    begun = timezone.now() - GIVEN_UP_AFTER
    running = ReportRun.objects.filter(state=ReportRun.State.RUNNING, started_at__gte=begun)
    return running.order_by("-id").first()


def newest() -> ReportRun | None:
    """The newest run that has something to show."""
    return ReportRun.objects.filter(state=ReportRun.State.SUCCEEDED).order_by("-id").first()
