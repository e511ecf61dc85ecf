"""Forgetting a node that has left in the admin: what will happen, reason, request."""

from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from console.admin.base import RollcallAdmin
from console.admin.curl import cli, curl
from console.admin.verbs import Reason
from console.operations import nodes
from groups.models import Node

SENTENCES: Final = (
    "The node's row is removed, with the count of its unclean ends. It owns no slots: no group"
    " notices.",
    "A node with this id that starts later registers again.",
)


def forget(site: RollcallAdmin, request: HttpRequest, node_id: int) -> HttpResponse:
    """Preview and form."""
    if not Node.objects.filter(node_id=node_id).exists():
        raise Http404(f"There is no node {node_id}.")
    form = Reason(request.POST or None)
    refused = _refused(node_id)
    if request.method == "POST" and not refused and form.is_valid():
        refused = _apply(request, node_id, form.cleaned_data["reason"])
        if not refused:
            return redirect("admin:groups_node_changelist")
    return render(
        request,
        "admin/groups/node/drain.html",
        {
            **site.admin_site.each_context(request),
            "title": f"Forget node {node_id}",
            "button": "Forget the node",
            "form": form,
            "refused": refused,
            "sentences": () if refused else SENTENCES,
            "page_url": reverse("admin:groups_node_changelist"),
            "curl": curl(request, "POST", "nodes/{}/forget", str(node_id)),
            "cli": cli("node", "forget", ids=[str(node_id)]),
        },
    )


def _refused(node_id: int) -> str:
    """Why the node cannot be forgotten now; "" if it can."""
    try:
        nodes.check(node_id)
    except nodes.NotGone as error:
        return str(error)
    return ""


def _apply(request: HttpRequest, node_id: int, reason: str) -> str:
    """Do it; returns the error if the node came back meanwhile."""
    who: Any = request.user
    try:
        nodes.forget(node_id, reason=reason, actor=who.get_username())
    except nodes.NotGone as error:
        return str(error)
    messages.success(request, f"Node {node_id} is forgotten.")
    return ""
