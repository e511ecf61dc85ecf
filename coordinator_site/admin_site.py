"""The admin as an application that imports its pages only in the process that serves them.

Django's own configuration would import all pages, with forms and templates, into nodes and workers;
``coordinator_site.urls`` imports them in the web process.
"""

from collections.abc import Sequence
from typing import Any

from django.contrib.admin import autodiscover
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks


class Admin(SimpleAdminConfig):
    """django-unfold's site, created at its first use."""

    default_site = "unfold.sites.UnfoldAdminSite"

    def ready(self) -> None:
        """Register Django's checks of the admin, which import all pages."""
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(check_all_pages, checks.Tags.admin)


def check_all_pages(app_configs: Sequence[Any] | None, **others: Any) -> list[checks.CheckMessage]:
    """Django's own check of the admin, after all pages are imported."""
    autodiscover()
    return check_admin_app(app_configs, **others)
