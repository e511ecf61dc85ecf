"""Who has only a session changes nothing that lets them in later: passwords are guessed no faster
in a form than at the login, and a second factor is asked for wherever one is set."""

from http import HTTPStatus
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django_otp.plugins.otp_totp.models import TOTPDevice

from console.admin import presence
from console.people import second_factor
from console.people.staff_roles import ADMINISTRATOR
from groups.models import ApiToken, AuditEntry
from tests.admin.visitors import person, text, visitor
from tests.site.test_second_factor import MINE, PASSWORD, code_of, set_up

pytestmark = pytest.mark.django_db

PAGE = "/admin/password_change/"
NEW = "a correct horse 7"
TOKEN = "/admin/groups/apitoken/add/"


@pytest.fixture(autouse=True)
def _on(settings: Any) -> None:
    settings.WEB_SECOND_FACTOR = second_factor.OPTIONAL
    settings.OTP_TOTP_THROTTLE_FACTOR = settings.OTP_STATIC_THROTTLE_FACTOR = 0  # no test waits
    settings.AXES_ENABLED = True


def form(old: str = PASSWORD, code: str = "") -> dict[str, str]:
    return {"old_password": old, "new_password1": NEW, "new_password2": NEW, "code": code}


def password_is(password: str) -> bool:
    return User.objects.get(username="vera").check_password(password)


def test_the_old_password_cannot_be_guessed_faster_than_at_the_login(settings: Any) -> None:
    client = visitor("Viewer")
    limit = settings.AXES_FAILURE_LIMIT
    answers = [client.post(PAGE, form(f"guess {n}")).status_code for n in range(25)]
    assert answers[0] == HTTPStatus.OK and answers.count(HTTPStatus.OK) < limit
    assert answers[limit:] == [HTTPStatus.TOO_MANY_REQUESTS] * (25 - limit)
    assert client.post(PAGE, form()).status_code == HTTPStatus.TOO_MANY_REQUESTS
    assert password_is(PASSWORD)
    assert AuditEntry.objects.filter(kind="login", outcome="failed", who="vera").exists()


def test_guesses_at_the_login_and_in_the_form_are_counted_together(settings: Any) -> None:
    client = visitor("Viewer")
    for _ in range(settings.AXES_FAILURE_LIMIT - 1):
        Client().post("/admin/login/", {"username": "vera", "password": "wrong"})
    client.post(PAGE, form("wrong"))
    assert client.post(PAGE, form()).status_code == HTTPStatus.TOO_MANY_REQUESTS


def test_a_new_password_needs_a_code_of_who_has_a_second_factor() -> None:
    client = visitor("Viewer")
    secret, recovery = set_up(client)
    assert 'name="code"' in text(client.get(PAGE))
    for code in ("", "000000"):
        assert client.post(PAGE, form(code=code)).status_code == HTTPStatus.OK
    assert password_is(PASSWORD)
    assert client.post(PAGE, form(code=code_of(secret))).status_code == HTTPStatus.FOUND
    assert password_is(NEW)
    assert client.get("/admin/").status_code == HTTPStatus.OK  # the session goes on
    again = {**form(NEW, recovery[0]), "new_password1": PASSWORD, "new_password2": PASSWORD}
    assert client.post(PAGE, again).status_code == HTTPStatus.FOUND


def test_a_refusal_does_not_say_what_was_wrong_and_uses_up_no_code() -> None:
    client = visitor("Viewer")
    secret, _ = set_up(client)
    code = code_of(secret)
    weak = {**form(code=code), "new_password1": "1", "new_password2": "1"}
    assert "at least 8 characters" in text(client.post(PAGE, weak))
    for old, sent in (("wrong", "000000"), (PASSWORD, "000000")):
        assert presence.WRONG in text(client.post(PAGE, form(old, sent)))
    assert client.post(PAGE, form(code=code)).status_code == HTTPStatus.FOUND


def test_the_form_works_without_a_second_factor() -> None:
    client = visitor("Viewer")
    page = text(client.get(PAGE))
    assert 'name="code"' not in page and 'name="old_password"' in page
    assert client.post(PAGE, form()).status_code == HTTPStatus.FOUND and password_is(NEW)


def test_a_user_of_a_provider_has_no_password_to_change() -> None:
    client = visitor("Viewer")
    user = User.objects.get(username="vera")
    user.set_unusable_password()
    user.save()
    client.force_login(user)
    page = text(client.get(PAGE))
    assert "You log in with a provider" in page and 'name="old_password"' not in page
    assert client.post(PAGE, form()).status_code == HTTPStatus.OK


# -- Ways around it ---------------------------------------------------------------------------


def test_an_administrator_changes_the_own_password_on_the_own_page_only() -> None:
    client = visitor(ADMINISTRATOR)
    own = User.objects.get(username="vera").pk
    sent = {"password1": NEW, "password2": NEW, "usable_password": "true"}
    for method in (client.get, client.post):
        answer = method(f"/admin/auth/user/{own}/password/", sent)
        assert (answer.status_code, answer.headers["Location"]) == (302, PAGE)
    assert password_is(PASSWORD)
    other = person("otto")
    answer = client.post(f"/admin/auth/user/{other.pk}/password/", sent)
    assert answer.status_code == 302
    assert User.objects.get(username="otto").check_password(NEW)


def test_an_administrator_removes_the_own_second_factor_on_the_own_page_only() -> None:
    client = visitor(ADMINISTRATOR)
    secret, _ = set_up(client)
    device = TOTPDevice.objects.get()
    path = f"/admin/otp_totp/totpdevice/{device.pk}/delete/"
    assert client.post(path, {"post": "yes"}).status_code == HTTPStatus.FORBIDDEN
    bulk = {"action": "delete_selected", "_selected_action": [device.pk], "post": "yes"}
    client.post("/admin/otp_totp/totpdevice/", bulk)
    assert TOTPDevice.objects.exists()
    proof = {"password": PASSWORD, "code": code_of(secret), "verb": "remove"}
    assert client.post(MINE, proof).status_code == HTTPStatus.FOUND
    assert not TOTPDevice.objects.exists()


def token(**more: Any) -> dict[str, Any]:
    """The form of a token."""
    user = User.objects.get(username="vera").pk
    when = {"expires_at_0": "2099-01-01", "expires_at_1": "00:00:00"}
    return {"name": "automation", "user": user, "scopes": ["read"], **when, **more}


def test_a_token_needs_password_and_code_of_who_has_a_second_factor() -> None:
    """It outlasts the session, and needs no code afterwards."""
    client = visitor("Viewer")
    secret, _ = set_up(client)
    assert 'name="code"' in text(client.get(TOKEN))
    for wrong in ({}, {"password": PASSWORD, "code": "000000"}, {"password": "x", "code": "1"}):
        assert client.post(TOKEN, token(**wrong)).status_code == HTTPStatus.OK
    assert not ApiToken.objects.exists()
    made = client.post(TOKEN, token(password=PASSWORD, code=code_of(secret)))
    assert "rollcall_" in text(made) and ApiToken.objects.count() == 1


def test_a_token_needs_neither_of_others() -> None:
    client = visitor("Viewer")
    assert 'name="code"' not in text(client.get(TOKEN))
    assert "rollcall_" in text(client.post(TOKEN, token()))


@pytest.mark.parametrize("page", [PAGE, MINE, TOKEN])
def test_every_form_that_asks_for_a_password_locks_out(page: str, settings: Any) -> None:
    client = visitor("Viewer")
    if page == TOKEN:
        set_up(client)
    else:
        client.get(page)
    wrong = {**form("wrong"), **token(), "password": "wrong", "code": "000000"}
    answers = {client.post(page, wrong).status_code for _ in range(settings.AXES_FAILURE_LIMIT + 1)}
    assert HTTPStatus.TOO_MANY_REQUESTS in answers
