"""Who guesses passwords is locked out for a while: that person, at that address."""

from http import HTTPStatus
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.test import Client

from tests.admin.visitors import person

pytestmark = pytest.mark.django_db

LOGIN = "/admin/login/"
RIGHT, WRONG = "a password", "another password"


@pytest.fixture(autouse=True)
def _locks(settings: Any) -> None:
    settings.AXES_ENABLED = True


def answer(name: str, password: str, address: str = "192.0.2.1") -> int:
    """The status of an attempt to log in: 302 for who is let in."""
    form = {"username": name, "password": password}
    return Client(REMOTE_ADDR=address).post(LOGIN, form).status_code


def test_after_a_few_guesses_even_the_right_password_is_refused(settings: Any) -> None:
    person("vera")
    answers = [answer("vera", WRONG) for _ in range(settings.AXES_FAILURE_LIMIT + 1)]

    assert answers[0] == HTTPStatus.OK  # the form again
    assert answers[-1] == HTTPStatus.TOO_MANY_REQUESTS
    assert answer("vera", RIGHT) == HTTPStatus.TOO_MANY_REQUESTS


def test_other_users_and_addresses_are_not_locked_out(settings: Any) -> None:
    person("vera")
    person("otto")
    for _ in range(settings.AXES_FAILURE_LIMIT + 1):
        answer("vera", WRONG)

    assert answer("vera", RIGHT, "192.0.2.2") == HTTPStatus.FOUND
    assert answer("otto", RIGHT) == HTTPStatus.FOUND


def test_an_ipv6_network_counts_as_one_address(settings: Any) -> None:
    """Whoever has one address of it has 2 to the 64 of them."""
    person("vera")
    for host in range(settings.AXES_FAILURE_LIMIT + 1):
        answer("vera", WRONG, f"2001:db8::{host:x}")

    assert answer("vera", RIGHT, "2001:db8::ffff") == HTTPStatus.TOO_MANY_REQUESTS
    assert answer("vera", RIGHT, "2001:db8:0:1::1") == HTTPStatus.FOUND


def test_a_successful_login_resets_the_count(settings: Any) -> None:
    person("vera")
    for _ in range(3):
        for _ in range(settings.AXES_FAILURE_LIMIT - 1):
            assert answer("vera", WRONG) == HTTPStatus.OK
        assert answer("vera", RIGHT) == HTTPStatus.FOUND


def test_a_lock_out_ends_after_a_while(settings: Any) -> None:
    person("vera")
    for _ in range(settings.AXES_FAILURE_LIMIT + 1):
        answer("vera", WRONG)
    for attempt in AccessAttempt.objects.all():
        attempt.attempt_time -= settings.AXES_COOLOFF_TIME
        attempt.save()

    assert answer("vera", RIGHT) == HTTPStatus.FOUND


def test_passwords_are_hashed_by_argon2_and_old_hashes_upgraded(settings: Any) -> None:
    settings.PASSWORD_HASHERS = [
        "coordinator_site.passwords.Argon2",
        "django.contrib.auth.hashers.MD5PasswordHasher",
    ]
    vera = person("vera")
    assert vera.password.startswith("argon2$argon2id$")
    vera.password = "md5$salt$" + "0" * 32
    vera.save()
    assert answer("vera", RIGHT) == HTTPStatus.OK
