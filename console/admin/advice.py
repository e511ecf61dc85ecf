"""Accepting and muting advice, with a reason and, of what is muted, an end.

Cards of the report link to this form; the advice is in the URL, since an id may contain characters
that no form field can hold.
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

from console.admin.advice_cards import IN_URL, VERDICTS
from console.admin.base import RollcallAdmin
from console.operations import advice
from console.queries.advice import REPORT, Key
from groups.core.plain_text import REASON_CHARS_MAX, one_line, text_problem
from groups.models import AdviceDecision


class ReasonForm(ModelForm):  # type: ignore[type-arg]  # generic in the stubs
    """The reason and, of what is muted, the end."""

    reason = CharField(
        max_length=REASON_CHARS_MAX,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text="What is done about it, or why nothing is; everyone sees this.",
    )
    until = SplitDateTimeField(
        required=False,
        widget=UnfoldAdminSplitDateTimeWidget,
        help_text="In UTC. Empty: until somebody withdraws it.",
    )

    class Meta:
        model = AdviceDecision
        fields = ("reason", "until")

    def clean_reason(self) -> str:
        """One line of displayable characters."""
        reason = one_line(self.cleaned_data["reason"])
        problem = text_problem(reason)
        if problem is not None:
            raise ValidationError(problem)
        return reason

    def clean_until(self) -> datetime | None:
        """Not in the past."""
        until: datetime | None = self.cleaned_data["until"]
        if until is not None and until <= timezone.now():
            raise ValidationError("That time has passed.")
        return until


@admin.register(AdviceDecision)
class AdviceDecisionAdmin(RollcallAdmin):
    """Created from a card of the report, and withdrawn by deletion."""

    list_empty = "Nothing is decided. Accept or mute an advice in the report Advice."
    form = ReasonForm
    list_display = ("rule", "subject", "group_id", "verdict", "reason", "actor", "at", "until")
    list_filter = ("verdict",)
    ordering = ("-at",)
    add_form_template = "admin/groups/advicedecision/add.html"

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """The input fields; the others are read-only."""
        if obj is not None:
            return (*IN_URL, "verdict", "reason", "until", "actor", "at")
        is_muted = request.GET.get("verdict") == AdviceDecision.Verdict.MUTED
        return ("reason", "until") if is_muted else ("reason",)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The form for the advice of the URL."""
        verdict = VERDICTS.get(request.GET.get("verdict", ""))
        if verdict is None or any(name not in request.GET for name in IN_URL):
            messages.warning(request, "Select the advice on this page.")
            return _to_report()
        context = {
            "title": f"{verdict} the advice {request.GET['rule']} about {request.GET['subject']}",
            "advice": {name: request.GET[name] for name in IN_URL},
            "is_muted": verdict == VERDICTS[AdviceDecision.Verdict.MUTED],
            "show_save_and_add_another": False,
            "show_save_and_continue": False,
            **(extra_context or {}),
        }
        try:
            answer: HttpResponse = super().add_view(request, form_url, context)
        except (advice.NoSuchAdvice, ValueError) as error:
            messages.error(request, f"Nothing was saved: {error}")
            return _to_report()
        return answer

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save it as REST does."""
        key: Key = (request.GET["group_id"], request.GET["rule"], request.GET["subject"])
        decision = advice.decide(
            key,
            request.GET["verdict"],
            reason=obj.reason,
            actor=request.user.get_username(),
            until=obj.until,
        )
        for name in ("pk", *IN_URL):
            setattr(obj, name, getattr(decision, name))

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Return to the advice."""
        messages.success(request, f"The decision about {obj} was saved.")
        return _to_report()

    def response_delete(self, request: HttpRequest, obj_display: str, obj_id: int) -> HttpResponse:
        """Return to the advice."""
        messages.success(request, f"The decision about {obj_display} was withdrawn.")
        return _to_report()


def _to_report() -> HttpResponse:
    address = reverse("admin:groups_reportrun_newest")
    return HttpResponseRedirect(f"{address}?report={REPORT}")
