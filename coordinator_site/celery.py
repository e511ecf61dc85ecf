"""The Celery application: configuration only. Tasks stand in ``groups.tasks``."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "coordinator_site.settings")

app = Celery("rollcall")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
