"""ETag and 304 (RFC 9110): what the caller has already is not sent to it once more.

The tag is of the answer as it is told, so whatever the answer shows changes it.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import get_conditional_response, patch_cache_control, set_response_etag

VERSION = "rollcall_version"
"""Attribute of an answer: the version of what it shows, with which its tag begins."""


def versioned(answer: HttpResponse) -> None:
    """Put it in front of the tag."""
    version = getattr(answer, VERSION, None)
    if version is not None and answer.has_header("ETag"):
        answer["ETag"] = f'"{version}.{answer["ETag"].strip(QUOTE)}"'


QUOTE = '"'
ASKED_FOR: Final = frozenset(["GET", "HEAD"])
"""HEAD has the headers of GET (RFC 9110, 9.3.2): Django takes its body away later."""


def unless_known(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """The answer with its tag; without its body, where whoever asks has it already (304)."""
    set_response_etag(answer)  # not where there is no body: a list without rows, as a file
    versioned(answer)
    return get_conditional_response(request, answer.get("ETag"), response=answer) or answer


def known_is_not_sent(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: answers to GET and HEAD have a tag, and no cache keeps them for others or
    unasked."""

    def middleware(request: HttpRequest) -> HttpResponse:
        answer = get_response(request)
        if (
            request.method not in ASKED_FOR
            or answer.status_code != HTTPStatus.OK
            or answer.streaming
        ):
            return answer
        patch_cache_control(answer, private=True, no_cache=True)
        return unless_known(request, answer)

    return middleware


def small(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """The same, compressed for who takes that. Only for parts of pages without a form: a text of
    somebody else's beside a secret, compressed together, would give the secret away (BREACH)."""
    answer = unless_known(request, answer)
    GZIP.process_response(request, answer)  # in place
    return answer


GZIP: Final = GZipMiddleware(lambda request: HttpResponse())
