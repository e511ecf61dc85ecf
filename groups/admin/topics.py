"""Topics: looked at, created and grown. The catalogue's own functions do it, so the rules are
those of a client that asks over the wire; what they refuse is said beside the field."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import quote
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html_join
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminTextInputWidget

from groups.admin.base import RollcallAdmin
from groups.catalogue import changes
from groups.core import topics as rules
from groups.core.authors import user
from groups.core.errors import Refuse
from groups.models import Offset, Topic
from groups.queries import groups
from groups.queries.journal_text import sentence

COMMITTED_BY_MAX = 20
"""Groups named on a topic's page."""

HISTORY_MAX = 20
"""Entries of the journal on a topic's page; REST has them all."""

OFFSETS_READ_MAX = 5_000
"""Offsets looked through for their names: a topic may have millions."""


class TopicForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """A name and a number; the rules of ``groups.core.topics`` judge both."""

    class Meta:
        model = Topic
        fields = ("name", "partitions")
        widgets = {
            "name": UnfoldAdminTextInputWidget,
            "partitions": UnfoldAdminIntegerFieldWidget({"min": 1}),
        }
        help_texts = {
            "name": 'ASCII letters, digits, ".", "_" and "-". It cannot be changed later.',
            "partitions": "The units of work that members share. Partitions can be added later,"
            " but not removed.",
        }

    def clean_name(self) -> str:
        """Kafka's rules for names."""
        name: str = self.cleaned_data["name"]
        problem = rules.name_problem(name)
        if problem is not None:
            raise forms.ValidationError(problem)
        return name

    def clean_partitions(self) -> int:
        """At least one, and more than before."""
        partitions: int = self.cleaned_data["partitions"]
        try:
            rules.check_count(partitions)
            if "partitions" in self.changed_data and not self.instance._state.adding:
                rules.check_growth(self.initial["partitions"], partitions)
        except Refuse as refusal:
            raise forms.ValidationError(refusal.detail or refusal.code.name) from None
        return partitions


@admin.register(Topic)
class TopicAdmin(RollcallAdmin):
    """Nothing is deleted here: members may be at work on it."""

    form = TopicForm
    list_display = ("name", "partitions", "topic_id", "created_at")
    search_fields = ("name",)
    search_help_text = "Part of a name"
    ordering = ("name",)

    def get_fields(self, request: HttpRequest, obj: Topic | None = None) -> tuple[str, ...]:
        """A new topic has only what one says of it."""
        made = ("topic_id", "created_at", "committed_by", "history")
        return ("name", "partitions", *(made if obj is not None else ()))

    def get_readonly_fields(
        self, request: HttpRequest, obj: Topic | None = None
    ) -> tuple[str, ...]:
        """A topic keeps its name: members subscribe by it."""
        return () if obj is None else ("name", "topic_id", "created_at", "committed_by", "history")

    def save_model(self, request: HttpRequest, obj: Topic, form: TopicForm, change: bool) -> None:
        """By the catalogue's functions, which tell every node."""
        author = user(request.user.get_username())
        if not change:
            changes.create(obj.name, obj.partitions, author)
        elif form.has_changed():
            changes.grow(obj.name, obj.partitions, author)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The form; somebody who was quicker is told of by a message."""
        try:
            response: HttpResponse = super().changeform_view(
                request, object_id, form_url, extra_context
            )
        except Refuse as refusal:
            self.message_user(request, refusal.detail or refusal.code.name, messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())
        return response

    @admin.display(description="Changes")
    def history(self, topic: Topic) -> str:
        """The newest entries of the journal about it, and about earlier ones of its name."""
        entries = groups.journal_of_topic(topic.name)[:HISTORY_MAX]
        rows = [(f"{entry.at:%Y-%m-%d %H:%M:%S}", sentence(entry)) for entry in entries]
        return format_html_join("", "<div>{} {}</div>", rows) or "no racks are known"

    @admin.display(description="Committed by")
    def committed_by(self, topic: Topic) -> str:
        """Links to groups that have committed offsets of it; some, where there are many."""
        read = Offset.objects.filter(topic=topic.name).order_by("topic", "partition")
        ids = sorted(set(read.values_list("group_id", flat=True)[:OFFSETS_READ_MAX]))
        rows = [
            (reverse("admin:groups_group_change", args=[quote(group_id)]), group_id)
            for group_id in ids[:COMMITTED_BY_MAX]
        ]
        if len(ids) > COMMITTED_BY_MAX:
            rows.append((reverse("admin:groups_group_changelist"), "and more"))
        return format_html_join(", ", '<a class="rc-link" href="{}">{}</a>', rows) or "no group"
