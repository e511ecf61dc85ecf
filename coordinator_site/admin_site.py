"""The admin as an application, whose pages are imported where they are served only.

Django's own configuration would import all of them, with forms and templates, into nodes and
workers; ``coordinator_site.urls`` does that for the web process.
"""

from collections.abc import Sequence
from typing import Any

from django.contrib.admin import autodiscover
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks


class Admin(SimpleAdminConfig):
    """django-unfold's site, made when somebody first asks for it."""

    default_site = "unfold.sites.UnfoldAdminSite"

    def ready(self) -> None:
        """Register Django's checks of the admin, which look at all pages."""
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(check_all_pages, checks.Tags.admin)


def check_all_pages(app_configs: Sequence[Any] | None, **others: Any) -> list[checks.CheckMessage]:
    """Django's own check of the admin, once all pages are there."""
    autodiscover()
    return check_admin_app(app_configs, **others)
