"""Webhooks in the admin: endpoints, a secret that is shown once, and deliveries."""

from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.forms import ModelForm, MultipleChoiceField
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from unfold.decorators import display
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from console.admin.base import RollcallAdmin
from console.admin.form_fields import IdField
from console.journal_subjects import Kinds
from console.people import rights
from console.webhooks import endpoints
from console.webhooks.addresses import EndpointRefused
from console.webhooks.events import NAMES, WORDS
from groups.models import Webhook, WebhookDelivery

SECRET = "rollcall_webhook_secret"
"""The attribute of the request that creates an endpoint, from saving to the response."""

READ_ONLY = ("standing", "delivered_at", "failing_since", "deliveries", "created_at")


class WebhookForm(ModelForm):  # type: ignore[type-arg]  # generic in the stubs
    """An endpoint."""

    events = MultipleChoiceField(
        choices=[
            (title, [(name, WORDS[name]) for name in NAMES if name.startswith(begin)])
            for title, begin in (("Rules", "attention."), ("The journal", "journal."))
        ],
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="None selected: everything. Rules send an event when they begin to fire and when"
        " they end.",
    )

    kinds: Kinds
    """Of the entries that the user may read."""

    class Meta:
        model = Webhook
        fields = ("name", "url", "events", "group_prefix", "enabled")
        field_classes = {"group_prefix": IdField}

    def clean(self) -> dict[str, Any]:
        """Not more than the maximum, and none to which nothing could be sent."""
        if self.instance.pk is None and not endpoints.has_room():
            raise ValidationError("The maximum number of endpoints is reached (webhooks.max).")
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        try:
            endpoints.check_events(cleaned.get("events", ()), self.kinds)
        except EndpointRefused as refusal:
            self.add_error("events", str(refusal))
        try:
            if url := cleaned.get("url"):
                endpoints.check_url(url, is_enabled=cleaned["enabled"])
        except EndpointRefused as refusal:
            self.add_error("url", str(refusal))
        return cleaned


@admin.register(Webhook)
class WebhookAdmin(RollcallAdmin):
    """Endpoints. The secret is only in the response that created it."""

    list_empty = "No program is told of events. Add an endpoint to send them to a pager or a chat."
    form = WebhookForm
    list_display = ("name", "leads_to", "standing", "delivered_at")
    search_fields = ("name", "url")
    ordering = ("name",)
    actions = ("send_test", "new_secret")

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        """The form for this user."""
        form_class = super().get_form(request, obj, change, **kwargs)
        return type("Own", (form_class,), {"kinds": rights.kinds(request.user)})

    def get_fields(self, request: HttpRequest, obj: Webhook | None = None) -> tuple[str, ...]:
        """The input fields; below them its state."""
        own = ("name", "url", "events", "group_prefix", "enabled")
        return own if obj is None else (*own, *READ_ONLY)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Its state is read-only."""
        return () if obj is None else READ_ONLY

    def save_model(self, request: HttpRequest, obj: Webhook, form: Any, change: bool) -> None:
        """Write it; keep a new one's secret for the response to this request."""
        if change:
            endpoints.change(obj, {name: form.cleaned_data[name] for name in form.changed_data})
            return
        fields = ("name", "url", "events", "group_prefix", "enabled")
        webhook, secret = endpoints.create({name: getattr(obj, name) for name in fields})
        obj.pk = webhook.pk
        setattr(request, SECRET, secret)

    def response_add(
        self, request: HttpRequest, obj: Webhook, post_url_continue: str | None = None
    ) -> HttpResponse:
        """The page with the secret."""
        return self._issued(request, [(obj, getattr(request, SECRET))])

    def _issued(self, request: HttpRequest, issued: list[tuple[Webhook, str]]) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": "Secret made",
            "opts": self.opts,
            "issued": issued,
        }
        return TemplateResponse(request, "admin/groups/webhook/issued.html", context)

    @admin.action(description="Send a test event")
    def send_test(self, request: HttpRequest, chosen: QuerySet[Webhook]) -> None:
        """Send a test event."""
        for webhook in chosen:
            endpoints.test(webhook, request.user.get_username())
        messages.success(request, "The test events are queued; see Deliveries.")

    @admin.action(description="Create a new secret")
    def new_secret(self, request: HttpRequest, chosen: QuerySet[Webhook]) -> HttpResponse:
        """The previous secret signs too, for a day."""
        return self._issued(request, [(each, endpoints.new_key(each)) for each in chosen])

    @display(  # type: ignore[untyped-decorator]
        description="State", label={"works": "success", "fails": "warning", "disabled": "danger"}
    )
    def standing(self, webhook: Webhook) -> Any:
        """Its state in a word, and the reason."""
        if not webhook.enabled:
            return "disabled", webhook.disabled_because or "disabled"
        if webhook.failing_since:
            return "fails", f"fails ({webhook.failures} in a row)"
        return ("works", "works") if webhook.delivered_at else ("new", "nothing sent yet")

    @admin.display(description="Leads to")
    def leads_to(self, webhook: Webhook) -> str:
        """The host: paths are long, and may be secrets."""
        return urlsplit(webhook.url).netloc

    @admin.display(description="Deliveries")
    def deliveries(self, webhook: Webhook) -> str:
        """A link to its deliveries."""
        where = reverse("admin:groups_webhookdelivery_changelist")
        return format_html('<a href="{}?webhook__id__exact={}">Deliveries</a>', where, webhook.pk)


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(RollcallAdmin):
    """Events that were sent, or wait."""

    list_empty = "Nothing was sent. Select an endpoint under Webhooks and send a test event."
    list_display = (
        *("type", "webhook", "state_text", "attempts", "status", "created_at", "next_attempt"),
    )
    list_select_related = ("webhook",)
    list_filter = ("state", "webhook")
    ordering = ("-id",)
    actions = ("deliver_again",)
    fields = (
        *("type", "webhook", "message", "state_text", "attempts", "status", "error", "answer"),
        *("took_ms", "created_at", "next_attempt", "finished_at", "body"),
    )
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[WebhookDelivery]:
        """Of events that the user may read."""
        kinds = rights.kinds(request.user)
        found: QuerySet[WebhookDelivery] = super().get_queryset(request)
        return found if kinds.names is None else found & endpoints.deliveries(kinds)

    @admin.action(description="Deliver again")
    def deliver_again(self, request: HttpRequest, chosen: QuerySet[WebhookDelivery]) -> None:
        """At once, with the same ids."""
        for delivery in chosen:
            endpoints.redeliver(delivery)
        messages.success(request, "They are queued again.")

    @admin.display(description="Next attempt", ordering="next_at")
    def next_attempt(self, delivery: WebhookDelivery) -> datetime | None:
        """The next attempt of a waiting one."""
        return delivery.next_at if delivery.state == WebhookDelivery.State.PENDING else None

    @admin.display(description="webhook-id")
    def message(self, delivery: WebhookDelivery) -> str:
        """The id that the receiver gets."""
        return f"msg_{delivery.message_id.hex}"

    @display(  # type: ignore[untyped-decorator]
        description="State",
        ordering="state",
        label={"delivered": "success", "pending": "info", "failed": "danger"},
    )
    def state_text(self, delivery: WebhookDelivery) -> str:
        """The result."""
        return str(delivery.state)
