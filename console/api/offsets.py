"""A group's offsets: the committed ones, and operators' requests to change them.

A change is an operation, which the group's owner decides (``verbs``).
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import serializers as shapes
from console.api.asking import described_verb, request_verb
from console.api.inputs import described
from console.api.problems import Problem
from console.api.schema import (
    GROUP_ID,
    NAME,
    PAGE,
    PARTITION,
    page_of,
)
from console.api.views import View, existing, found, required
from console.operations import offset_resets
from console.operations.offset_resets import ResetTarget
from console.queries import groups, previews
from groups.models import Offset, Operation


class Offsets(View):
    """What a group has committed."""

    @described(
        operation_id="list_offsets",
        parameters=[GROUP_ID, OpenApiParameter("topic", NAME), *PAGE],
        responses=page_of(shapes.Offset),
    )
    def get(self, request: Request, group_id: str) -> Response:
        """List committed offsets by topic and partition, with the lag if the end offset is
        known."""
        members = groups.members_of(existing(group_id))
        rows = Offset.objects.filter(group_id=group_id)
        if "topic" in self.query:
            rows = rows.filter(topic=self.query["topic"])

        def serialized(page: list[Offset]) -> Any:
            return shapes.Offset(groups.views_of(page, members), many=True).data

        return self.paged(request, rows, ["topic", "partition"], serialized)

    @described_verb(
        "delete_offsets",
        GROUP_ID,
        OpenApiParameter("topic", NAME, required=True),
        OpenApiParameter("partition", PARTITION, description="Default: all of the topic."),
        plan=shapes.ResetPlan,
        is_delete=True,
    )
    def delete(self, request: Request, group_id: str) -> Response:
        """Delete a group's committed offsets of a topic, or of one partition. The operation fails
        while the group has members."""
        topic = required(self.query, "topic")["topic"]
        target = ResetTarget("none", self.query.get("partition"), (topic,))
        return _requested(self, request, group_id, target, lambda w: _removal(group_id, w))


class Restores(View):
    """Offsets of the past."""

    @described_verb("restore_offsets", GROUP_ID, body=shapes.RestoreOffsets, plan=shapes.ResetPlan)
    def post(self, request: Request, group_id: str) -> Response:
        """Restore the offsets of a group without members to those at a given time."""
        body = self.body

        def check() -> None:
            existing(group_id)

        verb = Operation.Verb.RESTORE_OFFSETS
        if self.is_dry:
            check()
            return _restored(group_id, body["to"])
        return request_verb(request, group_id, verb, body["reason"], check, restore_to=body["to"])


class Resets(View):
    """Offsets as somebody says."""

    @described_verb("reset_offsets", GROUP_ID, body=shapes.ResetOffsets, plan=shapes.ResetPlan)
    def post(self, request: Request, group_id: str) -> Response:
        """Reset the offsets of a group without members, as kafka-consumer-groups does."""
        body = self.body
        target = ResetTarget(body["to"], body.get(body["to"]), tuple(body.get("topics") or ()))
        field = target.to if target.to in body else "to"
        if target.to == "csv" and not target.topics:
            target = replace(target, topics=offset_resets.topics_of_csv(body.get("csv") or ""))

        return _requested(self, request, group_id, target, lambda w: _plan(group_id, w, field))


class Undo(View):
    """The way back from a reset."""

    @described_verb("undo_operation", plan=shapes.ResetPlan)
    def post(self, request: Request, operation_id: int) -> Response:
        """Undo a reset or a deletion of offsets: each partition gets the offset that it had before.
        Refused if offsets were set or committed since."""
        undone = found(Operation.objects.all(), "operation", operation_id)
        target = ResetTarget("undo", undone.pk)
        return _requested(
            self, request, undone.group_id, target, lambda w: replace(_way_back(undone), target=w)
        )


def _way_back(undone: Operation) -> offset_resets.Plan:
    try:
        return offset_resets.undo(undone)
    except ValueError as error:
        detail = f"Nothing was undone: {error}."
        raise Problem(HTTPStatus.CONFLICT, "not_undoable", detail) from None


def _requested(
    view: View,
    request: Request,
    group_id: str,
    target: ResetTarget,
    planned: Callable[[ResetTarget], offset_resets.Plan],
) -> Response:
    """The operation, with the plan that was computed for it; or the plan. A repeated request gets
    the first one's plan."""
    verb = Operation.Verb.RESET_OFFSETS

    def check() -> None:
        existing(group_id)

    if view.is_dry:
        check()
        return _plan_response(group_id, verb, planned(target))

    def worked_out(before: Operation | None) -> dict[str, Any]:
        offsets = None if before is None else before.offsets
        if offsets is not None and offsets.get("wanted") == target.as_json:
            return {"offsets": offsets}
        return {"offsets": planned(target).offsets}

    return request_verb(request, group_id, verb, view.body["reason"], check, worked_out)


def _plan(group_id: str, target: ResetTarget, field: str) -> offset_resets.Plan:
    """``field``: the field of the body to which an error belongs."""
    try:
        return offset_resets.plan(group_id, target)
    except ValueError as error:
        raise ValidationError({field: [str(error)]}) from None


def _removal(group_id: str, target: ResetTarget) -> offset_resets.Plan:
    try:
        return offset_resets.removal(group_id, target)
    except ValueError as error:
        errors = [{"parameter": "topic", "detail": str(error)}]
        detail = "Some parameters are invalid."
        raise Problem(HTTPStatus.BAD_REQUEST, "invalid", detail, errors=errors) from None


def _restored(group_id: str, at: datetime) -> Response:
    """If the history has no offsets at that time, the operation succeeds and changes nothing."""
    try:
        plan = offset_resets.restored(group_id, at)
    except ValueError as error:
        plan = offset_resets.Plan(how=f"({error})", changes=(), unchanged=0)
    return _plan_response(group_id, Operation.Verb.RESTORE_OFFSETS, plan)


def _plan_response(group_id: str, verb: Operation.Verb, plan: offset_resets.Plan) -> Response:
    """The plan, and whether the owner would refuse it."""
    preview = previews.offsets(group_id)
    would = previews.UNCHANGED if not plan.changes else previews.CHANGED
    values = {
        "would": preview.would if preview.would == previews.REFUSED else would,
        "detail": " ".join(preview.sentences),
        "how": plan.how,
        "changes": plan.changes,
        "unchanged": plan.unchanged,
    }
    return Response(shapes.ResetPlan({"dry_run": True, **values}).data)
