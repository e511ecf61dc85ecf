"""What would happen to a group, as the tab *What if* of its page says it."""

from http import HTTPStatus
from typing import Final

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import serializers as shapes
from console.api.inputs import described
from console.api.problems import Problem
from console.api.schema import GROUP_ID, ID, NAME
from console.api.views import View, existing
from console.foresight.foresight import NO_CHANGE
from console.queries import foresight, foresight_text, questions
from console.queries.questions import Question

SIZE_MAX: Final = 999_999
NUMBER: Final = {"type": "integer", "minimum": -SIZE_MAX, "maximum": SIZE_MAX}
ADDED: Final = {"type": "integer", "minimum": 1, "maximum": SIZE_MAX}
TIMEOUT: Final = {"type": "integer", "minimum": 1, "maximum": 86_400_000}

QUESTIONS: Final = [
    OpenApiParameter("host", NAME, description="This host dies: the address of its members."),
    OpenApiParameter("gone", ID, description="The member with this id dies."),
    OpenApiParameter("more", NUMBER, description="So many members more; negative: fewer."),
    OpenApiParameter("partitions", ADDED, description="The topic `grown` has so many more."),
    OpenApiParameter("grown", NAME, description="A topic of the group."),
    OpenApiParameter("assignor", NAME, description="Another assignor."),
    OpenApiParameter("at_once", ADDED, description="A deploy restarts so many at a time."),
    OpenApiParameter("static", str, enum=["true"], description="In it, with static ids."),
    OpenApiParameter(
        "session_timeout_ms",
        TIMEOUT,
        description="Session timeouts of so long; without a `host` or `gone`, of the member with"
        " the most partitions, which dies.",
    ),
    OpenApiParameter("protocol", NAME, description="Members speak it: `classic`, `consumer`."),
]

FORCED: Final = Question("If a rebalance is forced", NO_CHANGE)


class GroupForesight(View):
    """What would happen to a group."""

    @described(
        operation_id="get_foresight",
        parameters=[GROUP_ID, *QUESTIONS],
        responses=shapes.ForesightView,
    )
    def get(self, request: Request, group_id: str) -> Response:
        """Say what would become of a group, computed by the coordinator's own rules, without a
        change: the first question of the query counts, a session timeout and a protocol besides it;
        without one a rebalance is forced."""
        group = existing(group_id)
        try:
            scene = foresight.scene_of(group)
            asked = questions.question(scene, self.query) or FORCED
            found = foresight.answer(scene, asked.change)
        except foresight.Unanswerable as error:
            raise Problem(HTTPStatus.CONFLICT, "unanswerable", f"Not known: {error}.") from None
        except ValueError as error:  # the question makes no sense in this group
            detail = f"This cannot be answered: {error}."
            raise Problem(HTTPStatus.CONFLICT, "unanswerable", detail) from None
        values = {
            "group_id": group_id,
            "question": asked.title,
            "text": foresight_text.answer(found),
            "found": found,
        }
        return Response(shapes.ForesightView(values).data)
