"""The audit: who logged in, or failed to, and who changed what in the web; and only the migrator
changes a row of it."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group as Role
from django.db import DatabaseError, connection, transaction
from django.test import Client as Browser
from django.test import RequestFactory
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from console.operations import requests
from console.people import api_tokens, audit
from console.people.shares import Shares
from groups.models import AuditEntry, Operation
from tests.security.auditing import ADDRESS, PASSWORD, browser, entries_of


@pytest.fixture(autouse=True)
def _room(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test pays for the refusals of another."""
    monkeypatch.setattr(audit, "_refusals", Shares(100, 101))
    monkeypatch.setattr(audit, "_lockouts", Shares(100, 101))


def log_in(client: Browser, password: str = PASSWORD) -> None:
    client.post("/admin/login/?next=/admin/", {"username": "root", "password": password})


def test_logins_failures_and_lock_outs_are_recorded(root: Any, settings: Any) -> None:
    settings.AXES_ENABLED = True
    client = browser()
    for _ in range(6):
        log_in(client, "a guess")
    log_in(Browser(REMOTE_ADDR="192.0.2.8"))
    outcomes = [(address, outcome) for _, address, _, outcome in entries_of("login")]
    assert outcomes[:4] == [(ADDRESS, "failed")] * 4
    assert (ADDRESS, "locked out") in outcomes
    assert outcomes[-1] == ("192.0.2.8", "done")
    assert "guess" not in json.dumps(list(AuditEntry.objects.values("details", "target", "who")))


def test_changes_of_users_roles_and_tokens_are_recorded_with_author_and_address(root: Any) -> None:
    """Of the request that made them: its user, address and id."""
    client = browser(**{"x-request-id": "made-for-this-test"})
    client.force_login(root)
    made = {"username": "olga", "password1": PASSWORD, "password2": PASSWORD}
    answer = client.post("/admin/auth/user/add/", {**made, "usable_password": "true"})
    assert answer.status_code == 302, answer.content
    (entry,) = AuditEntry.objects.filter(kind="user-made", target="olga")
    assert (entry.who, entry.address, entry.target) == ("root", ADDRESS, "olga")
    assert entry.request_id == "made-for-this-test" and entry.login
    assert "password" in entry.details["changed"] and "password" not in entry.details["after"]
    olga = get_user_model().objects.get(username="olga")
    assert entries_of("write")[-1] == ("root", ADDRESS, "POST /admin/auth/user/add/", "302")

    olga.groups.add(Role.objects.get(name="Operator"))
    olga.is_superuser = True
    olga.save()
    api_tokens.issue(olga, "automation")[0].delete()
    login = AuditEntry.objects.filter(kind="role-of-user-made").get()
    assert (login.who, login.target) == (f"Login:{login.login}", "olga")  # by no request
    (lifted,) = AuditEntry.objects.filter(kind="user-changed")
    assert lifted.details["before"] == {"is_superuser": False}
    assert lifted.details["after"] == {"is_superuser": True}
    for kind in ("token-made", "token-deleted"):
        (entry,) = AuditEntry.objects.filter(kind=kind)
        assert entry.target == "automation"
        assert "digest" not in {**entry.details["before"], **entry.details["after"]}


def test_a_login_alone_records_no_change(root: Any) -> None:
    log_in(browser())
    assert entries_of("user-changed") == []


def test_writes_over_rest_are_recorded_with_token_and_refusal(root: Any) -> None:
    _, secret = api_tokens.issue(root, "automation")
    client = browser(authorization=f"Bearer {secret}")
    made = {"name": "orders", "partitions": 3}
    answer = client.post("/api/v1/topics", made, content_type="application/json")
    assert answer.status_code == 201
    assert entries_of("topic-created") == [("root", ADDRESS, "orders", "done")]
    assert entries_of("write") == [("root", ADDRESS, "POST /api/v1/topics", "201")]
    (both,) = set(AuditEntry.objects.exclude(request_id="").values_list("request_id"))
    assert both[0] == answer.headers["X-Request-ID"]

    bad = browser(authorization="Bearer rollcall_nonsense")
    assert bad.post("/api/v1/topics", made, content_type="application/json").status_code == 401
    assert entries_of("write")[-1] == ("anonymous", ADDRESS, "POST /api/v1/topics", "401")
    assert entries_of("token") == [("", ADDRESS, "/api/v1/topics", "failed")]


def test_a_login_that_cannot_be_recorded_is_refused(root: Any) -> None:
    """The table takes no logins, for whatever reason: a disk, a right."""
    with connection.cursor() as cursor:
        cursor.execute(
            "ALTER TABLE rollcall_audit ADD CONSTRAINT none CHECK (kind <> 'login') NOT VALID"
        )
    client = Browser(raise_request_exception=False)
    log_in(client)
    assert client.get("/admin/").status_code == 302
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE rollcall_audit DROP CONSTRAINT none")
    log_in(client)
    assert client.get("/admin/").status_code == 200


def test_a_write_that_cannot_be_recorded_is_refused(root: Any) -> None:
    client = browser()
    client.raise_request_exception = False
    log_in(client)

    def refuse(execute: Any, statement: str, *rest: Any) -> Any:
        if statement == audit.SAY:
            raise DatabaseError("not now")
        return execute(statement, *rest)

    new = {"username": "eve", "password1": PASSWORD, "password2": PASSWORD}
    with connection.execute_wrapper(refuse):
        assert client.post("/admin/auth/user/add/", new).status_code >= 500
    assert not get_user_model().objects.filter(username="eve").exists()


def test_a_change_has_longer_statements_than_a_read(root: Any, settings: Any) -> None:
    settings.WEB_READ_TIMEOUT_MS = 4_321
    client, seen = browser(), []
    log_in(client)

    def look(execute: Any, statement: str, *rest: Any) -> Any:
        answer = execute(statement, *rest)
        if "django_session" in statement:
            with connection.connection.cursor() as cursor:
                seen.append(cursor.execute("SHOW statement_timeout").fetchone()[0])
        return answer

    with connection.execute_wrapper(look):
        client.get("/admin/groups/topic/")
        client.post("/admin/logout/")
    assert seen[0] == "4321ms" and "30s" in seen


def test_changes_of_the_schedule_are_recorded_and_updates_by_beat_are_not(root: Any) -> None:
    client = browser()
    log_in(client)
    body = {"every": "7", "period": "seconds"}
    assert client.post("/admin/django_celery_beat/intervalschedule/add/", body).status_code == 302
    assert [(who, address) for who, address, *_ in entries_of("interval-made")] == [
        ("root", ADDRESS)
    ]
    interval = IntervalSchedule.objects.get(every=7)
    task = PeriodicTask.objects.create(name="odd", task="x", interval=interval)
    PeriodicTask.objects.filter(pk=task.pk).update(total_run_count=3)
    assert not entries_of("schedule-changed")
    PeriodicTask.objects.filter(pk=task.pk).update(enabled=False)
    assert [target for _, _, target, _ in entries_of("schedule-changed")] == ["odd"]


def test_the_author_of_a_request_does_not_leak_into_the_next(root: Any) -> None:
    """Connections are used again."""
    client = browser()
    client.force_login(root)
    client.post("/admin/logout/")
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('rollcall.actor', true)")
        assert cursor.fetchone() == ("",)


def test_operations_are_recorded_with_their_reason(root: Any) -> None:
    requests.request("packers", Operation.Verb.EVICT, reason="stuck", actor="olga", member_id="m-1")
    (entry,) = AuditEntry.objects.filter(kind="operation-evict")
    assert (entry.who, entry.target) == ("olga", "packers")
    assert (entry.details["reason"], entry.details["member_id"]) == ("stuck", "m-1")


def test_repeated_refusals_are_bounded_per_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shares = Shares(audit.REFUSALS_OF_ONE_PER_S, audit.REFUSALS_PER_S)
    monkeypatch.setattr(audit, "_refusals", shares)
    monkeypatch.setattr(audit, "time", SimpleNamespace(monotonic=lambda: 100.0))
    asked = [RequestFactory().get("/", REMOTE_ADDR=f"192.0.2.{n}") for n in range(100)]

    noted = [audit.may_note_refusal(asked[0]) for _ in range(1_000)]

    assert sum(noted) == audit.REFUSALS_OF_ONE_PER_S
    assert audit.may_note_refusal(asked[1])
    assert sum(map(audit.may_note_refusal, asked)) < audit.REFUSALS_PER_S


@pytest.mark.parametrize("statement", ["UPDATE {} SET who = 'me'", "DELETE FROM {}", "TRUNCATE {}"])
def test_rows_cannot_be_changed_even_by_their_owner(db: None, statement: str) -> None:
    """Whoever prunes has to say so (docs/security.md); what logins may: tests/launcher."""
    audit.note(None, "login", "olga", "done")
    table = AuditEntry._meta.db_table
    refused = pytest.raises(DatabaseError, match="only appended to")
    with refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement.format(table))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL rollcall.prune_audit = 'yes'")
        cursor.execute(f"DELETE FROM {table}")
        assert cursor.rowcount >= 1


def test_time_and_login_are_set_by_the_database(db: None) -> None:
    entry = AuditEntry.objects.create(kind="login", who="me", login="somebody else")
    entry.refresh_from_db()
    assert entry.login not in ("", "somebody else")
