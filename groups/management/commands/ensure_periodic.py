"""``manage.py ensure_periodic``: what Celery needs in the database, if it is not there yet."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from groups import broker, schedule


class Command(BaseCommand):
    """The queue's tables, where the broker is PostgreSQL, and the schedule's rows."""

    help = "Make the broker's queue and the default schedule, where they are missing."

    def handle(self, *args: Any, **options: Any) -> None:
        """Make them."""
        if not settings.BROKER_URL:
            broker.ensure(settings.CELERY_TASK_DEFAULT_QUEUE)
        schedule.ensure()
