"""The databases of a run's workers: copies of one that the first worker to need one migrates.

Migrating takes seconds of a processor, copying hundredths of one.
"""

import fcntl
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from psycopg import sql

from coordinator_site import database
from tests import rows

TEMPLATE = "test_template"

SESSIONS = """
SELECT application_name, state, query FROM pg_stat_activity
WHERE datname = %s AND pid <> pg_backend_pid()
"""


@contextmanager
def copied(name: str, folder: Path) -> Iterator[None]:
    """Django's database is a fresh copy meanwhile; ``folder`` is the run's, where it is noted
    whether there is a template.

    At the end no session may be connected to it: a session that is left was left by a test.
    """
    with (folder / "template.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the others wait meanwhile: they would do the same
        made = folder / "template.made"
        if not made.exists():
            _create(TEMPLATE, "template1")
            _use(TEMPLATE)
            call_command("migrate", verbosity=0, interactive=False)
            connection.close()  # else no copy could be made
            made.touch()
        _create(name, TEMPLATE)
    with _used(name):
        yield


@contextmanager
def empty(name: str) -> Iterator[str]:
    """Django's database is a new one without anything in it meanwhile; its URL."""
    _create(name, "template0")
    with _used(name):
        yield urlsplit(os.environ[database.VARIABLE])._replace(path=f"/{name}").geturl()


@contextmanager
def _used(name: str) -> Iterator[None]:
    """Django's database is this one meanwhile, which is dropped at the end."""
    before = connection.settings_dict["NAME"]
    _use(name)
    try:
        yield
    finally:
        rows.leave()
        _use(before)
        gc.collect()  # libpq's end of what was cancelled while it connected
        _drop(name)


def _use(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = settings.DATABASES["default"]["NAME"] = name


def _create(name: str, template: str) -> None:
    made = "CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy"
    with _server() as server:
        server.execute(sql.SQL(made).format(sql.Identifier(name), sql.Identifier(template)))
    if template == TEMPLATE:
        with _server(name) as copy:
            # else time went back in it
            copy.execute("UPDATE rollcall_timeline SET timeline = timeline")


def _drop(name: str) -> None:
    """PostgreSQL itself waits some seconds for sessions that are about to end."""
    with _server() as server:
        try:
            server.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))
        except psycopg.errors.ObjectInUse as error:
            left = server.execute(SESSIONS, [name]).fetchall()
            raise AssertionError(f"some test left sessions behind: {left}") from error


def _server(name: str | None = None) -> "psycopg.Connection[tuple[object, ...]]":
    return psycopg.connect(os.environ[database.VARIABLE], autocommit=True, dbname=name)
