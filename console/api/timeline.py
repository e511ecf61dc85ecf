"""A group along time, as its page draws it."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, Final

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import serializers as shapes
from console.api.facts import known
from console.api.inputs import described
from console.api.problems import Problem
from console.api.schema import GROUP_ID, MOMENT, NAME
from console.api.views import View
from console.people import rights
from console.queries import timeline, timeline_text
from console.queries.timeline import LENGTH_MAX, LENGTH_MIN, Timeline, Window
from groups.models import Group

LENGTH: Final = timedelta(hours=1)


class GroupTimeline(View):
    """The timeline of a group."""

    @described(
        operation_id="get_timeline",
        parameters=[
            GROUP_ID,
            OpenApiParameter("since", MOMENT, description="By default an hour before `until`."),
            OpenApiParameter("until", MOMENT, description="By default now; a month at most."),
            OpenApiParameter("host", NAME, description="Only members on this host, one by one."),
        ],
        responses=shapes.TimelineView,
    )
    def get(self, request: Request, group_id: str) -> Response:
        """Show a group along time: its members' lives with what they owned, its rebalances with
        their causes and costs, marks, acts of operators, takeovers and outages."""
        known(group_id)
        window = Window(*self._time(), self.query.get("host"))
        found = timeline.read(
            group_id,
            window,
            rights.kinds(request.user),
            Group.objects.filter(group_id=group_id).first(),
            has_reports=rights.may(request.user, rights.VIEW_REPORT),
        )
        return Response(shapes.TimelineView(_values(found)).data)

    def _time(self) -> tuple[datetime, datetime]:
        """The time that is asked for; a problem if it has no length, or too much of it."""
        until = self.query.get("until") or timezone.now()
        since = self.query.get("since")
        if since is None:
            return until - LENGTH, until
        if not LENGTH_MIN <= until - since <= LENGTH_MAX:
            detail = f"It is {LENGTH_MIN.seconds} s to {LENGTH_MAX.days} days from since to until."
            raise Problem(HTTPStatus.BAD_REQUEST, "invalid", detail)
        return since, until


def _values(found: Timeline) -> Mapping[str, Any]:
    """The values of the shape: parts of the time become times."""
    step = timedelta(seconds=found.step_s)
    lanes = [
        {
            **asdict(lane),
            "steps": [
                {"at": found.since + each.bin * step, "partitions": each.partitions}
                for each in lane.steps
            ],
            "spans": [each._asdict() for each in lane.spans],
            "waits": [each._asdict() for each in lane.waits],
            "departures": [each._asdict() for each in lane.departures],
        }
        for lane in found.lanes
    ]
    return {
        "group_id": found.group_id,
        "since": found.since,
        "until": found.until,
        "by": found.by,
        "text": timeline_text.cost(found.cost),
        "cost": found.cost,
        "lives": found.lives,
        "lanes": lanes,
        "states": [each._asdict() for each in found.states],
        "rebalances": [each._asdict() for each in found.rebalances],
        "events": [each._asdict() for each in found.events],
        "cuts": found.cuts,
    }
