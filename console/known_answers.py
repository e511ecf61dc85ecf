"""ETag and 304 (RFC 9110): a response that the caller already has is not sent again.

The tag is a hash of the response, so any change of the content changes it.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import get_conditional_response, patch_cache_control, set_response_etag

VERSION = "rollcall_version"
"""Attribute of a response: the version of its resource, with which its tag begins."""


def versioned(answer: HttpResponse) -> None:
    """The tag with the version in front."""
    version = getattr(answer, VERSION, None)
    if version is not None and answer.has_header("ETag"):
        answer["ETag"] = f'"{version}.{answer["ETag"].strip(QUOTE)}"'


QUOTE = '"'
SAFE_METHODS: Final = frozenset(["GET", "HEAD"])
"""HEAD has the headers of GET (RFC 9110, 9.3.2): Django takes its body away later."""


def unless_known(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """The response with its tag; without its body, if the caller already has it (304)."""
    set_response_etag(answer)  # not without a body: a list without rows, as a file
    versioned(answer)
    return get_conditional_response(request, answer.get("ETag"), response=answer) or answer


def known_is_not_sent(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: GET and HEAD responses have a tag, and caches neither share nor reuse them
    without asking."""

    def middleware(request: HttpRequest) -> HttpResponse:
        answer = get_response(request)
        if (
            request.method not in SAFE_METHODS
            or answer.status_code != HTTPStatus.OK
            or answer.streaming
        ):
            return answer
        patch_cache_control(answer, private=True, no_cache=True)
        return unless_known(request, answer)

    return middleware


def small(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """The response, compressed if the client accepts it. Only for parts of pages without a form: if
    a secret and text from an attacker were compressed together, the length would reveal the secret
    (BREACH)."""
    answer = unless_known(request, answer)
    GZIP.process_response(request, answer)  # changes the response in place
    return answer


GZIP: Final = GZipMiddleware(lambda request: HttpResponse())
