"""Freezing, thawing and deleting a group in the admin: preview, reason, request.

Each is an operation, as in ``console.admin.verbs``. If someone else has frozen or thawed the group
since the page was opened, nothing is requested, and the page shows the current state.
"""

from typing import Any, Final

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from console.admin import standing
from console.admin.base import RollcallAdmin
from console.admin.curl import cli, curl
from console.admin.form_fields import not_past
from console.admin.verbs import Reason, Typed, request_verb
from console.queries import previews
from groups.models import Group, Operation

FREEZE: Final = Operation.Verb.FREEZE
THAW: Final = Operation.Verb.THAW


class Freezing(Reason):
    """Freeze or thaw: the action that the page offered."""

    verb = forms.ChoiceField(choices=[(v, v) for v in (FREEZE, THAW)], widget=forms.HiddenInput)
    until = forms.DateTimeField(
        required=False,
        label="Until, in UTC",
        validators=[not_past],
        widget=forms.DateTimeInput(attrs={"type": "datetime-local", "class": "rc-field rc-short"}),
    )


def freeze(site: RollcallAdmin, request: HttpRequest, group: Group) -> HttpResponse:
    """Preview and form. ``group``: with ``frozen_since``; for a frozen group it offers the thaw,
    otherwise the freeze."""
    verb = FREEZE if getattr(group, "frozen_since", None) is None else THAW
    form = Freezing(request.POST or None, initial={"verb": verb})
    changed = request.method == "POST" and form.data.get("verb") != verb
    if request.method == "POST" and not changed and form.is_valid():
        values = form.cleaned_data
        until = values["until"] if verb == FREEZE else None
        return request_verb(request, group.group_id, verb, values["reason"], until=until)
    if changed:
        form = Freezing({**request.POST.dict(), "verb": verb})
        form.errors.clear()
    context = {
        "title": f"{verb.label} {group.group_id}",
        "button": f"{verb.label} the group",
        "changed": changed,
        "sentences": _looked(group.group_id, verb).sentences,
        "has_end": verb == FREEZE,
        "curl": curl(request, "POST", f"groups/{{}}/{verb}", group.group_id),
        "cli": cli("group", str(verb.value), ids=[group.group_id]),
    }
    return _page(site, request, group, form, context)


def remove(site: RollcallAdmin, request: HttpRequest, group: Group) -> HttpResponse:
    """The preview of a deletion, and the form if the group has no members."""
    preview = previews.delete(group.group_id)
    is_refused = preview.would == previews.REFUSED
    form = Typed(request.POST or None)
    if request.method == "POST" and form.is_valid() and form.is_typed(group.group_id):
        if not is_refused:
            verb, reason = Operation.Verb.DELETE, form.cleaned_data["reason"]
            return request_verb(request, group.group_id, verb, reason)
    context = {
        "title": f"Delete {group.group_id}",
        "button": "Delete the group",
        "refused": " ".join(preview.sentences) if is_refused else "",
        "sentences": preview.sentences,
        "curl": curl(request, "DELETE", "groups/{}", group.group_id),
        "cli": cli("group", "delete", ids=[group.group_id]),
        "destroys": True,
    }
    return _page(site, request, group, form, context)


def _looked(group_id: str, verb: str) -> previews.Preview:
    return previews.freeze(group_id) if verb == FREEZE else previews.thaw(group_id)


def _page(
    site: RollcallAdmin, request: HttpRequest, group: Group, form: Reason, context: dict[str, Any]
) -> HttpResponse:
    shared = {**site.admin_site.each_context(request), "group": group, "form": form}
    template = "admin/groups/group/freeze.html"
    return render(request, template, {**shared, **context, **standing.urls(group)})
