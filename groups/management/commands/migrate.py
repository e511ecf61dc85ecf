"""``manage.py migrate``: Django's own, under the lock for set-ups."""

from typing import Any

from django.core.management.commands import migrate

from groups.postgres import setup_lock


class Command(migrate.Command):
    """Two of these on one database run one after the other; the second finds nothing to do."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate while holding the lock."""
        with setup_lock.held(options["database"]):
            super().handle(*args, **options)
