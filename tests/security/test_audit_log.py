"""The audit: who logged in, or failed to, and who changed what, by every interface; and only the
migrator changes a row of it."""

import asyncio
import csv
import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group as Role
from django.db import DatabaseError, connection, transaction
from django.test import Client as Browser
from django.test import RequestFactory
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from console.admin import audit as audit_page
from console.admin.base import NOT_FILTERED
from console.people import api_tokens, audit
from console.queries.csv_text import cell
from groups.clients import functions, wire_audit
from groups.clients.wire_audit import FAILURES_MAX, Login, WireAudit
from groups.core.authors import Author
from groups.core.shares import Shares
from groups.models import AuditEntry, Operation
from groups.operations import requests
from protocol.connection.listeners import Listener, Security
from tests.in_process import Other
from tests.security.test_records import create
from tests.security.test_sasl import make_user, with_scram
from tests.server.serving import Serving, serving

PASSWORD = "correct horse battery"
ADDRESS = "192.0.2.7"


@pytest.fixture(autouse=True)
def _room(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test pays for the refusals of another."""
    monkeypatch.setattr(audit, "_refusals", Shares(100, 101))
    monkeypatch.setattr(audit, "_lockouts", Shares(100, 101))


@pytest.fixture
def root(db: None) -> Any:
    return get_user_model().objects.create_superuser("root", password=PASSWORD)


def browser(**headers: str) -> Browser:
    return Browser(REMOTE_ADDR=ADDRESS, headers=headers)


def entries_of(kind: str) -> list[tuple[str, str, str, str]]:
    """Who, from where, to what, and the outcome, of each entry of a kind."""
    found = AuditEntry.objects.filter(kind=kind).order_by("id")
    return [(e.who, e.address, e.target, e.outcome) for e in found]


def log_in(client: Browser, password: str = PASSWORD) -> None:
    client.post("/admin/login/?next=/admin/", {"username": "root", "password": password})


@pytest.mark.parametrize("begins", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff20"])
def test_no_cell_is_a_formula(begins: str) -> None:
    """Excel takes wide signs for the others where its language has them."""
    assert cell(f"{begins}cmd()") == f"'{begins}cmd()"


ROWS = 4_000
MANY = """
INSERT INTO rollcall_audit (kind, who, address, client_id, request_id, target, outcome, details, at,
                            login)
SELECT CASE n WHEN 7 THEN 'token-made' ELSE 'wire-login' END, 'User:ann', '', '', '', '',
       CASE n WHEN 9 THEN 'locked out' ELSE 'done' END, '{}', now(), ''
FROM generate_series(1, %(rows)s) AS n
"""


def rows_read() -> int:
    """Of the audit, by this transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables"
            " WHERE relname = 'rollcall_audit'"
        )
        (found,) = cursor.fetchone()
    return int(found)


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


def test_the_page_filters_and_exports_its_rows(root: Any) -> None:
    audit.note(None, "login", "=cmd()", "failed", "half \ud800, and \0 NUL")
    audit.note(None, "login", "olga", "done")
    client = browser()
    client.force_login(root)
    shown = client.get("/admin/groups/auditentry/?outcome=failed")
    assert "=cmd()" in shown.content.decode() and "olga" not in shown.content.decode()
    assert "csv/?outcome=failed" in shown.content.decode()

    answer = client.get("/admin/groups/auditentry/csv/?outcome=failed&q=cmd")
    assert answer.headers["Content-Type"].startswith("text/csv")
    (row,) = csv.DictReader(io.StringIO(answer.content.decode()))
    assert (row["who"], row["target"]) == ("'=cmd()", "half ?, and  NUL")


@pytest.mark.parametrize("query", ["kind=%00", "outcome=a%00", "at__gte=x"])
@pytest.mark.parametrize("page", ["auditentry/", "auditentry/csv/"])
def test_invalid_values_of_filters_are_ignored_with_a_message(
    root: Any, page: str, query: str
) -> None:
    """As Django has it, and not as an error of the server."""
    client = browser()
    client.force_login(root)
    answer = client.get(f"/admin/groups/{page}?{query}")
    assert answer.status_code == 302
    assert answer.headers["Location"].endswith(f"/{page.removesuffix('csv/')}?e=1")
    assert NOT_FILTERED in client.get(answer.headers["Location"]).content.decode()


@pytest.mark.parametrize("page", ["auditentry/", "auditentry/csv/", "operation/"])
def test_filters_that_a_page_does_not_have_are_refused(root: Any, page: str) -> None:
    client = browser()
    client.force_login(root)
    for query in ("foo=1", "client_id__regex=(.*)*x", "details__has_key=x"):
        assert client.get(f"/admin/groups/{page}?{query}").status_code == 400


QUERIES = ["", "?p=2", "?kind=login", "?outcome=failed", "?kind=token-made"]


@pytest.mark.parametrize("query", QUERIES)
def test_the_page_does_not_read_all_rows(
    root: Any, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    """Nor does what its filters offer: half a second for a million, five for ten."""
    monkeypatch.setattr(audit_page, "LISTED_MAX", 200)
    with connection.cursor() as cursor:
        cursor.execute(MANY, {"rows": ROWS})
        cursor.execute("ANALYZE rollcall_audit")
    client = browser()
    client.force_login(root)
    before = rows_read()
    shown = client.get(f"/admin/groups/auditentry/{query}").content.decode()
    assert rows_read() - before < ROWS / 2
    for value in ("kind=wire-login", "kind=token-made", "outcome=locked%20out"):
        assert value in shown.replace("+", "%20")


def test_a_time_range_reads_no_newer_rows_and_a_search_only_the_newest(
    root: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of ten million rows were read for the page of a day; all of them for a search."""
    with connection.cursor() as cursor:
        cursor.execute(MANY, {"rows": ROWS})
        cursor.execute("ANALYZE rollcall_audit")
        cursor.execute("SELECT id, at FROM rollcall_audit ORDER BY id OFFSET 100 LIMIT 1")
        [(first, at)] = cursor.fetchall()
    monkeypatch.setattr(audit_page, "SEARCHED_MAX", ROWS // 8)
    client = browser()
    client.force_login(root)

    def page(**asked: str) -> str:
        before = rows_read()
        shown = client.get("/admin/groups/auditentry/", asked).content.decode()
        assert rows_read() - before < ROWS / 2
        return shown

    assert f"/{first - 1}/change/" in page(at__lt=at.isoformat())
    assert "searched" in page(q="login")
    assert "searched" not in page(q="login", at__lt=at.isoformat())


@pytest.mark.parametrize(("role", "status"), [("Operator", 403), ("Administrator", 200)])
def test_the_audit_log_needs_its_own_right(db: None, role: str, status: int) -> None:
    someone = get_user_model().objects.create_user("someone", password=PASSWORD, is_staff=True)
    someone.groups.add(Role.objects.get(name=role))
    client = browser()
    client.force_login(someone)
    for page in ("", "csv/"):
        assert client.get(f"/admin/groups/auditentry/{page}").status_code == status


# -- over the wire


@pytest.fixture
async def served(_prepared: None, other: Other) -> AsyncIterator[Serving]:
    """A server with a SASL listener and a user, Ann."""
    await other.execute("DELETE FROM rollcall_credential")
    await make_user(other, "ann")
    where = (Listener("SASL", "127.0.0.1", 0, Security.SASL_PLAINTEXT),)
    async with serving(where) as started:
        yield started


async def entries(other: Other, kind: str) -> list[Any]:
    cursor = await other.execute(
        "SELECT who, address, client_id, target, outcome FROM rollcall_audit"
        " WHERE kind = %s ORDER BY id",
        [kind],
    )
    return await cursor.fetchall()


async def test_logins_and_writes_over_the_wire_are_recorded(served: Serving, other: Other) -> None:
    client, _ = await served.connect()
    await with_scram(client, "ann")
    stranger, _ = await served.connect()
    await with_scram(stranger, "ann", "a guess")
    await create(client)

    await served.node.audit._write()
    by = ("User:ann", "/127.0.0.1", "bench")
    assert sorted(await entries(other, "wire-login")) == [
        (*by, "SCRAM-SHA-256", "done"),
        (*by, "SCRAM-SHA-256", "failed"),
    ]
    assert await entries(other, "topic-created") == [(*by, "orders", "done")]
    assert {row[3] for row in await entries(other, "credential-made")} == {"ann"}
    cursor = await other.execute("SELECT details::text FROM rollcall_audit")
    assert not any('stored_key":' in row[0] for row in await cursor.fetchall())


async def test_password_guesses_do_not_fill_the_disk(served: Serving, other: Other) -> None:
    for n in range(FAILURES_MAX * 3):
        by = Author("", "c", f"/192.0.2.{n % 6}", "User:eve")
        served.node.audit.add(Login(by, "PLAIN", "no"))
    served.node.audit.add(Login(Author("", "c", "/h", "User:ann"), "PLAIN"))
    await served.node.audit._write()
    found = await entries(other, "wire-login")
    assert len(found) == FAILURES_MAX + 2
    assert ("User:ann", "/h", "c", "PLAIN", "done") in found


async def test_records_of_logins_wait_while_the_database_is_down(
    served: Serving, other: Other
) -> None:
    """And none is written twice."""
    writer, real = served.node.audit, served.node.audit._connections

    def away() -> Any:
        raise psycopg.OperationalError("away")

    writer._connections = away
    writer.add(Login(Author("", "c", "/h", "User:ann"), "PLAIN"))
    await writer._write()
    assert await entries(other, "wire-login") == []
    writer._connections = real
    await writer._write()
    await writer._write()
    assert len(await entries(other, "wire-login")) == 1


async def test_a_node_that_stops_while_the_database_hangs_reports_lost_records(
    served: Serving, other: Other, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And records pending at the stop are written, once that works again."""
    monkeypatch.setattr(wire_audit, "LAST_S", 0.05)
    begun, hangs = asyncio.Event(), [True]

    @asynccontextmanager
    async def connections() -> AsyncIterator[Any]:
        if hangs[0]:
            begun.set()
            await asyncio.Event().wait()
        async with served.node.audit._connections() as connection:
            yield connection

    for goes_again in (False, True):
        hangs[0] = True
        writer = WireAudit(connections)
        writer.add(Login(Author("", "c", "/h", "User:ann"), "PLAIN"))
        task = asyncio.create_task(writer.run())
        await begun.wait()
        hangs[0] = not goes_again
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ("1 logins are not in the audit" in caplog.text) is not goes_again
        assert len(await entries(other, "wire-login")) == goes_again
        begun.clear()
        caplog.clear()


# -- in SQL

OF_ACCESS = {
    "rollcall_acl": (
        "acl",
        "INSERT INTO rollcall_acl (resource_type, name, pattern, principal, host, operation,"
        " permission, created_at) SELECT 'TOPIC', 't' || n, 'LITERAL', 'User:eve', '*', 'READ',"
        " 'ALLOW', now() FROM generate_series(1, 2) n",
        "UPDATE rollcall_acl SET created_at = created_at - interval '1 day'",
        "DELETE FROM rollcall_acl",
        ["t1", "t2"],
    ),
    "rollcall_quota": (
        "quota",
        "INSERT INTO rollcall_quota (entity_type, user_name, client_id, ip, key, value, updated_at)"
        " SELECT 'user', 'u' || n, '', '', 'request_percentage', 5, now()"
        " FROM generate_series(1, 2) n",
        "UPDATE rollcall_quota SET value = 7",
        "DELETE FROM rollcall_quota",
        ["u1", "u2"],
    ),
    "rollcall_credential": (
        "credential",
        "INSERT INTO rollcall_credential (name, mechanism, salt, iterations, stored_key,"
        " server_key, updated_at) SELECT 'c' || n, 'SCRAM-SHA-256', '', 4096, '', '', now()"
        " FROM generate_series(1, 2) n",
        "UPDATE rollcall_credential SET iterations = 5000",
        "DELETE FROM rollcall_credential",
        ["c1", "c2"],
    ),
    "rollcall_application_grant": (
        "grant",
        "INSERT INTO rollcall_application_grant (login, prefix)"
        " SELECT 'a' || n, 'g' FROM generate_series(1, 2) n",
        "UPDATE rollcall_application_grant SET prefix = ''",
        "DELETE FROM rollcall_application_grant",
        ["a1", "a2"],
    ),
}
"""Tables that say what clients of the Kafka port, and applications, may do: the noun, and a change
of each kind, with what it changes."""


def told(kind: str) -> list[tuple[str, str, str]]:
    found = AuditEntry.objects.filter(kind=kind).order_by("target")
    return [(each.who, each.login, each.target) for each in found]


@pytest.mark.django_db
@pytest.mark.parametrize("table", OF_ACCESS)
def test_a_change_in_sql_has_a_row_with_the_login(table: str) -> None:
    """In the same transaction, one for each row that it changed."""
    noun, insert, update, delete, names = OF_ACCESS[table]
    with connection.cursor() as cursor:
        cursor.execute("SELECT session_user")
        login = cursor.fetchone()[0]
        cursor.execute(f"DELETE FROM {table}")
        cursor.execute(insert)
        by = [(f"Login:{login}", login, name) for name in names]
        assert told(f"{noun}-made") == by
        cursor.execute(update)
        assert told(f"{noun}-changed") == by
        cursor.execute(delete)
        assert told(f"{noun}-deleted") == by
        cursor.execute(delete)
        cursor.execute(f"TRUNCATE {table}")
        assert (f"Login:{login}", login, "") in told(f"{noun}-deleted")


@pytest.mark.django_db
def test_a_rule_that_becomes_another_is_two_rows() -> None:
    with connection.cursor() as cursor:
        cursor.execute(OF_ACCESS["rollcall_acl"][1])
        cursor.execute("UPDATE rollcall_acl SET operation = 'ALL' WHERE name = 't1'")
    for kind, operation in (("acl-deleted", "READ"), ("acl-made", "ALL")):
        entry = AuditEntry.objects.filter(kind=kind, target="t1").latest("id")
        row = entry.details.get("before") or entry.details.get("after")
        assert row["operation"] == operation


@pytest.mark.django_db
def test_a_change_with_a_journal_entry_has_one_row() -> None:
    """That of the entry, with its author: also of two thousand at once, and of a quota that is
    replaced."""
    words = ("TOPIC", "LITERAL", "User:ann", "*", "READ", "ALLOW")
    names = [f"t-{n}" for n in range(2_000)]
    kind, pattern, principal, host, operation, permission = ([w] * len(names) for w in words)
    columns = (kind, names, pattern, principal, host, operation, permission)
    with connection.cursor() as cursor:
        for function in (functions.CREATE_ACLS, functions.DELETE_ACLS):
            cursor.execute(function.call, (*columns, '{"user": "root"}'))
        for value in (5.0, 6.0):
            cursor.execute(
                functions.SET_QUOTAS.call,
                (
                    ["user"],
                    ["ann"],
                    [""],
                    [""],
                    ["request_percentage"],
                    [value],
                    '{"user": "root"}',
                ),
            )
    assert AuditEntry.objects.filter(kind="acl-created", who="root").count() == len(names)
    assert AuditEntry.objects.filter(kind="quota-set", who="root").count() == 2
    of_access = AuditEntry.objects.filter(kind__regex="^(acl|quota)-")
    assert not of_access.exclude(who="root").exists()


@pytest.mark.django_db
def test_nobody_says_that_his_change_is_noted() -> None:
    """An entry of before, about the same rule, does not stand for it."""
    columns = (["TOPIC"], ["t1"], ["LITERAL"], ["User:eve"], ["*"], ["READ"], ["ALLOW"])
    with connection.cursor() as cursor:
        cursor.execute(functions.CREATE_ACLS.call, (*columns, '{"user": "root"}'))
        cursor.execute(functions.DELETE_ACLS.call, (*columns, '{"user": "root"}'))
        cursor.execute("SELECT count(*) FROM rollcall_audit")
        before = cursor.fetchone()[0]
        cursor.execute(OF_ACCESS["rollcall_acl"][1])
        cursor.execute("SELECT count(*) FROM rollcall_audit")
        assert cursor.fetchone()[0] == before + 2


WATCHED_EVENTS = """
SELECT bit_or(tgtype::int & 60) FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
WHERE tgrelid = %s::regclass AND tgenabled <> 'D' AND p.proname LIKE 'rollcall_audit%%'
"""
"""INSERT 4, DELETE 8, UPDATE 16, TRUNCATE 32."""


@pytest.mark.django_db
def test_every_table_of_access_is_watched_for_every_kind_of_change() -> None:
    """Those of people too, which are not truncated by anything of ours."""
    columns = ("%acl%", "%quota%", "%credential%", "%grant%")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'rollcall%%'"
            " AND relname LIKE ANY(%s)",
            [list(columns)],
        )
        assert {name for (name,) in cursor.fetchall()} == OF_ACCESS.keys()
        for table in OF_ACCESS:
            cursor.execute(WATCHED_EVENTS, [table])
            assert cursor.fetchone() == (60,), table
