"""Freezing, thawing and deleting a group in the admin: preview, reason, request.

Each is an operation, as in ``console.admin.verbs``. If someone else has frozen or thawed the group
since the page was opened, nothing is requested, and the page shows the current state.
"""

from typing import Final

from django import forms
from django.http import HttpRequest, HttpResponse

from console.admin.base import RollcallAdmin
from console.admin.curl import curl
from console.admin.form_fields import not_past
from console.admin.verbs import Page, Reason, Typed, answer, refusal
from console.queries import previews
from groups.core.operations import Name
from groups.models import Group

FREEZE: Final = Name.FREEZE
THAW: Final = Name.THAW


class Freezing(Reason):
    """Freeze or thaw: the action that the page offered."""

    verb = forms.ChoiceField(
        choices=[(v.value, v.value) for v in (FREEZE, THAW)], widget=forms.HiddenInput
    )
    until = forms.DateTimeField(
        required=False,
        label="Until, in UTC",
        validators=[not_past],
        widget=forms.DateTimeInput(attrs={"type": "datetime-local", "class": "rc-field rc-short"}),
    )


def freeze(site: RollcallAdmin, request: HttpRequest, group: Group) -> HttpResponse:
    """``group``: with ``frozen_since``; for a frozen group it offers the thaw, otherwise the
    freeze."""
    freezes = getattr(group, "frozen_since", None) is None
    name, look = (FREEZE, previews.freeze) if freezes else (THAW, previews.thaw)
    page = Page(
        name=name,
        title=f"{name.label} {group.group_id}",
        button=f"{name.label} the group",
        form=Freezing,
        seen={"verb": name.value},
        changed="It was frozen or thawed",
        sentences=look(group.group_id).sentences,
        more=lambda values: {"until": values["until"] if freezes else None},
        curl=curl(request, "POST", f"groups/{{}}/{name}", group.group_id),
        ids=[group.group_id],
        context={"has_end": freezes},
    )
    return answer(site, request, group, page)


def remove(site: RollcallAdmin, request: HttpRequest, group: Group) -> HttpResponse:
    """The preview of a deletion, and the form if the group has no members."""
    preview = previews.delete(group.group_id)
    page = Page(
        name=Name.DELETE,
        title=f"Delete {group.group_id}",
        button="Delete the group",
        form=Typed,
        refused=refusal(preview),
        sentences=preview.sentences,
        must_type=True,
        destroys=True,
        curl=curl(request, "DELETE", "groups/{}", group.group_id),
        ids=[group.group_id],
    )
    return answer(site, request, group, page)
