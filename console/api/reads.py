"""Reads besides the lists: assignment, waiting, one rebalance, an offset's history; slots, rules,
and the audit."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import serializers as shapes
from console.api.facts import known
from console.api.inputs import described
from console.api.pages import first_page, linked, paged_values, position, size_of
from console.api.schema import GROUP_ID, MOMENT, NAME, PAGE, PARTITION, all_of, page_of
from console.api.views import View, existing, missing, required
from console.queries import facts, groups, progress, situation
from console.queries.attention_table import RULES
from console.queries.thresholds import Thresholds
from groups.models import AuditEntry, Operation, Slot

AUDIT_FILTERS: Final = ("kind", "who", "outcome")
GENERATION: Final = OpenApiParameter(
    "generation",
    {**PARTITION},
    OpenApiParameter.PATH,
    description="The generation in which the rebalance ended.",
)


Page = tuple[Sequence[tuple[str, int]], str | None, Mapping[tuple[str, int], Any]]
"""Partitions, the next page's URL, and the owners by partition."""


class Assignment(View):
    """Who has which partition."""

    @described(
        operation_id="list_assignment",
        parameters=[
            GROUP_ID,
            OpenApiParameter("topic", NAME),
            OpenApiParameter("at", MOMENT, description="As it was then (docs/facts.md)."),
            *PAGE,
        ],
        responses=page_of(shapes.AssignedPartition),
    )
    def get(self, request: Request, group_id: str) -> Response:
        """List each partition of the subscribed topics with its owner; some may have none. At a
        moment: those that had an owner."""
        page, following, owners = (self._then if "at" in self.query else self._now)(group_id)
        owned = [
            {"topic": topic, "partition": number, "member": owners.get((topic, number))}
            for topic, number in page
        ]
        rows = shapes.AssignedPartition(owned, many=True).data
        neighbours = {"next": following, "previous": None}
        return Response({"data": rows, **neighbours}, headers=linked(neighbours))

    def _then(self, group_id: str) -> Page:
        """A page of the assignment as it was."""
        known(group_id)
        topic, size = self.query.get("topic"), size_of(self.query)
        after = position(self.query)
        owners = facts.assignment(group_id, self.query["at"], topic, after, size + 1)
        return (*first_page(self.request, [*owners], self.query), owners)

    def _now(self, group_id: str) -> Page:
        """A page of the assignment, with partitions of the subscribed topics without an owner."""
        members = groups.members_of(existing(group_id))
        counts = groups.partition_counts(groups.topics_of_members(members))
        owners = {
            (topic, number): member
            for member in members
            for topic, numbers in (member.assignment or {}).items()
            for number in numbers
        }
        parts = {(topic, number) for topic, n in counts.items() for number in range(n)}
        only = self.query.get("topic")
        selected = sorted(part for part in parts | owners.keys() if only in (None, part[0]))
        return (*paged_values(self.request, selected, self.query), owners)


class Waiting(View):
    """What a group waits for."""

    @described(operation_id="get_waiting", parameters=[GROUP_ID], responses=shapes.GroupWaiting)
    def get(self, request: Request, group_id: str) -> Response:
        """Show a group's current activity, and which members it waits for."""
        group = groups.annotated().filter(group_id=group_id).first()
        if group is None:
            raise missing(group_id)
        current = situation.of_many([group])[group_id]
        values = {"group_id": group_id, "situation": current.text, "waiting": current.waiting}
        return Response(shapes.GroupWaiting(values).data)


class OneRebalance(View):
    """One rebalance."""

    @described(
        operation_id="get_rebalance",
        parameters=[GROUP_ID, GENERATION],
        responses=shapes.OneRebalance,
    )
    def get(self, request: Request, group_id: str, generation: int) -> Response:
        """Show the newest completed rebalance that ended in a generation, and the operations that
        requested it."""
        rows = groups.journal_of(group_id).filter(kind=groups.REBALANCED)
        entry = rows.filter(generation_after=generation).first()
        if entry is None:
            raise Http404(f"No rebalance of {group_id} ended in generation {generation}.")
        operations = Operation.objects.filter(group_id=group_id, generation=generation)
        operations = operations.filter(outcome=Operation.Outcome.CHANGED).order_by("-id")
        values = {"rebalance": entry, "operations": operations[:OPERATIONS_MAX]}
        return Response(shapes.OneRebalance(values).data)


OPERATIONS_MAX: Final = 100
"""Maximum number of operations shown for one rebalance."""


class OffsetHistory(View):
    """How a partition's offset went."""

    @described(
        operation_id="list_offset_history",
        parameters=[
            GROUP_ID,
            OpenApiParameter("topic", NAME, required=True),
            OpenApiParameter("partition", PARTITION, required=True),
        ],
        responses=all_of(shapes.Commit),
    )
    def get(self, request: Request, group_id: str) -> Response:
        """List the newest commits of one partition within the history: 50 at most."""
        existing(group_id)
        required(self.query, "topic", "partition")
        commits = progress.history_of(group_id, self.query["topic"], self.query["partition"])
        return Response({"data": shapes.Commit([c._asdict() for c in commits], many=True).data})


class Slots(View):
    """Which node owns what."""

    @described(operation_id="list_slots", responses=all_of(shapes.SlotView))
    def get(self, request: Request) -> Response:
        """List the slots of groups, with the node that owns each."""
        rows = Slot.objects.order_by("slot")
        return Response({"data": shapes.SlotView(rows, many=True).data})


class Rules(View):
    """What is thought to need attention."""

    @described(operation_id="list_rules", responses=all_of(shapes.RuleView))
    def get(self, request: Request) -> Response:
        """List the rules of what needs attention, each with its setting; `/attention` lists those
        that fire."""
        values = Thresholds.from_django()
        rows = [
            {
                "rule": rule.name,
                "meaning": rule.meaning,
                "setting": rule.setting or None,
                "value": getattr(values, rule.setting.replace(".", "_"), None),
            }
            for rule in RULES
        ]
        return Response({"data": shapes.RuleView(rows, many=True).data})


class Audit(View):
    """Who did what, from where."""

    @described(
        operation_id="list_audit",
        parameters=[*(OpenApiParameter(name, NAME) for name in AUDIT_FILTERS), *PAGE],
        responses=page_of(shapes.AuditView),
    )
    def get(self, request: Request) -> Response:
        """List logins, refusals and changes, the newest first."""
        filters = {name: value for name, value in self.query.items() if name in AUDIT_FILTERS}
        return self.paged(request, AuditEntry.objects.filter(**filters), ["-id"], shapes.AuditView)
