"""Operators' verbs on a group: rebalances, evictions, freezes, pauses. All are operations, as are
those on offsets (``offsets``).

Nothing is changed here: the group's owner executes the operation and writes its result to the row.
"""

from collections.abc import Callable, Mapping
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
from console.api.plans import plan
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
from console.api.views import View, existing, found
from console.people.rights import PATHS
from console.queries.groups import freeze_of
from console.queries.previews import drained_away
from groups.core.operations import OPERATIONS, Name, Target
from groups.models import Member, Operation, Pause

REBALANCING: Final = "PreparingRebalance"

FILTERS: Final = ("group_id", "state", "verb", "actor")
ORDERINGS: Final = {"id": "id"}


def operate(
    view: View, request: Request, name: Name, group_id: str, member_id: str = "", **more: Any
) -> Response:
    """Request an operation, or in a dry run say what it would do. 404 if there is nothing to which
    it applies."""

    def check() -> None:
        CHECKS.get(name, _must_exist)(view, group_id, member_id)

    if view.is_dry:
        check()
        expected = more.get("expected_generation")
        return plan(group_id, name, member_id, expected, more.get("until"))
    reason = view.body["reason"]
    return request_verb(request, group_id, name, reason, check, member_id=member_id, **more)


def _must_exist(_view: View, group_id: str, member_id: str) -> None:
    existing(group_id)
    if member_id:
        _named(group_id, Q(member_id=member_id) | Q(instance_id=member_id), member_id)


def _named(group_id: str, who: Q, name: str) -> None:
    if not Member.objects.filter(who, group_id=group_id).exists():
        raise Http404(f"There is no member {name} in a group {group_id}.")


def _may_be_evicted(_view: View, group_id: str, member_id: str) -> None:
    _named(group_id, Q(member_id=member_id), member_id)


def _may_be_forced(view: View, group_id: str, _member_id: str) -> None:
    group = existing(group_id)
    if view.body["on_in_progress"] == "reject" and group.state == REBALANCING:
        raise Problem(HTTPStatus.CONFLICT, "in_progress", "The group is already rebalancing.")


def _may_be_thawed(view: View, group_id: str, member_id: str) -> None:
    if freeze_of(group_id) is None:
        _must_exist(view, group_id, member_id)


def _may_be_paused(view: View, group_id: str, member_id: str) -> None:
    """Members by either id, also those that were there when they were stopped."""
    if not Pause.objects.filter(group_id=group_id, name=member_id or None).exists():
        _must_exist(view, group_id, member_id)
    existing(group_id)


def _may_be_undrained(view: View, group_id: str, member_id: str) -> None:
    """Members by either id, and static ones that are away."""
    if member_id not in drained_away(existing(group_id)):
        _must_exist(view, group_id, member_id)


Check = Callable[[View, str, str], None]

CHECKS: Final[Mapping[Name, Check]] = {
    Name.REBALANCE: _may_be_forced,
    Name.EVICT: _may_be_evicted,
    Name.THAW: _may_be_thawed,
    Name.PAUSE: _may_be_paused,
    Name.RESUME: _may_be_paused,
    Name.UNDRAIN: _may_be_undrained,
}
"""What raises if an operation cannot be requested; by default the group and the member exist."""

BODIES: Final[Mapping[Name, tuple[type[Any], str]]] = {
    Name.FREEZE: (shapes.FreezeGroup, "until"),
    Name.REBALANCE: (shapes.ForceRebalance, "expected_generation"),
}
"""The bodies of requests that have more than a reason, and what of them the operation has."""

IDS: Final = {Name.REBALANCE: "force_rebalance"}
"""OpenAPI's ids that are not made of the name and the target."""

NAMED: Final = {Target.GROUP: (GROUP_ID,), Target.MEMBER: (GROUP_ID, MEMBER_ID)}


def asked_for(name: Name, target: Target) -> Callable[..., Response]:
    """The method of a view that requests the operation."""
    body, field = BODIES.get(name, (shapes.Reason, ""))

    def ask(self: View, request: Request, group_id: str, member_id: str = "") -> Response:
        more = {field: self.body.get(field)} if field else {}
        return operate(self, request, name, group_id, member_id, **more)

    ask.__doc__ = name.row.says[target]
    operation_id, is_delete = IDS.get(name, f"{name}_{target}"), name.method == "DELETE"
    describe = described_verb(operation_id, *NAMED[target], body=body, is_delete=is_delete)
    return describe(ask)


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

    post = asked_for(Name.REBALANCE, Target.GROUP)


class OneGroup(resources.OneGroup):
    """A group, which may be deleted."""

    delete = asked_for(Name.DELETE, Target.GROUP)


class OneMember(View):
    """A member of a group."""

    delete = asked_for(Name.EVICT, Target.MEMBER)


def _view(name: Name, target: Target) -> type[View]:
    return type(f"{target.title()}{name.title()}", (View,), {"post": asked_for(name, target)})


ROUTES: Final[Mapping[str, type[View]]] = {
    f"{PATHS[target]}/{name}": _view(name, target)
    for name, row in OPERATIONS.items()
    for target in sorted(row.says, reverse=True)
    if name.tail == name
}
"""The operations that have a path of their own."""


class Operations(View):
    """Operations on groups."""

    @described(
        operation_id="list_operations",
        parameters=[
            OpenApiParameter("group_id", NAME),
            OpenApiParameter("state", str, enum=Operation.State.values),
            OpenApiParameter("verb", str, enum=list(Operation.Verb)),
            OpenApiParameter("actor", NAME, description="The actor."),
            ordering(ORDERINGS),
            *PAGE,
        ],
        responses=page_of(shapes.OperationView),
    )
    def get(self, request: Request) -> Response:
        """List operations, by default newest first."""
        filters = {name: value for name, value in self.query.items() if name in FILTERS}
        return self.paged(
            request, Operation.objects.filter(**filters), ["-id"], shapes.OperationView, ORDERINGS
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
        operation = found(Operation.objects.all(), "operation", operation_id)
        operation, headers = awaited(request, operation)
        return Response(shapes.OperationView(operation).data, headers=headers)
