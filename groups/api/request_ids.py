"""X-Request-ID: a request's name, the client's own or a new one, in the answer and in the log.

No request is judged here. What a defect becomes is here because only its name helps its reader.
"""

import logging
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Final
from urllib.parse import quote
from uuid import uuid4

from django.http import HttpRequest, HttpResponse

from groups.access import audit

logger = logging.getLogger(__name__)

HEADER: Final = "X-Request-ID"

LEGAL: Final = re.compile(r"[!-~]{1,128}", re.ASCII)
"""Printable and without spaces, so that it is one word of a log's line."""

Tell = Callable[[HttpRequest, HTTPStatus, str, str], HttpResponse]
"""Makes an answer of an error: of which request, its status, a word for programs, a sentence."""

READS: Final = frozenset(["GET", "HEAD", "OPTIONS"])


def identified(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the answer its request's id; log what asks for a change, and what failed."""

    def middleware(request: HttpRequest, tell: Tell) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        request_id = given if LEGAL.fullmatch(given) else uuid4().hex
        setattr(request, audit.REQUEST_ID, request_id)
        response = get_response(request)
        status = response.status_code
        if request.method not in READS or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            path = quote(request.path)  # no line of a log ends inside an id
            # Of refusals the log keeps a few a second; of what was done each one.
            many = {"is_one_of_many": status >= HTTPStatus.BAD_REQUEST}
            said = (request.method, path, status, request_id)
            logger.info("%s %s: %s, request %s", *said, extra=many)
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            response = _defect(request, request_id, tell)
        response[HEADER] = request_id
        return response

    return middleware


def _defect(request: HttpRequest, request_id: str, tell: Tell) -> HttpResponse:
    """In place of Django's page: the same shape as every other error."""
    return tell(
        request,
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "defect",
        f"Internal error; see the log for request {request_id}.",
    )
