"""The pipeline's advice, and what people decide about it."""

from http import HTTPStatus
from typing import Final

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import serializers as shapes
from console.api.inputs import described
from console.api.problems import Problem
from console.api.schema import DRY_RUN, NAME, PAGE, all_of, or_tried, page_of, tried
from console.api.views import View, actor, found
from console.operations import advice as decisions
from console.queries import advice, reports
from groups.models import AdviceDecision

PERIOD: Final = OpenApiParameter(
    "period",
    str,
    enum=[*reports.PERIODS],
    description=f"The time before the run; by default {reports.PERIOD}.",
)
MUTED: Final = OpenApiParameter(
    "muted", str, enum=("true", "false"), description="`true`: muted ones, too."
)


class Advice(View):
    """What to change."""

    @described(
        operation_id="list_advice",
        parameters=[PERIOD, OpenApiParameter("group_id", NAME), MUTED],
        responses=all_of(shapes.AdviceCard),
    )
    def get(self, request: Request) -> Response:
        """List the advice of the newest run, the greatest effect first, each with its evidence and
        what was decided about it. Empty where nothing is to be changed, or nothing was analysed."""
        run = reports.newest(advice.REPORT)
        period = self.query.get("period", reports.PERIOD)
        group_id = self.query.get("group_id")
        found = [] if run is None else advice.cards(run, period, group_id)
        if self.query.get("muted") != "true":
            found = [card for card in found if not card.is_muted]
        return Response({"data": shapes.AdviceCard(found, many=True).data})


class Decisions(View):
    """What people have decided about advice."""

    @described(
        operation_id="list_advice_decisions",
        parameters=PAGE,
        responses=page_of(shapes.AdviceDecisionView),
    )
    def get(self, request: Request) -> Response:
        """List decisions about advice that hold."""
        return self.paged(request, advice.in_force(), ["id"], shapes.AdviceDecisionView)

    @described(
        operation_id="decide_advice",
        parameters=[DRY_RUN],
        request=shapes.NewAdviceDecision,
        responses={201: shapes.AdviceDecisionView, **tried(shapes.AdviceDecisionView)},
    )
    def post(self, request: Request) -> Response:
        """Accept or mute an advice of the newest run, with a reason. What is muted is not listed,
        in later runs neither, until its end or until this is withdrawn."""
        return self.created(request, shapes.AdviceDecisionView, lambda: self._decide(request))

    def _decide(self, request: Request) -> AdviceDecision:
        body = self.body
        try:
            return decisions.decide(
                (body["group_id"], body["rule"], body["subject"]),
                body["verdict"],
                reason=body["reason"],
                actor=actor(request),
                until=body.get("until"),
            )
        except ValueError as error:
            raise ValidationError({"until": [f"{error}."]}) from None
        except decisions.NoSuchAdvice as error:
            raise Problem(HTTPStatus.CONFLICT, "no_such_advice", str(error)) from None


class OneDecision(View):
    """One of them."""

    @described(
        operation_id="withdraw_advice_decision",
        parameters=[DRY_RUN],
        request=None,
        responses=or_tried(shapes.AdviceDecisionView),
    )
    def delete(self, request: Request, decision_id: int) -> Response:
        """Withdraw a decision about an advice, and show it: the advice is shown as before."""
        decision = found(AdviceDecision.objects.all(), "decision", decision_id)
        return self.withdrawn(shapes.AdviceDecisionView, decision)
