"""What may be asked of a group: rebalances, evictions, restored offsets. All are operations.

Nothing is changed here: the group's owner steps the operation, and its answer is the row's.
"""

import time
from http import HTTPStatus
from typing import Any

from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from groups import operations
from groups.api import groups as resources
from groups.api import serializers as shapes
from groups.api.problems import Problem
from groups.api.schema import (
    GROUP_ID,
    IDEMPOTENCY_KEY,
    MEMBER_ID,
    PAGE,
    PREFER,
    accepted,
    page_of,
)
from groups.api.views import View, actor, existing
from groups.models import Member, Operation

REBALANCING = "PreparingRebalance"

WAIT_S_MAX = 20
LOOK_S = 0.1
"""Between two looks at an operation that somebody waits for."""

ENDED = (Operation.State.SUCCEEDED, Operation.State.FAILED)


class Rebalances(View):
    """A group's rebalances: those that were, and one that is forced."""

    rights = {"POST": "groups.rebalance_group", "*": "groups.view_group"}

    @extend_schema(
        operation_id="list_rebalances",
        parameters=[GROUP_ID, *PAGE],
        responses=page_of(shapes.JournalEntry),
    )
    def get(self, request: Request, group_id: str) -> Response:
        """List completed rebalances, newest first."""
        return resources.rebalances(self, request, group_id)

    @extend_schema(
        operation_id="force_rebalance",
        parameters=[GROUP_ID, IDEMPOTENCY_KEY, PREFER],
        request=shapes.ForceRebalance,
        responses=accepted(shapes.OperationView),
    )
    def post(self, request: Request, group_id: str) -> Response:
        """Let every member rejoin. The operation ends in the generation that was reached."""
        said = self.body(shapes.ForceRebalance, request)
        group = existing(group_id)
        if said["on_in_progress"] == "reject" and group.state == REBALANCING:
            raise Problem(HTTPStatus.CONFLICT, "in_progress", "The group is rebalancing already.")
        return _ask(
            request,
            group_id,
            Operation.Verb.REBALANCE,
            said["reason"],
            expected_generation=said.get("expected_generation"),
        )


class OneMember(View):
    """A member of a group."""

    rights = {"*": "groups.evict_member"}

    @extend_schema(
        operation_id="evict_member",
        parameters=[GROUP_ID, MEMBER_ID, OpenApiParameter("reason", str, required=True), PREFER],
        request=None,
        responses=accepted(shapes.OperationView),
    )
    def delete(self, request: Request, group_id: str, member_id: str) -> Response:
        """Remove a member; the others rebalance. A client that still lives joins again."""
        said = self.body(shapes.Reason, _with_query(request))
        if not Member.objects.filter(group_id=group_id, member_id=member_id).exists():
            raise Http404(f"There is no member {member_id} in a group {group_id}.")
        return _ask(request, group_id, Operation.Verb.EVICT, said["reason"], member_id=member_id)


class Restores(View):
    """Offsets of the past."""

    rights = {"*": "groups.rebalance_group"}

    @extend_schema(
        operation_id="restore_offsets",
        parameters=[GROUP_ID, IDEMPOTENCY_KEY, PREFER],
        request=shapes.RestoreOffsets,
        responses=accepted(shapes.OperationView),
    )
    def post(self, request: Request, group_id: str) -> Response:
        """Take the offsets of a group without members back to what they were at an instant."""
        said = self.body(shapes.RestoreOffsets, request)
        existing(group_id)
        verb = Operation.Verb.RESTORE_OFFSETS
        return _ask(request, group_id, verb, said["reason"], restore_to=said["to"])


class Operations(View):
    """What was asked of groups."""

    @extend_schema(
        operation_id="list_operations",
        parameters=[OpenApiParameter("group_id", str), OpenApiParameter("state", str), *PAGE],
        responses=page_of(shapes.OperationView),
    )
    def get(self, request: Request) -> Response:
        """List operations, newest first."""
        asked = {
            name: value
            for name in ("group_id", "state")
            if (value := request.query_params.get(name))
        }

        def shown(page: list[Operation]) -> Any:
            return shapes.OperationView(page, many=True).data

        return self.paged(request, Operation.objects.filter(**asked), ["-id"], shown)


class OneOperation(View):
    """One verb, and what became of it."""

    @extend_schema(
        operation_id="get_operation",
        parameters=[PREFER],
        responses=shapes.OperationView,
    )
    def get(self, request: Request, operation_id: int) -> Response:
        """Show an operation."""
        operation = Operation.objects.filter(id=operation_id).first()
        if operation is None:
            raise Http404(f"There is no operation {operation_id}.")
        return Response(shapes.OperationView(_awaited(operation, _patience(request))).data)


def _with_query(request: Request) -> Any:
    """A DELETE's reason, in its body or in its query."""

    class Said:
        data = request.data or request.query_params

    return Said


def _ask(request: Request, group_id: str, verb: str, reason: str, **more: Any) -> Response:
    key = request.headers.get("Idempotency-Key")
    known = None if key is None else f"{actor(request)}:{key}"
    asked_at = Operation.objects.filter(idempotency_key=known).first() if known else None
    operation = asked_at or operations.ask(
        group_id, verb, reason=reason, actor=actor(request), idempotency_key=known, **more
    )
    if (operation.group_id, operation.verb, operation.reason) != (group_id, verb, reason):
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "idempotency_key_reused",
            "The same Idempotency-Key asked for something else before.",
        )
    operation = _awaited(operation, _patience(request))
    location = reverse("operation", args=[operation.pk])
    headers = {"Location": location, "Retry-After": "1"}
    if asked_at is not None:
        headers["Idempotency-Replayed"] = "true"
    status = HTTPStatus.OK if operation.state in ENDED else HTTPStatus.ACCEPTED
    return Response(shapes.OperationView(operation).data, status=status, headers=headers)


def _patience(request: Request) -> float:
    """Seconds that the client wants to wait (RFC 7240), 0 where it says nothing sensible."""
    for preference in request.headers.get("Prefer", "").split(","):
        name, _, value = preference.strip().partition("=")
        if name.strip().lower() == "wait" and value.strip().isdigit():
            return float(min(int(value), WAIT_S_MAX))
    return 0.0


def _awaited(operation: Operation, patience_s: float) -> Operation:
    """The operation once it has ended, or as it is when the patience is."""
    deadline = time.monotonic() + patience_s
    while operation.state not in ENDED and time.monotonic() < deadline:
        time.sleep(LOOK_S)
        operation.refresh_from_db()
    return operation
