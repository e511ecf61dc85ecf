"""What proxies say of a request: believed of those that are named, and of nobody else.

A client may send any header itself. So what came from elsewhere is taken out before anything reads
it, and a proxy's word on the client's address takes the place of its own: people are locked out,
and named in logs, by where they are.
"""

from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

FORWARDED = (
    "HTTP_X_FORWARDED_PROTO",
    "HTTP_X_FORWARDED_FOR",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PORT",
    "HTTP_FORWARDED",
)


class Forwarded:
    """Middleware, ahead of all others. Without ``ROLLCALL_WEB_TLS`` nobody is believed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Take out what is not believed, and put the client in its proxy's place."""
        told = {name: request.META.pop(name) for name in FORWARDED if name in request.META}
        if settings.BEHIND_TLS and request.META.get("REMOTE_ADDR") in settings.WEB_PROXIES:
            if "HTTP_X_FORWARDED_PROTO" in told:
                request.META["HTTP_X_FORWARDED_PROTO"] = told["HTTP_X_FORWARDED_PROTO"]
            client = client_of(told.get("HTTP_X_FORWARDED_FOR", ""))
            if client:
                request.META["REMOTE_ADDR"] = client
        return self.get_response(request)


def address_of(scope: Mapping[str, Any]) -> str:
    """The client of a request that Django has not seen yet (ASGI), by the same rules."""
    address = (scope.get("client") or ("",))[0]
    if not (settings.BEHIND_TLS and address in settings.WEB_PROXIES):
        return str(address)
    told = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    return client_of(b",".join(told).decode("latin-1")) or str(address)


def client_of(forwarded_for: str) -> str:
    """The last address that is no proxy of ours: those ahead of it are the client's own word. ""
    where there is none, or what should be one is no address."""
    for said in reversed(forwarded_for.split(",")):
        try:
            address = str(ip_address(said.strip()))
        except ValueError:
            return ""
        if address not in settings.WEB_PROXIES:
            return address
    return ""
