"""``manage.py migrate``: Django's own, under the lock of every set-up."""

from typing import Any

from django.core.management.commands import migrate

from groups.postgres import setup_lock


class Command(migrate.Command):
    """Two of these over one database come one after the other; the second finds nothing to do."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate once nobody else does."""
        with setup_lock.held(options["database"]):
            super().handle(*args, **options)
