"""Nodes in the admin: the coordinator processes, what they own, and how slots changed hands."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from groups.admin.base import RollcallAdmin
from groups.admin.standing import KIND_TONES, ago
from groups.models import Journal, Node, Slot
from groups.queries import groups
from groups.queries.journal_text import sentence

CHANGES_MAX = 20


def _change(entry: Journal) -> dict[str, Any]:
    tone = KIND_TONES.get(entry.kind, "warn")
    return {"at": entry.at, "tone": tone, "sentence": sentence(entry)}


@admin.register(Node)
class NodeAdmin(RollcallAdmin):
    """Nodes register themselves."""

    list_display = ("node", "address", "draft", "slots", "last_beat", "started_at")
    list_display_links = None
    ordering = ("node_id",)
    list_after_template = "admin/groups/node/changes.html"

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The nodes, and below them who took which slots from whom."""
        context = {
            "title": "Nodes",
            "changes": [_change(entry) for entry in groups.journal_of_slots()[:CHANGES_MAX]],
            "unowned": groups.slots_by_node().get(None, 0),
            **(extra_context or {}),
        }
        answer: HttpResponse = super().changelist_view(request, context)
        return answer

    @admin.display(description="Node", ordering="node_id")
    def node(self, node: Node) -> str:
        """Its id."""
        return f"node {node.node_id}"

    @admin.display(description="Told to clients")
    def address(self, node: Node) -> str:
        """Where clients find it."""
        return f"{node.host}:{node.port}"

    @admin.display(description="Told to clients of the 0.9 draft")
    def draft(self, node: Node) -> str:
        """Where those find it."""
        return f"{node.host}:{node.draft_port}" if node.draft_port else "—"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the number of slots that each owns."""
        owned = Slot.objects.filter(node_id=OuterRef("node_id")).values("node_id")
        counted = owned.annotate(n=Count("slot")).values("n")
        found: QuerySet[Any] = super().get_queryset(request)
        shown: QuerySet[Any] = found.annotate(slot_count=Coalesce(Subquery(counted), 0))
        return shown

    @admin.display(description="Slots", ordering="slot_count")
    def slots(self, node: Any) -> int:
        """How many of the 64 it owns."""
        return int(node.slot_count)

    @admin.display(description="Last beat", ordering="beat_at")
    def last_beat(self, node: Node) -> str:
        """For people to read; nothing is decided by it."""
        return ago(node.beat_at, timezone.now())
