"""Health: alive without a database, ready with one that has this version's tables."""

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django import DjangoDbBlocker


def test_live_touches_no_database(client: Client) -> None:
    answer = client.get("/livez")  # pytest-django forbids the database here

    assert (answer.status_code, answer.content) == (200, b"ok\n")


@pytest.mark.django_db
def test_ready_when_the_database_answers_and_is_migrated(client: Client) -> None:
    assert client.get("/readyz").content == b"ok\n"
    assert client.get("/readyz?verbose").content == b"[+]db ok\n[+]migrations ok\nok\n"


@pytest.mark.django_db
def test_not_ready_while_a_migration_is_missing(client: Client) -> None:
    MigrationRecorder(connection).record_unapplied("sessions", "0001_initial")

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.content == b"[+]db ok\n[-]migrations failed\nnot ready\n"


def test_not_ready_while_the_database_is_away(
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


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_health_is_for_reading_only(client: Client, path: str) -> None:
    assert client.post(path).status_code == 405


def test_unknown_host_is_refused(client: Client) -> None:
    assert client.get("/livez", headers={"host": "elsewhere.example"}).status_code == 400


@pytest.mark.django_db
def test_admin_asks_who_one_is(client: Client) -> None:
    answer = client.get("/admin/")

    assert answer.status_code == 302
    assert answer.headers["Location"] == "/admin/login/?next=/admin/"
