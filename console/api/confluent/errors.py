"""Errors in the format of Confluent's API: ``{"error_code": ..., "message": ...}``.

The code is the HTTP status, or Confluent's own code if it has one.
"""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework.response import Response

from console.api import problems

CODES: Final[Mapping[int, int]] = {
    HTTPStatus.UNAUTHORIZED: 40101,
    HTTPStatus.FORBIDDEN: 40301,
    HTTPStatus.SERVICE_UNAVAILABLE: 50003,
}


def handle(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF's hook: the problem of ``/api/v1`` in Confluent's format."""
    answered = problems.handle(error, context)
    if answered is not None:
        answered.data = error_body(answered.status_code, " ".join(_sentences(answered.data)))
        answered.content_type = "application/json"
    return answered


def _sentences(problem: Mapping[str, Any]) -> Iterator[str]:
    """The errors with their parameters, since there is no other field for them."""
    yield problem["detail"]
    for error in problem.get("errors", ()):
        yield f"{error['parameter']}: {error['detail']}"


def error_body(status: int, message: str) -> dict[str, Any]:
    """The body."""
    return {"error_code": CODES.get(status, status), "message": message}


def problem(_request: HttpRequest, status: HTTPStatus, _code: str, message: str) -> JsonResponse:
    """An error outside of any view; has the signature of ``problems.problem``."""
    return JsonResponse(error_body(status, message), status=status)


@csrf_exempt
def nothing_here(request: HttpRequest) -> JsonResponse:
    """A path under /kafka/v3 that does not exist."""
    message = "Only the paths of consumer groups are served: docs/rest.md."
    return problem(request, HTTPStatus.NOT_FOUND, "not_found", message)
