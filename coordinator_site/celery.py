"""The Celery application: configuration only. Tasks are in ``groups.tasks``."""

import os
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import beat_init, worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "coordinator_site.settings")

app = Celery("rollcall")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def serves(**_: Any) -> None:
    """Report to the launcher that this process serves."""
    path = os.environ.get("ROLLCALL_READY_FILE")
    if path:
        Path(path).write_text("ready\n")


worker_ready.connect(serves)
beat_init.connect(serves)
