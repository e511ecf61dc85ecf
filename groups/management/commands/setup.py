"""``manage.py setup``: everything that a database needs before any process serves, in one
process."""

import time
from argparse import ArgumentTypeError
from typing import Any, cast

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.management.sql import emit_post_migrate_signal
from django.db import DEFAULT_DB_ALIAS, InternalError, OperationalError, connection
from psycopg.errors import ReadOnlySqlTransaction

from groups.cluster import node_leases
from groups.postgres import baseline, message_queue, migrated, role_script, setup_lock
from groups.store import preflight
from groups.sweeps import schedule

IS_READ_ONLY = (
    "The database accepts no writes: default_transaction_read_only is on, for the server, the"
    " database or the user."
)

IN_USE_S, LOOK_AGAIN_S = 15.0, 0.25
"""How long to wait for the nodes of the last start to end: PostgreSQL notices a machine that has
vanished within eleven seconds (``groups.postgres.roles``)."""


class Command(BaseCommand):
    """Tables, roles and grants; the first user; the broker's queue and the schedule; with
    ``--nodes`` the ids of this host's nodes.

    Existing parts are not changed.
    """

    help = "Migrate the database, and create what is missing in it."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the option."""
        parser.add_argument(
            "--nodes",
            type=count,
            default=0,
            help="lease the ids of so many nodes for this host; ROLLCALL_DATA_DIR/node-ids has"
            " them",
        )

        parser.add_argument(
            "--print-sql",
            action="store_true",
            help="print what an administrator of PostgreSQL has to execute before, where the user"
            " of ROLLCALL_DATABASE_URL may not create roles; change nothing",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run all steps in order, while holding the lock."""
        if options["print_sql"]:
            self.stdout.write(print_sql(), ending="")
            return
        check_connection()
        try:
            self._set_up()
        except InternalError as error:
            if isinstance(error.__cause__, ReadOnlySqlTransaction):
                raise CommandError(IS_READ_ONLY) from None
            raise
        if options["nodes"]:
            lease(options["nodes"])

    def _set_up(self) -> None:
        with setup_lock.held():
            migrate()
            call_command("ensure_admin", stdout=self.stdout)
            if not settings.BROKER_URL:
                message_queue.ensure(settings.CELERY_TASK_DEFAULT_QUEUE)
            schedule.ensure()


def print_sql() -> str:
    """The administrator's part, for the database and the user of the URL."""
    entry = connection.settings_dict
    return role_script.script(
        str(entry["NAME"]), str(entry["USER"]), logins=bool(settings.DATABASE_LOGINS)
    )


def count(text: str) -> int:
    """A number of nodes."""
    if not text.isdecimal():
        raise ArgumentTypeError(f"{text!r} is not a number of nodes")
    return int(text)


def lease(nodes: int) -> None:
    """The ids of this host's nodes. Other set-ups do not wait for nodes that end."""
    until = time.monotonic() + IN_USE_S
    while True:
        try:
            with setup_lock.held():
                node_leases.lease(settings.DATA_DIR, nodes)
        except node_leases.InUse as error:
            if time.monotonic() >= until:
                raise CommandError(str(error)) from None
        except node_leases.Refused as error:
            raise CommandError(str(error)) from None
        else:
            return
        time.sleep(LOOK_AGAIN_S)


def check_connection() -> None:
    """Raise ``CommandError`` unless PostgreSQL itself answers."""
    try:
        connection.ensure_connection()
    except OperationalError as error:
        raise CommandError(f"No connection to the database: {error}") from None
    with connection.cursor() as cursor:
        cursor.execute(preflight.SERVER_PROCESS)
        if cursor.fetchone() != (connection.connection.info.backend_pid,):
            raise CommandError(f"The database cannot be used: {preflight.POOLED}.")


def migrate() -> None:
    """Apply migrations; then the steps that depend on them and on settings, in any case."""
    if migrated.is_whole():
        cast(Any, apps.get_app_config("groups")).follow()
        return
    if baseline.load():
        emit_post_migrate_signal(verbosity=0, interactive=False, db=DEFAULT_DB_ALIAS)
    else:
        call_command("migrate", interactive=False, verbosity=0)
    migrated.note()
