"""How operators' verbs are requested over REST: once for each key, and awaited on request.

Every verb of ``verbs`` goes through ``request_verb``; ``verbs`` defines which verbs there are, and
for which targets.
"""

import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from threading import BoundedSemaphore
from typing import Any, Final

from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from console.api import idempotency
from console.api import serializers as shapes
from console.api.events.holders import holder_of, refused
from console.api.inputs import Method, described
from console.api.permissions import row_of
from console.api.problems import Problem
from console.api.schema import (
    ANSWERED,
    DRY_RUN,
    IDEMPOTENCY_KEY,
    PREFER,
    REASON,
    accepted_or_planned,
)
from console.api.views import actor, key_of
from console.operations import requests
from console.people import rights
from console.queries import previews
from groups.models import Operation
from groups.postgres.django_connection import give_back
from groups.tracing import context

ENDED: Final = (Operation.State.SUCCEEDED, Operation.State.FAILED)

WAIT_S_MAX: Final = 20
WAITING_MAX: Final = 16
"""Requests that wait at the same time: each holds a thread, and a database connection during a
read. One more is answered at once; the wait is a preference of the client, not a right (RFC
7240)."""

LOOK_S: Final = 0.1
"""The pause between two reads of an operation that a request waits for: a row by its key, ten times
a second for at most ``WAITING_MAX``. A notification would need a listening connection in each web
process."""

RIGHTS_S: Final = 2.0
"""A wait outlives its token or session by at most this time, as a stream of events does."""

_seats = BoundedSemaphore(WAITING_MAX)


def described_verb(
    operation_id: str,
    *named: OpenApiParameter,
    body: type[Serializer[Any]] = shapes.Reason,
    plan: type[Serializer[Any]] = shapes.Plan,
    is_delete: bool = False,
) -> Callable[[Method], Method]:
    """``described``, for a method that requests a verb. ``named``: its own parameters; ``body``:
    its body, which OpenAPI's tools omit for DELETE; ``plan``: the shape of a dry run."""
    inputs: Mapping[str, Any] = {"request": None, "body": body} if is_delete else {"request": body}
    reason = [REASON] if is_delete else []
    return described(
        operation_id=operation_id,
        parameters=[*named, *reason, DRY_RUN, IDEMPOTENCY_KEY, PREFER, *ANSWERED],
        responses=accepted_or_planned(shapes.OperationView, plan),
        **inputs,
    )


def request_verb(
    request: Request,
    group_id: str,
    verb: Operation.Verb,
    reason: str,
    check: Callable[[], None],
    worked_out: Callable[[Operation | None], Mapping[str, Any]] | None = None,
    **more: Any,
) -> Response:
    """Request a verb, or find the operation that an earlier request with this Idempotency-Key
    created.

    ``check`` raises if the verb cannot be requested now. It is not called for a repeated request,
    since it could find the first one's effect. ``worked_out`` returns further values, computed from
    the current state, or earlier for an existing operation.
    """
    key = key_of(request)
    before = Operation.objects.filter(idempotency_key=key).first() if key else None
    if key and before is None:
        idempotency.check_no_batch(key)
    if before is None:
        check()
    if worked_out is not None:
        more |= worked_out(before)
    wish = {"group_id": group_id, "verb": verb, "reason": reason, "member_id": "", **more}
    operation = before or requests.request(
        group_id,
        verb,
        reason=reason,
        actor=actor(request),
        idempotency_key=key,
        prediction=_prediction(group_id, verb, more),
        **more,
    )
    if any(getattr(operation, name) != value for name, value in wish.items()):
        raise idempotency.Reused
    replayed = {} if before is None else {"Idempotency-Replayed": "true"}
    return operation_response(request, operation, replayed)


def _prediction(group_id: str, verb: Operation.Verb, more: Mapping[str, Any]) -> Any:
    """What the operation is expected to do."""
    preview = previews.asked(verb, group_id, more.get("member_id", ""), more.get("until"))
    return None if preview is None else preview.kept


def operation_response(request: Request, operation: Operation, more: Mapping[str, str]) -> Response:
    """The response with an operation: 200 if it has succeeded, 202 if it has not ended.

    A failed one is a problem (409) with the operation in it: clients that check only the status
    must not take it for a success.
    """
    context.note(context.OPERATION_ID, operation.pk)
    operation, headers = awaited(request, operation)
    headers |= {"Location": reverse("operation", args=[operation.pk]), **more}
    body = shapes.OperationView(operation).data
    if operation.state == Operation.State.FAILED:
        detail = f"The operation failed: {operation.detail}."
        conflict = HTTPStatus.CONFLICT
        raise Problem(conflict, "operation_failed", detail, headers, operation=body)
    ended = operation.state in ENDED
    if not ended:
        headers["Retry-After"] = "1"
    return Response(body, status=HTTPStatus.OK if ended else HTTPStatus.ACCEPTED, headers=headers)


def awaited(request: Request, operation: Operation) -> tuple[Operation, dict[str, str]]:
    """The operation when it has ended, or after the client's maximum wait; and the headers."""
    patience_s = _patience_s(request)
    if not patience_s or not _seats.acquire(blocking=False):
        return operation, {}
    try:
        began = time.monotonic()
        deadline, look_at = began + patience_s, began + RIGHTS_S
        while operation.state not in ENDED and time.monotonic() < deadline:
            give_back()  # others may use the connection during the pause
            time.sleep(LOOK_S)
            if time.monotonic() >= look_at:
                _check_still_allowed(request)
                look_at = time.monotonic() + RIGHTS_S
            operation.refresh_from_db()
    finally:
        _seats.release()
    return operation, {"Preference-Applied": f"wait={patience_s}"}


def _check_still_allowed(request: Request) -> None:
    """Raise 403 if the token, the session or the right has ended while its request waited."""
    row = row_of(request)
    needed = rights.NOBODY if row is None else rights.needed(row, str(request.method))
    if refused([holder_of(request)], needed or rights.NOBODY):
        raise PermissionDenied("The session or token has ended, or its user may not do this now.")


def _patience_s(request: Request) -> int:
    """The client's maximum wait in seconds (RFC 7240), 0 if missing or invalid."""
    for preference in request.headers.get("Prefer", "").split(","):
        name, _, value = preference.partition(";")[0].partition("=")
        seconds = value.strip().strip('"')
        if name.strip().lower() == "wait" and seconds.isdecimal():
            return min(int(seconds[:9]), WAIT_S_MAX)
    return 0
