"""Draining a node in the admin, or withdrawing a drain: preview, reason, request.

If someone else has drained the node since the page was opened, nothing is requested, and the page
shows the current state.
"""

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from console.admin.base import RollcallAdmin
from console.admin.curl import cli, curl
from console.admin.verbs import Reason
from console.operations import drains
from console.queries import drains as queries
from groups.models import Node

DRAIN, UNDRAIN = "drain", "undrain"

BEFORE: Final = (
    "The node gives its slots away, a few at a time, and takes none until the drain is withdrawn."
    " A restart changes nothing in that."
)
AFTER: Final = "The node takes its share of the slots again."
AWAY: Final = "The node is away. When it starts, it takes its share of the slots."


class Draining(Reason):
    """Drain or withdraw: the action that the page offered."""

    verb = forms.ChoiceField(choices=[(v, v) for v in (DRAIN, UNDRAIN)], widget=forms.HiddenInput)


def drain(site: RollcallAdmin, request: HttpRequest, node_id: int) -> HttpResponse:
    """Preview and form: for a drained node it offers the withdrawal."""
    is_drained = queries.of(node_id) is not None
    is_there = Node.objects.filter(node_id=node_id).exists()
    if not is_drained and not is_there:
        raise Http404(f"There is no node {node_id}.")
    verb = UNDRAIN if is_drained else DRAIN
    form = Draining(request.POST or None, initial={"verb": verb})
    changed = request.method == "POST" and form.data.get("verb") != verb
    refused = "" if is_drained else _refused(node_id)
    if request.method == "POST" and not changed and not refused and form.is_valid():
        refused = _apply(request, node_id, verb, form.cleaned_data["reason"])
        if not refused:
            return redirect("admin:groups_node_changelist")
    if changed:
        form = Draining({**request.POST.dict(), "verb": verb})
        form.errors.clear()
    return render(
        request,
        "admin/groups/node/drain.html",
        {
            **site.admin_site.each_context(request),
            "title": f"Withdraw the drain of node {node_id}" if is_drained else _title(node_id),
            "button": "Withdraw the drain" if is_drained else "Drain the node",
            "form": form,
            "changed": changed,
            "refused": refused,
            "sentences": () if refused else _sentences(node_id, is_drained, is_there),
            "page_url": reverse("admin:groups_node_changelist"),
            "curl": curl(request, "POST", f"nodes/{{}}/{verb}", str(node_id)),
            "cli": cli("node", verb, ids=[str(node_id)]),
        },
    )


def _title(node_id: int) -> str:
    return f"Drain node {node_id}"


def _refused(node_id: int) -> str:
    """Why the node cannot be drained now; "" if it can."""
    try:
        drains.check(node_id)
    except drains.NoTaker as error:
        return str(error)
    return ""


def _apply(request: HttpRequest, node_id: int, verb: str, reason: str) -> str:
    """Do it; returns the error if someone else was faster."""
    who: Any = request.user
    try:
        if verb == DRAIN:
            drains.drain(node_id, reason=reason, actor=who.get_username())
        else:
            drains.undrain(node_id, reason=reason, actor=who.get_username())
    except drains.NoTaker as error:
        return str(error)
    done = "is drained" if verb == DRAIN else "takes slots again"
    messages.success(request, f"Node {node_id} {done}.")
    return ""


def _sentences(node_id: int, is_drained: bool, is_there: bool) -> list[str]:
    if not is_drained:
        return [BEFORE, *queries.in_words(queries.by_draining(node_id), is_drain=True)]
    if not is_there:
        return [AWAY]
    return [AFTER, *queries.in_words(queries.by_undraining(node_id), is_drain=False)]
