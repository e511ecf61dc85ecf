"""Accepting and muting advice, with a reason and, of what is muted, an end: cards of the report
link to this form."""

from typing import Any

from django.contrib import admin, messages
from django.forms import ModelForm, SplitDateTimeField
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from unfold.widgets import UnfoldAdminSplitDateTimeWidget, UnfoldAdminTextareaWidget

from console.admin.advice_cards import IN_URL, VERDICTS
from console.admin.form_fields import LineField, not_past
from console.admin.noted import NotedAdmin
from console.operations import advice
from console.queries.advice import REPORT, Key
from groups.models import AdviceDecision


class ReasonForm(ModelForm):  # type: ignore[type-arg]  # generic in the stubs
    """The reason and, of what is muted, the end."""

    reason = LineField(
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text="What is done about it, or why nothing is; everyone sees this.",
    )
    until = SplitDateTimeField(
        required=False,
        validators=[not_past],
        widget=UnfoldAdminSplitDateTimeWidget,
        help_text="In UTC. Empty: until somebody withdraws it.",
    )

    class Meta:
        model = AdviceDecision
        fields = ("reason", "until")


@admin.register(AdviceDecision)
class AdviceDecisionAdmin(NotedAdmin):
    """Created from a card of the report."""

    saved = "The decision about {} was saved."
    withdrawn = "The decision about {} was withdrawn."
    refusals = (advice.NoSuchAdvice, ValueError)

    list_empty = "Nothing is decided. Accept or mute an advice in the report Advice."
    form = ReasonForm
    list_display = ("rule", "subject", "group_id", "verdict", "reason", "actor", "at", "until")
    list_filter = ("verdict",)
    ordering = ("-at",)
    add_form_template = "admin/groups/advicedecision/add.html"

    def lines(self) -> str:
        """The address of the report."""
        return f"{reverse('admin:groups_reportrun_newest')}?report={REPORT}"

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
            return self.back()
        return self.form_of(
            *(request, form_url, extra_context),
            title=f"{verdict} the advice {request.GET['rule']} about {request.GET['subject']}",
            advice={name: request.GET[name] for name in IN_URL},
            is_muted=verdict == VERDICTS[AdviceDecision.Verdict.MUTED],
        )

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
