"""Nodes in the admin: the coordinator processes, their slots, and changes of owners."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html

from console.admin import drains, forget_node, node_charts
from console.admin.base import RollcallAdmin
from console.admin.standing import ago
from console.people import rights
from console.queries import groups, tones
from console.queries.journal_text import sentence
from console.queries.overview import NODE_SILENT_AFTER
from groups.cluster.view import address
from groups.models import Drain, Group, Journal, Node, Slot

CHANGES_MAX = 20

DRAIN_FIELDS = ("since", "actor", "reason")
"""The fields of a drain in the list."""


def _change(entry: Journal) -> dict[str, Any]:
    return {"at": entry.at, "tone": tones.of_entry(entry), "sentence": sentence(entry)}


@admin.register(Node)
class NodeAdmin(RollcallAdmin):
    """Nodes register themselves."""

    list_empty = "No node has started on this database yet: no node answers clients."
    list_display = (
        *("node", "address", "draft", "slots", "groups", "drained"),
        *("last_beat", "started_at"),
    )
    list_display_links = None
    ordering = ("node_id",)
    list_after_template = "admin/groups/node/changes.html"

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        """With a link to the drain page, for users who may drain."""
        may = rights.may(request.user, rights.DRAIN)
        return (*self.list_display, "steer") if may else self.list_display

    def get_urls(self) -> list[URLPattern]:
        """The URLs of these pages before that of a node."""
        wrap = self.admin_site.admin_view
        return [
            path("<int:object_id>/drain/", wrap(self.drain_view), name="groups_node_drain"),
            path("<int:object_id>/forget/", wrap(self.forget_view), name="groups_node_forget"),
            *super().get_urls(),
        ]

    def drain_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """The page to drain a node, or to withdraw that."""
        return drains.drain(self, request, object_id)

    def forget_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """The page to forget a node that has left."""
        return forget_node.forget(self, request, object_id)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The nodes, and below them the changes of slot owners."""
        changes = groups.journal_of_slots(rights.kinds(request.user))
        context = {
            "title": "Nodes",
            "changes": [_change(entry) for entry in changes[:CHANGES_MAX]],
            "away": Drain.objects.exclude(node_id__in=Node.objects.values("node_id")),
            "may_drain": rights.may(request.user, rights.DRAIN),
            **node_charts.context(timezone.now()),
            "unowned": groups.slots_by_node().get(None, 0),
            **(extra_context or {}),
        }
        answer: HttpResponse = super().changelist_view(request, context)
        return answer

    @admin.display(description="Node", ordering="node_id")
    def node(self, node: Node) -> str:
        """Its id."""
        return f"node {node.node_id}"

    @admin.display(description="Advertised address")
    def address(self, node: Node) -> str:
        """The address for clients."""
        return address(node.host, node.port)

    @admin.display(description="Advertised to the 0.9 draft")
    def draft(self, node: Node) -> str:
        """The address for clients of the draft."""
        return address(node.host, node.draft_port) if node.draft_port else "—"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With the number of slots of each, and of their groups."""
        owned = Slot.objects.filter(node_id=OuterRef("node_id")).values("node_id")
        counted = owned.annotate(n=Count("slot")).values("n")
        mine = Slot.objects.filter(node_id=OuterRef(OuterRef("node_id"))).values("slot")
        theirs = Group.objects.filter(slot__in=mine).order_by().annotate(one=Value(1)).values("one")
        nodes: QuerySet[Any] = super().get_queryset(request)
        drain = Drain.objects.filter(node_id=OuterRef("node_id"))
        drain_fields = {f"drain_{name}": Subquery(drain.values(name)) for name in DRAIN_FIELDS}
        annotated: QuerySet[Any] = nodes.annotate(
            slot_count=Coalesce(Subquery(counted), 0),
            group_count=Coalesce(Subquery(theirs.annotate(n=Count("*")).values("n")), 0),
            **drain_fields,
        )
        return annotated

    @admin.display(description="Slots", ordering="slot_count")
    def slots(self, node: Any) -> int:
        """How many of the 64 slots it owns."""
        return int(node.slot_count)

    @admin.display(description="Groups", ordering="group_count")
    def groups(self, node: Any) -> int:
        """The number of groups in its slots."""
        return int(node.group_count)

    @admin.display(description="Drained", ordering="drain_since", empty_value="—")
    def drained(self, node: Any) -> str | None:
        """Since when, by whom and why."""
        if node.drain_since is None:
            return None
        tone, word = ("warn", "draining") if node.slot_count else ("plain", "drained")
        why = f"{ago(node.drain_since, timezone.now())} by {node.drain_actor}: {node.drain_reason}"
        return format_html('<span class="rc-state rc-{}">{}</span> {}', tone, word, why)

    @admin.display(description="")
    def steer(self, node: Any) -> str:
        """A link to the drain page; of a silent node without slots, to the page to forget it."""
        if not node.slot_count and node.beat_at < timezone.now() - NODE_SILENT_AFTER:
            what, page = "Forget", "forget"
        else:
            what, page = "Drain" if node.drain_since is None else "Withdraw the drain of", "drain"
        url = reverse(f"admin:groups_node_{page}", args=[node.node_id])
        link = '<a class="rc-link" href="{}">{} node {} …</a>'
        return format_html(link, url, what, node.node_id)

    @admin.display(description="Last beat", ordering="beat_at")
    def last_beat(self, node: Node) -> str:
        """For display; nothing depends on it."""
        return ago(node.beat_at, timezone.now())
