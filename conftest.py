"""What every test can rely on: a real PostgreSQL, started by our own launcher, once per run.

The process that pytest starts first serves it; parallel workers find its URL in their
environment, and pytest-django gives each worker a database of its own in it.
"""

import os
import shutil
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection
from pytest_django import DjangoDbBlocker

from coordinator_site import database
from launcher import postgres
from launcher.output import Output
from tests import databases, installations

pytest_plugins = [
    "tests.absent_kinds",
    "tests.examples",
    "tests.time_limit",
    "tests.loops",
    "tests.scheduling",
]

RUN = "ROLLCALL_TEST_DIR"
"""The variable with the folder of this run (``tests/settings.py``)."""

LOG = "postgres.log"
SHARED_SERVER = "ROLLCALL_TEST_SERVER_IS_SHARED"
"""Set by who has started a server, made this run's database and named it (``tests/mutation``)."""

SERVER = pytest.StashKey[ExitStack]()


def pytest_configure(config: pytest.Config) -> None:
    """In the first process: start the server, and tell Django and the workers where it is."""
    if hasattr(config, "workerinput") or SHARED_SERVER in os.environ:
        return
    stack = config.stash[SERVER] = ExitStack()
    folder = Path(os.environ[RUN])
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    if config.option.collectonly:
        return
    log = stack.enter_context((folder / LOG).open("wb", buffering=0))
    output = Output(log.fileno())
    stack.callback(output.close)
    url = stack.enter_context(postgres.serve(folder, throwaway=True, output=output))
    os.environ[database.VARIABLE] = url
    os.environ["ROLLCALL_DATABASE_MAY_BE_UNSAFE"] = "on"  # no fsync: nobody keeps these data
    stack.enter_context(installations.on_demand(folder))
    settings.DATABASES["default"].update(database.from_url(url))  # read before we knew


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    """A test that asks for ``database_url`` needs the worker's database, which pytest-django makes
    for marked tests only. It leaves rows behind, so it must come after the tests that roll back,
    as tests without the mark do: it is marked when pytest-django has put all in order.
    """
    yield
    for item in items:
        if config.getoption("loadgroup", default=False) and item.get_closest_marker("xdist_group"):
            assert "@" in item.nodeid, "groups mean nothing to this pair of pytest and xdist"
        if _asks_for("database_url", item):
            item.add_marker(pytest.mark.django_db)


def _asks_for(fixture: str, item: pytest.Item) -> bool:
    return fixture in getattr(item, "fixturenames", ())


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest,
    django_test_environment: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[None]:
    """Instead of pytest-django's own, which migrates in each worker."""
    if SHARED_SERVER in os.environ:
        yield
        return
    worker = getattr(request.config, "workerinput", {}).get("workerid", "alone")
    with ExitStack() as stack:
        with django_db_blocker.unblock():
            copied = databases.copied(f"test_rollcall_{worker}", Path(os.environ[RUN]))
            stack.enter_context(copied)
        yield
        with django_db_blocker.unblock():
            stack.close()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the server and remove its folder."""
    if SERVER in config.stash:
        config.stash[SERVER].close()


@pytest.fixture(scope="session")
def database_url(django_db_setup: None) -> str:
    """This worker's own database, migrated: for tests that run Rollcall's real processes.

    What they commit stays until the test removes it.
    """
    url = urlsplit(os.environ[database.VARIABLE])
    return url._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
