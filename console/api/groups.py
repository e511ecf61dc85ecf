"""Groups as REST shows them: the list, one group, its members, its journal."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import preconditions
from console.api import serializers as shapes
from console.api.fields import INT32_MAX
from console.api.inputs import described
from console.api.permissions import readable_kinds
from console.api.schema import (
    GROUP_ID,
    MOMENT,
    NAME,
    PAGE,
    PART,
    TIMES,
    ordering,
    page_of,
    yes_or_no,
)
from console.api.views import View, existing, missing
from console.queries import group_rows, groups, journal_times, pauses, situation, text_search
from console.queries.journal_text import SENTENCES
from console.queries.member_names import names_of_groups
from groups.core.counts import Counts
from groups.models import Group

FILTERS = (
    OpenApiParameter("state", str, enum=groups.STATES, description="Kafka's word."),
    OpenApiParameter("type", str, enum=groups.KINDS),
    OpenApiParameter("q", PART, description="Part of the group id."),
    OpenApiParameter("protocol", NAME, description="The assignor that the members have selected."),
    OpenApiParameter("topic", NAME, description="Groups with committed offsets of this topic."),
    yes_or_no("frozen", "Whether the group is frozen: no rebalance begins."),
    yes_or_no("paused", "Whether the work of the whole group is stopped."),
    OpenApiParameter("member_count_gte", {"type": "integer", "minimum": 0, "maximum": INT32_MAX}),
    OpenApiParameter("updated_since", MOMENT),
)

YES_OR_NO = {"true": True, "false": False}

COLUMNS = {
    "state": "state",
    "type": "kind",
    "q": f"group_id__{text_search.NAME}",
    "protocol": "protocol_name",
    "paused": "paused",
    "member_count_gte": "members_now__gte",
    "updated_since": "updated_at__gte",
}
"""Filters that are conditions of a column."""

ORDERINGS = {
    "group_id": "group_id",
    "type": "kind",
    "state": "state",
    "state_since": "state_since",
    "generation": "generation",
    **{name: name for name in groups.COUNTED},
    "created_at": "created_at",
    "updated_at": "updated_at",
}

MEMBER_FILTERS = ("client_id", "instance_id")
MEMBER_ORDERINGS = {"member_id": "member_id", "joined_at": "joined_at"}


class Groups(View):
    """All groups."""

    @described(
        operation_id="list_groups",
        parameters=[*FILTERS, ordering(ORDERINGS), *PAGE],
        responses=page_of(shapes.GroupSummary),
    )
    def get(self, request: Request) -> Response:
        """List groups, by default ordered by id."""
        found = matching(self.query)
        return self.paged(request, found, ["group_id"], _page_summaries, ORDERINGS)


def matching(query: Mapping[str, Any]) -> Any:
    """The groups that match the filters."""
    found = groups.narrow(query.get("ordering", "").removeprefix("-"), query)
    for name, column in COLUMNS.items():
        if name in query:
            found = found.filter((column, YES_OR_NO.get(query[name], query[name])))
    if "frozen" in query:
        found = found.filter(frozen_since__isnull=query["frozen"] == "false")
    if "topic" in query:
        found = found.filter(groups.has_committed(query["topic"]))
    return found


def _page_summaries(page: list[Any]) -> Any:
    """Values that are computed only for the groups of a page."""
    ids = [row.group_id for row in page]
    by_id = {g.group_id: g for g in groups.annotated(Group.objects.filter(group_id__in=ids))}
    return _summaries([by_id[group_id] for group_id in ids if group_id in by_id])


def _summaries(page: list[Any]) -> Any:
    counted = group_rows.work_of(page)
    newest = groups.with_rebalances(page)
    context = {
        "rebalances": newest,
        "names": names_of_groups(list(newest.values())),
        "rebalances_1h": group_rows.rebalances_1h([group.group_id for group in page]),
        "situations": situation.of_many(page),
        "counts": counted,
        "unowned": {key: counts.unowned for key, counts in counted.items()},
    }
    return shapes.GroupSummary(page, many=True, context=context).data


class OneGroup(View):
    """One group with its members and what each of them owns."""

    @described(operation_id="get_group", parameters=[GROUP_ID], responses=shapes.Group)
    def get(self, request: Request, group_id: str) -> Response:
        """Show a group. The request also makes its owner record current heartbeat ages for the next
        request."""
        group = groups.with_owners(groups.annotated()).filter(group_id=group_id).first()
        if group is None:
            raise missing(group_id)
        group.member_views = groups.members_of(group)
        group.node_id = group.owner_id
        groups.request_look(group_id)
        ids = [(member.member_id, member.instance_id) for member in group.member_views]
        group.work = pauses.work_of(group_id, ids)
        seen = _seen(group)
        newest = groups.with_rebalances([group])
        context = {
            "rebalances": newest,
            "names": names_of_groups(list(newest.values())),
            "work": group.work,
            "rebalances_1h": group_rows.rebalances_1h([group_id]),
            "situations": {group_id: situation.of_one(seen)},
            "counts": {group_id: _counts(seen)} if group.member_views else {},
            "unowned": {group_id: situation.unowned(seen)},
        }
        answer = Response(shapes.Group(group, context=context).data)
        return preconditions.with_version(answer, preconditions.of_group(group))


def _seen(group: Any) -> situation.PageValues:
    counts = groups.partition_counts(groups.topics_of_members(group.member_views))
    return situation.PageValues(group, group.member_views, group.work, group.owner_id, counts)


def _counts(seen: situation.PageValues) -> Counts:
    topics, partitions = groups.topics_of_members(seen.members), sum(seen.counts.values())
    return Counts(len(topics), partitions, situation.unowned(seen) or 0)


class Members(View):
    """The members of a group, page by page: a group may have thousands."""

    @described(
        operation_id="list_members",
        parameters=[
            GROUP_ID,
            *(OpenApiParameter(name, NAME) for name in MEMBER_FILTERS),
            ordering(MEMBER_ORDERINGS),
            *PAGE,
        ],
        responses=page_of(shapes.Member),
    )
    def get(self, request: Request, group_id: str) -> Response:
        """List members, by default in the order in which they joined."""
        group = existing(group_id)

        def serialized(page: list[Any]) -> Any:
            ids = [(row.member_id, row.instance_id) for row in page]
            context = {"work": pauses.work_of(group_id, ids)}
            views = groups.member_views(group, page)
            return shapes.Member(views, many=True, context=context).data

        rows = groups.noted_members(group_id)
        rows = rows.filter(**{n: v for n, v in self.query.items() if n in MEMBER_FILTERS})
        return self.paged(request, rows, ["position", "member_id"], serialized, MEMBER_ORDERINGS)


class Journal(View):
    """What was decided about a group, and why."""

    @described(
        operation_id="list_journal",
        parameters=[
            GROUP_ID,
            OpenApiParameter("kind", str, enum=list(SENTENCES)),
            *TIMES,
            *PAGE,
        ],
        responses=page_of(shapes.JournalEntry),
    )
    def get(self, request: Request, group_id: str) -> Response:
        """List the journal, newest first. The journal of a deleted group is kept."""
        rows = groups.journal_of(group_id, readable_kinds(request, self.query.get("kind")))
        if "kind" in self.query:
            rows = rows.filter(kind=self.query["kind"])
        return _entries(self, request, rows)


def _entries(view: View, request: Request, rows: Any) -> Response:
    rows = journal_times.between(rows, view.query.get("since"), view.query.get("until"))
    return view.paged(request, rows, ["-id"], shapes.JournalEntry)


def rebalances(view: View, request: Request, group_id: str) -> Response:
    """The journal's completed rebalances."""
    rows = groups.journal_of(group_id).filter(kind=groups.REBALANCED)
    return _entries(view, request, rows)
