"""``manage.py create_token NAME --user USER``: create an API token and show it, once."""

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import IntegrityError
from django.utils import timezone

from console.people import api_tokens
from console.people.rights import SCOPES

DAYS_MAX = 3_650


class Command(BaseCommand):
    """A token for REST; it has its user's rights."""

    help = "Create an API token for a user and print it; it is shown only once."

    def add_arguments(self, parser: CommandParser) -> None:
        """The token's name, and its user."""
        parser.add_argument("name", help="the name of the token")
        parser.add_argument("--user", required=True, help="the user whose rights it has")
        parser.add_argument(
            "--days", type=int, default=api_tokens.DAYS, help="days until it expires"
        )
        parser.add_argument(
            "--scopes", default=",".join(SCOPES), help="its scopes, separated by commas"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Create it."""
        user = get_user_model().objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']}.")
        try:
            _, secret = api_tokens.issue(
                user, options["name"], _ends(options["days"]), scopes=options["scopes"].split(",")
            )
        except ValueError as refusal:
            raise CommandError(str(refusal)) from None
        except IntegrityError:
            raise CommandError(f"The token {options['name']} already exists.") from None
        self.stdout.write(secret)


def _ends(days: int) -> datetime:
    if not 1 <= days <= DAYS_MAX:
        raise CommandError(f"A token lasts between 1 and {DAYS_MAX} days.")
    return timezone.now() + timedelta(days=days)
