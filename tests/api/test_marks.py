"""Marks: what people did at a time, in order, and in the journal."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from console.operations import marks
from console.queries.journal_text import sentence
from groups.models import Journal, Mark
from tests.api.conftest import Api, write

pytestmark = pytest.mark.django_db

URL = "/api/v1/marks"


@pytest.fixture
def operator(api: Api) -> Client:
    """A user who may mark times."""
    return api("add_mark", "view_group")


def post(client: Client, **body: Any) -> Any:
    return client.post(URL, body, content_type="application/json")


def test_a_time_is_marked_for_a_group_and_for_all(operator: Client, viewer: Client) -> None:
    write("orders", "other")
    yesterday = timezone.now() - timedelta(days=1)
    made = post(operator, text="orders 1.7.0", group_id="orders")
    assert made.status_code == 201 and made.headers["Location"].endswith(str(made.json()["id"]))
    assert post(operator, text="a new switch", at=yesterday.isoformat()).status_code == 201
    assert post(operator, text="other 2", group_id="other").status_code == 201

    def texts(query: str) -> list[str]:
        return [row["text"] for row in viewer.get(f"{URL}?{query}").json()["data"]]

    assert texts("group_id=orders") == ["a new switch", "orders 1.7.0"]
    assert texts("") == ["a new switch", "orders 1.7.0", "other 2"]
    assert texts(f"until={yesterday.strftime('%Y-%m-%dT%H:%M:%SZ')}") == []
    assert texts("page_size=1") == ["a new switch"]


def test_the_journal_has_it_with_its_author(operator: Client) -> None:
    write("orders")
    made = post(operator, text="orders 1.7.0", group_id="orders").json()
    (entry,) = Journal.objects.filter(kind="marked")
    assert (entry.group_id, entry.details["mark"]) == ("orders", made["id"])
    assert sentence(entry) == f"Marked by {made['actor']}: orders 1.7.0."


def test_a_mark_is_withdrawn(operator: Client) -> None:
    made = post(operator, text="by mistake").json()
    tried = operator.delete(f"{URL}/{made['id']}?dry_run=true")
    assert tried.status_code == 200 and Mark.objects.exists()
    assert operator.delete(f"{URL}/{made['id']}").json() == made
    assert operator.delete(f"{URL}/{made['id']}").status_code == 404
    assert not Mark.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": ""},
        {"text": "a\nb"},
        {"text": "x", "at": "2999-01-01T00:00:00Z"},
        {"text": "x", "group_id": "nobody"},
    ],
)
def test_bad_input_changes_nothing(operator: Client, body: dict[str, str]) -> None:
    assert post(operator, **body).status_code == (404 if "group_id" in body else 400)
    assert not Mark.objects.exists() and not Journal.objects.filter(kind="marked").exists()


def test_a_dry_run_marks_nothing(operator: Client) -> None:
    answer = operator.post(f"{URL}?dry_run=true", {"text": "x"}, content_type="application/json")
    assert answer.status_code == 200 and not Mark.objects.exists()


def test_there_is_a_maximum(operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks, "MAX", 1)
    assert post(operator, text="one").status_code == 201
    assert post(operator, text="two").status_code == 400
    assert Mark.objects.count() == 1


def test_a_viewer_marks_nothing(viewer: Client) -> None:
    assert post(viewer, text="x").status_code == 403
