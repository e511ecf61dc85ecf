"""X-Request-ID: a request's id, the client's or a new one, in the response and in the log.

Requests are not checked here. Unexpected errors are answered here, because only the id helps the
client.
"""

import logging
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Final
from urllib.parse import quote
from uuid import uuid4

from django.http import HttpRequest, HttpResponse

from console.people import audit

logger = logging.getLogger(__name__)

HEADER: Final = "X-Request-ID"

LEGAL: Final = re.compile(r"[!-~]{1,128}", re.ASCII)
"""Printable and without spaces: one word in a log line."""

ErrorFormat = Callable[[HttpRequest, HTTPStatus, str, str], HttpResponse]
"""Creates an error response: from the request, its status, a word for programs, a sentence."""

READS: Final = frozenset(["GET", "HEAD", "OPTIONS"])


def identified(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Add the request's id to the response; log requests that change something, and failures."""

    def middleware(request: HttpRequest, error_format: ErrorFormat) -> HttpResponse:
        sent_id = request.headers.get(HEADER, "")
        request_id = sent_id if LEGAL.fullmatch(sent_id) else uuid4().hex
        setattr(request, audit.REQUEST_ID, request_id)
        response = get_response(request)
        status = response.status_code
        if request.method not in READS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            path = quote(request.path)  # an id cannot end a line of the log
            # Refusals are logged up to a few per second; changes are always logged.
            many = {"is_one_of_many": status >= HTTPStatus.BAD_REQUEST}
            arguments = (request.method, path, status, request_id)
            logger.info("%s %s: %s, request %s", *arguments, extra=many)
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            response = _defect(request, request_id, error_format)
        response[HEADER] = request_id
        return response

    return middleware


def _defect(request: HttpRequest, request_id: str, error_format: ErrorFormat) -> HttpResponse:
    """In place of Django's page: the same format as other errors."""
    return error_format(
        request,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "defect",
        f"Internal error; see the log for request {request_id}.",
    )
