"""The application: it has no models, and registers the check of its setting."""

from django.apps import AppConfig
from django.core.checks import register

from rollcall.contrib.django.checks import check_setting


class RollcallConfig(AppConfig):
    """``rollcall.contrib.django``."""

    name = "rollcall.contrib.django"
    label = "rollcall_client"
    verbose_name = "Rollcall's workers"

    def ready(self) -> None:
        register(check_setting)
