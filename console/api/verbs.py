"""Operators' verbs on a group: rebalances, evictions, freezes, pauses. All are operations, as are
those on offsets (``offsets``).

Nothing is changed here: the group's owner executes the operation and writes its result to the row.
"""

from datetime import datetime
from http import HTTPStatus
from typing import Any, Final

from django.db.models import Q
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import groups as resources
from console.api import serializers as shapes
from console.api.asking import awaited, described_verb, request_verb
from console.api.inputs import described
from console.api.plans import NAMED_MAX, plan
from console.api.problems import Problem
from console.api.schema import (
    GROUP_ID,
    MEMBER_ID,
    NAME,
    PAGE,
    PREFER,
    TIMES,
    ordering,
    page_of,
)
from console.api.views import View, existing
from console.queries import previews
from console.queries.groups import freeze_of
from groups.models import Group, Member, Operation, Pause
from groups.operations import requests

REBALANCING: Final = "PreparingRebalance"

FILTERS: Final = ("group_id", "state", "verb", "actor")
ORDERINGS: Final = {"id": "id"}


class Rebalances(View):
    """A group's rebalances: those that were, and one that is forced."""

    @described(
        operation_id="list_rebalances",
        parameters=[GROUP_ID, *TIMES, *PAGE],
        responses=page_of(shapes.JournalEntry),
    )
    def get(self, request: Request, group_id: str) -> Response:
        """List completed rebalances, newest first."""
        return resources.rebalances(self, request, group_id)

    @described_verb("force_rebalance", GROUP_ID, body=shapes.ForceRebalance)
    def post(self, request: Request, group_id: str) -> Response:
        """Force a rebalance. The operation has the generation that was reached."""
        body = self.body

        def check() -> None:
            group = existing(group_id)
            if body["on_in_progress"] == "reject" and group.state == REBALANCING:
                detail = "The group is already rebalancing."
                raise Problem(HTTPStatus.CONFLICT, "in_progress", detail)

        expected = body.get("expected_generation")
        verb = Operation.Verb.REBALANCE
        if self.is_dry:
            check()
            return plan(group_id, verb, generation=expected)
        return request_verb(
            request, group_id, verb, body["reason"], check, expected_generation=expected
        )


class OneGroup(resources.OneGroup):
    """A group, which may be deleted."""

    @described_verb("delete_group", GROUP_ID, is_delete=True)
    def delete(self, request: Request, group_id: str) -> Response:
        """Delete a group without members, with its offsets. Its journal is kept. The operation
        fails while it has members."""
        verb = Operation.Verb.DELETE
        if self.is_dry:
            existing(group_id)
            return _previewed(group_id, verb, previews.delete(group_id))
        return request_verb(
            request, group_id, verb, self.body["reason"], lambda: _must_exist(group_id)
        )


def _must_exist(group_id: str) -> None:
    existing(group_id)


class Freeze(View):
    """Freezing a group."""

    @described_verb("freeze_group", GROUP_ID, body=shapes.FreezeGroup)
    def post(self, request: Request, group_id: str) -> Response:
        """Freeze a group (`rollcall.freeze`): no rebalance begins, optionally until a given time.
        If one becomes due, it begins when the group is thawed."""
        verb, body = Operation.Verb.FREEZE, self.body
        until = body.get("until")
        if self.is_dry:
            existing(group_id)
            return _previewed(group_id, verb, previews.freeze(group_id, until), until)
        reason = body["reason"]
        return request_verb(
            request, group_id, verb, reason, lambda: _must_exist(group_id), until=until
        )


class Thaw(View):
    """Thawing it again."""

    @described_verb("thaw_group", GROUP_ID)
    def post(self, request: Request, group_id: str) -> Response:
        """Thaw a group: rebalances begin again. A group that does not exist any more may still be
        frozen."""
        verb = Operation.Verb.THAW

        def check() -> None:
            if freeze_of(group_id) is None:
                existing(group_id)

        if self.is_dry:
            check()
            return _previewed(group_id, verb, previews.thaw(group_id))
        return request_verb(request, group_id, verb, self.body["reason"], check)


def _previewed(
    group_id: str, verb: Operation.Verb, preview: previews.Preview, until: datetime | None = None
) -> Response:
    requests.check_nodes(verb, until)
    group = Group.objects.filter(group_id=group_id).first()
    members = Member.objects.filter(group_id=group_id).order_by("position")
    values = {
        "dry_run": True,
        "verb": verb.value,
        "group_id": group_id,
        "generation": 0 if group is None else group.generation,
        "would": preview.would,
        "detail": " ".join(preview.sentences),
        "members": list(members.values_list("member_id", flat=True)[:NAMED_MAX]),
        "members_count": members.count(),
        "partitions": 0,
    }
    return Response(shapes.Plan(values).data)


class OneMember(View):
    """A member of a group."""

    @described_verb("evict_member", GROUP_ID, MEMBER_ID, is_delete=True)
    def delete(self, request: Request, group_id: str, member_id: str) -> Response:
        """Remove a member; the others rebalance. If its client is alive, it joins again."""
        body = self.body

        def check() -> None:
            if not Member.objects.filter(group_id=group_id, member_id=member_id).exists():
                raise Http404(f"There is no member {member_id} in a group {group_id}.")

        if self.is_dry:
            check()
            return plan(group_id, Operation.Verb.EVICT, member_id)
        return request_verb(
            request, group_id, Operation.Verb.EVICT, body["reason"], check, member_id=member_id
        )


class Paused(View):
    """The work of a group, or of one member of it."""

    verb = Operation.Verb.PAUSE

    def request_verb(self, request: Request, group_id: str, member_id: str = "") -> Response:
        """Request the verb, for the group or for one member."""
        body = self.body

        def check() -> None:
            existing(group_id)
            if member_id and not _may_be_paused(group_id, member_id):
                raise Http404(f"There is no member {member_id} in a group {group_id}.")

        if self.is_dry:
            check()
            return plan(group_id, self.verb, member_id)
        return request_verb(
            request, group_id, self.verb, body["reason"], check, member_id=member_id
        )


def _may_be_paused(group_id: str, name: str) -> bool:
    """Whether it is a member's id, or an instance id; or was one when it was stopped."""
    is_it = Q(member_id=name) | Q(instance_id=name)
    return (
        Member.objects.filter(is_it, group_id=group_id).exists()
        or Pause.objects.filter(group_id=group_id, name=name).exists()
    )


class GroupPause(Paused):
    """Stopping all members of a group."""

    @described_verb("pause_group", GROUP_ID)
    def post(self, request: Request, group_id: str) -> Response:
        """Stop the work of all members, including those that join later. They stay members, and
        keep their partitions. GET of the group shows which have stopped."""
        return self.request_verb(request, group_id)


class GroupResume(Paused):
    """Starting them again."""

    verb = Operation.Verb.RESUME

    @described_verb("resume_group", GROUP_ID)
    def post(self, request: Request, group_id: str) -> Response:
        """Start the work of a group; members that were stopped individually stay stopped."""
        return self.request_verb(request, group_id)


class MemberPause(Paused):
    """Stopping one member."""

    @described_verb("pause_member", GROUP_ID, MEMBER_ID)
    def post(self, request: Request, group_id: str, member_id: str) -> Response:
        """Stop the work of one member, named by member id or instance id; a static member stays
        stopped when it returns."""
        return self.request_verb(request, group_id, member_id)


class MemberResume(Paused):
    """Starting it again."""

    verb = Operation.Verb.RESUME

    @described_verb("resume_member", GROUP_ID, MEMBER_ID)
    def post(self, request: Request, group_id: str, member_id: str) -> Response:
        """Start the work of one member; it stays stopped while the whole group is stopped."""
        return self.request_verb(request, group_id, member_id)


class Operations(View):
    """Operations on groups."""

    @described(
        operation_id="list_operations",
        parameters=[
            OpenApiParameter("group_id", NAME),
            OpenApiParameter("state", str, enum=Operation.State.values),
            OpenApiParameter("verb", str, enum=Operation.Verb.values),
            OpenApiParameter("actor", NAME, description="The actor."),
            ordering(ORDERINGS),
            *PAGE,
        ],
        responses=page_of(shapes.OperationView),
    )
    def get(self, request: Request) -> Response:
        """List operations, by default newest first."""
        filters = {name: value for name, value in self.query.items() if name in FILTERS}

        def serialized(page: list[Operation]) -> Any:
            return shapes.OperationView(page, many=True).data

        return self.paged(
            request, Operation.objects.filter(**filters), ["-id"], serialized, ORDERINGS
        )


class OneOperation(View):
    """One verb, and what became of it."""

    @described(
        operation_id="get_operation",
        parameters=[PREFER],
        responses=shapes.OperationView,
    )
    def get(self, request: Request, operation_id: int) -> Response:
        """Show an operation; with `Prefer: wait`, respond when it has ended."""
        operation = Operation.objects.filter(id=operation_id).first()
        if operation is None:
            raise Http404(f"There is no operation {operation_id}.")
        operation, headers = awaited(request, operation)
        return Response(shapes.OperationView(operation).data, headers=headers)
