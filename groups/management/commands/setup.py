"""``manage.py setup``: everything that a database needs before any process serves, in one
process."""

from typing import Any, cast

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.core.management.sql import emit_post_migrate_signal
from django.db import DEFAULT_DB_ALIAS, InternalError, OperationalError, connection
from psycopg.errors import ReadOnlySqlTransaction

from groups.postgres import baseline, message_queue, migrated, setup_lock
from groups.store import preflight
from groups.sweeps import schedule

IS_READ_ONLY = (
    "The database accepts no writes: default_transaction_read_only is on, for the server, the"
    " database or the user."
)


class Command(BaseCommand):
    """Tables, roles and grants; the first user; the broker's queue and the schedule.

    Existing parts are not changed.
    """

    help = "Migrate the database, and create what is missing in it."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Run all steps in order, while holding the lock."""
        check_connection()
        try:
            self._set_up()
        except InternalError as error:
            if isinstance(error.__cause__, ReadOnlySqlTransaction):
                raise CommandError(IS_READ_ONLY) from None
            raise

    def _set_up(self) -> None:
        with setup_lock.held():
            migrate()
            call_command("ensure_admin", stdout=self.stdout)
            if not settings.BROKER_URL:
                message_queue.ensure(settings.CELERY_TASK_DEFAULT_QUEUE)
            schedule.ensure()


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
