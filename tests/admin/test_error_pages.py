"""Pages of errors, and lists without rows, say in words what is so and what to do."""

from html import unescape

import pytest
from django.db import connection
from django.db.utils import OperationalError, ProgrammingError
from django.test import Client
from psycopg.errors import QueryCanceled, UndefinedTable

from console.admin import groups as pages
from console.people.staff_roles import ADMINISTRATOR, OPERATOR, VIEWER
from groups.models import Topic
from tests.admin.test_groups import LIST
from tests.admin.visitors import person, text, visitor
from tests.api.conftest import write
from web import errors

pytestmark = pytest.mark.django_db

HTML = {"accept": "text/html"}
ADD = "/admin/groups/topic/add/"


def test_a_form_from_before_the_last_login_reports_that_nothing_was_changed() -> None:
    client = Client(enforce_csrf_checks=True, headers=HTML)
    client.force_login(person("ada", ADMINISTRATOR))
    answer = client.post(ADD, {"name": "orders", "partitions": 1})
    assert answer.status_code == 403
    assert "Nothing was changed: this form was opened before you last logged in" in text(answer)
    assert not Topic.objects.exists()
    stranger = Client(enforce_csrf_checks=True).post("/admin/login/", {"username": "ada"})
    assert stranger.status_code == 403 and "reload the page" in text(stranger)
    assert stranger["Content-Type"].startswith("text/plain")


def test_a_server_error_names_where_to_look(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("a mistake")

    client = visitor(VIEWER)
    client.raise_request_exception = False
    monkeypatch.setattr(pages.GroupAdmin, "get_queryset", fails)
    answer = client.get(LIST, headers=HTML)
    assert answer.status_code == 500
    assert "Its log has the error, at 20" in text(answer) and "a mistake" not in text(answer)


def test_a_page_is_rendered_while_the_database_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    client = visitor(VIEWER)
    client.raise_request_exception = False
    monkeypatch.setattr(connection, "cursor", _unavailable)
    monkeypatch.setattr(connection, "ensure_connection", _unavailable)
    answer = client.get(f"{LIST}?o=-size&q=%22", headers=HTML)
    assert (answer.status_code, answer["Retry-After"]) == (503, "1")
    assert answer["Content-Type"].startswith("text/html")
    assert "<main>" in text(answer) and "Reload this page in a few seconds." in text(answer)
    assert errors.MEANWHILE in text(answer)
    assert f'href="{LIST}?o=-size&amp;q=%22"' in text(answer)
    sent = client.post(ADD, {"name": "orders"}, headers=HTML)
    assert sent.status_code == 503 and "look before you ask for it again" in text(sent)
    assert "Try again" not in text(sent)


def test_a_page_that_waits_for_a_lock_reports_the_timeout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It said that the web process had failed."""
    client = visitor(VIEWER)
    client.raise_request_exception = False
    monkeypatch.setattr(connection, "cursor", _slow)
    answer = client.get(LIST, headers=HTML)
    assert (answer.status_code, answer["Retry-After"]) == (503, "1")
    assert "did not answer in time" in text(answer) and "failed" not in text(answer)


def test_a_page_whose_table_is_missing_reports_that(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It said that the web process had failed. The log names the table."""
    client = visitor(VIEWER)
    client.raise_request_exception = False
    monkeypatch.setattr(pages.GroupAdmin, "get_queryset", _lacking)
    answer = client.get(LIST, headers=HTML)
    assert (answer.status_code, answer["Retry-After"]) == (503, "1")
    assert "is missing: if this version of Rollcall is newer than the database" in text(answer)
    warned = [each.getMessage() for each in caplog.records if each.name == errors.__name__]
    assert len(warned) == 1 and "rollcall_group" in warned[0]


@pytest.mark.parametrize(("path", "accepted"), [("/metrics", "text/html"), (LIST, "text/plain")])
def test_non_browsers_get_plain_text_errors(
    path: str, accepted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = visitor(VIEWER)
    client.raise_request_exception = False
    monkeypatch.setattr(connection, "cursor", _unavailable)
    answer = client.get(path, headers={"accept": accepted})
    assert answer.status_code == 503 and answer["Content-Type"].startswith("text/plain")
    assert "The database is currently unavailable" in text(answer)


def _lacking(*_: object) -> None:
    text = 'relation "rollcall_group" does not exist'
    raise ProgrammingError(text) from UndefinedTable(text)


def _slow(*_: object) -> None:
    raise OperationalError("canceling statement") from QueryCanceled("canceling statement")


def _unavailable(*_: object) -> None:
    raise OperationalError("the connection was closed")


def test_not_found_and_forbidden_are_distinguished() -> None:
    client = visitor(VIEWER)
    gone = client.get("/admin/groups/group/nobodys/change/", headers=HTML)
    assert gone.status_code == 404 and "There is no group nobodys." in text(gone)
    refused = client.get(ADD, headers=HTML)
    assert refused.status_code == 403
    assert "An Administrator assigns roles." in text(refused)


@pytest.mark.parametrize("model", ["group", "topic", "kafkauser", "quotaentity", "node"])
def test_an_address_that_no_row_can_have_is_not_found(model: str) -> None:
    """NUL in a key that is a text was a failure of the web process."""
    root = visitor(ADMINISTRATOR)
    for page in ("change", "delete", "history"):
        answer = root.get(f"/admin/groups/{model}/%00/{page}/", headers=HTML)
        assert answer.status_code in (302, 403, 404), page


def test_a_button_whose_user_logged_in_again_says_that_nothing_was_done() -> None:
    """The page was empty."""
    answer = visitor(OPERATOR).get("/admin/groups/reportrun/analyse/", headers=HTML)
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "Nothing was done." in text(answer) and "press it again" in text(answer)


def test_a_site_called_by_an_unknown_name_says_where_it_is_set() -> None:
    """It said "Bad Request (400)"."""
    client = visitor(VIEWER)
    answer = client.get("/admin/", headers=HTML | {"host": "rollcall.example"})
    assert answer.status_code == 400 and "ROLLCALL_ALLOWED_HOSTS" in text(answer)
    told = client.get("/api/v1/groups", headers={"host": "rollcall.example"})
    assert "ROLLCALL_ALLOWED_HOSTS" in told.json()["detail"]


@pytest.mark.parametrize("name", [".", ".."])
def test_a_group_named_as_a_folder_has_pages(name: str) -> None:
    """A browser takes such parts out of an address: its page was not found."""
    write(name)
    client = visitor(OPERATOR)
    key = name.replace(".", "_2E")
    for path in (LIST, "/admin/", f"{LIST}{key}/change/", f"{LIST}{key}/rebalance/"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert f"/group/{name}/" not in text(answer) and f"/groups/{name}" not in text(answer), path
    assert f"{LIST}{key}/change/" in text(client.get(LIST))


def test_a_form_sent_after_the_session_ended_says_that_nothing_was_done() -> None:
    """The login page said nothing of it, and after the login the form was empty."""
    late = Client(headers=HTML)
    asked = late.post(ADD, {"name": "orders", "partitions": 1})
    assert asked.status_code == 302
    late.force_login(person("ben", ADMINISTRATOR))
    assert "Nothing was done: your session had ended." in text(late.get(ADD))
    assert not Topic.objects.exists()


EMPTY = {
    LIST: "There is no group yet.",
    "/admin/groups/topic/": "There is no topic yet.",
    "/admin/groups/operation/": "No operation has been requested.",
    "/admin/groups/node/": "No node has started on this database yet",
    "/admin/groups/savedview/": "There is no view.",
}


@pytest.mark.parametrize("path", EMPTY)
def test_an_empty_list_says_why(path: str) -> None:
    shown = unescape(text(visitor(VIEWER).get(path)))
    assert EMPTY[path] in shown and "Reset filters" not in shown
    assert "Create a new item" not in shown


def test_a_list_emptied_by_filters_says_so() -> None:
    write("orders")
    client = visitor(VIEWER)
    for query in ("q=nothing", "state=Empty", "attention=storm", "topic=nothing"):
        shown = text(client.get(f"{LIST}?{query}"))
        assert "Nothing matches the search and the filters." in shown, query
        assert "Reset filters" in shown and "There is no group yet" not in shown
    assert "orders" in text(client.get(f"{LIST}?o=-size"))
