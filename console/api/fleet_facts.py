"""Reads of the facts of all groups: lives, which groups had a partition, and which committed
(docs/facts.md)."""

from collections.abc import Callable, Mapping, Sequence
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
from console.api.schema import MOMENT, NAME, PAGE, PARTITION, page_of, yes_or_no
from console.api.views import View, required
from console.queries import fleet_facts

Row = Mapping[str, Any]
Key = tuple[str | int, ...]

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

    def asked(self, after: tuple[datetime, int] | None = None) -> fleet_facts.Page:
        """The page of the query's time after this row, with one row more."""
        since, until = map(self.query.get, ("since", "until"))
        return fleet_facts.Page(since, until, after, size_of(self.query) + 1)

    def after(self, *checks: Callable[[Any], object]) -> Sequence[str | int]:
        """The key in the query's cursor, whose parts these check; none without a cursor."""
        text = self.query.get("cursor")
        return Cursor.read(text, checks).key if text else ()

    def asked_by_time(self) -> fleet_facts.Page:
        """The page that the query names, of rows by a time and a life."""
        key = self.after(datetime.fromisoformat, partial(is_like, int))
        return self.asked((datetime.fromisoformat(str(key[0])), int(key[1])) if key else None)

    def answered(
        self, request: Request, found: Mapping[Key, Row], shape: type[Serializer[Any]]
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
        found = fleet_facts.lives(self.asked_by_time(), *map(self.query.get, ("host", "client_id")))
        rows: Mapping[Key, Row] = {
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
        found = fleet_facts.owners(self.asked_by_time(), query["topic"], query["partition"])
        rows: Mapping[Key, Row] = {
            _key(one.owned.from_at, one.owned.life): {
                "group_id": one.group_id,
                **one.owned._asdict(),
                "partitions": one.owned.numbers(),
            }
            for one in found
        }
        return self.answered(request, rows, shapes.OwnedByGroup)


class FleetProgress(FleetView):
    """Which groups committed."""

    @described(
        operation_id="list_progress_of_fleet",
        parameters=[
            yes_or_no("idle", "`true`: only groups without a commit in this time."),
            *TIME,
            *PAGE,
        ],
        responses=page_of(shapes.ProgressOfGroup),
    )
    def get(self, request: Request) -> Response:
        """List groups with committed offsets, by id, with how often each committed in the hours of
        a time that are over."""
        after = self.after(partial(is_like, str))
        idle = self.query.get("idle") == "true"
        found = fleet_facts.progress(self.asked(), str(after[0]) if after else "", idle=idle)
        rows: Mapping[Key, Row] = {(one.group_id,): one._asdict() for one in found}
        return self.answered(request, rows, shapes.ProgressOfGroup)


def _key(at: datetime, life: int) -> tuple[str, int]:
    return at.isoformat(timespec="microseconds"), life
