"""The first admin user: from the environment, or with a generated password, shown once, and
changed before anything else."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import authenticate, get_user_model
from django.core.management import call_command
from django.test import Client

from console.people import api_tokens, first_password

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    """Where the installation keeps things."""
    settings.DATA_DIR = tmp_path / "data"
    return tmp_path / "data"


def ensure(
    monkeypatch: pytest.MonkeyPatch, user: str = "", password: str = "", terminal: str = ""
) -> str:
    """Run the command in that environment, and return what it said."""
    monkeypatch.setenv("ROLLCALL_ADMIN_USER", user)
    monkeypatch.setenv("ROLLCALL_ADMIN_PASSWORD", password)
    monkeypatch.setenv("ROLLCALL_TERMINAL", terminal)
    output = StringIO()
    call_command("ensure_admin", stdout=output)
    return output.getvalue()


def test_a_password_is_generated_and_shown_once_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    said = ensure(monkeypatch, terminal="1")

    password = said.split("password: ")[1].split()[0]
    assert said.startswith("first admin user: admin, ")
    assert authenticate(username="admin", password=password) is not None
    assert ensure(monkeypatch, terminal="1") == ""
    assert not folder.exists()


def test_without_a_terminal_it_is_in_a_private_file(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    folder.mkdir()
    kept, trap = folder / "first-admin-password", folder / "elsewhere"
    kept.symlink_to(trap)
    said = ensure(monkeypatch)

    assert str(kept) in said
    assert not kept.is_symlink() and not trap.exists()
    assert kept.stat().st_mode & 0o777 == 0o600
    password = kept.read_text().strip()
    assert password not in said
    assert authenticate(username="admin", password=password) is not None


def logged_in(password: str) -> Client:
    """By the form, as a person does."""
    client = Client()
    response = client.post("/admin/login/", {"username": "admin", "password": password})
    assert response.status_code == 302
    return client


def test_its_user_must_change_it_before_anything_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    password = ensure(monkeypatch, terminal="1").split("password: ")[1].split()[0]
    client = logged_in(password)
    for path in ("", "groups/group/", "groups/apitoken/add/", "auth/user/", "nothing/"):
        answer = client.get(f"/admin/{path}")
        assert (answer.status_code, answer.headers.get("Location")) == (
            302,
            "/admin/password_change/",
        ), path
    for path in ("/api/v1/groups", "/api/v1/me", "/kafka/v3/clusters/x/consumer-groups"):
        assert client.get(path).status_code == 403, path
    body = client.get("/api/v1/groups").json()
    assert body["code"] == "password_change_required"
    assert client.get("/metrics").status_code in (401, 403)
    assert client.get("/livez").status_code == 200
    page = client.get("/admin/password_change/")
    assert page.status_code == 200
    new = {"new_password1": "correct horse 7", "new_password2": "correct horse 7"}
    assert (
        client.post("/admin/password_change/", {"old_password": password, **new}).status_code == 302
    )
    assert client.get("/admin/").status_code == 200
    assert client.get("/api/v1/me").status_code == 200
    assert logged_in("correct horse 7").get("/admin/").status_code == 200


def test_changing_it_elsewhere_keeps_open_sessions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ensure(monkeypatch)
    user = get_user_model().objects.get()
    client = Client()
    client.force_login(user)
    assert client.get("/admin/").status_code == 302
    user.set_password("correct horse")
    user.save()
    client.force_login(user)
    assert client.get("/admin/").status_code == 200


def test_a_token_of_the_first_user_is_not_blocked(monkeypatch: pytest.MonkeyPatch) -> None:
    ensure(monkeypatch)
    user = get_user_model().objects.get()
    _, secret = api_tokens.issue(user, "automation")
    held_up = Client(headers={"authorization": f"Bearer {secret}"})
    assert held_up.get("/api/v1/groups").status_code == 200
    held_up.force_login(user)  # and neither is it by a cookie beside it
    assert held_up.get("/api/v1/groups").status_code == 200


def test_user_of_the_environment_is_created_and_nothing_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ensure(monkeypatch, "alice", "correct horse") == ""

    user = authenticate(username="alice", password="correct horse")
    assert user is not None
    assert user.is_superuser
    assert not first_password.is_due(user)
    assert get_user_model().objects.count() == 1


def test_existing_user_keeps_the_password(monkeypatch: pytest.MonkeyPatch) -> None:
    ensure(monkeypatch, "alice", "correct horse")
    ensure(monkeypatch, "alice", "another")

    assert authenticate(username="alice", password="correct horse") is not None


def test_no_default_user_is_created_beside_a_superuser(monkeypatch: pytest.MonkeyPatch) -> None:
    ensure(monkeypatch, "alice", "correct horse")

    assert ensure(monkeypatch) == ""
    assert not get_user_model().objects.filter(username="admin").exists()


def test_an_outdated_password_file_is_deleted_at_the_next_start(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    ensure(monkeypatch)
    ensure(monkeypatch)
    assert (folder / "first-admin-password").exists(), "nobody has logged in yet"
    admin = get_user_model().objects.get(username="admin")
    admin.set_password("a better one")
    admin.save()
    ensure(monkeypatch)
    assert not (folder / "first-admin-password").exists()
