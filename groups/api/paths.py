"""Ids in paths: any character, percent-encoded, "/" included.

Servers decode a path before Django sees it, and then a "/" of an id can no longer be told from
one between ids. So paths under /api/ are resolved as they were sent, and each id is decoded here.
"""

from collections.abc import Callable
from urllib.parse import quote, unquote

from django.http import HttpRequest, HttpResponse

PREFIX = "/api/"


class Id:
    """An id in a path; what is sent undecoded may hold a "/" as "%2F", or plainly at its end."""

    regex = ".+"

    def to_python(self, value: str) -> str:
        """The id."""
        return unquote(value)

    def to_url(self, value: str) -> str:
        """The id as it stands in a path."""
        return quote(value, safe="")


def as_sent(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Middleware: resolve paths of REST in their percent-encoded form."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith(PREFIX):
            scope = getattr(request, "scope", {})
            raw = scope.get("raw_path")
            sent = raw.decode("ascii").partition("?")[0] if raw else quote(request.path_info)
            request.path_info = sent
        return get_response(request)

    return middleware
