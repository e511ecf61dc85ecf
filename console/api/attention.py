"""What needs attention, and who has taken note of it."""

from http import HTTPStatus

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import serializers as shapes
from console.api.inputs import described
from console.api.problems import Problem
from console.api.schema import DRY_RUN, PAGE, all_of, or_tried, page_of, tried
from console.api.views import View, actor, found
from console.operations import acknowledgements
from console.queries import attention, overview
from groups.models import Acknowledgement


class Attention(View):
    """What an operator should look at."""

    @described(operation_id="list_attention", responses=all_of(shapes.AttentionLine))
    def get(self, request: Request) -> Response:
        """List everything that needs attention, the most urgent first, as in the Overview, with
        acknowledgements."""
        rows = [line._asdict() for line in attention.fired(overview.look())]
        return Response({"data": shapes.AttentionLine(rows, many=True).data})


class Acknowledgements(View):
    """What somebody has taken note of."""

    @described(
        operation_id="list_acknowledgements",
        parameters=PAGE,
        responses=page_of(shapes.AcknowledgementView),
    )
    def get(self, request: Request) -> Response:
        """List acknowledgements."""
        return self.paged(
            request, Acknowledgement.objects.all(), ["id"], shapes.AcknowledgementView
        )

    @described(
        operation_id="acknowledge",
        parameters=[DRY_RUN],
        request=shapes.NewAcknowledgement,
        responses={201: shapes.AcknowledgementView, **tried(shapes.AcknowledgementView)},
    )
    def post(self, request: Request) -> Response:
        """Acknowledge a rule that fires, with a note; or change an acknowledgement. It ends with
        the situation, or at `until`. Prometheus alerts continue."""
        return self.created(request, shapes.AcknowledgementView, lambda: self._acknowledge(request))

    def _acknowledge(self, request: Request) -> Acknowledgement:
        body = self.body
        try:
            return acknowledgements.acknowledge(
                body["rule"],
                body["subject"],
                note=body["note"],
                actor=actor(request),
                until=body.get("until"),
            )
        except ValueError as error:
            raise ValidationError({"until": [f"{error}."]}) from None
        except acknowledgements.DoesNotFire as error:
            raise Problem(HTTPStatus.CONFLICT, "does_not_fire", str(error)) from None


class OneAcknowledgement(View):
    """One of them."""

    @described(
        operation_id="withdraw_acknowledgement",
        parameters=[DRY_RUN],
        request=None,
        responses=or_tried(shapes.AcknowledgementView),
    )
    def delete(self, request: Request, acknowledgement_id: int) -> Response:
        """Withdraw an acknowledgement, and show it: the rule is shown as before."""
        row = found(Acknowledgement.objects.all(), "acknowledgement", acknowledgement_id)
        return self.withdrawn(shapes.AcknowledgementView, row)
