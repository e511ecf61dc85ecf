"""Acknowledging what needs attention, with a note and an optional end: lines of the Overview and of
a group's page link to this form."""

from typing import Any

from django.contrib import admin, messages
from django.forms import ModelForm, SplitDateTimeField
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from unfold.widgets import UnfoldAdminSplitDateTimeWidget, UnfoldAdminTextareaWidget

from console.admin.form_fields import LineField, not_past
from console.admin.noted import NotedAdmin
from console.operations import acknowledgements
from console.queries.attention_table import RULES
from groups.models import Acknowledgement


class NoteForm(ModelForm):  # type: ignore[type-arg]  # generic in the stubs
    """The note and its end."""

    note = LineField(
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text="What is being done about it; everyone sees this.",
    )
    until = SplitDateTimeField(
        required=False,
        validators=[not_past],
        widget=UnfoldAdminSplitDateTimeWidget,
        help_text="In UTC. Empty: until the situation ends.",
    )

    class Meta:
        model = Acknowledgement
        fields = ("note", "until")


@admin.register(Acknowledgement)
class AcknowledgementAdmin(NotedAdmin):
    """Created from a line that needs attention."""

    saved = "{} was acknowledged."
    withdrawn = "The acknowledgement of {} was withdrawn."
    refusals = (acknowledgements.DoesNotFire, ValueError)

    list_empty = (
        "Nothing is acknowledged. Acknowledge a line of the Overview that somebody is dealing with."
    )
    form = NoteForm
    list_display = ("rule", "subject", "note", "actor", "at", "until")
    ordering = ("-at",)
    add_form_template = "admin/groups/acknowledgement/add.html"

    def lines(self) -> str:
        """The address of the Overview."""
        return reverse("admin:index")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """The input fields; the others are read-only."""
        inputs = ("note", "until")
        return inputs if obj is None else ("rule", "subject", *inputs, "actor", "at")

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The form for the rule and subject of the URL."""
        rule = next((one for one in RULES if one.name == request.GET.get("rule")), None)
        if rule is None:
            messages.warning(request, "Select what to acknowledge on this page.")
            return self.back()
        subject = request.GET.get("subject", "")
        return self.form_of(
            *(request, form_url, extra_context),
            title=f"Acknowledge {rule.name}" + (f" of {subject}" if subject else ""),
            rule=rule.name,
            subject=subject,
            meaning=rule.meaning,
        )

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save it as REST does."""
        acknowledgement = acknowledgements.acknowledge(
            request.GET["rule"],
            request.GET.get("subject", ""),
            note=obj.note,
            actor=request.user.get_username(),
            until=obj.until,
        )
        obj.pk, obj.rule, obj.subject = (
            acknowledgement.pk,
            acknowledgement.rule,
            acknowledgement.subject,
        )
