"""API tokens in the admin: created and shown once, listed, revoked."""

from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from console.people import api_tokens
from console.people.staff_roles import ADMINISTRATOR, OPERATOR
from groups.models import ApiToken
from tests.admin.visitors import person, superuser, text, visitor

pytestmark = pytest.mark.django_db

LIST = "/admin/groups/apitoken/"


@pytest.fixture
def robot() -> User:
    """Whose token it will be."""
    return person("robot", OPERATOR)


@pytest.fixture
def at_work(robot: User) -> Client:
    """The same, logged in."""
    client = Client()
    client.force_login(robot)
    return client


@pytest.fixture
def administrator() -> Client:
    return visitor(ADMINISTRATOR)


def form(user: User, **over: object) -> dict[str, object]:
    """What a person fills in."""
    ends = {"expires_at_0": "2131-02-03", "expires_at_1": "04:05:00"}
    return {"name": "deploy", "user": user.pk, "scopes": ["read"], **ends, **over}


def make(client: Client, user: User, **over: object) -> str:
    """Send the form; the answer's text."""
    return text(client.post(f"{LIST}add/", form(user, **over)))


def secret_in(page: str) -> str:
    """The token that a page shows."""
    return unescape(page.partition('<code id="secret">')[2].partition("</code>")[0])


def test_a_token_is_shown_in_one_response_and_never_again(at_work: Client, robot: User) -> None:
    page = make(at_work, robot)

    secret = secret_in(page)
    made = ApiToken.objects.get()
    assert secret.startswith(made.prefix)
    assert len(secret) >= 32
    assert (made.name, made.user, made.made_by) == ("deploy", robot, "robot")
    for after in (LIST, f"{LIST}{made.pk}/change/", "/admin/"):
        assert secret not in text(at_work.get(after))
    assert made.prefix in text(at_work.get(LIST))
    # Nor is it in the rows, in any column.
    assert secret not in str(ApiToken.objects.values().get())


def test_the_response_with_a_token_is_not_cacheable(at_work: Client, robot: User) -> None:
    answer = at_work.post(f"{LIST}add/", form(robot))

    assert "no-store" in answer.headers["Cache-Control"]


def test_resubmitting_the_form_creates_no_second_token(at_work: Client, robot: User) -> None:
    make(at_work, robot)

    assert "already exists" in make(at_work, robot)
    assert ApiToken.objects.count() == 1


def test_a_token_expires(at_work: Client, robot: User) -> None:
    assert "This field is required" in make(at_work, robot, expires_at_0="", expires_at_1="")
    assert "That time has passed" in make(at_work, robot, expires_at_0="2001-02-03")
    assert not ApiToken.objects.exists()

    make(at_work, robot)

    assert ApiToken.objects.get().expires_at == datetime(2131, 2, 3, 4, 5, tzinfo=UTC)
    assert "2131-02-03 04:05" in text(at_work.get(LIST))


def test_only_a_superuser_creates_tokens_for_others(administrator: Client, robot: User) -> None:
    assert "Select a valid choice" in make(administrator, robot)
    assert not ApiToken.objects.exists()

    assert secret_in(make(superuser(), robot))
    made = ApiToken.objects.get()
    assert (made.user, made.made_by) == (robot, "root")


def test_a_token_is_limited_to_its_scopes(at_work: Client, robot: User) -> None:
    assert "Select a valid choice" in make(at_work, robot, scopes=["everything"])
    assert "This field is required" in make(at_work, robot, scopes=[])
    secret = secret_in(make(at_work, robot))

    asks = Client(headers={"authorization": f"Bearer {secret}"})
    topic = {"name": "made-by-a-token", "partitions": 1}
    answers = [
        asks.get("/api/v1/groups").status_code,
        asks.post("/api/v1/topics", topic, content_type="application/json").status_code,
    ]
    assert answers == [200, 403]

    _, wider = api_tokens.issue(robot, "wider", scopes=("catalogue",))
    asks = Client(headers={"authorization": f"Bearer {wider}"})
    answers = [
        asks.get("/api/v1/groups").status_code,
        asks.post("/api/v1/topics", topic, content_type="application/json").status_code,
    ]
    assert answers == [403, 201]


def test_a_token_ends_with_the_password_on_request(at_work: Client, robot: User) -> None:
    bound = secret_in(make(at_work, robot, ends_with_password="on"))
    free = secret_in(make(at_work, robot, name="free"))
    assert api_tokens.find(bound) and api_tokens.find(free)

    robot.set_password("another password")
    robot.save()

    assert api_tokens.find(bound) is None
    assert api_tokens.find(free)


def test_users_see_and_revoke_their_own_tokens(at_work: Client, robot: User) -> None:
    own, _ = api_tokens.issue(robot, "own")
    other, _ = api_tokens.issue(person("somebody"), "anothers-token")

    assert f'href="{LIST}"' in text(at_work.get("/admin/"))  # the way there
    assert "anothers-token" not in text(at_work.get(LIST))
    for token in (own, other):
        at_work.post(f"{LIST}{token.pk}/delete/", {"post": "yes"})
    assert ApiToken.objects.get() == other
    chosen = {"action": "delete_selected", "_selected_action": [other.pk], "post": "yes"}
    at_work.post(LIST, chosen)
    assert ApiToken.objects.get() == other


def test_an_expired_token_is_marked(administrator: Client, robot: User) -> None:
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


def test_a_token_cannot_be_edited(administrator: Client, robot: User) -> None:
    made, _ = api_tokens.issue(robot, "one")

    assert administrator.get(f"{LIST}{made.pk}/change/").status_code == 200
    changed = administrator.post(f"{LIST}{made.pk}/change/", {"name": "x", "user": robot.pk})
    assert changed.status_code == 403
