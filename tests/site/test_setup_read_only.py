"""``manage.py setup`` where the database accepts no writes: a sentence, no traceback."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

pytestmark = pytest.mark.django_db


def test_a_read_only_database_is_reported_in_one_line() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")
    with pytest.raises(CommandError, match=r"^The database accepts no writes"):
        call_command("setup")
    connection.set_rollback(True)
