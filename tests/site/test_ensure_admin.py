"""The first admin user: from the environment, or with a password that is shown once."""

from io import StringIO

import pytest
from django.contrib.auth import authenticate, get_user_model
from django.core.management import call_command

pytestmark = pytest.mark.django_db


def ensure(monkeypatch: pytest.MonkeyPatch, user: str = "", password: str = "") -> str:
    """Run the command in that environment, and return what it said."""
    monkeypatch.setenv("ROLLCALL_ADMIN_USER", user)
    monkeypatch.setenv("ROLLCALL_ADMIN_PASSWORD", password)
    said = StringIO()
    call_command("ensure_admin", stdout=said)
    return said.getvalue()


def test_password_is_generated_and_shown_once(monkeypatch: pytest.MonkeyPatch) -> None:
    said = ensure(monkeypatch)

    password = said.split("password: ")[1].split()[0]
    assert authenticate(username="admin", password=password) is not None
    assert ensure(monkeypatch) == ""


def test_user_of_the_environment_is_made_and_nothing_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ensure(monkeypatch, "alice", "correct horse") == ""

    user = authenticate(username="alice", password="correct horse")
    assert user is not None
    assert user.is_superuser
    assert get_user_model().objects.count() == 1


def test_user_who_exists_keeps_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    ensure(monkeypatch, "alice", "correct horse")
    ensure(monkeypatch, "alice", "another")

    assert authenticate(username="alice", password="correct horse") is not None


def test_no_default_user_is_made_beside_a_superuser(monkeypatch: pytest.MonkeyPatch) -> None:
    ensure(monkeypatch, "alice", "correct horse")

    assert ensure(monkeypatch) == ""
    assert not get_user_model().objects.filter(username="admin").exists()
