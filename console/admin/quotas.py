"""Client quotas of the Kafka port in the admin: set and removed, by the functions of
``console.operations.quota_changes``, as in REST."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from unfold.widgets import (
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from console.admin.base import RollcallAdmin
from console.admin.curl import curl
from console.operations import quota_changes
from groups.core.authors import user
from groups.core.errors import Refuse
from groups.core.quotas.entities import (
    ADDRESS_KEYS,
    CLIENT_ID,
    CLIENT_KEYS,
    IP,
    USER,
    Entity,
    entity,
)
from groups.models import QuotaEntity

NAMED, EVERY, NONE = "named", "every", "none"

PARTS: Final[Mapping[str, tuple[str, str]]] = {
    USER: ("user", "user"),
    CLIENT_ID: ("client_id", "client id"),
    IP: ("ip", "address"),
}
"""By type: the name of the field, and its label."""

KEYS: Final = (*sorted(CLIENT_KEYS), *sorted(ADDRESS_KEYS))

MEANINGS: Final[Mapping[str, str]] = {
    "producer_byte_rate": "Bytes of requests per second; of users and client ids.",
    "consumer_byte_rate": "Bytes of responses per second; of users and client ids.",
    "request_percentage": "Time of a node, 100 is one processor; of users and client ids.",
    "controller_mutation_rate": "Partitions created or deleted per second; of users and client"
    " ids.",
    "connection_creation_rate": "Connections per second; of addresses.",
}

EXAMPLE: Final = {"entity": {"user": "NAME"}, "quotas": {"request_percentage": 20}}
"""A placeholder, to be filled in."""


def _which(what: str) -> forms.ChoiceField:
    every = f"Every {what} without a quota of its own"
    choices = ((NONE, "None"), (NAMED, f"The {what} named here"), (EVERY, every))
    return forms.ChoiceField(
        label=what.capitalize(), choices=choices, initial=NONE, widget=UnfoldAdminSelectWidget
    )


def _name(what: str) -> forms.CharField:
    return forms.CharField(
        label=f"Name of the {what}" if what != "address" else "The address",
        required=False,
        strip=False,
        widget=UnfoldAdminTextInputWidget,
    )


def _value(key: str) -> forms.FloatField:
    return forms.FloatField(
        label=key,
        required=False,
        show_hidden_initial=True,  # values that others set while the form is open are kept
        widget=UnfoldAdminDecimalFieldWidget,
        help_text=f"{MEANINGS[key]} Empty: no quota.",
    )


class QuotaForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """An entity and its quotas; the rules of ``groups.core.quotas`` validate them."""

    user_kind, user = _which("user"), _name("user")
    client_id_kind, client_id = _which("client id"), _name("client id")
    ip_kind, ip = _which("address"), _name("address")

    producer_byte_rate = _value("producer_byte_rate")
    consumer_byte_rate = _value("consumer_byte_rate")
    request_percentage = _value("request_percentage")
    controller_mutation_rate = _value("controller_mutation_rate")
    connection_creation_rate = _value("connection_creation_rate")

    class Meta:
        model = QuotaEntity
        fields = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance.pk:
            return
        for name, _ in PARTS.values():  # an entity cannot be changed
            for field in (name, f"{name}_kind"):
                self.fields.pop(field, None)
        items = self.instance.quotas.items()
        self.initial.update({key: value for key, value in items if not isinstance(value, str)})

    def clean(self) -> dict[str, Any]:
        """Refuse what the Kafka port would refuse."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors and (self.changes or not self.instance.pk):
            try:
                quota_changes.check(self.entity, self.changes)
            except Refuse as refusal:
                raise forms.ValidationError(refusal.detail or refusal.code.name) from None
        return values

    @property
    def entity(self) -> Entity:
        """The entity; an existing one is not changed."""
        if self.instance.pk:
            return quota_changes.entity_of(self.instance)
        values = self.cleaned_data
        kinds = {kind: values[f"{name}_kind"] for kind, (name, _) in PARTS.items()}
        return entity(
            {
                kind: values[PARTS[kind][0]] if how == NAMED else None
                for kind, how in kinds.items()
                if how != NONE
            }
        )

    @property
    def changes(self) -> dict[str, float | None]:
        """The quotas that differ from the form's initial values."""
        current = self.instance.quotas if self.instance.pk else {}
        values = {key: self.cleaned_data.get(key) for key in KEYS if key in self.changed_data}
        return {key: value for key, value in values.items() if value is not None or key in current}


@admin.register(QuotaEntity)
class QuotaEntityAdmin(RollcallAdmin):
    """How much of a node clients may use."""

    list_empty = (
        "No client has a quota of its own. Add one to slow down a user, a client id or an address."
    )
    form = QuotaForm
    list_display = ("entity", "quotas_text", "updated_at")
    list_display_links = ("entity",)
    list_filter = ("entity_type",)
    search_fields = ("user_name", "client_id", "ip")
    search_help_text = "Part of a user, a client id or an address"
    ordering = ("entity_type", "user_name", "client_id", "ip")
    list_before_template = "admin/groups/quotaentity/above.html"
    change_form_after_template = "admin/groups/group/curl.html"

    def get_fields(self, request: HttpRequest, obj: QuotaEntity | None = None) -> tuple[str, ...]:
        """The entity is selected only once."""
        if obj is not None:
            return ("entity", *KEYS, "updated_at")
        names = [name for name, _ in PARTS.values()]
        return (*(field for name in names for field in (f"{name}_kind", name)), *KEYS)

    def get_readonly_fields(
        self, request: HttpRequest, obj: QuotaEntity | None = None
    ) -> tuple[str, ...]:
        """An entity cannot be changed."""
        return () if obj is None else ("entity", "updated_at")

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The form, with the REST command that does the same."""
        row: QuotaEntity | None = None if object_id is None else self.get_object(request, object_id)
        context = {
            **(extra_context or {}),
            "curl": curl(request, "PUT", "quotas", body=EXAMPLE if row is None else _body(row)),
        }
        answer: HttpResponse = super().changeform_view(request, object_id, form_url, context)
        return answer

    def save_model(self, request: HttpRequest, obj: QuotaEntity, form: Any, change: bool) -> None:
        """Nodes are notified at once."""
        target = form.entity
        if form.changes:
            quota_changes.alter(target, form.changes, user(request.user.get_username()))
        row = quota_changes.existing(target)
        if row is not None:
            obj.pk, obj.entity_type = row.pk, row.entity_type
            obj.user_name, obj.client_id, obj.ip = row.user_name, row.client_id, row.ip

    def delete_model(self, request: HttpRequest, obj: QuotaEntity) -> None:
        """Remove all quotas of one entity."""
        gone: dict[str, float | None] = dict.fromkeys(obj.quotas)
        quota_changes.alter(quota_changes.entity_of(obj), gone, user(request.user.get_username()))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[QuotaEntity]) -> None:
        """Remove the quotas of the selected entities."""
        for each in queryset:
            self.delete_model(request, each)

    @admin.display(description="Of", ordering="entity_type")
    def entity(self, row: QuotaEntity) -> str:
        """Whose they are."""
        return str(row)

    @admin.display(description="Quotas")
    def quotas_text(self, row: QuotaEntity) -> str:
        """Each quota with its value."""
        return ", ".join(f"{key} {_figure(value)}" for key, value in sorted(row.quotas.items()))


def _figure(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:,.12g}"


def _body(row: QuotaEntity) -> Mapping[str, Any]:
    parts = {PARTS[kind][0]: name for kind, name in quota_changes.entity_of(row)}
    quotas = {key: value for key, value in row.quotas.items() if not isinstance(value, str)}
    return {"entity": parts, "quotas": quotas}
