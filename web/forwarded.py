"""Headers of proxies: trusted only from the configured proxies.

A client may send any header itself. So those from other addresses are removed before they are read,
and for a trusted proxy the client's address replaces the proxy's: lockouts and logs use it.
"""

from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from groups.core.networks import network_of

FORWARDED = (
    "HTTP_X_FORWARDED_PROTO",
    "HTTP_X_FORWARDED_FOR",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PORT",
    "HTTP_FORWARDED",
)


class Forwarded:
    """Middleware, before all others. Without ``ROLLCALL_WEB_TLS`` no proxy is trusted."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Remove untrusted headers, and set the client's address."""
        headers = {name: request.META.pop(name) for name in FORWARDED if name in request.META}
        if settings.BEHIND_TLS and request.META.get("REMOTE_ADDR") in settings.WEB_PROXIES:
            if "HTTP_X_FORWARDED_PROTO" in headers:
                request.META["HTTP_X_FORWARDED_PROTO"] = headers["HTTP_X_FORWARDED_PROTO"]
            client = client_of(headers.get("HTTP_X_FORWARDED_FOR", ""))
            if client:
                request.META["REMOTE_ADDR"] = client
        return self.get_response(request)


def counted_address(request: HttpRequest) -> str | None:
    """The address that lock-outs count: of IPv6 the network, since whoever has one address of it
    has all. None if there is none."""
    return network_of(request.META.get("REMOTE_ADDR") or "").partition("/")[0] or None


def address_of(scope: Mapping[str, Any]) -> str:
    """The client of a request that Django has not seen yet (ASGI), by the same rules."""
    address = (scope.get("client") or ("",))[0]
    if not (settings.BEHIND_TLS and address in settings.WEB_PROXIES):
        return str(address)
    values = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    return client_of(b",".join(values).decode("latin-1")) or str(address)


def client_of(forwarded_for: str) -> str:
    """The last address that is not one of our proxies: the client may have written those before it.
    "" if there is none, or if it is not a valid address."""
    for part in reversed(forwarded_for.split(",")):
        try:
            address = str(ip_address(part.strip()))
        except ValueError:
            return ""
        if address not in settings.WEB_PROXIES:
            return address
    return ""
