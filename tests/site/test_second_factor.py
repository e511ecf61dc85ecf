"""A second factor: set up by who has password and authenticator, required at each login, used
once, and replaced by recovery codes where the authenticator is lost."""

import re
import time
from base64 import b32decode
from http import HTTPStatus
from io import StringIO
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from console.live import consumer
from console.people import api_tokens, audit, second_factor
from console.people.shares import Shares
from groups.models import AuditEntry
from tests.admin.test_groups import QUERIES_MAX
from tests.admin.visitors import person, superuser, text, visitor

pytestmark = pytest.mark.django_db

LOGIN, MINE = "/admin/login/", "/admin/otp_totp/totpdevice/mine/"
PASSWORD = "a password"


@pytest.fixture(autouse=True)
def _on(settings: Any) -> None:
    settings.WEB_SECOND_FACTOR = second_factor.OPTIONAL
    settings.OTP_TOTP_THROTTLE_FACTOR = settings.OTP_STATIC_THROTTLE_FACTOR = 0  # no test waits


def code_of(secret: str, steps: int = 0) -> str:
    """What an authenticator shows, so many steps of 30 s from now."""
    totp = TOTP(b32decode(secret))
    totp.time = time.time() + 30 * steps
    return f"{totp.token():06d}"


def secret_on(page: str) -> str:
    """The secret that is typed into an authenticator."""
    found = re.search(r"Secret: <code>([A-Z2-7]{32})</code>", page)
    assert found
    return found[1]


def set_up(browser: Client) -> tuple[str, list[str]]:
    """Set one up on its page: the secret, and the recovery codes. Once more, if the code was the
    last step's when it was made, and older when it arrived."""
    for _ in range(2):
        secret = secret_on(text(browser.get(MINE)))
        step = time.time() // 30
        page = text(browser.post(MINE, {"password": PASSWORD, "code": code_of(secret, -1)}))
        codes = re.findall(r"<code>([A-Z2-7]{4}(?:-[A-Z2-7]{4}){3})</code>", page)
        if codes or time.time() // 30 == step:
            break
    assert len(codes) == second_factor.CODES
    return secret, codes


def answer(name: str, code: str = "", password: str = PASSWORD) -> int:
    """The status of a login: 302 for who is let in."""
    form = {"username": name, "password": password, "one_time_password": code}
    return Client().post(LOGIN, form).status_code


def test_a_login_requires_the_code_of_a_user_with_a_second_factor() -> None:
    secret, _ = set_up(visitor("Viewer"))
    person("otto")

    assert answer("vera") == HTTPStatus.OK  # the form again
    assert answer("vera", "000000") == HTTPStatus.OK
    assert answer("vera", code_of(secret, -5)) == HTTPStatus.OK
    assert answer("vera", code_of(secret), "another") == HTTPStatus.OK
    assert answer("vera", code_of(secret)) == HTTPStatus.FOUND
    assert answer("otto") == HTTPStatus.FOUND


def test_a_code_is_valid_once() -> None:
    secret, _ = set_up(visitor("Viewer"))
    code = code_of(secret)
    assert answer("vera", code) == HTTPStatus.FOUND
    assert answer("vera", code) == HTTPStatus.OK


def test_a_recovery_code_logs_in_once_in_any_spelling() -> None:
    _, codes = set_up(visitor("Viewer"))
    assert answer("vera", codes[0].lower().replace("-", " ")) == HTTPStatus.FOUND
    assert answer("vera", codes[0]) == HTTPStatus.OK
    assert answer("vera", codes[1]) == HTTPStatus.FOUND
    done = AuditEntry.objects.filter(kind="login", outcome="done").order_by("id")
    assert [entry.details for entry in done][-2:] == [{"with": "recovery code"}] * 2


def test_recovery_codes_and_secrets_are_not_in_rows_or_audit_log() -> None:
    secret, codes = set_up(visitor("Viewer"))
    kept = set(StaticToken.objects.values_list("token", flat=True))
    assert kept.isdisjoint(code.replace("-", "") for code in codes)
    entries = repr(list(AuditEntry.objects.values()))
    assert b32decode(secret).hex() not in entries and secret not in entries
    kinds = set(AuditEntry.objects.filter(target="vera").values_list("kind", "who"))
    assert {("second-factor-made", "vera"), ("recovery-codes-made", "vera")} <= kinds


def test_the_error_does_not_reveal_what_was_wrong() -> None:
    secret, _ = set_up(visitor("Viewer"))
    wrong = (("a guess", code_of(secret)), (PASSWORD, "000000"), (PASSWORD, ""))
    pages = set()
    for password, code in wrong:
        form = {"username": "vera", "password": password, "one_time_password": code}
        page = text(Client().post(LOGIN, form))
        pages.add(re.sub(r'\s*value="[^"]*"', "", page))
    assert len(pages) == 1


def test_wrong_codes_lock_out_as_wrong_passwords_do(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which the audit has, although the failures of that second have taken their room."""
    settings.AXES_ENABLED = True
    monkeypatch.setattr(audit, "_refusals", Shares(1, 2))
    monkeypatch.setattr(audit, "_lockouts", Shares(1, 2))  # other tests had theirs
    secret, _ = set_up(visitor("Viewer"))
    statuses = [answer("vera", "000000") for _ in range(settings.AXES_FAILURE_LIMIT)]
    assert statuses[-1] == HTTPStatus.TOO_MANY_REQUESTS
    assert answer("vera", code_of(secret)) == HTTPStatus.TOO_MANY_REQUESTS
    entries = AuditEntry.objects.filter(kind="login", who="vera").values_list("outcome", flat=True)
    assert {"failed", "locked out"} <= set(entries)


def test_a_code_beside_a_wrong_password_is_not_stored(settings: Any) -> None:
    """It has not been used, and is good for a login."""
    settings.AXES_ENABLED = True
    browser = visitor("Viewer")
    _, codes = set_up(browser)
    assert answer("vera", codes[0], "a guess") == HTTPStatus.OK
    browser.post(MINE, {"password": "a guess", "code": codes[1], "verb": "codes"})
    kept = repr(list(AccessAttempt.objects.values())) + repr(list(AuditEntry.objects.values()))
    assert AccessAttempt.objects.exists()
    assert not [code for code in codes if code in kept or code.replace("-", "") in kept]
    assert answer("vera", codes[0]) == HTTPStatus.FOUND


def test_a_wrong_code_delays_the_next_from_any_address(settings: Any) -> None:
    settings.OTP_TOTP_THROTTLE_FACTOR = 60
    secret, codes = set_up(visitor("Viewer"))
    assert answer("vera", "000000") == HTTPStatus.OK
    assert answer("vera", code_of(secret)) == HTTPStatus.OK
    assert answer("vera", codes[0]) == HTTPStatus.FOUND  # another device


def test_setting_it_up_requires_the_password_and_a_code() -> None:
    browser = visitor("Viewer")
    secret = secret_on(text(browser.get(MINE)))
    assert secret_on(text(browser.get(MINE))) == secret  # a reload is no other one
    wrong = (("a guess", code_of(secret)), (PASSWORD, "000000"), (PASSWORD, ""))
    for password, code in wrong:
        page = text(browser.post(MINE, {"password": password, "code": code}))
        assert secret_on(page) == secret
    assert not TOTPDevice.objects.exists()
    assert answer("vera") == HTTPStatus.FOUND


def test_password_guesses_on_that_page_lock_out(settings: Any) -> None:
    settings.AXES_ENABLED = True
    browser = Client()
    browser.post(LOGIN, {"username": person("vera").username, "password": PASSWORD})
    browser.get(MINE)
    for _ in range(settings.AXES_FAILURE_LIMIT):
        refused = browser.post(MINE, {"password": "a guess", "code": "000000"})
    assert refused.status_code == HTTPStatus.TOO_MANY_REQUESTS


def test_codes_are_renewed_and_the_factor_removed_with_a_code() -> None:
    browser = visitor("Viewer")
    secret, codes = set_up(browser)
    assert "turned on" not in text(browser.post(MINE, {"password": PASSWORD, "code": "000000"}))

    renewed = text(browser.post(MINE, {"password": PASSWORD, "code": codes[0], "verb": "codes"}))
    assert answer("vera", codes[1]) == HTTPStatus.OK
    [fresh, *_] = re.findall(r"<code>([A-Z2-7-]{19})</code>", renewed)
    assert answer("vera", fresh) == HTTPStatus.FOUND

    form = {"password": PASSWORD, "code": code_of(secret), "verb": "remove"}
    assert browser.post(MINE, form).status_code == HTTPStatus.FOUND
    assert answer("vera") == HTTPStatus.FOUND
    assert not StaticToken.objects.exists()
    kinds = set(AuditEntry.objects.filter(target="vera").values_list("kind", flat=True))
    assert {"second-factor-deleted", "recovery-codes-deleted"} <= kinds


def test_where_it_is_required_it_must_be_set_up_first(settings: Any) -> None:
    settings.WEB_SECOND_FACTOR = second_factor.REQUIRED
    browser = Client()
    vera = person("vera", "Administrator")
    _, token = api_tokens.issue(vera, "automation")
    browser.post(LOGIN, {"username": "vera", "password": PASSWORD})

    for path in ("/admin/", "/admin/groups/group/", "/admin/groups/apitoken/add/"):
        assert browser.get(path).headers["Location"] == MINE
    refused = browser.get("/api/v1/groups")
    assert (refused.status_code, refused.json()["code"]) == (403, "second_factor_required")
    socket: Any = consumer.refused.func  # without its thread
    assert socket(vera) is not None
    bearer = {"authorization": f"Bearer {token}"}
    assert Client(headers=bearer).get("/api/v1/groups").status_code == HTTPStatus.OK

    set_up(browser)
    assert browser.get("/admin/").status_code == HTTPStatus.OK
    assert browser.get("/api/v1/groups").status_code == HTTPStatus.OK
    assert socket(vera) is None


def test_a_user_logged_in_before_it_was_required_must_set_it_up_first(
    settings: Any,
) -> None:
    """A session lasts a working day: it would be let off until its end."""
    browser = visitor("Viewer")
    assert browser.get("/admin/").status_code == HTTPStatus.OK
    settings.WEB_SECOND_FACTOR = second_factor.REQUIRED
    assert browser.get("/admin/").headers["Location"] == MINE
    assert browser.get("/api/v1/groups").status_code == HTTPStatus.FORBIDDEN
    set_up(browser)
    assert browser.get("/admin/").status_code == HTTPStatus.OK


def test_removing_a_required_factor_forces_a_new_set_up(settings: Any) -> None:
    settings.WEB_SECOND_FACTOR = second_factor.REQUIRED
    browser = visitor("Viewer")
    secret, _ = set_up(browser)
    form = {"password": PASSWORD, "code": code_of(secret), "verb": "remove"}
    assert browser.post(MINE, form).status_code == HTTPStatus.FOUND
    assert browser.get("/admin/").headers["Location"] == MINE
    assert browser.get("/api/v1/groups").status_code == HTTPStatus.FORBIDDEN


def test_it_is_not_required_of_users_without_a_local_password(settings: Any) -> None:
    settings.WEB_SECOND_FACTOR = second_factor.REQUIRED
    vera = person("vera", "Viewer")
    vera.set_unusable_password()
    vera.save()
    browser = Client()
    browser.force_login(vera)
    assert browser.get("/admin/").status_code == HTTPStatus.OK
    assert "provider" in text(browser.get(MINE))


def test_where_it_is_disabled_no_code_is_required(settings: Any) -> None:
    browser = visitor("Viewer")
    set_up(browser)
    settings.WEB_SECOND_FACTOR = second_factor.OFF
    assert answer("vera") == HTTPStatus.FOUND
    assert browser.get(MINE).status_code == HTTPStatus.NOT_FOUND
    assert "one_time_password" not in text(Client().get(LOGIN))


def test_an_administrator_removes_a_lost_factor() -> None:
    set_up(visitor("Viewer"))
    chief = visitor("Administrator", name="chief")
    listed = text(chief.get("/admin/otp_totp/totpdevice/"))
    device = TOTPDevice.objects.get()
    assert "vera" in listed and device.key not in listed
    assert device.key not in text(chief.get(f"/admin/otp_totp/totpdevice/{device.pk}/change/"))
    chief.post(f"/admin/otp_totp/totpdevice/{device.pk}/delete/", {"post": "yes"})
    assert answer("vera") == HTTPStatus.FOUND
    assert not StaticToken.objects.exists()


def test_the_list_of_users_takes_the_same_statements_for_any_number() -> None:
    chief = visitor("Administrator", name="chief")
    counts = []
    for number in range(4):
        user = person(f"vera-{number}")
        TOTPDevice.objects.create(user=user, name="authenticator")
        second_factor.new_codes(user)
        with CaptureQueriesContext(connection) as queries:
            shown = text(chief.get("/admin/otp_totp/totpdevice/"))
        counts.append(len(queries))
    found = re.findall(r'data-label="Recovery codes left">\s*(\d+)\s*<', shown)
    assert found == [str(second_factor.CODES)] * 4
    assert counts[-1] == counts[0] <= QUERIES_MAX


def test_only_a_superuser_removes_the_factor_of_a_superuser() -> None:
    root = superuser()
    User.objects.get(username="root").set_password(PASSWORD)
    user = User.objects.get(username="root")
    TOTPDevice.objects.create(user=user, name="authenticator")
    chief = visitor("Administrator", name="chief")
    page = "/admin/otp_totp/totpdevice/"
    device = TOTPDevice.objects.get()
    chosen = {"action": "delete_selected", "_selected_action": [device.pk], "post": "yes"}
    chief.post(page, chosen)
    chief.post(f"{page}{device.pk}/delete/", {"post": "yes"})
    assert TOTPDevice.objects.exists()
    root.post(page, chosen)
    assert TOTPDevice.objects.exists()  # one's own is removed with password and code
    superuser("boss").post(page, chosen)
    assert not TOTPDevice.objects.exists()


def test_the_command_removes_it() -> None:
    set_up(visitor("Viewer"))
    call_command("remove_second_factor", "vera", stdout=StringIO())
    assert answer("vera") == HTTPStatus.FOUND
    for name in ("vera", "nobody"):
        with pytest.raises(CommandError):
            call_command("remove_second_factor", name)


def test_the_set_up_page_cannot_be_framed_or_cached() -> None:
    shown = visitor("Viewer").get(MINE)
    assert "no-store" in shown.headers["Cache-Control"]
    assert 'src="data:image/svg+xml' in text(shown)
