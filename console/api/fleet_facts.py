"""Reads of the facts of all groups: lives, and which groups had a partition (docs/facts.md)."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from console.api import serializers as shapes
from console.api.inputs import described
from console.api.pages import Cursor, first_page, is_like, linked, size_of
from console.api.schema import MOMENT, NAME, PAGE, PARTITION, page_of
from console.api.views import View, required
from console.queries import fleet_facts

Row = Mapping[str, Any]

TIME = [
    OpenApiParameter(
        "since", MOMENT, description="Only what was not over then; by default a day before `until`."
    ),
    OpenApiParameter(
        "until", MOMENT, description="Only what had begun by then; by default until now."
    ),
]


class FleetView(View):
    """A list over all groups, by key."""

    def asked(self) -> fleet_facts.Page:
        """The page that the query names, with one row more."""
        text, after = self.query.get("cursor"), None
        if text:
            at, life = Cursor.read(text, [datetime.fromisoformat, partial(is_like, int)]).key
            after = datetime.fromisoformat(str(at)), int(life)
        since, until = map(self.query.get, ("since", "until"))
        return fleet_facts.Page(since, until, after, size_of(self.query) + 1)

    def answered(
        self, request: Request, found: Mapping[tuple[str, int], Row], shape: type[Serializer[Any]]
    ) -> Response:
        """The rows by key in their shape, and where they go on."""
        page, following = first_page(request, [*found], self.query)
        neighbours = {"next": following, "previous": None}
        rows = shape([found[at] for at in page], many=True).data
        return Response({"data": rows, **neighbours}, headers=linked(neighbours))


class FleetLives(FleetView):
    """Lives of members of all groups."""

    @described(
        operation_id="list_lives_of_fleet",
        parameters=[
            OpenApiParameter("host", NAME, description="Only members on this host."),
            OpenApiParameter("client_id", NAME, description="Only members of this client id."),
            *TIME,
            *PAGE,
        ],
        responses=page_of(shapes.LifeOfGroup),
    )
    def get(self, request: Request) -> Response:
        """List members' lives of all groups in order of joining, those that are over too: whose
        members were on a host, for instance."""
        found = fleet_facts.lives(self.asked(), *map(self.query.get, ("host", "client_id")))
        rows = {
            _key(one.life.joined_at, one.life.life): {
                "group_id": one.group_id,
                **one.life._asdict(),
            }
            for one in found
        }
        return self.answered(request, rows, shapes.LifeOfGroup)


class FleetOwners(FleetView):
    """Which groups had a partition."""

    @described(
        operation_id="list_owners_of_fleet",
        parameters=[
            OpenApiParameter("topic", NAME, required=True),
            OpenApiParameter("partition", PARTITION, required=True),
            *TIME,
            *PAGE,
        ],
        responses=page_of(shapes.OwnedByGroup),
    )
    def get(self, request: Request) -> Response:
        """List which members of which groups owned a partition, from when until when, in order."""
        query = required(self.query, "topic", "partition")
        found = fleet_facts.owners(self.asked(), query["topic"], query["partition"])
        rows = {
            _key(one.owned.from_at, one.owned.life): {
                "group_id": one.group_id,
                **one.owned._asdict(),
                "partitions": one.owned.numbers(),
            }
            for one in found
        }
        return self.answered(request, rows, shapes.OwnedByGroup)


def _key(at: datetime, life: int) -> tuple[str, int]:
    return at.isoformat(timespec="microseconds"), life
