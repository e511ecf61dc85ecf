"""Errors as problem details (RFC 9457): one format for all errors.

``code`` is a word for programs; ``errors`` point at invalid fields; a refusal by the rules contains
Kafka's error code.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from kombu.exceptions import OperationalError as BrokerError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from console import unavailable
from console.api.sent_paths import uri
from groups.core.errors import ErrorCode, Refuse

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"

STATUS_OF: Mapping[ErrorCode, HTTPStatus] = {
    ErrorCode.TOPIC_ALREADY_EXISTS: HTTPStatus.CONFLICT,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: HTTPStatus.NOT_FOUND,
    ErrorCode.SECURITY_DISABLED: HTTPStatus.CONFLICT,
}
"""Statuses of refusals that are not simply a bad request."""

AWAY: Mapping[type[Exception], Callable[[Exception], str]] = {
    OperationalError: unavailable.sentence,
    InterfaceError: unavailable.sentence,
    BrokerError: lambda _: "The broker of the periodic tasks cannot be reached.",
}
"""Temporary failures of other parts, such as the database, and what is said of each."""


METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
"""Methods of REST's paths."""


class Problem(exceptions.APIException):
    """An error with a status, a word and a sentence."""

    def __init__(
        self,
        status: HTTPStatus,
        code: str,
        detail: str,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail, code)
        self.status_code = status
        self.headers = headers or {}
        self.more = more


def handle(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF's hook: converts errors to problems; None leaves a defect to become a 500."""
    error = _translated(error)
    answered = exception_handler(error, context)  # type: ignore[arg-type]
    if answered is None:
        return None
    answered.data = _problem(error, answered, context["request"])
    answered.content_type = MEDIA_TYPE
    if isinstance(error, Problem):
        for name, value in error.headers.items():
            answered[name] = value
    if answered.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
        answered["Retry-After"] = "1"
    return answered


def _translated(error: Exception) -> Exception:
    """Errors of other modules as problems."""
    if isinstance(error, Refuse):
        return Problem(
            STATUS_OF.get(error.code, HTTPStatus.BAD_REQUEST),
            error.code.name.lower(),
            error.detail or error.code.name,
            kafka_error_code=int(error.code),
        )
    if isinstance(error, ObjectDoesNotExist):
        return Http404("It has been deleted meanwhile.")
    for kind, sentence_of in AWAY.items():
        if isinstance(error, kind):
            return _unavailable(error, sentence_of(error))
    return _unavailable(error, unavailable.LACKING) if unavailable.is_lacking(error) else error


def _unavailable(error: Exception, sentence: str) -> Problem:
    logger.warning("%s %s", sentence, error)
    return Problem(HTTPStatus.SERVICE_UNAVAILABLE, "unavailable", sentence)


def _problem(error: Exception, answered: Response, request: Any) -> dict[str, Any]:
    status = HTTPStatus(answered.status_code)
    problem: dict[str, Any] = {
        "type": "about:blank",
        "title": status.phrase,
        "status": int(status),
        "detail": _sentence(error),
        "instance": uri(request),
        "code": _code(error),
    }
    if isinstance(error, exceptions.ValidationError):
        problem["errors"] = list(_fields(error.detail))
    if isinstance(error, Problem):
        problem |= error.more
    return problem


def _sentence(error: Exception) -> str:
    if isinstance(error, exceptions.ValidationError):
        return "Some fields are invalid."
    if isinstance(error, Http404):
        return str(error) or "Not found."
    if isinstance(error, exceptions.APIException):
        return str(error.detail)
    return "You do not have the right to do this."


def _code(error: Exception) -> str:
    if isinstance(error, exceptions.ValidationError):
        return "invalid"
    if isinstance(error, exceptions.APIException):
        return str(error.get_codes())
    return "permission_denied" if isinstance(error, PermissionDenied) else "not_found"


def _fields(detail: Any, pointer: str = "") -> Iterator[dict[str, str]]:
    """Each invalid field with a JSON pointer to it."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            yield from _fields(inner, "" if name == "non_field_errors" else f"{pointer}/{name}")
    elif isinstance(detail, list):
        for number, inner in enumerate(detail):
            step = f"/{number}" if isinstance(inner, Mapping) else ""
            yield from _fields(inner, pointer + step)
    else:
        yield {"pointer": f"#{pointer}", "detail": str(detail)}


def problem(request: HttpRequest, status: HTTPStatus, code: str, detail: str) -> JsonResponse:
    """A problem outside any view."""
    body = {
        "type": "about:blank",
        "title": status.phrase,
        "status": int(status),
        "detail": detail,
        "instance": uri(request),
        "code": code,
    }
    return JsonResponse(body, status=status, content_type=MEDIA_TYPE)


@csrf_exempt
def nothing_here(request: HttpRequest, *_args: Any, **_kwargs: Any) -> JsonResponse:
    """A path under /api/v1 that does not exist."""
    detail = "There is no such path; /api/v1/docs lists all paths."
    return problem(request, HTTPStatus.NOT_FOUND, "not_found", detail)


@csrf_exempt
def nobody_named(request: HttpRequest, *_args: Any, **_kwargs: Any) -> JsonResponse:
    """A path that needs ids in the query, without them."""
    if request.method not in METHODS:
        refused = f'Method "{request.method}" not allowed.'
        answer = problem(request, HTTPStatus.METHOD_NOT_ALLOWED, "method_not_allowed", refused)
        answer["Allow"] = ", ".join(METHODS)
        return answer
    detail = "This path requires the query parameter group_id, and member_id for a member."
    return problem(request, HTTPStatus.BAD_REQUEST, "invalid", detail)
