"""Users of the Kafka port (SASL/SCRAM) in the admin: created, given another password, deleted.
Passwords are never shown, nor can the web read them (``console.operations.kafka_users``)."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminPasswordWidget,
    UnfoldAdminTextInputWidget,
)

from console.admin.base import RollcallAdmin
from console.admin.curl import curl
from console.operations import kafka_users
from console.operations.kafka_users import MECHANISMS, NO_NAME, PASSWORD_CHARS_MAX
from console.plain_text import text_problem
from groups.clients.scram_credentials import ITERATIONS, ITERATIONS_MAX, ITERATIONS_MIN, is_name
from groups.core.authors import user
from groups.models import KafkaUser

EXAMPLE = {"password": "PASSWORD"}
"""A placeholder, to be filled in."""

NAME, PASSWORD = "NAME", "password"


def _secret(label: str, help_text: str = "") -> forms.CharField:
    return forms.CharField(
        label=label,
        strip=False,
        max_length=PASSWORD_CHARS_MAX,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
        help_text=help_text,
    )


class UserForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """A new user, or a new password for one."""

    password = _secret("Password", "Only the SCRAM verifier of the password is stored.")
    again = _secret("Password again")
    for_mechanisms = forms.MultipleChoiceField(
        label="For",
        choices=[(each, each) for each in MECHANISMS],
        initial=MECHANISMS,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="The other mechanisms keep their password.",
    )
    iterations = forms.IntegerField(
        min_value=ITERATIONS_MIN,
        max_value=ITERATIONS_MAX,
        initial=ITERATIONS,
        widget=UnfoldAdminIntegerFieldWidget,
        help_text="Number of hash iterations.",
    )

    class Meta:
        model = KafkaUser
        fields = ("name",)
        widgets = {"name": UnfoldAdminTextInputWidget}

    def clean_name(self) -> str:
        """New, and valid."""
        name: str = self.cleaned_data["name"]
        if not is_name(name) or text_problem(name):
            raise forms.ValidationError(NO_NAME)
        return name

    def clean(self) -> dict[str, Any]:
        """Both passwords."""
        values: dict[str, Any] = super().clean() or {}
        if PASSWORD in values and "again" in values and values[PASSWORD] != values["again"]:
            self.add_error("again", "The passwords differ.")
        if problem := text_problem(values.get(PASSWORD, "")):
            self.add_error(PASSWORD, problem)
        return values


@admin.register(KafkaUser)
class KafkaUserAdmin(RollcallAdmin):
    """The users that nodes accept with a password."""

    list_empty = (
        "There is no user of the Kafka port. Add one if a listener asks clients for a password."
    )
    form = UserForm
    list_display = ("name", "mechanisms_text", "updated_at")
    search_fields = ("name",)
    search_help_text = "Part of the name"
    ordering = ("name",)
    list_before_template = "admin/groups/kafkauser/above.html"
    change_form_after_template = "admin/groups/group/curl.html"

    def get_fields(self, request: HttpRequest, obj: KafkaUser | None = None) -> tuple[str, ...]:
        """An existing user's facts are shown too."""
        inputs = (PASSWORD, "again", "for_mechanisms", "iterations")
        return ("name", *(() if obj is None else ("mechanisms_text", "updated_at")), *inputs)

    def get_readonly_fields(
        self, request: HttpRequest, obj: KafkaUser | None = None
    ) -> tuple[str, ...]:
        """A user's name cannot be changed."""
        return () if obj is None else ("name", "mechanisms_text", "updated_at")

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The form, with the REST command that does the same."""
        name = NAME if object_id is None else unquote(object_id)
        context = {
            **(extra_context or {}),
            "curl": curl(request, "PUT", "users/{}", name, body=EXAMPLE),
        }
        answer: HttpResponse = super().changeform_view(request, object_id, form_url, context)
        return answer

    def save_model(self, request: HttpRequest, obj: KafkaUser, form: Any, change: bool) -> None:
        """Nodes are notified at once; open connections stay open."""
        values = form.cleaned_data
        author = user(request.user.get_username())
        kafka_users.set_password(
            obj.name, values[PASSWORD], values["for_mechanisms"], values["iterations"], author
        )

    def delete_model(self, request: HttpRequest, obj: KafkaUser) -> None:
        """Delete one user; its connections are closed."""
        kafka_users.delete(obj.name, MECHANISMS, user(request.user.get_username()))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[KafkaUser]) -> None:
        """Delete the selected users."""
        for each in queryset:
            self.delete_model(request, each)

    @admin.display(description="Mechanisms")
    def mechanisms_text(self, row: KafkaUser) -> str:
        """The mechanisms with their iterations."""
        return ", ".join(f"{name} ({count})" for name, count in sorted(row.mechanisms.items()))
