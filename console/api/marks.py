"""Marks: what people did at a time."""

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import serializers as shapes
from console.api.inputs import described
from console.api.schema import DRY_RUN, MOMENT, NAME, PAGE, or_tried, page_of, tried
from console.api.views import View, actor, found
from console.operations import marks
from groups.models import Mark


class Marks(View):
    """What people did, and when."""

    @described(
        operation_id="list_marks",
        parameters=[
            OpenApiParameter("group_id", NAME, description="Of this group, and of all."),
            OpenApiParameter("since", MOMENT, description="Only those from then on."),
            OpenApiParameter("until", MOMENT, description="Only those up to then."),
            *PAGE,
        ],
        responses=page_of(shapes.MarkView),
    )
    def get(self, request: Request) -> Response:
        """List marks in order of time."""
        names = {"since": "at__gte", "until": "at__lte"}
        wanted = {field: self.query[name] for name, field in names.items() if name in self.query}
        if "group_id" in self.query:
            wanted["group_id__in"] = ["", self.query["group_id"]]
        return self.paged(request, Mark.objects.filter(**wanted), ["at", "id"], shapes.MarkView)

    @described(
        operation_id="mark",
        parameters=[DRY_RUN],
        request=shapes.NewMark,
        responses={201: shapes.MarkView, **tried(shapes.MarkView)},
    )
    def post(self, request: Request) -> Response:
        """Mark a time, by default now: a deploy, for instance. The journal has it, too."""
        return self.created(request, shapes.MarkView, lambda: self._mark(request))

    def _mark(self, request: Request) -> Mark:
        body = self.body
        group_id, at = body.get("group_id", ""), body.get("at")
        try:
            return marks.mark(body["text"], actor=actor(request), group_id=group_id, at=at)
        except marks.UnknownGroup as error:
            raise Http404(f"{error}.") from None
        except ValueError as error:
            raise ValidationError({"at": [f"{error}."]}) from None


class OneMark(View):
    """One of them."""

    @described(
        operation_id="withdraw_mark",
        parameters=[DRY_RUN],
        request=None,
        responses=or_tried(shapes.MarkView),
    )
    def delete(self, request: Request, mark_id: int) -> Response:
        """Withdraw a mark, and show it. The journal still has it."""
        return self.withdrawn(shapes.MarkView, found(Mark.objects.all(), "mark", mark_id))
