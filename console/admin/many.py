"""One reason for many groups: each gets its own operation, or is refused by name. A table shows
their progress."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from console.admin import sent_forms
from console.admin.base import RollcallAdmin
from console.admin.links import quote
from console.admin.verbs import TYPED_ABOVE, Typed
from console.operations import requests
from console.queries import previews
from groups.core.classic.states import PREPARING
from groups.models import Group, Member, Operation

GROUPS_MAX: Final = 400
"""Groups of one action: each has two fields in the form, and Django accepts a thousand."""


class Many(Typed):
    """The reason. ``once``: a form that is sent again requests nothing more."""

    once = forms.UUIDField(widget=forms.HiddenInput)


@dataclass(frozen=True, slots=True)
class Bulk:
    """One verb for many groups. ``action``: its name in the list; ``refused``: why nothing is
    requested for a group with the generation ``seen``; "" if something is."""

    action: str
    verb: str
    title: str
    heading: str
    button: str
    refused: Callable[[Group, str | None], str]
    needs_generation: bool = False


def _unfit(group: Group, seen: str | None) -> str:
    if group.state == PREPARING:
        return "it is rebalancing already"
    return "" if seen == str(group.generation) else "it has changed since you opened the page"


def _never(_group: Group, _seen: str | None) -> str:
    return ""


Verb = Operation.Verb

BULKS: Final[Mapping[str, Bulk]] = {
    bulk.action: bulk
    for bulk in (
        Bulk(
            "force_rebalances",
            Verb.REBALANCE,
            "Force a rebalance of {} groups",
            "These groups will rebalance",
            "Force the rebalances",
            _unfit,
            needs_generation=True,
        ),
        Bulk(
            "stop_work",
            Verb.PAUSE,
            "Stop the work of {} groups",
            "The work of these groups will stop",
            "Stop their work",
            _never,
        ),
        Bulk(
            "start_work",
            Verb.RESUME,
            "Start the work of {} groups",
            "The work of these groups will start",
            "Start their work",
            _never,
        ),
        Bulk(
            "freeze_groups",
            Verb.FREEZE,
            "Freeze {} groups",
            "These groups will be frozen: no rebalance begins until they are thawed",
            "Freeze the groups",
            _never,
        ),
        Bulk(
            "thaw_groups",
            Verb.THAW,
            "Thaw {} groups",
            "These groups will be thawed: rebalances begin again",
            "Thaw the groups",
            _never,
        ),
    )
}


def page(site: RollcallAdmin, request: HttpRequest, ids: Sequence[str], bulk: Bulk) -> HttpResponse:
    """The form; a complete one requests the verb, and shows the progress."""
    once = sent_forms.once_of_list(request)
    form = Many(request.POST if "confirm" in request.POST else None, initial={"once": once})
    chosen = list(Group.objects.filter(group_id__in=ids[:GROUPS_MAX]).order_by("group_id"))
    members = Member.objects.filter(group_id__in=[group.group_id for group in chosen]).count()
    must_type = members > TYPED_ABOVE
    if must_type and form.is_valid():
        form.is_typed(str(len(chosen)))
    unfit = previews.refused(bulk.verb, [group.group_id for group in chosen])
    context = {
        **site.admin_site.each_context(request),
        "bulk": bulk,
        "title": bulk.title.format(len(chosen)),
        "members": members,
        "must_type": must_type,
        "groups": chosen,
        "too_many": max(0, len(ids) - GROUPS_MAX),
        "gone": min(len(ids), GROUPS_MAX) - len(chosen),
        "form": form,
        "unfit": unfit,
    }
    if form.is_valid():
        refusals = _request_each(request, form, chosen, bulk, unfit)
        context |= {"requested": True, "refusals": refusals}
        context |= standing(request, form.cleaned_data["once"])
    return render(request, "admin/groups/group/many.html", context)


def _request_each(
    request: HttpRequest,
    form: Many,
    chosen: Sequence[Group],
    bulk: Bulk,
    unfit: Mapping[str, str],
) -> Sequence[tuple[str, str]]:
    """Request it for each group that has no operation yet; returns the refused ones with reasons. A
    form that is sent again, by a reload, requests nothing more."""
    begin = sent_forms.begin(request, form.cleaned_data["once"])
    requested = set(_operations(begin).values_list("group_id", flat=True))
    seen = {g: n for n, _, g in (text.partition(":") for text in request.POST.getlist("seen"))}
    refusals: list[tuple[str, str]] = []
    for group in chosen:
        if group.group_id in requested:
            continue
        refused = unfit.get(group.group_id) or bulk.refused(group, seen.get(group.group_id))
        if refused:
            refusals.append((group.group_id, refused))
            continue
        requests.request(
            group.group_id,
            bulk.verb,
            reason=form.cleaned_data["reason"],
            actor=request.user.get_username(),
            idempotency_key=begin + group.group_id,
            expected_generation=group.generation if bulk.needs_generation else None,
        )
    return refusals


def _operations(begin: str) -> Any:
    return Operation.objects.filter(idempotency_key__startswith=begin).order_by("group_id")


def standing(request: HttpRequest, once: UUID) -> dict[str, Any]:
    """The state of operations that this user requested together. One statement."""
    operations = list(_operations(sent_forms.begin(request, once)))
    for one in operations:
        one.key = quote(one.group_id)
    ended = sum(one.finished_at is not None for one in operations)
    return {
        "operations": operations,
        "ended": ended,
        "failed": sum(one.state == Operation.State.FAILED for one in operations),
        "is_pending": ended < len(operations),
        "many_url": reverse("admin:groups_operation_many", args=[once]),
    }


def live(request: HttpRequest, once: UUID) -> HttpResponse:
    """The part of the page that changes."""
    return render(request, "admin/groups/group/many_live.html", standing(request, once))
