"""How an operator's verb is asked for over REST: once for each key, and awaited if so wished.

Every verb of ``verbs`` goes through ``ask``; what may be asked, and of whom, is said there.
"""

import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from threading import BoundedSemaphore
from typing import Any, Final

from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from groups.api import serializers as shapes
from groups.api.inputs import Method, described
from groups.api.problems import Problem
from groups.api.schema import (
    ANSWERED,
    DRY_RUN,
    IDEMPOTENCY_KEY,
    PREFER,
    REASON,
    accepted_or_planned,
)
from groups.api.views import actor, key_of
from groups.models import Operation
from groups.operations import requests
from groups.postgres.django_connection import give_back
from groups.tracing import context

ENDED: Final = (Operation.State.SUCCEEDED, Operation.State.FAILED)

WAIT_S_MAX: Final = 20
WAITING_MAX: Final = 16
"""Requests that wait at the same time: each holds a thread, and a connection to the database while
it looks. One more is answered at once; to wait is a preference, not a right (RFC 7240)."""

LOOK_S: Final = 0.1
"""Between two looks at an operation that somebody waits for: a row by its key, ten times a second
for ``WAITING_MAX`` at most. A bell would want a connection that listens in each process of the
web, for as long as it serves."""

_seats = BoundedSemaphore(WAITING_MAX)


def asks(
    operation_id: str,
    *named: OpenApiParameter,
    said: type[Serializer[Any]] = shapes.Reason,
    plan: type[Serializer[Any]] = shapes.Plan,
    is_delete: bool = False,
) -> Callable[[Method], Method]:
    """``described``, of a method that asks for a verb. ``named``: parameters of its own; ``said``:
    its body, which OpenAPI's tools show of no DELETE; ``plan``: what a dry run tells."""
    body: Mapping[str, Any] = {"request": None, "body": said} if is_delete else {"request": said}
    reason = [REASON] if is_delete else []
    return described(
        operation_id=operation_id,
        parameters=[*named, *reason, DRY_RUN, IDEMPOTENCY_KEY, PREFER, *ANSWERED],
        responses=accepted_or_planned(shapes.OperationView, plan),
        **body,
    )


def ask(
    request: Request,
    group_id: str,
    verb: Operation.Verb,
    reason: str,
    check: Callable[[], None],
    worked_out: Callable[[Operation | None], Mapping[str, Any]] | None = None,
    **more: Any,
) -> Response:
    """Ask for a verb, or find the operation that the request's Idempotency-Key asked for before.

    ``check`` raises where it cannot be asked for now. A replay is not checked: its own effect
    may be what the check would find. ``worked_out`` gives further values, from what there is now,
    or as they were worked out before for the operation that there is.
    """
    key = key_of(request)
    before = Operation.objects.filter(idempotency_key=key).first() if key else None
    if before is None:
        check()
    if worked_out is not None:
        more |= worked_out(before)
    wish = {"group_id": group_id, "verb": verb, "reason": reason, "member_id": "", **more}
    operation = before or requests.ask(
        group_id, verb, reason=reason, actor=actor(request), idempotency_key=key, **more
    )
    if any(getattr(operation, name) != value for name, value in wish.items()):
        detail = "The Idempotency-Key was used before for a different request."
        raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "idempotency_key_reused", detail)
    replayed = {} if before is None else {"Idempotency-Replayed": "true"}
    return shown(request, operation, replayed)


def shown(request: Request, operation: Operation, more: Mapping[str, str]) -> Response:
    """An operation that was asked for: 200 where it has succeeded, 202 where it goes on.

    One that failed is a problem (409), with the operation in it: who looks at the status alone
    must not take it for done.
    """
    context.note(context.OPERATION_ID, operation.pk)
    operation, headers = awaited(request, operation)
    headers |= {"Location": reverse("operation", args=[operation.pk]), **more}
    told = shapes.OperationView(operation).data
    if operation.state == Operation.State.FAILED:
        detail = f"The operation failed: {operation.detail}."
        conflict = HTTPStatus.CONFLICT
        raise Problem(conflict, "operation_failed", detail, headers, operation=told)
    ended = operation.state in ENDED
    if not ended:
        headers["Retry-After"] = "1"
    return Response(told, status=HTTPStatus.OK if ended else HTTPStatus.ACCEPTED, headers=headers)


def awaited(request: Request, operation: Operation) -> tuple[Operation, dict[str, str]]:
    """The operation once it has ended, or when the client's patience has; headers to say so."""
    patience_s = _patience_s(request)
    if not patience_s or not _seats.acquire(blocking=False):
        return operation, {}
    try:
        deadline = time.monotonic() + patience_s
        while operation.state not in ENDED and time.monotonic() < deadline:
            give_back()  # others may have the connection while this one sleeps
            time.sleep(LOOK_S)
            operation.refresh_from_db()
    finally:
        _seats.release()
    return operation, {"Preference-Applied": f"wait={patience_s}"}


def _patience_s(request: Request) -> int:
    """Seconds that the client would wait (RFC 7240), 0 where it says nothing sensible."""
    for preference in request.headers.get("Prefer", "").split(","):
        name, _, value = preference.partition(";")[0].partition("=")
        seconds = value.strip().strip('"')
        if name.strip().lower() == "wait" and seconds.isdecimal():
            return min(int(seconds[:9]), WAIT_S_MAX)
    return 0
