"""The path of a request as its client sent it, percent-encoded."""

from typing import Any, Final
from urllib.parse import quote

OF_URIS: Final = "/%:@!$&'()*+,;=~"
"""What stands in a path of a URI as it is (RFC 3986), beside letters, digits and "-._"."""


def sent(request: Any) -> str:
    """The path, as far as the server still knows it.

    WSGI servers and Django's test client do not: there a "/" of an id has become one of the path.
    """
    raw = (getattr(request, "scope", None) or {}).get("raw_path")
    told = raw.decode("utf-8", "replace").partition("?")[0] if raw else ""
    path: str = told or quote(request.path, safe="/:")
    return path.removeprefix(quote(request.META.get("SCRIPT_NAME", "")))


def uri(request: Any) -> str:
    """The same as a reference that a problem may hold: ASCII alone, whatever was sent."""
    return quote(sent(request), safe=OF_URIS, errors="replace")
