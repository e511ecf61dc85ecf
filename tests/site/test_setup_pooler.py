"""``manage.py setup`` behind a connection pooler, or without a database: a sentence, no
traceback."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from tests.pooler import pooled


def set_up(port: int, blocker: Any) -> None:
    """In a thread, which has a connection of its own."""
    here = connection.settings_dict
    before = here["PORT"]

    def run() -> None:
        with blocker.unblock():
            try:
                call_command("setup")
            finally:
                connection.close()

    here["PORT"] = str(port)
    try:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(run).result()
    finally:
        here["PORT"] = before


def test_a_pooler_is_reported_in_one_line(database_url: str, django_db_blocker: Any) -> None:
    sentence = "a connection pooler is in between"
    with pooled(database_url) as port, pytest.raises(CommandError, match=sentence):
        set_up(port, django_db_blocker)


def test_a_missing_database_is_reported_in_one_line(
    database_url: str, django_db_blocker: Any
) -> None:
    del database_url  # it is there
    with pytest.raises(CommandError, match="No connection to the database: connection failed"):
        set_up(1, django_db_blocker)
