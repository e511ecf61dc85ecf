"""``/metrics`` of the web: who may read it, and in which format."""

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import OperationalError, connection
from django.test import Client

from console.people import api_tokens
from console.people.staff_roles import VIEWER
from tests.admin.visitors import person
from tests.metrics.scraped import Scrape
from web import metrics

TOKEN = "a token for scrapes alone"


def asking(secret: str) -> Client:
    return Client(headers={"authorization": f"Bearer {secret}"})


def status(client: Client, **more: Any) -> int:
    return int(client.get("/metrics", **more).status_code)


@pytest.fixture(autouse=True)
def _asked_anew() -> None:
    """No figures of another test."""
    metrics.ours.cache_clear()


@pytest.mark.django_db
def test_anonymous_scrapes_get_a_challenge(client: Client) -> None:
    answer = client.get("/metrics")

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="rollcall"'
    assert status(asking("no such token")) == 401
    assert b"rollcall_" not in answer.content


@pytest.mark.django_db
def test_the_right_to_groups_allows_scrapes() -> None:
    stranger, viewer = person("stranger"), person("victor", VIEWER)
    for user, expected in ((stranger, 403), (viewer, 200)):
        session = Client()
        session.force_login(user)
        _, secret = api_tokens.issue(user, f"of {user}", scopes=["read"])
        assert [status(session), status(asking(secret))] == [expected, expected]
    _, secret = api_tokens.issue(viewer, "to operate", scopes=["operate"])
    assert status(asking(secret)) == 403


@pytest.mark.django_db
def test_a_superuser_may_scrape(settings: Any) -> None:
    settings.API_TOKEN = "the installation's own"
    assert status(asking(settings.API_TOKEN)) == 200
    boss = Client()
    boss.force_login(get_user_model().objects.create_superuser("boss"))
    assert status(boss) == 200


@pytest.mark.django_db
def test_the_scrape_token_opens_only_the_metrics(settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN
    client = asking(TOKEN)

    assert status(client) == 200
    assert client.get("/api/v1/groups").status_code == 401
    assert client.get("/admin/").status_code == 302
    assert status(asking(TOKEN[:-1])) == 401


def test_an_unset_token_is_not_accepted(settings: Any, db: None) -> None:
    settings.METRICS_TOKEN = ""
    assert status(asking("")) == 401


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "expected"), [("127.0.0.1", 200), ("::1", 200), ("10.0.0.7", 401), ("", 401)]
)
def test_loopback_scrapes_are_allowed_by_a_setting(
    settings: Any, address: str, expected: int
) -> None:
    assert status(Client(), REMOTE_ADDR=address) == 401
    settings.METRICS_LOOPBACK_ALLOW = True
    assert status(Client(), REMOTE_ADDR=address) == expected


@pytest.mark.django_db
def test_both_formats_are_served(settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN
    client = asking(TOKEN)
    plain = client.get("/metrics")
    modern = client.get("/metrics", headers={"accept": "application/openmetrics-text"})
    small = client.get("/metrics", headers={"accept-encoding": "gzip"})

    assert plain.headers["Content-Type"].startswith("text/plain; version=")
    assert modern.headers["Content-Type"].startswith("application/openmetrics-text")
    assert modern.content.endswith(b"# EOF\n")
    assert small.headers["Content-Encoding"] == "gzip"
    assert small.content[:2] == b"\x1f\x8b"
    scrape = Scrape(plain.content.decode())
    assert scrape("rollcall_database_up") == 1
    assert scrape("process_cpu_seconds_total") is not None
    assert "no-store" in plain.headers["Cache-Control"]
    assert client.post("/metrics").status_code == 405
    assert client.head("/metrics").content == b""


@pytest.mark.django_db
def test_a_scrape_succeeds_while_postgresql_is_down(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.METRICS_TOKEN = TOKEN
    with monkeypatch.context() as patch:
        patch.setattr(connection, "cursor", _unavailable)
        answer = asking(TOKEN).get("/metrics")

    scrape = Scrape(answer.content.decode())
    assert answer.status_code == 200
    assert scrape("rollcall_database_up") == 0
    assert scrape("rollcall_members") is None


def _unavailable(*_: object) -> None:
    raise OperationalError("the server closed the connection unexpectedly")
