"""``manage.py grant_groups LOGIN PREFIX``: let an application commit offsets of groups in SQL."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

GRANT = """
INSERT INTO rollcall_application_grant (login, prefix) VALUES (%s, %s)
ON CONFLICT (login, prefix) DO NOTHING
"""
REVOKE = "DELETE FROM rollcall_application_grant WHERE login = %s AND prefix = %s"
ALL = "SELECT login, prefix FROM rollcall_application_grant ORDER BY login, prefix"
IS_THERE = "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = %s)"


class Command(BaseCommand):
    """Grants belong to logins of PostgreSQL, each for a prefix of group ids."""

    help = "Grant a login of PostgreSQL the groups whose ids have a prefix (docs/exactly-once.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        """The login and the prefix; without them all grants are listed."""
        parser.add_argument("login", nargs="?", help="the login of PostgreSQL")
        parser.add_argument("prefix", nargs="?", help="the prefix of the ids; '' for all groups")
        parser.add_argument("--revoke", action="store_true", help="revoke the grant")

    def handle(self, *args: Any, **options: Any) -> None:
        """Change the grant, or list the existing ones."""
        login, prefix = options["login"], options["prefix"]
        with connection.cursor() as cursor:
            if login is None:
                cursor.execute(ALL)
                self.stdout.write("\n".join(f"{who} {what!r}" for who, what in cursor.fetchall()))
                return
            if prefix is None:
                raise CommandError("Give the prefix of the groups' ids; '' means all groups.")
            cursor.execute(IS_THERE, [login])
            if not options["revoke"] and cursor.fetchone() != (True,):
                raise CommandError(f"The login {login} does not exist.")
            cursor.execute(REVOKE if options["revoke"] else GRANT, [login, prefix])
            if options["revoke"] and not cursor.rowcount:
                raise CommandError(f"{login} had no such grant.")
