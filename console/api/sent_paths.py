"""The path of a request as its client sent it, percent-encoded."""

from typing import Any, Final
from urllib.parse import quote

OF_URIS: Final = "/%:@!$&'()*+,;=~"
"""Characters that need no encoding in a URI's path (RFC 3986), besides letters, digits and
"-._"."""


def sent(request: Any) -> str:
    """The path, if the server still has it.

    WSGI servers and Django's test client do not: a "/" in an id is then part of the path.
    """
    raw = (getattr(request, "scope", None) or {}).get("raw_path")
    sent_path = raw.decode("utf-8", "replace").partition("?")[0] if raw else ""
    path: str = sent_path or quote(request.path, safe="/:")
    return path.removeprefix(quote(request.META.get("SCRIPT_NAME", "")))


def uri(request: Any) -> str:
    """The same as a reference for a problem: ASCII only."""
    return quote(sent(request), safe=OF_URIS, errors="replace")
