"""Freeze, thaw and delete a group in the admin: look first, say why, then ask.

Each is an operation, as in ``groups.admin.verbs``. A page that was looked at before somebody else
froze or thawed the group asks for nothing, and shows how things are.
"""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from groups.admin import standing
from groups.admin.base import RollcallAdmin
from groups.admin.curl import curl
from groups.admin.verbs import Reason, Typed, ask
from groups.models import Group, Member, Offset, Operation

FREEZE: Final = Operation.Verb.FREEZE
THAW: Final = Operation.Verb.THAW

WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    FREEZE: (
        "No rebalance begins until somebody thaws the group.",
        "Members go on with what they have. Newcomers wait, and what members leave has no owner.",
        "A rebalance that goes on ends as it would have.",
    ),
    THAW: ("Rebalances begin again: one at once, if anything has happened that calls for one.",),
}


class Freezing(Reason):
    """Freeze or thaw: what was offered when the page was looked at."""

    verb = forms.ChoiceField(choices=[(v, v) for v in WORDS], widget=forms.HiddenInput)


def freeze(site: RollcallAdmin, request: HttpRequest, group: Group) -> HttpResponse:
    """Preview and form. ``group``: with ``frozen_since``; what is frozen is offered to be thawed,
    and the other way round."""
    verb = FREEZE if getattr(group, "frozen_since", None) is None else THAW
    form = Freezing(request.POST or None, initial={"verb": verb})
    changed = request.method == "POST" and form.data.get("verb") != verb
    if request.method == "POST" and not changed and form.is_valid():
        return ask(request, group.group_id, verb, form.cleaned_data["reason"])
    if changed:
        form = Freezing({**request.POST.dict(), "verb": verb})
        form.errors.clear()
    context = {
        "title": f"{verb.label} {group.group_id}",
        "button": f"{verb.label} the group",
        "changed": changed,
        "sentences": WORDS[verb],
        "curl": curl(request, "POST", f"groups/{{}}/{verb}", group.group_id),
    }
    return _page(site, request, group, form, context)


def remove(site: RollcallAdmin, request: HttpRequest, group: Group) -> HttpResponse:
    """What is deleted, and the form that asks for it, where the group has no members."""
    members = Member.objects.filter(group_id=group.group_id).count()
    form = Typed(request.POST or None)
    if request.method == "POST" and form.is_valid() and form.is_typed(group.group_id):
        if not members:
            verb, reason = Operation.Verb.DELETE, form.cleaned_data["reason"]
            return ask(request, group.group_id, verb, reason)
    who = "1 member" if members == 1 else f"{members} members"
    offsets = Offset.objects.filter(group_id=group.group_id).count()
    context = {
        "title": f"Delete {group.group_id}",
        "button": "Delete the group",
        "refused": f"The group has {who}: stop them first." if members else "",
        "sentences": [
            f"The group is deleted, and its {offsets:,} committed offsets with it.",
            "Its journal is kept, and so is what is configured for it.",
        ],
        "curl": curl(request, "DELETE", "groups/{}", group.group_id),
    }
    return _page(site, request, group, form, context)


def _page(
    site: RollcallAdmin, request: HttpRequest, group: Group, form: Reason, context: dict[str, Any]
) -> HttpResponse:
    shared = {**site.admin_site.each_context(request), "group": group, "form": form}
    template = "admin/groups/group/freeze.html"
    return render(request, template, {**shared, **context, **standing.urls(group)})
