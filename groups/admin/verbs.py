"""What may be asked of a group in the admin: look first, give a reason, then ask.

Each verb is an operation that the group's owner steps (``groups.operations``), the same that
REST asks for. A page that was looked at too long ago asks for nothing: it shows how things are.
"""

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.contrib.admin.utils import quote
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from groups import operations, queries
from groups.admin import standing
from groups.admin.base import RollcallAdmin
from groups.models import Group, Operation
from groups.plain_words import seconds

MAY_REBALANCE: Final = "groups.rebalance_group"
MAY_EVICT: Final = "groups.evict_member"

TYPED_ABOVE: Final = 20
"""A group with more members than this is typed out before anything is asked of it."""

NAMED_MAX: Final = 12
GROUPS_MAX: Final = 100
"""Groups of one bulk action."""

EMPTY, REBALANCING = "Empty", ("PreparingRebalance", "CompletingRebalance")
COOPERATIVE: Final = ("cooperative", "sticky-cooperative")


class Reason(forms.Form):
    """Why; everybody reads it in the journal later."""

    reason = forms.CharField(
        max_length=1_000,
        widget=forms.Textarea(attrs={"rows": 3, "class": "rc-field", "autofocus": True}),
    )


class Asking(Reason):
    """A verb on one group, as it was when its page was looked at."""

    generation = forms.IntegerField(widget=forms.HiddenInput)
    anyway = forms.BooleanField(required=False)
    typed = forms.CharField(required=False, widget=forms.TextInput(attrs={"class": "rc-field"}))


def rebalance(site: RollcallAdmin, request: HttpRequest, group: Group) -> HttpResponse:
    """Preview and form; a POST that still means what was previewed becomes an operation."""
    _allow(request, MAY_REBALANCE)
    members = queries.members_of(group)
    form = Asking(request.POST or None, initial={"generation": group.generation})
    changed = request.method == "POST" and _is_old(form, group)
    if request.method == "POST" and not changed and _is_complete(form, group, len(members)):
        return _ask(request, group, Operation.Verb.REBALANCE, form.cleaned_data["reason"])
    if changed:
        form = Asking({**request.POST.dict(), "generation": group.generation})
        form.errors.clear()
    return render(
        request,
        "admin/groups/group/rebalance.html",
        {
            **site.admin_site.each_context(request),
            "title": f"Force a rebalance of {group.group_id}",
            "group": group,
            "form": form,
            "changed": changed,
            "refused": group.state == EMPTY,
            "rebalancing": group.state in REBALANCING,
            "sentences": _preview(group, members),
            "named": [m.client_id or m.member_id for m in members[:NAMED_MAX]],
            "more": max(0, len(members) - NAMED_MAX),
            "must_type": len(members) > TYPED_ABOVE,
            **standing.urls(group),
        },
    )


def evict(site: RollcallAdmin, request: HttpRequest, group: Group) -> HttpResponse:
    """The same for one member, which ``?member=`` names."""
    _allow(request, MAY_EVICT)
    member_id = request.GET.get("member", "")
    members = queries.members_of(group)
    member = next((m for m in members if m.member_id == member_id), None)
    if member is None:
        messages.warning(request, f"{member_id} is no member of the group any more.")
        return redirect("admin:groups_group_change", quote(group.group_id))
    form = Reason(request.POST or None)
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["reason"]
        return _ask(request, group, Operation.Verb.EVICT, reason, member_id=member_id)
    return render(
        request,
        "admin/groups/group/evict.html",
        {
            **site.admin_site.each_context(request),
            "title": f"Evict a member of {group.group_id}",
            "group": group,
            "member": member,
            "others": len(members) - 1,
            "form": form,
            **standing.urls(group),
        },
    )


def ask_many(site: RollcallAdmin, request: HttpRequest, group_ids: Sequence[str]) -> HttpResponse:
    """One reason for many groups; each gets an operation of its own, or is refused by name."""
    _allow(request, MAY_REBALANCE)
    form = Reason(request.POST if "confirm" in request.POST else None)
    chosen = list(Group.objects.filter(group_id__in=group_ids[:GROUPS_MAX]).order_by("group_id"))
    context = {
        **site.admin_site.each_context(request),
        "title": f"Force a rebalance of {len(chosen)} groups",
        "groups": chosen,
        "too_many": len(group_ids) - len(chosen),
        "form": form,
    }
    if form.is_valid():
        reason = form.cleaned_data["reason"]
        context["results"] = [_one_of_many(request, group, reason) for group in chosen]
    return render(request, "admin/groups/group/many.html", context)


def _one_of_many(request: HttpRequest, group: Group, reason: str) -> dict[str, Any]:
    if group.state == EMPTY:
        return {"group": group, "refused": "it has no members"}
    if group.state in REBALANCING:
        return {"group": group, "refused": "it is rebalancing already"}
    operation = operations.ask(
        group.group_id,
        Operation.Verb.REBALANCE,
        reason=reason,
        actor=request.user.get_username(),
    )
    return {"group": group, "operation": operation}


def _allow(request: HttpRequest, permission: str) -> None:
    if not request.user.has_perm(permission):
        raise PermissionDenied


def _is_old(form: Asking, group: Group) -> bool:
    """Whether the group has gone on since its page was looked at."""
    return str(form.data.get("generation")) != str(group.generation)


def _is_complete(form: Asking, group: Group, members: int) -> bool:
    """Whether everything was said that must be; what is missing is told beside its field."""
    if not form.is_valid() or group.state == EMPTY:
        return False
    if group.state in REBALANCING and not form.cleaned_data["anyway"]:
        form.add_error("anyway", "The group is rebalancing already; it is left alone.")
    if members > TYPED_ABOVE and form.cleaned_data["typed"] != group.group_id:
        form.add_error("typed", f"Type {group.group_id} to go on.")
    return not form.errors


def _ask(request: HttpRequest, group: Group, verb: str, reason: str, **more: Any) -> HttpResponse:
    operation = operations.ask(
        group.group_id, verb, reason=reason, actor=request.user.get_username(), **more
    )
    return redirect(reverse("admin:groups_operation_change", args=[operation.pk]))


def _preview(group: Group, members: Sequence[queries.MemberView]) -> list[str]:
    """What will happen, in sentences."""
    if not members:
        return []
    if group.kind == queries.CONSUMER:
        return [
            "The group epoch rises by one and the coordinator computes every target anew.",
            "Only partitions whose owner changes are given up; the others are worked on.",
            "Committed offsets stay as they are.",
        ]
    longest = max(member.rebalance_timeout_ms for member in members)
    keeps = any(word in (group.protocol_name or "") for word in COOPERATIVE)
    asked = "The one member is" if len(members) == 1 else f"All {len(members)} members are"
    return [
        f"{asked} told with the next heartbeat to rejoin.",
        "Members keep their partitions meanwhile, and give up only what moves."
        if keeps
        else "Members give up all their partitions until the new generation is assigned.",
        f"Who does not rejoin within {seconds(longest)} is left out.",
        f"The group goes from generation {group.generation} to {group.generation + 1}"
        f"{_last_time(group)}.",
        "Committed offsets stay as they are.",
    ]


def _last_time(group: Group) -> str:
    """How long it took the last time."""
    newest = queries.journal_of(group.group_id).filter(kind=queries.REBALANCED).first()
    if newest is None or newest.duration_ms is None:
        return ""
    return f"; the last time that took {seconds(newest.duration_ms)}"
