"""The page of the audit: its filters, its file, what it reads, and who may see it."""

import csv
import io
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group as Role
from django.db import connection

from console.admin import audit as audit_page
from console.admin.base import NOT_FILTERED
from console.people import audit
from console.queries.csv_text import cell
from tests.security.auditing import PASSWORD, browser

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


@pytest.mark.parametrize("begins", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff20"])
def test_no_cell_is_a_formula(begins: str) -> None:
    """Excel takes wide signs for the others where its language has them."""
    assert cell(f"{begins}cmd()") == f"'{begins}cmd()"


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
