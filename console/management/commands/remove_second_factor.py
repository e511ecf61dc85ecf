"""``manage.py remove_second_factor USER``: for a user who has lost authenticator and recovery
codes."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser

from console.people import second_factor


class Command(BaseCommand):
    """Afterwards the password is enough, until the user sets up another one."""

    help = "Remove a user's second factor and recovery codes."

    def add_arguments(self, parser: CommandParser) -> None:
        """The user."""
        parser.add_argument("user", help="the user's name")

    def handle(self, *args: Any, **options: Any) -> None:
        """Remove it."""
        user = get_user_model().objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']}.")
        if not second_factor.remove(user):
            raise CommandError(f"{options['user']} has no second factor.")
        self.stdout.write(f"The second factor of {options['user']} was removed.")
