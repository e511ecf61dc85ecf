"""Operations in the admin: who requested what for which group, why, and the result."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from unfold.decorators import display

from console.admin import many, resets
from console.admin.base import RollcallAdmin
from console.admin.links import quote
from console.admin.standing import READING, number_of
from console.people import rights
from console.queries import outcomes
from console.queries.groups import CONSUMER
from groups.models import Group, Operation

ENDED = (Operation.State.SUCCEEDED, Operation.State.FAILED)

OUTCOMES: Mapping[str, str] = {
    Operation.Outcome.CHANGED: "done",
    Operation.Outcome.UNCHANGED: "nothing to do",
}
"""In words; only successful operations have one."""


@admin.register(Operation)
class OperationAdmin(RollcallAdmin):
    """The record of verbs; a group's owner writes each result."""

    list_empty = (
        "No operation has been requested. The buttons of a group's page request them, REST and"
        " the command line."
    )
    list_display = (
        "number",
        "group",
        "verb",
        "state_shown",
        "outcome_shown",
        "actor",
        "reason",
        "created_at",
    )
    list_display_links = ("number",)
    list_filter = ("state", "verb")
    search_fields = ("group_id", "actor", "reason")
    ordering = ("-id",)

    def get_urls(self) -> list[URLPattern]:
        """The URL of an operation's live part."""
        live = self.admin_site.admin_view(self.live_view)
        many_live = self.admin_site.admin_view(many.live)
        undo = self.admin_site.admin_view(self.undo_view)
        return [
            path("many/<uuid:once>/", many_live, name="groups_operation_many"),
            path("<int:object_id>/live/", live, name="groups_operation_live"),
            path("<int:object_id>/undo/", undo, name="groups_operation_undo"),
            *super().get_urls(),
        ]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The page of an operation, which is refreshed until it has ended."""
        if request.method not in READING:
            return HttpResponseNotAllowed(READING)
        operation = self.seen(request, object_id)
        context = {
            **self.admin_site.each_context(request),
            "title": f"Operation {operation.pk}",
            **_standing(operation),
            "may_undo": _is_undoable(operation) and rights.may(request.user, rights.RESTORE),
            "offsets": _offsets(operation),
        }
        return render(request, "admin/groups/operation/page.html", context)

    def undo_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """Restore the offsets from before a reset."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        return resets.undo(request, self.seen(request, str(object_id)))

    def live_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """The part of the page that changes."""
        operation = self.seen(request, str(object_id))
        return render(request, "admin/groups/operation/live.html", _standing(operation))

    def seen(self, request: HttpRequest, object_id: str) -> Operation:
        """The operation of a URL."""
        number = number_of(object_id)
        operation = None if number is None else Operation.objects.filter(pk=number).first()
        if operation is None:
            raise Http404(f"There is no operation {object_id}.")
        return operation

    @admin.display(description="Operation", ordering="id")
    def number(self, operation: Operation) -> str:
        """Its number."""
        return f"#{operation.pk}"

    @admin.display(description="Group id", ordering="group_id")
    def group(self, operation: Operation) -> str:
        """A link to its page."""
        url = reverse("admin:groups_group_change", args=[quote(operation.group_id)])
        return format_html('<a class="rc-link" href="{}">{}</a>', url, operation.group_id)

    @display(  # type: ignore[untyped-decorator]
        description="State",
        ordering="state",
        label={
            "succeeded": "success",
            "failed": "danger",
            "running": "info",
            "pending": "warning",
        },
    )
    def state_shown(self, operation: Operation) -> str:
        """How it stands."""
        return operation.state

    @admin.display(description="Outcome", ordering="outcome")
    def outcome_shown(self, operation: Operation) -> str:
        """Whether a successful operation changed anything."""
        return OUTCOMES.get(operation.outcome or "", "")


def _is_undoable(operation: Operation) -> bool:
    """Whether it is a reset of offsets that was, or may be, executed."""
    return operation.offsets is not None and operation.state != Operation.State.FAILED


def _offsets(operation: Operation) -> Mapping[str, Any] | None:
    """The offsets before and after a reset."""
    if operation.offsets is None:
        return None
    before, after = operation.offsets["before"], operation.offsets["to"]
    rows = [(f"{t}-{p}", was, to) for (t, p, was), (_, _, to) in zip(before, after, strict=True)]
    return {
        "how": operation.offsets["how"],
        "rows": rows[: resets.SHOWN_MAX],
        "more": max(0, len(rows) - resets.SHOWN_MAX),
    }


def _standing(operation: Operation) -> dict[str, Any]:
    """The content of the live part. Four statements at most."""
    group = Group.objects.filter(group_id=operation.group_id).first()
    return {
        "operation": operation,
        "outcome": OUTCOMES.get(operation.outcome or "", ""),
        "steps": _steps(operation),
        "seen": outcomes.seen(operation),
        "is_pending": operation.state not in ENDED,
        "generation": None if group is None else group.generation,
        "word": "Group epoch" if group is not None and group.kind == CONSUMER else "Generation",
        "revision": 0 if group is None else group.revision,
        "group_url": reverse("admin:groups_group_change", args=[quote(operation.group_id)]),
        "live_url": reverse("admin:groups_operation_live", args=[operation.pk]),
    }


def _steps(operation: Operation) -> list[tuple[str, str]]:
    """The steps of an operation, each with "done", "now", "bad" or ""."""
    state = operation.state
    last = ("failed", "bad") if state == "failed" else ("succeeded", "")
    marks = {
        "pending": ("now", "", ""),
        "running": ("done", "now", ""),
        "succeeded": ("done", "done", "done"),
        "failed": ("done", "", "bad"),
    }[state]
    return list(zip(("pending", "running", last[0]), marks, strict=True))
