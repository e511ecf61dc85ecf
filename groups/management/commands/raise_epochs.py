"""``manage.py raise_epochs``: what a node does when time has gone back, for cases that no node
could notice.

For a restored backup whose nodes were all stopped: none of them remembers what was lost.
"""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import connection, transaction

from groups.postgres import timeline_sql as sql

AN_OPERATOR = -1
"""In place of the node that raised the epochs."""

PRESENT = "SELECT jump, generations_after FROM rollcall_timeline"


class Command(BaseCommand):
    """Raise every epoch, generation and sequence, once for each call."""

    help = "Raise all generations and epochs after a backup was restored (docs/backups.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        """The reason, for the journal."""
        parser.add_argument("--reason", required=True, help="the reason in the journal")
        parser.add_argument(
            "--times",
            type=int,
            default=1,
            help="2 if the same backup was restored once before, and so on",
        )

    def handle(self, *_args: Any, reason: str, times: int, **_options: Any) -> None:
        """Raise all of them in one transaction."""
        with transaction.atomic(), connection.cursor() as cursor:
            for _ in range(times):
                cursor.execute(PRESENT)
                jump, generations_after = cursor.fetchone()
                values = {
                    "jump": jump,
                    "generations_after": generations_after,
                    "node_id": AN_OPERATOR,
                    "reason": reason,
                }
                cursor.execute(sql.RAISE_EPOCHS, values)
        self.stdout.write("all generations and epochs are raised; every member joins again")
