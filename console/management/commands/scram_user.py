"""``manage.py scram_user NAME``: create a user of the Kafka port, or change its password."""

import sys
from getpass import getpass
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, transaction

from groups.clients import scram_credentials as scram


class Command(BaseCommand):
    """The password is prompted for, or the first line of standard input; only its verifier is
    stored."""

    help = "Create a user of the Kafka port (SASL), change its password, or delete it."

    def add_arguments(self, parser: CommandParser) -> None:
        """The user, and the mechanisms."""
        parser.add_argument("name")
        parser.add_argument("--mechanism", action="append", choices=tuple(scram.HASHES))
        parser.add_argument("--iterations", type=int, default=scram.ITERATIONS)
        parser.add_argument("--delete", action="store_true", help="its connections are closed")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write the rows, and notify the nodes."""
        name, mechanisms = options["name"], options["mechanism"] or tuple(scram.HASHES)
        if not scram.is_name(name):
            raise CommandError(f"{name!r} is not a valid user name.")
        if not scram.ITERATIONS_MIN <= options["iterations"] <= scram.ITERATIONS_MAX:
            raise CommandError(f"--iterations: {scram.ITERATIONS_MIN} to {scram.ITERATIONS_MAX}.")
        password = "" if options["delete"] else _password()
        deleted = 0
        with transaction.atomic(), connection.cursor() as cursor:
            for mechanism in mechanisms:
                key = {"name": name, "mechanism": mechanism}
                if options["delete"]:
                    cursor.execute(scram.DROP, key)
                    deleted += cursor.rowcount
                    continue
                credential = scram.of_password(mechanism, password, options["iterations"])
                cursor.execute(scram.PUT, {**key, **credential._asdict()})
            cursor.execute(scram.RING)
        if options["delete"] and not deleted:
            raise CommandError(f"There is no user {name} with these mechanisms.")


def _password() -> str:
    password = getpass() if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    if not password:
        raise CommandError("A password is required: the first line of standard input.")
    return password
