"""Topics: shown, created and grown, by the catalogue's functions, so the rules are those for
clients; errors are shown beside the field."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html_join
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminTextInputWidget

from console.admin import topic_deletion
from console.admin.base import RollcallAdmin, once
from console.admin.links import quote
from console.journal_subjects import OF_TOPICS
from console.operations import topic_changes as changes
from console.people import rights
from console.queries import groups, topic_groups
from console.queries.journal_text import sentence
from console.queries.ranges import ranges
from groups.core import topics as rules
from groups.core.authors import user
from groups.core.configs import topic as topic_configs
from groups.core.errors import Refuse
from groups.models import Topic

OWNERS_MAX = 20
"""Owners named for each group on a topic's page; the group's own page has all."""

RANGES_MAX = 20
"""Ranges of partitions shown for an owner; round-robin gives one range for each partition."""

HISTORY_MAX = 20
"""Journal entries on a topic's page; REST has all."""


class TopicForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """A name and a number; the rules of ``groups.core.topics`` validate both."""

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
        """At least one, and more than the current number."""
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
    """Topics are deleted one by one, on a page that lists what is deleted with them."""

    form = TopicForm
    list_empty = "There is no topic yet. Clients create topics, and so do people here."
    list_display = ("name", "partitions", "topic_id", "created_at")
    search_fields = ("name",)
    search_help_text = "Part of a name"
    ordering = ("name",)

    def get_fields(self, request: HttpRequest, obj: Topic | None = None) -> tuple[str, ...]:
        """A new topic has only the input fields."""
        used = ("used_by",) if rights.may(request.user, rights.VIEW_GROUP) else ()
        fields = ("topic_id", "created_at", *used, "configuration", "history")
        return ("name", "partitions", *(fields if obj is not None else ()))

    def get_readonly_fields(
        self, request: HttpRequest, obj: Topic | None = None
    ) -> tuple[str, ...]:
        """A topic's name cannot be changed: members subscribe by it."""
        fields = ("topic_id", "created_at", "used_by", "configuration", "history")
        return () if obj is None else ("name", *fields)

    def save_model(self, request: HttpRequest, obj: Topic, form: TopicForm, change: bool) -> None:
        """With the catalogue's functions, which notify every node."""
        author = user(request.user.get_username())
        if not change:
            changes.create(obj.name, obj.partitions, author)
        elif form.has_changed():
            changes.grow(obj.name, obj.partitions, author)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list of what is deleted, and the form."""
        topic = self.get_object(request, unquote(object_id))
        if topic is None:
            raise Http404(f"There is no topic {unquote(object_id)}.")
        return topic_deletion.delete(self, request, topic)

    @admin.display(description="Configuration")
    def configuration(self, _topic: Topic) -> str:
        """The same for every topic; it cannot be changed."""
        context = {"settings": topic_configs.entries()}
        return render_to_string("admin/groups/topic/configuration.html", context)

    @admin.display(description="Changes")
    @once
    def history(self, topic: Topic) -> str:
        """The newest journal entries about it, and about earlier topics of its name; the page needs
        the right to see topics."""
        entries = groups.journal_of_topic(topic.name, OF_TOPICS)[:HISTORY_MAX]
        rows = [(f"{entry.at:%Y-%m-%d %H:%M:%S} UTC", sentence(entry)) for entry in entries]
        return format_html_join("", "<div>{} {}</div>", rows) or "There are no changes."

    @admin.display(description="Groups and owners")
    @once
    def used_by(self, topic: Topic) -> str:
        """Groups whose members subscribe to it, or with committed offsets of it."""
        usage = topic_groups.of(topic)
        uses = [_use_values(use) for use in usage.uses]
        context = {"uses": uses, "is_more": usage.is_more}
        return render_to_string("admin/groups/topic/groups.html", context)


def _use_values(use: topic_groups.Use) -> dict[str, Any]:
    named = use.owners[:OWNERS_MAX]
    owners = [(who, ranges(numbers, RANGES_MAX)) for who, numbers in named]
    return {
        "group_id": use.group.group_id,
        "url": reverse("admin:groups_group_change", args=[quote(use.group.group_id)]),
        "subscribers": use.subscribers,
        "owners": owners,
        "more": len(use.owners) - len(owners),
        "unread": use.unread,
        "unowned": ranges(use.unowned, RANGES_MAX),
        "has_committed": use.has_committed,
    }
