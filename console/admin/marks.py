"""Marking a time, with what was done then."""

from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.forms import CharField, ModelForm, SplitDateTimeField
from django.http import HttpRequest
from django.utils import timezone
from unfold.widgets import UnfoldAdminSplitDateTimeWidget, UnfoldAdminTextInputWidget

from console.admin.base import RollcallAdmin
from console.admin.form_fields import LineField
from console.operations import marks
from console.queries import facts
from groups.models import Mark


class MarkForm(ModelForm):  # type: ignore[type-arg]  # generic in the stubs
    """What was done, for which group, and when."""

    text = LineField(
        widget=UnfoldAdminTextInputWidget, help_text="What was done; everyone sees this."
    )
    group_id = CharField(
        required=False,
        strip=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="Empty: the whole installation.",
    )
    at = SplitDateTimeField(
        required=False, widget=UnfoldAdminSplitDateTimeWidget, help_text="In UTC. Empty: now."
    )

    class Meta:
        model = Mark
        fields = ("text", "group_id", "at")

    def clean_group_id(self) -> str:
        """A group that is there, or was."""
        group_id: str = self.cleaned_data["group_id"]
        if group_id and not facts.is_known(group_id):
            raise ValidationError("There is no such group, and was none.")
        return group_id

    def clean_at(self) -> datetime | None:
        """Not a time to come."""
        at: datetime | None = self.cleaned_data["at"]
        if at is not None and at > timezone.now():
            raise ValidationError("That time has not come.")
        return at


@admin.register(Mark)
class MarkAdmin(RollcallAdmin):
    """Made with a form, and withdrawn by deletion."""

    list_empty = (
        "Nothing is marked. Mark a time, such as that of a deploy, to find it on every timeline."
    )
    form = MarkForm
    list_display = ("at", "text", "group_id", "actor")
    ordering = ("-at",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """The input fields; the others are read-only."""
        return ("text", "group_id", "at", *(() if obj is None else ("actor", "noted_at")))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save it as REST does."""
        who = request.user.get_username()
        made = marks.mark(obj.text, actor=who, group_id=obj.group_id, at=obj.at)
        obj.pk, obj.at = made.pk, made.at
        messages.info(request, "The journal has it, too.")
