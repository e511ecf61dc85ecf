"""Behind a proxy that ends TLS: whom the web believes, and what it asks of browsers."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from launcher.installation import CHECKOUT
from web.forwarded import Forwarded, client_of

PROXY, STRANGER, CLIENT = "192.0.2.1", "198.51.100.7", "203.0.113.9"


@pytest.fixture(autouse=True)
def _behind_a_proxy(settings: Any) -> None:
    settings.BEHIND_TLS = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.WEB_PROXIES = frozenset({PROXY})


def seen(rf: RequestFactory, peer: str, **headers: str) -> tuple[str, bool]:
    """The address and the scheme that a view would see."""
    found: list[tuple[str, bool]] = []

    def view(request: HttpRequest) -> HttpResponse:
        found.append((request.META["REMOTE_ADDR"], request.is_secure()))
        return HttpResponse()

    Forwarded(view)(rf.get("/", REMOTE_ADDR=peer, headers=headers))
    return found[0]


def test_only_the_named_proxy_is_trusted(rf: RequestFactory) -> None:
    headers = {"x-forwarded-proto": "https", "x-forwarded-for": CLIENT}

    assert seen(rf, PROXY, **headers) == (CLIENT, True)
    assert seen(rf, STRANGER, **headers) == (STRANGER, False)


def test_without_a_proxy_forwarded_headers_are_ignored(rf: RequestFactory, settings: Any) -> None:
    settings.BEHIND_TLS = False
    headers = {"x-forwarded-proto": "https", "x-forwarded-for": CLIENT}
    assert seen(rf, PROXY, **headers) == (PROXY, False)


@pytest.mark.parametrize(
    ("said", "client"),
    [
        (CLIENT, CLIENT),
        (f"{STRANGER}, {CLIENT}", CLIENT),  # what is ahead of it the client may have sent itself
        (f"{CLIENT}, {PROXY}", CLIENT),
        (f"{CLIENT}, nonsense", ""),
        (PROXY, ""),
        ("", ""),
        ("::ffff:", ""),
    ],
)
def test_a_client_is_the_last_address_that_is_no_proxy(said: str, client: str) -> None:
    assert client_of(said) == client


@pytest.mark.django_db
def test_browsers_are_redirected_to_https_with_hsts(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT, settings.SECURE_HSTS_SECONDS = True, 3600
    plain, behind = (
        Client(REMOTE_ADDR=PROXY),
        Client(REMOTE_ADDR=PROXY, headers={"x-forwarded-proto": "https"}),
    )

    sent = plain.get("/admin/login/")
    assert (sent.status_code, sent.headers["Location"]) == (301, "https://testserver/admin/login/")
    assert behind.get("/admin/login/").headers["Strict-Transport-Security"] == "max-age=3600"
    assert plain.get("/livez").status_code == 200  # the launcher asks so


@pytest.mark.long
def test_django_check_deploy_passes_with_production_settings(tmp_path: Path) -> None:
    environ = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "coordinator_site.settings",
        "ROLLCALL_DATABASE_URL": "postgresql://127.0.0.1:1/none",
        "ROLLCALL_DATA_DIR": str(tmp_path),
        "ROLLCALL_WEB_TLS": "true",
        "ROLLCALL_ALLOWED_HOSTS": "rollcall.example.com",
    }
    command = (sys.executable, "manage.py", "check", "--deploy", "--fail-level=WARNING")
    done = subprocess.run(
        command, cwd=CHECKOUT, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
