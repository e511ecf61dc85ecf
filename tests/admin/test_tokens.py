"""API tokens in the admin: made and shown once, looked at, revoked."""

from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from groups.access import api_tokens
from groups.access.staff_roles import ADMINISTRATOR, OPERATOR
from groups.models import ApiToken
from tests.admin.visitors import person, superuser, text, visitor

pytestmark = pytest.mark.django_db

LIST = "/admin/groups/apitoken/"


@pytest.fixture
def robot() -> User:
    """Whose token it will be."""
    return person("robot", OPERATOR)


@pytest.fixture
def administrator() -> Client:
    return visitor(ADMINISTRATOR)


def make(client: Client, user: User, **over: str) -> str:
    """Send the form; the answer's text."""
    return text(client.post(f"{LIST}add/", {"name": "deploy", "user": user.pk, **over}))


def secret_in(page: str) -> str:
    """The token that a page shows."""
    return unescape(page.partition('<code id="secret">')[2].partition("</code>")[0])


def test_a_token_is_shown_in_one_answer_and_never_again(administrator: Client, robot: User) -> None:
    page = make(administrator, robot)

    secret = secret_in(page)
    made = ApiToken.objects.get()
    assert secret.startswith(made.prefix)
    assert len(secret) >= 32
    assert (made.name, made.user, made.expires_at) == ("deploy", robot, None)
    for after in (LIST, f"{LIST}{made.pk}/change/", "/admin/"):
        assert secret not in text(administrator.get(after))
    assert made.prefix in text(administrator.get(LIST))
    # Nor is it in the rows, in any column.
    assert secret not in str(ApiToken.objects.values().get())


def test_the_answer_is_kept_by_nobody_on_the_way(administrator: Client, robot: User) -> None:
    answer = administrator.post(f"{LIST}add/", {"name": "deploy", "user": robot.pk})

    assert "no-store" in answer.headers["Cache-Control"]


def test_sending_the_form_again_makes_no_second_token(administrator: Client, robot: User) -> None:
    make(administrator, robot)

    assert "already exists" in make(administrator, robot)
    assert ApiToken.objects.count() == 1


def test_a_token_may_end(administrator: Client, robot: User) -> None:
    make(administrator, robot, expires_at_0="2031-02-03", expires_at_1="04:05:00")

    assert ApiToken.objects.get().expires_at == datetime(2031, 2, 3, 4, 5, tzinfo=UTC)
    assert "2031-02-03 04:05" in text(administrator.get(LIST))


def test_one_that_has_ended_is_marked(administrator: Client, robot: User) -> None:
    api_tokens.issue(robot, "old", timezone.now() - timedelta(days=1))

    assert "expired" in text(administrator.get(LIST))


def test_a_token_is_revoked(administrator: Client, robot: User) -> None:
    one, _ = api_tokens.issue(robot, "one")
    two, _ = api_tokens.issue(robot, "two")

    assert "Revoke selected tokens" in text(administrator.get(LIST))
    chosen = {"action": "delete_selected", "_selected_action": [one.pk], "post": "yes"}
    administrator.post(LIST, chosen)
    assert list(ApiToken.objects.all()) == [two]
    administrator.post(f"{LIST}{two.pk}/delete/", {"post": "yes"})
    assert not ApiToken.objects.exists()


def test_a_token_is_not_edited(administrator: Client, robot: User) -> None:
    made, _ = api_tokens.issue(robot, "one")

    assert administrator.get(f"{LIST}{made.pk}/change/").status_code == 200
    changed = administrator.post(f"{LIST}{made.pk}/change/", {"name": "x", "user": robot.pk})
    assert changed.status_code == 403


def test_tokens_are_the_administrators_affair(robot: User) -> None:
    operator = visitor(OPERATOR)

    assert operator.get(LIST).status_code == 403
    assert operator.post(f"{LIST}add/", {"name": "x", "user": robot.pk}).status_code == 403
    assert not ApiToken.objects.exists()


def test_only_a_superuser_makes_a_superusers_token(administrator: Client) -> None:
    chief = User.objects.create_superuser("chief")

    assert "Select a valid choice" in make(administrator, chief)
    assert not ApiToken.objects.exists()
    assert secret_in(make(superuser(), chief))
