"""Webhooks over REST: endpoints, their secrets, and what was sent to them."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers as s
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.fields import Id, Line, WebhookUrl
from console.api.inputs import described
from console.api.permissions import may_read, readable_kinds
from console.api.problems import Problem
from console.api.schema import DRY_RUN, PAGE, or_tried, page_of, tried
from console.api.views import View, actor
from console.webhooks import endpoints
from console.webhooks.addresses import EndpointRefused, NotAllowed
from console.webhooks.events import NAMES
from groups.models import Webhook, WebhookDelivery

ID_MAX: Final = 2**63 - 1

VIEW_DELIVERY: Final = "groups.view_webhookdelivery"


class WebhookView(s.ModelSerializer[Webhook]):
    """An endpoint; its secret is returned only when it is created."""

    events = s.ListField(child=s.CharField(), help_text="Empty: everything.")

    class Meta:
        model = Webhook
        fields = (
            "id",
            "name",
            "url",
            "events",
            "group_prefix",
            "enabled",
            "disabled_because",
            "created_at",
            "failures",
            "failing_since",
            "not_before",
            "delivered_at",
        )


class ChangedWebhook(s.Serializer[Any]):
    """The fields of an endpoint to change."""

    name = Line(max_length=100, required=False)
    url = WebhookUrl(max_length=2_000, required=False)
    events = s.ListField(
        child=s.ChoiceField(choices=NAMES), required=False, help_text="Empty: everything."
    )
    group_prefix = Id(
        max_length=255,
        required=False,
        allow_blank=True,
        trim_whitespace=False,
        help_text="Only events of groups whose id has this prefix.",
    )
    enabled = s.BooleanField(required=False)


class NewWebhook(ChangedWebhook):
    """An endpoint to create."""

    name = Line(max_length=100)
    url = WebhookUrl(max_length=2_000)


class IssuedSecret(s.Serializer[Any]):
    """A secret: shown this once."""

    secret = s.CharField(help_text="whsec_...")


class MadeWebhook(IssuedSecret):
    """A new endpoint, and its secret."""

    webhook = WebhookView()


class DeliveryView(s.ModelSerializer[WebhookDelivery]):
    """An event for an endpoint, and what became of it."""

    message_id = s.SerializerMethodField()
    status = s.IntegerField(allow_null=True, help_text="Of the last response.")

    class Meta:
        model = WebhookDelivery
        fields = (
            "id",
            "message_id",
            "type",
            "state",
            "attempts",
            "created_at",
            "next_at",
            "finished_at",
            "status",
            "error",
            "answer",
            "took_ms",
            "body",
        )

    def get_message_id(self, delivery: WebhookDelivery) -> str:
        """The `webhook-id` that receivers get."""
        return f"msg_{delivery.message_id.hex}"


def existing(webhook_id: int) -> Webhook:
    """The endpoint, or 404."""
    webhook = Webhook.objects.filter(pk=webhook_id).first() if webhook_id <= ID_MAX else None
    if webhook is None:
        raise Http404(f"There is no webhook {webhook_id}.")
    return webhook


def refused(refusal: EndpointRefused) -> Problem:
    """The error for an invalid endpoint, or one that conflicts with others."""
    if isinstance(refusal, endpoints.Conflict):
        return Problem(HTTPStatus.CONFLICT, "conflict", str(refusal))
    if isinstance(refusal, NotAllowed):
        errors = [{"pointer": "#/url", "detail": str(refusal)}]
        detail = "Nothing could be sent to this URL."
        return Problem(HTTPStatus.BAD_REQUEST, "address_not_allowed", detail, errors=errors)
    return Problem(HTTPStatus.BAD_REQUEST, "invalid", str(refusal))


class Webhooks(View):
    """The endpoints."""

    @described(operation_id="list_webhooks", parameters=PAGE, responses=page_of(WebhookView))
    def get(self, request: Request) -> Response:
        """List endpoints by name."""
        return self.paged(request, Webhook.objects.all(), ["name"], WebhookView)

    @described(
        operation_id="create_webhook",
        parameters=[DRY_RUN],
        request=NewWebhook,
        responses={201: MadeWebhook, **tried(WebhookView)},
    )
    def post(self, request: Request) -> Response:
        """Create an endpoint. The response has its secret, which is not shown again."""
        _check_events(self.body.get("events", ()), request)
        if self.is_dry:
            return self.tried(lambda: WebhookView(_created(self.body)[0]).data)
        webhook, secret = _created(self.body)
        body = {"webhook": WebhookView(webhook).data, "secret": secret}
        where = {"Location": f"{request.path}/{webhook.pk}"}
        return Response(body, status=HTTPStatus.CREATED, headers=where)


def _check_events(names: Sequence[str], request: Request) -> None:
    """Raise 403 if the endpoint would be sent entries that the user may not read."""
    try:
        endpoints.check_events(names, readable_kinds(request))
    except EndpointRefused as refusal:
        raise PermissionDenied(str(refusal)) from None


def _created(body: Any) -> tuple[Webhook, str]:
    try:
        return endpoints.create(body)
    except EndpointRefused as refusal:
        raise refused(refusal) from None


class OneWebhook(View):
    """One endpoint."""

    @described(operation_id="get_webhook", responses=WebhookView)
    def get(self, request: Request, webhook_id: int) -> Response:
        """Show an endpoint."""
        return Response(WebhookView(existing(webhook_id)).data)

    @described(
        operation_id="change_webhook",
        parameters=[DRY_RUN],
        request=ChangedWebhook,
        responses=or_tried(WebhookView),
    )
    def patch(self, request: Request, webhook_id: int) -> Response:
        """Change an endpoint. One that was disabled and is enabled begins with what waits."""
        webhook = existing(webhook_id)
        _check_events(self.body.get("events", webhook.events), request)
        if self.is_dry:
            return self.tried(lambda: self._changed(webhook))
        return Response(self._changed(webhook))

    def _changed(self, webhook: Webhook) -> Any:
        try:
            return WebhookView(endpoints.change(webhook, self.body)).data
        except EndpointRefused as refusal:
            raise refused(refusal) from None

    @described(
        operation_id="delete_webhook",
        parameters=[DRY_RUN],
        responses={204: None, **tried(WebhookView)},
    )
    def delete(self, request: Request, webhook_id: int) -> Response:
        """Delete an endpoint, with its pending deliveries."""
        webhook = existing(webhook_id)
        if self.is_dry:
            return self.tried(lambda: WebhookView(webhook).data)
        webhook.delete()
        return Response(status=HTTPStatus.NO_CONTENT)


class Secrets(View):
    """What signs for an endpoint."""

    @described(
        operation_id="rotate_webhook_secret",
        parameters=[DRY_RUN],
        request=None,
        responses={201: IssuedSecret, **tried(WebhookView)},
    )
    def post(self, request: Request, webhook_id: int) -> Response:
        """Create a new secret. Events are signed with both for a day; then with it alone."""
        webhook = existing(webhook_id)
        if self.is_dry:
            return self.tried(lambda: WebhookView(webhook).data)
        secret = endpoints.new_key(webhook)
        return Response({"secret": secret}, status=HTTPStatus.CREATED)


class Tests(View):
    """Events that mean nothing."""

    @described(
        operation_id="test_webhook",
        parameters=[DRY_RUN],
        request=None,
        responses={202: DeliveryView, **tried(DeliveryView)},
    )
    def post(self, request: Request, webhook_id: int) -> Response:
        """Send an event of type `webhook.test`, whatever the endpoint asks for."""
        webhook, who = existing(webhook_id), actor(request)
        if self.is_dry:
            return self.tried(lambda: DeliveryView(endpoints.test(webhook, who)).data)
        delivery = endpoints.test(webhook, who)
        return Response(_shown(request, delivery), status=HTTPStatus.ACCEPTED)


class Deliveries(View):
    """What was sent to an endpoint, or waits."""

    @described(
        operation_id="list_webhook_deliveries",
        parameters=[
            OpenApiParameter("state", str, enum=WebhookDelivery.State.values),
            OpenApiParameter("webhook_id", OpenApiTypes.INT, OpenApiParameter.PATH),
            *PAGE,
        ],
        responses=page_of(DeliveryView),
    )
    def get(self, request: Request, webhook_id: int) -> Response:
        """List deliveries, newest first."""
        rows = endpoints.deliveries(readable_kinds(request)).filter(webhook=existing(webhook_id))
        if "state" in self.query:
            rows = rows.filter(state=self.query["state"])
        return self.paged(request, rows, ["-id"], DeliveryView)


class Redeliveries(View):
    """Sending once more."""

    @described(
        operation_id="redeliver_webhook",
        parameters=[DRY_RUN],
        request=None,
        responses={202: DeliveryView, **tried(DeliveryView)},
    )
    def post(self, request: Request, webhook_id: int, delivery_id: int) -> Response:
        """Send an event again, with the `webhook-id` that it has."""
        rows = endpoints.deliveries(readable_kinds(request)).filter(webhook=existing(webhook_id))
        delivery = rows.filter(pk=delivery_id).first() if delivery_id <= ID_MAX else None
        if delivery is None:
            raise Http404(f"There is no delivery {delivery_id} to this endpoint.")
        if self.is_dry:
            return self.tried(lambda: _again(delivery))
        endpoints.redeliver(delivery)
        return Response(_shown(request, delivery), status=HTTPStatus.ACCEPTED)


def _shown(request: Request, delivery: WebhookDelivery) -> Any:
    """The delivery; its event, and what was answered, for callers who may read deliveries."""
    data = DeliveryView(delivery).data
    hidden = () if may_read(request, VIEW_DELIVERY) else ("body", "answer", "error")
    return {**data, **dict.fromkeys(hidden, "")}


def _again(delivery: WebhookDelivery) -> Any:
    endpoints.redeliver(delivery)
    return DeliveryView(delivery).data
