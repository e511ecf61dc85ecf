"""The Celery application: configuration only. Tasks are in ``groups.tasks`` and
``console.tasks``."""

import os
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import beat_init, worker_init, worker_ready, worker_shutting_down

from groups.watchdog import WATCHDOG

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "coordinator_site.settings")

app = Celery("rollcall")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def serves(**_: Any) -> None:
    """Report to the launcher that this process serves."""
    path = os.environ.get("ROLLCALL_READY_FILE")
    if path:
        Path(path).write_text("ready\n")


def is_watched(**_: Any) -> None:
    """From the start of a worker, of beat, or of both in one process."""
    WATCHDOG.start()


def will_take(**_: Any) -> None:
    """A worker's start counts as its first look for tasks: the broker may not even answer that."""
    from groups.postgres import message_queue_transport as transport

    WATCHDOG.turned(transport.TAKING, transport.TAKING_STILL_S)


def is_not_watched(**_: Any) -> None:
    """A worker that stops takes no more tasks; the launcher limits how long it may take."""
    WATCHDOG.stop()


worker_init.connect(is_watched)
worker_init.connect(will_take)
beat_init.connect(is_watched)
worker_shutting_down.connect(is_not_watched)
worker_ready.connect(serves)
beat_init.connect(serves)
