"""Health: alive without a database, ready with one that has this version's tables."""

from collections.abc import Iterator

import pytest
from django.contrib.auth import get_user_model
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_celery_beat.models import PeriodicTask
from pytest_django import DjangoDbBlocker

from groups.models import Sweep
from groups.sweeps import schedule
from tests.admin.test_dashboard import sql
from web import health


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    """Without the cached results of other tests."""
    health.LATEST.forget()
    yield
    health.LATEST.forget()


def test_live_uses_no_database(client: Client) -> None:
    answer = client.get("/livez")  # pytest-django forbids the database here

    assert (answer.status_code, answer.content) == (200, b"ok\n")


@pytest.mark.django_db
def test_ready_when_the_database_answers_and_is_migrated(client: Client) -> None:
    assert client.get("/readyz").content == b"ok\n"
    verbose = client.get("/readyz?verbose").content.decode().splitlines()
    assert verbose[:2] == ["[+]db ok", "[+]migrations ok"]
    assert verbose[-1] == "ok"


@pytest.mark.django_db
def test_problems_of_other_components_are_reported_and_do_not_count(client: Client) -> None:
    schedule.ensure()
    sql("UPDATE rollcall_slot SET node_id = NULL")
    verbose = client.get("/readyz?verbose")
    assert verbose.status_code == 200
    assert b"[!]slots degraded\n[+]periodic-work ok\nok\n" in verbose.content

    sql("UPDATE rollcall_slot SET node_id = 1")
    name = PeriodicTask.objects.exclude(task__startswith="celery.").first().name
    Sweep.objects.update_or_create(
        name=name,
        defaults={"started_at": timezone.now(), "took_ms": 1, "outcome": "no", "failed": True},
    )
    health.LATEST.forget()
    verbose = client.get("/readyz?verbose")
    assert verbose.status_code == 200
    assert b"[+]slots ok\n[!]periodic-work degraded\nok\n" in verbose.content


@pytest.mark.django_db
def test_not_ready_while_a_migration_is_missing(client: Client) -> None:
    MigrationRecorder(connection).record_unapplied("sessions", "0001_initial")

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.content.startswith(b"[+]db ok\n[-]migrations failed\n")
    assert answer.content.endswith(b"\nnot ready\n")


def test_not_ready_while_the_database_is_down(
    client: Client,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with django_db_blocker.unblock(), monkeypatch.context() as patch:
        connection.close()
        patch.setitem(connection.settings_dict, "PORT", 1)
        answer = client.get("/readyz")
        connection.close()

    assert answer.status_code == 503
    assert b"[-]db failed\n" in answer.content


def test_a_hung_database_is_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each check waited for the server process that hung, one after the other."""
    asked: list[None] = []

    def hangs() -> bool:
        asked.append(None)
        raise OperationalError("PostgreSQL does not answer")

    for name in health.CHECKS:
        monkeypatch.setitem(health.CHECKS, name, hangs)
    for name in health.NOTES:
        monkeypatch.setitem(health.NOTES, name, hangs)
    assert not any(health.Latest().results().values())
    assert len(asked) == 1


@pytest.mark.django_db
def test_ready_checks_the_database_at_most_once_a_second() -> None:
    now = 1_000.0
    latest = health.Latest(lambda: now)
    with CaptureQueriesContext(connection) as first:
        assert latest.results()["db"]
    with CaptureQueriesContext(connection) as then:
        assert all(latest.results()["db"] for _ in range(100))
    now += health.KEPT_S
    with CaptureQueriesContext(connection) as later:
        latest.results()

    assert len(first) == len(later) > 0
    assert len(then) == 0


@pytest.mark.django_db
def test_ready_reads_the_files_of_migrations_once(client: Client) -> None:
    client.get("/readyz")
    before = health.migrations.cache_info().misses
    health.LATEST.forget()

    assert client.get("/readyz").status_code == 200
    assert health.migrations.cache_info().misses == before == 1


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/admin/", "/api/v1/nodes"])
def test_requests_without_a_database_get_retry_after(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where what fails is around the view: the session, the user."""
    client = Client(raise_request_exception=False)
    client.force_login(get_user_model().objects.create_superuser("eve"))

    with monkeypatch.context() as patch:
        patch.setattr(connection, "cursor", _unavailable)
        answer = client.get(path)

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")


def _unavailable(*_: object) -> None:
    raise OperationalError("the server closed the connection unexpectedly")


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_health_accepts_read_methods_only(client: Client, path: str) -> None:
    assert client.post(path).status_code == 405


def test_unknown_host_is_refused(client: Client) -> None:
    assert client.get("/livez", headers={"host": "elsewhere.example"}).status_code == 400


@pytest.mark.django_db
def test_admin_requires_a_login(client: Client) -> None:
    answer = client.get("/admin/")

    assert answer.status_code == 302
    assert answer.headers["Location"] == "/admin/login/?next=/admin/"
