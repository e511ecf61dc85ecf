"""Reads of the facts: members' lives, who owned which partitions, and progress (docs/facts.md)."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import serializers as shapes
from console.api.inputs import described
from console.api.pages import first_page, linked, paged_values, position, size_of
from console.api.schema import GROUP_ID, MOMENT, NAME, PAGE, PARTITION, page_of
from console.api.views import View, missing
from console.queries import facts

Fact = TypeVar("Fact", facts.Life, facts.Owned, facts.HourOfPartition)

TIME: Final = [
    OpenApiParameter("since", MOMENT, description="Only what was not over then."),
    OpenApiParameter("until", MOMENT, description="Only what had begun by then."),
]


def known(group_id: str) -> None:
    """404 if there is no such group, and was none."""
    if not facts.is_known(group_id):
        raise missing(group_id)


def paged_facts(
    request: Request,
    query: Mapping[str, Any],
    found: Sequence[Fact],
    key: Callable[[Fact], tuple[str, int]],
) -> tuple[Sequence[Fact], Mapping[str, Any]]:
    """A page of facts, in the order of their keys, and its neighbours."""
    rows = {key(fact): fact for fact in found}
    page, following = paged_values(request, sorted(rows), query)
    return [rows[at] for at in page], {"next": following, "previous": None}


class Lives(View):
    """The lives of a group's members."""

    @described(
        operation_id="list_lives",
        parameters=[GROUP_ID, *TIME, *PAGE],
        responses=page_of(shapes.Life),
    )
    def get(self, request: Request, group_id: str) -> Response:
        """List members' lives in order of joining, those that are over too: when and how each
        began and ended, and with which client."""
        known(group_id)
        found = facts.lives(group_id, self.query.get("since"), self.query.get("until"))
        page, neighbours = paged_facts(request, self.query, found, _of_life)
        rows = shapes.Life([life._asdict() for life in page], many=True).data
        return Response({"data": rows, **neighbours}, headers=linked(neighbours))


class Owners(View):
    """Who owned what."""

    @described(
        operation_id="list_owners",
        parameters=[
            GROUP_ID,
            OpenApiParameter("topic", NAME),
            OpenApiParameter("partition", PARTITION),
            *TIME,
            *PAGE,
        ],
        responses=page_of(shapes.OwnedPartitions),
    )
    def get(self, request: Request, group_id: str) -> Response:
        """List who owned which partitions from when until when, in order."""
        known(group_id)
        names = ("since", "until", "topic", "partition")
        found = facts.owners(group_id, *map(self.query.get, names))
        page, neighbours = paged_facts(request, self.query, found, _of_owned)
        values = [{**owned._asdict(), "partitions": owned.numbers()} for owned in page]
        rows = shapes.OwnedPartitions(values, many=True).data
        return Response({"data": rows, **neighbours}, headers=linked(neighbours))


class Progress(View):
    """What was committed, by hours."""

    @described(
        operation_id="list_progress",
        parameters=[
            GROUP_ID,
            OpenApiParameter("topic", NAME),
            OpenApiParameter("partition", PARTITION),
            *TIME,
            *PAGE,
        ],
        responses=page_of(shapes.HourOfPartition),
    )
    def get(self, request: Request, group_id: str) -> Response:
        """List what was committed in each hour for each partition, in order. An hour is there from
        some minutes after it is over."""
        known(group_id)
        names = ("since", "until", "topic", "partition")
        found = facts.progress(group_id, *map(self.query.get, names))
        page, neighbours = paged_facts(request, self.query, found, _of_hour)
        rows = shapes.HourOfPartition([hour._asdict() for hour in page], many=True).data
        return Response({"data": rows, **neighbours}, headers=linked(neighbours))


class Rounds(View):
    """What rebalances waited for, and what they cost."""

    @described(
        operation_id="list_rounds",
        parameters=[GROUP_ID, *TIME, *PAGE],
        responses=page_of(shapes.Round),
    )
    def get(self, request: Request, group_id: str) -> Response:
        """List rebalances that have ended, also those in which nothing moved, in order: causes,
        everybody who was waited for, and for how long nobody worked on partitions."""
        known(group_id)
        _, after = position(self.query) or ("", 0)
        since, until = map(self.query.get, ("since", "until"))
        most = size_of(self.query) + 1
        rounds = facts.rounds(group_id, since, until, after=after, most=most)
        found = {("", one.id): one for one in rounds}
        page, following = first_page(request, [*found], self.query)
        neighbours = {"next": following, "previous": None}
        rows = shapes.Round([found[at] for at in page], many=True).data
        return Response({"data": rows, **neighbours}, headers=linked(neighbours))


def _of_hour(hour: facts.HourOfPartition) -> tuple[str, int]:
    return f"{_text(hour.hour)} {hour.topic}", hour.partition


def _of_life(life: facts.Life) -> tuple[str, int]:
    return _text(life.joined_at), life.life


def _of_owned(owned: facts.Owned) -> tuple[str, int]:
    return f"{_text(owned.from_at)} {owned.topic} {owned.partitions}", owned.life


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")
