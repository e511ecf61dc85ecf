"""Errors as problem details (RFC 9457): one shape for everything that can go wrong.

``code`` is a word to switch on; ``errors`` point at the fields that are wrong; a refusal by the
rules carries Kafka's own error code.
"""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, JsonResponse
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from groups.core.errors import ErrorCode, Refuse

MEDIA_TYPE = "application/problem+json"

STATUS_OF: Mapping[ErrorCode, HTTPStatus] = {
    ErrorCode.TOPIC_ALREADY_EXISTS: HTTPStatus.CONFLICT,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: HTTPStatus.NOT_FOUND,
}
"""Refusals that are not simply a bad request."""


class Problem(exceptions.APIException):
    """An error with a status, a word and a sentence of its own."""

    def __init__(self, status: HTTPStatus, code: str, detail: str, **more: Any) -> None:
        super().__init__(detail, code)
        self.status_code = status
        self.more = more


def handle(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF's hook: any error that is no defect becomes a problem; None lets it through as a 500."""
    if isinstance(error, Refuse):
        status = STATUS_OF.get(error.code, HTTPStatus.BAD_REQUEST)
        error = Problem(
            status,
            error.code.name.lower(),
            error.detail or error.code.name,
            kafka_error_code=int(error.code),
        )
    answered = exception_handler(error, context)  # type: ignore[arg-type]
    if answered is None:
        return None
    answered.data = _problem(error, answered, context["request"])
    answered.content_type = MEDIA_TYPE
    return answered


def _problem(error: Exception, answered: Response, request: Any) -> dict[str, Any]:
    status = HTTPStatus(answered.status_code)
    problem: dict[str, Any] = {
        "type": "about:blank",
        "title": status.phrase,
        "status": int(status),
        "detail": _sentence(error),
        "instance": request.path,
        "code": _code(error),
    }
    if isinstance(error, exceptions.ValidationError):
        problem["errors"] = list(_fields(error.detail))
    if isinstance(error, Problem):
        problem |= error.more
    return problem


def _sentence(error: Exception) -> str:
    if isinstance(error, exceptions.ValidationError):
        return "Some fields are not as they must be."
    if isinstance(error, Http404):
        return str(error) or "There is nothing here."
    if isinstance(error, exceptions.APIException):
        return str(error.detail)
    return "You may not do this."


def _code(error: Exception) -> str:
    if isinstance(error, exceptions.ValidationError):
        return "invalid"
    if isinstance(error, exceptions.APIException):
        return str(error.get_codes())
    return "permission_denied" if isinstance(error, PermissionDenied) else "not_found"


def _fields(detail: Any, pointer: str = "") -> Iterator[dict[str, str]]:
    """Each wrong field with a JSON pointer to it."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            yield from _fields(inner, "" if name == "non_field_errors" else f"{pointer}/{name}")
    elif isinstance(detail, list):
        for inner in detail:
            yield from _fields(inner, pointer)
    else:
        yield {"pointer": f"#{pointer}", "detail": str(detail)}


def nothing_here(request: HttpRequest, *_args: Any, **_kwargs: Any) -> JsonResponse:
    """A path under /api/v1 that does not exist."""
    problem = {
        "type": "about:blank",
        "title": HTTPStatus.NOT_FOUND.phrase,
        "status": int(HTTPStatus.NOT_FOUND),
        "detail": "There is no such path; /api/v1/docs tells which there are.",
        "instance": request.path,
        "code": "not_found",
    }
    return JsonResponse(problem, status=HTTPStatus.NOT_FOUND, content_type=MEDIA_TYPE)
