"""Who may come in: tokens, the installation's own token, sessions with their CSRF check."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from console.people import api_tokens
from groups.models import ApiToken

pytestmark = pytest.mark.django_db

ME = "/api/v1/me"


def asking(secret: str) -> Client:
    """A client with this token."""
    return Client(headers={"authorization": f"Bearer {secret}"})


@pytest.fixture
def alice() -> Any:
    """Somebody with an account."""
    return get_user_model().objects.create_user("alice", password="correct horse")


@pytest.mark.parametrize("path", ["/groups", "/groups/g", "/topics", "/nodes", "/me", "/schema"])
def test_a_request_without_credentials_is_refused(client: Client, path: str) -> None:
    answer = client.get(f"/api/v1{path}")
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="rollcall"'
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_token_acts_for_its_user(alice: Any) -> None:
    _, secret = api_tokens.issue(alice, "automation")
    assert asking(secret).get(ME).json()["username"] == "alice"


def test_only_the_digest_of_a_token_is_stored(alice: Any) -> None:
    token, secret = api_tokens.issue(alice, "automation")
    row = ApiToken.objects.values_list().get(pk=token.pk)
    assert not any(secret in str(value) for value in row)
    assert secret.startswith(token.prefix)


def test_an_expired_token_is_refused(alice: Any) -> None:
    _, secret = api_tokens.issue(alice, "old", timezone.now() - timedelta(seconds=1))
    assert asking(secret).get(ME).status_code == 401


def test_a_token_of_an_inactive_user_is_refused(alice: Any) -> None:
    _, secret = api_tokens.issue(alice, "automation")
    alice.is_active = False
    alice.save()
    assert asking(secret).get(ME).status_code == 401


def test_the_last_use_is_recorded(alice: Any) -> None:
    token, secret = api_tokens.issue(alice, "automation")
    asking(secret).get(ME)
    token.refresh_from_db()
    assert token.used_at is not None


def test_the_installations_token_has_every_right(settings: Any) -> None:
    settings.API_TOKEN = "the-token"
    assert asking("the-token").get(ME).json() == {"username": "API token", "permissions": ["*"]}
    assert asking("another").get(ME).status_code == 401


def test_an_empty_installation_token_is_refused(settings: Any) -> None:
    settings.API_TOKEN = ""
    assert asking("").get(ME).status_code == 401


def test_a_session_needs_the_csrf_token(alice: Any) -> None:
    alice.is_superuser = True
    alice.save()
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)

    assert browser.get(ME).json()["username"] == "alice"
    topic = {"name": "t", "partitions": 1}
    refused = browser.post("/api/v1/topics", topic, content_type="application/json")
    assert refused.status_code == 403 and "CSRF" in refused.json()["detail"]
