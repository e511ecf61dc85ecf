"""Thresholds of what needs attention for some groups alone, and silences: made and withdrawn.

A group's tab *Configuration* leads here, with what it is about in the URL.
"""

from typing import Any

from django.contrib import admin
from django.forms import CharField, ChoiceField, ModelForm, SplitDateTimeField
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminSplitDateTimeWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from console.admin.form_fields import LineField
from console.admin.noted import NotedAdmin
from console.operations import attention_rules
from console.queries.attention_rules import in_words
from console.queries.attention_table import OF_GROUPS
from groups.models import AttentionRule

OWN = ("rule", "name", "is_prefix", "threshold", "until", "reason")


class RuleForm(ModelForm):  # type: ignore[type-arg]  # generic in the stubs
    """What applies to whom, and why."""

    rule = ChoiceField(
        choices=[(rule.name, f"{rule.name}: {rule.meaning}") for rule in OF_GROUPS],
        widget=UnfoldAdminSelectWidget,
    )
    name = CharField(
        required=False,
        strip=False,
        label="Group",
        widget=UnfoldAdminTextInputWidget,
        help_text="Its id, or the beginning of ids; empty, with all that begin so: every group.",
    )
    until = SplitDateTimeField(
        required=False,
        widget=UnfoldAdminSplitDateTimeWidget,
        help_text="In UTC. A silence needs an end; a threshold without one stays.",
    )
    reason = LineField(
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}), help_text="Everyone sees this."
    )

    class Meta:
        model = AttentionRule
        fields = OWN
        labels = {"is_prefix": "And all whose ids begin so", "threshold": "Fires from"}
        help_texts = {
            "threshold": "Milliseconds, rebalances an hour or per cent, as the rule's setting has"
            " it. Empty: it is silenced until its end."
        }

    def clean(self) -> dict[str, Any]:
        """What makes sense together."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        problem = attention_rules.trouble(
            cleaned["rule"],
            cleaned["name"],
            is_prefix=cleaned["is_prefix"],
            threshold=cleaned["threshold"],
            until=cleaned["until"],
        )
        if problem is not None:
            field, why = problem
            self.add_error(field, f"{why[:1].upper()}{why[1:]}.")
        return cleaned

    def validate_constraints(self) -> None:
        """None: what was said of the same groups before is replaced."""


@admin.register(AttentionRule)
class AttentionRuleAdmin(NotedAdmin):
    """Made by a form, and withdrawn by deletion."""

    saved = "It applies from now on: {}."
    withdrawn = "It applies no more: {}."
    refusals = (ValueError,)

    form = RuleForm
    list_empty = (
        "Every group has the thresholds of the settings, and no rule is silenced. A group's tab"
        " Configuration proposes thresholds that fit it."
    )
    list_display = ("rule", "whom_text", "fires", "until", "reason", "actor", "at")
    list_filter = ("rule",)
    search_fields = ("name", "reason", "actor")
    ordering = ("rule", "is_prefix", "name")

    def lines(self) -> str:
        """The address of the list."""
        return reverse("admin:groups_attentionrule_changelist")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """The input fields, and of a row who made it."""
        return OWN if obj is None else (*OWN, "actor", "at")

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The form, with the values of the URL."""
        return self.form_of(
            *(request, form_url, extra_context),
            title="Tune or silence a rule of what needs attention",
        )

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save it as REST does."""
        row = attention_rules.apply(
            obj.rule,
            obj.name,
            is_prefix=obj.is_prefix,
            threshold=obj.threshold,
            reason=obj.reason,
            actor=request.user.get_username(),
            until=obj.until,
        )
        obj.pk = row.pk

    @admin.display(description="Groups", ordering="name")
    def whom_text(self, row: AttentionRule) -> str:
        """Whom it applies to."""
        return row.whom

    @admin.display(description="Fires")
    def fires(self, row: AttentionRule) -> str:
        """From when on."""
        if row.threshold is None:
            return "silenced"
        return f"from {in_words(row.rule, row.threshold)} on"
