"""Everything besides groups: topics, nodes, and the user of the request."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.db import transaction
from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, PolymorphicProxySerializer
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import preconditions
from console.api import serializers as shapes
from console.api.inputs import described
from console.api.permissions import may_read, readable_kinds
from console.api.schema import (
    DRY_RUN,
    ID,
    NAME,
    PAGE,
    PART,
    TIMES,
    all_of,
    ordering,
    page_of,
)
from console.api.views import View, actor
from console.operations import topic_changes as changes
from console.people import rights
from console.queries import drains, groups, journal_rows, journal_times, topic_groups
from console.queries.journal_text import SENTENCES
from console.queries.text_search import any_has_text
from groups.core.authors import user
from groups.models import Node, Topic

SEQ_MAX = 10**18 - 1
"""The maximum of PostgreSQL's bigint, more than there will ever be entries."""

TOPIC_ORDERINGS = {name: name for name in ("name", "partitions", "created_at")}

EITHER = PolymorphicProxySerializer(
    "TopicViewOrTopicPlan", [shapes.TopicView, shapes.TopicPlan], resource_type_field_name=None
)
TRIED = OpenApiResponse(EITHER, "The changed topic; or, with `dry_run`, the topic as it would be.")
GONE = "The deleted topic; or, with `dry_run`, what would be deleted."
PLANNED = "With `dry_run`: the topic as it would be."
LOCATION = OpenApiParameter(
    "Location", str, OpenApiParameter.HEADER, description="The topic.", response=[201]
)

TOPIC_NAME = OpenApiParameter("name", ID, OpenApiParameter.PATH)


class Topics(View):
    """The catalogue."""

    @described(
        operation_id="list_topics",
        parameters=[
            OpenApiParameter("q", PART, description="Part of the name."),
            ordering(TOPIC_ORDERINGS),
            *PAGE,
        ],
        responses=page_of(shapes.TopicView),
    )
    def get(self, request: Request) -> Response:
        """List topics, by default ordered by name."""
        topics = Topic.objects.filter(any_has_text(self.query.get("q", ""), "name"))
        return self.paged(request, topics, ["name"], shapes.TopicView, TOPIC_ORDERINGS)

    @described(
        operation_id="create_topic",
        parameters=[DRY_RUN, LOCATION],
        request=shapes.NewTopic,
        responses={201: shapes.TopicView, 200: OpenApiResponse(shapes.TopicPlan, PLANNED)},
    )
    def post(self, request: Request) -> Response:
        """Create a topic."""
        name, partitions = self.body["name"], self.body["partitions"]
        if self.is_dry:
            return _tried(request, name, lambda: changes.create(name, partitions))
        topic = changes.create(name, partitions, user(actor(request)))
        place = {"Location": reverse("topic", args=[name])}
        return Response(shapes.TopicView(topic).data, HTTPStatus.CREATED, headers=place)


class OneTopic(View):
    """One topic."""

    @described(operation_id="get_topic", parameters=[TOPIC_NAME], responses=shapes.TopicView)
    def get(self, request: Request, name: str) -> Response:
        """Show a topic."""
        topic = _topic(name)
        answer = Response(shapes.TopicView(topic).data)
        return preconditions.with_version(answer, preconditions.of_topic(topic))

    @described(
        operation_id="grow_topic",
        parameters=[TOPIC_NAME, DRY_RUN],
        request=shapes.Growth,
        responses=TRIED,
    )
    def patch(self, request: Request, name: str) -> Response:
        """Add partitions to a topic. Their number cannot decrease."""
        partitions = self.body["partitions"]
        if self.is_dry:
            return _tried(request, name, lambda: changes.grow(name, partitions))
        with preconditions.topic_held(request, name):
            topic = changes.grow(name, partitions, user(actor(request)))
        return Response(shapes.TopicView(topic).data)

    @described(
        operation_id="delete_topic",
        parameters=[TOPIC_NAME, DRY_RUN],
        request=None,
        responses={200: OpenApiResponse(EITHER, GONE)},
    )
    def delete(self, request: Request, name: str) -> Response:
        """Delete a topic with all offsets that groups have committed for it, and show it. Groups
        that subscribe to it rebalance."""
        topic = _topic(name)
        if self.is_dry:
            plan = _plan(request, topic, topic.partitions, None)
            return Response({**plan, "offsets_deleted": topic_groups.offsets_of(topic)})
        with preconditions.topic_held(request, name):
            changes.delete(topic, user(actor(request)))
        return Response(shapes.TopicView(topic).data)


class TopicJournal(View):
    """What was done to a topic, and by whom."""

    @described(
        operation_id="list_topic_journal",
        parameters=[TOPIC_NAME, *PAGE],
        responses=page_of(shapes.JournalEntry),
    )
    def get(self, request: Request, name: str) -> Response:
        """List the changes of a topic, newest first. The journal of a deleted topic is kept, and a
        new topic with the same name continues it."""
        rows = groups.journal_of_topic(name, readable_kinds(request))
        return self.paged(request, rows, ["-id"], shapes.JournalEntry)


class TopicRacks(View):
    """Where a topic's partitions are."""

    @described(
        operation_id="place_topic",
        parameters=[TOPIC_NAME, DRY_RUN],
        request=shapes.Places,
        responses=TRIED,
    )
    def put(self, request: Request, name: str) -> Response:
        """Set the racks of each partition, for the assignor uniform-rack."""
        racks = self.body["racks"]
        if self.is_dry:
            return _tried(request, name, lambda: changes.place(name, racks))
        with preconditions.topic_held(request, name):
            topic = changes.place(name, racks, user(actor(request)))
        return Response(shapes.TopicView(topic).data)


class TopicPartitions(View):
    """A topic's partitions."""

    @described(
        operation_id="list_topic_partitions",
        parameters=[TOPIC_NAME],
        responses=all_of(shapes.PartitionView),
    )
    def get(self, request: Request, name: str) -> Response:
        """List the first and the end offset of each partition, as ListOffsets returns them."""
        ends = groups.ends_of(_topic(name))
        rows = [
            {"partition": number, "log_start_offset": 0, "log_end_offset": end}
            for number, end in enumerate(ends)
        ]
        return Response({"data": shapes.PartitionView(rows, many=True).data})


def _tried(request: Request, name: str, change: Callable[[], Topic]) -> Response:
    """The result of a change of a topic, which is executed and rolled back, so no process is
    notified. Invalid changes are refused as usual."""
    before = Topic.objects.filter(name=name).values_list("partitions", flat=True).first()
    with transaction.atomic():
        changed = change()
        transaction.set_rollback(True)
    return Response(_plan(request, changed, before, shapes.TopicView(changed).data))


def _plan(request: Request, topic: Topic, before: int | None, after: Any) -> dict[str, Any]:
    """The plan of a change of a topic: the result, and the affected groups, by name for callers who
    may read groups."""
    used_by = topic_groups.of(topic).uses if may_read(request, rights.VIEW_GROUP) else ()
    return {
        "dry_run": True,
        "partitions_before": before,
        "topic": after,
        "groups": groups.committed_by(topic.name),
        "offsets_deleted": 0,
        "used_by": shapes.TopicUse(used_by, many=True).data,
    }


def _topic(name: str) -> Topic:
    topic: Topic | None = Topic.objects.filter(name=name).first()
    if topic is None:
        raise Http404(f"There is no topic {name}.")
    return topic


class FleetJournal(View):
    """What was decided about all groups, topics and nodes."""

    @described(
        operation_id="list_all_journal",
        parameters=[
            OpenApiParameter("group_id", NAME),
            OpenApiParameter("kind", str, enum=list(SENTENCES)),
            OpenApiParameter(
                "after",
                {"type": "integer", "minimum": 0, "maximum": SEQ_MAX},
                description="Only entries with a greater `seq`, the oldest first.",
            ),
            *TIMES,
            *PAGE,
        ],
        responses=page_of(shapes.JournalEntry),
    )
    def get(self, request: Request) -> Response:
        """List the journal, newest first; with `after`, oldest first. Transactions that end later
        may add entries with a lower `seq` than those already returned: to follow the journal,
        repeat the request from a few seconds back."""
        since, until = self.query.get("since"), self.query.get("until")
        kinds = readable_kinds(request, self.query.get("kind"))
        rows = journal_times.between(journal_rows.entries(kinds), since, until)
        for name in ("group_id", "kind"):
            if name in self.query:
                rows = rows.filter((name, self.query[name]))
        follows = "after" in self.query
        if follows:
            rows = rows.filter(id__gt=self.query["after"])
        return self.paged(request, rows, ["id" if follows else "-id"], shapes.JournalEntry)


class Nodes(View):
    """The coordinator processes."""

    @described(operation_id="list_nodes", parameters=PAGE, responses=page_of(shapes.NodeView))
    def get(self, request: Request) -> Response:
        """List nodes, with how many slots each owns."""
        drained = {drain.node_id: drain for drain in drains.all_of_them()}
        context = {"slots": groups.slots_by_node(), "drains": drained}

        def serialized(page: list[Node]) -> Any:
            return shapes.NodeView(page, many=True, context=context).data

        return self.paged(request, Node.objects.all(), ["node_id"], serialized)


class Me(View):
    """Who asks."""

    @described(operation_id="get_me", responses=shapes.Me)
    def get(self, request: Request) -> Response:
        """Show the user of the request and its rights."""
        user: Any = request.user
        # A superuser has every right, whatever the rows contain.
        held = ["*"] if user.is_superuser else sorted(user.get_all_permissions())
        return Response(shapes.Me({"username": user.get_username(), "permissions": held}).data)
