"""The form that marks a time, and its list."""

import pytest
from django.test import Client

from console.people.staff_roles import OPERATOR, VIEWER
from groups.models import Mark
from tests.admin.visitors import text, visitor
from tests.api.conftest import write

pytestmark = pytest.mark.django_db

ADD = "/admin/groups/mark/add/"
LIST = "/admin/groups/mark/"


def mark(client: Client, **over: str) -> str:
    body = {"text": "orders 1.7.0", "group_id": "", "at_0": "", "at_1": "", **over}
    return text(client.post(ADD, body, follow=True))


def test_a_time_is_marked_and_withdrawn() -> None:
    operator = visitor(OPERATOR, name="olga")
    write(" a b ")
    mark(operator, group_id=" a b ")
    (made,) = Mark.objects.all()
    assert (made.text, made.group_id, made.actor) == ("orders 1.7.0", " a b ", "olga")
    assert "orders 1.7.0" in text(visitor(VIEWER, name="vic").get(LIST))
    operator.post(f"{LIST}{made.pk}/delete/", {"post": "yes"})
    assert not Mark.objects.exists()


@pytest.mark.parametrize(
    "over", [{"text": ""}, {"group_id": "nobody"}, {"at_0": "2999-01-01", "at_1": "00:00:00"}]
)
def test_a_wrong_form_is_shown_again(over: dict[str, str]) -> None:
    mark(visitor(OPERATOR), **over)
    assert not Mark.objects.exists()


def test_a_viewer_marks_nothing() -> None:
    assert visitor(VIEWER).post(ADD, {"text": "x"}).status_code == 403
