"""``/metrics`` of the web: who may read it, and the response in the requested format.

A scrape with the token of ``ROLLCALL_METRICS_TOKEN`` needs no row, so that it works while
PostgreSQL is away and reports that. All others need the rights of ``console.people.rights``.
"""

import secrets
from functools import cache
from http import HTTPStatus
from ipaddress import ip_address
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from console.api.authentication import BearerAuthentication
from console.metrics.collector import registry
from console.metrics.state import MetricsSettings
from console.people import rights
from groups.models import ApiToken
from web.health import plain

BEARER: Final = "bearer "
ROUTE: Final = "metrics"


@cache
def ours() -> CollectorRegistry:
    """The registry of this process."""
    return registry(MetricsSettings.from_django())


@never_cache
@require_safe
@gzip_page
def metrics(request: HttpRequest) -> HttpResponse:
    """Every series, as Prometheus' text or as OpenMetrics."""
    refusal = refused(request)
    if refusal is not None:
        return refusal
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    return HttpResponse(encode(ours()), content_type=content_type)


def refused(request: HttpRequest) -> HttpResponse | None:
    """Why the user may not read it; None: allowed."""
    if has_token(request) or is_near(request):
        return None
    try:
        credentials = BearerAuthentication().authenticate(Request(request))
    except AuthenticationFailed as error:
        return unknown(f"{error}\n")
    user, token = credentials or (request.user, None)
    if not user.is_authenticated:
        return unknown("Send a bearer token, or log in to the admin.\n")
    needed = rights.needed(rights.SERVICES[ROUTE], str(request.method)) or rights.NOBODY
    is_of_scope = not isinstance(token, ApiToken) or rights.scope_of(needed) in token.scopes
    if is_of_scope and rights.may(user, needed):
        return None
    return plain(f"You need the right {needed}.\n", HTTPStatus.FORBIDDEN)


def has_token(request: HttpRequest) -> bool:
    """Whether the request has the configured token for scrapes."""
    header, own = request.headers.get("Authorization", ""), settings.METRICS_TOKEN
    is_bearer = header[: len(BEARER)].lower() == BEARER
    token = header[len(BEARER) :].strip().encode()
    return bool(own) and is_bearer and secrets.compare_digest(own.encode(), token)


def is_near(request: HttpRequest) -> bool:
    """Whether all clients on this machine may read it, and the request comes from there. For a
    trusted proxy, the address of its client counts."""
    if not MetricsSettings.from_django().metrics_loopback_allow:
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


def unknown(words: str) -> HttpResponse:
    """The client is not authenticated."""
    answer = plain(words, HTTPStatus.UNAUTHORIZED)
    answer.headers["WWW-Authenticate"] = 'Bearer realm="rollcall"'
    return answer
