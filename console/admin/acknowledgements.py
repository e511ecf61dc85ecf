"""Acknowledging what needs attention, with a note and an optional end.

Lines of the Overview, and of a group's page, link to this form; the rule and its subject are in the
URL, since an id may contain characters that no form field can hold.
"""

from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.forms import CharField, ModelForm, SplitDateTimeField
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from unfold.widgets import UnfoldAdminSplitDateTimeWidget, UnfoldAdminTextareaWidget

from console.admin.base import RollcallAdmin
from console.operations import acknowledgements
from console.queries.attention import RULES
from groups.core.plain_text import REASON_CHARS_MAX, one_line, text_problem
from groups.models import Acknowledgement


class NoteForm(ModelForm):  # type: ignore[type-arg]  # generic in the stubs
    """The note and its end."""

    note = CharField(
        max_length=REASON_CHARS_MAX,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text="What is being done about it; everyone sees this.",
    )
    until = SplitDateTimeField(
        required=False,
        widget=UnfoldAdminSplitDateTimeWidget,
        help_text="In UTC. Empty: until the situation ends.",
    )

    class Meta:
        model = Acknowledgement
        fields = ("note", "until")

    def clean_note(self) -> str:
        """One line of displayable characters."""
        note = one_line(self.cleaned_data["note"])
        problem = text_problem(note)
        if problem is not None:
            raise ValidationError(problem)
        return note

    def clean_until(self) -> datetime | None:
        """Not in the past."""
        until: datetime | None = self.cleaned_data["until"]
        if until is not None and until <= timezone.now():
            raise ValidationError("That time has passed.")
        return until


@admin.register(Acknowledgement)
class AcknowledgementAdmin(RollcallAdmin):
    """Created from a line that needs attention, and withdrawn by deletion."""

    list_empty = (
        "Nothing is acknowledged. Acknowledge a line of the Overview that somebody is dealing with."
    )
    form = NoteForm
    list_display = ("rule", "subject", "note", "actor", "at", "until")
    ordering = ("-at",)
    add_form_template = "admin/groups/acknowledgement/add.html"

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
            return HttpResponseRedirect(reverse("admin:index"))
        subject = request.GET.get("subject", "")
        context = {
            "title": f"Acknowledge {rule.name}" + (f" of {subject}" if subject else ""),
            "rule": rule.name,
            "subject": subject,
            "meaning": rule.meaning,
            "show_save_and_add_another": False,
            "show_save_and_continue": False,
            **(extra_context or {}),
        }
        try:
            answer: HttpResponse = super().add_view(request, form_url, context)
        except (acknowledgements.DoesNotFire, ValueError) as error:
            messages.error(request, f"Nothing was saved: {error}")
            return HttpResponseRedirect(reverse("admin:index"))
        return answer

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

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Return to what needs attention."""
        messages.success(request, f"{obj} was acknowledged.")
        return HttpResponseRedirect(reverse("admin:index"))

    def response_delete(self, request: HttpRequest, obj_display: str, obj_id: int) -> HttpResponse:
        """Return to what needs attention."""
        messages.success(request, f"The acknowledgement of {obj_display} was withdrawn.")
        return HttpResponseRedirect(reverse("admin:index"))
