"""Setting offsets: the form, a preview for each partition, and the undo.

REST's calculation is used (``console.operations.offset_resets``); the group's owner refuses it if
the group has members.
"""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from console.admin import standing
from console.admin.base import RollcallAdmin
from console.admin.curl import cli, curl
from console.admin.form_fields import IdField
from console.admin.verbs import Reason, request_verb
from console.operations import offset_resets
from console.operations.offset_resets import Plan, ResetTarget
from console.queries import previews
from groups.models import Group, Operation

SHOWN_MAX: Final = 200
"""Partitions whose offsets a preview shows; all are counted."""

CSV_CHARS_MAX: Final = 1_000_000

WORDS: Final[Mapping[str, str]] = {
    "earliest": "the earliest (0)",
    "latest": "the latest known",
    "offset": "this offset",
    "shift": "shifted by this number",
    "moment": "the offsets at this time (UTC)",
    "group": "the offsets of another group",
    "csv": "the offsets of a file",
}

FIELDS: Final[Mapping[str, str]] = {
    "offset": "offset",
    "shift": "shift",
    "moment": "moment",
    "group": "group",
    "csv": "csv",
}
"""The field that a way needs."""

TEXT: Final = {"class": "rc-field"}


class Reset(Reason):
    """The new offsets."""

    to = forms.ChoiceField(
        label="Set them to",
        choices=list(WORDS.items()),
        widget=forms.Select(attrs=TEXT),
        initial="earliest",
    )
    offset = forms.CharField(required=False, max_length=20, widget=forms.TextInput(attrs=TEXT))
    shift = forms.CharField(required=False, max_length=21, widget=forms.TextInput(attrs=TEXT))
    moment = forms.DateTimeField(
        required=False, widget=forms.DateTimeInput(attrs={**TEXT, "type": "datetime-local"})
    )
    group = IdField(required=False, widget=forms.TextInput(attrs=TEXT))
    csv = forms.CharField(
        label="Lines of topic,partition,offset",
        required=False,
        max_length=CSV_CHARS_MAX,
        widget=forms.Textarea(attrs={**TEXT, "rows": 4}),
    )
    topics = forms.CharField(
        label="Only these topics, separated by commas",
        required=False,
        widget=forms.TextInput(attrs=TEXT),
        help_text="Empty: all partitions that the group has committed. If topics are named, their"
        " partitions are set even if they were never committed.",
    )

    @property
    def target(self) -> ResetTarget:
        """The input of the calculation."""
        values = self.cleaned_data
        topics = tuple(sorted({t.strip() for t in values["topics"].split(",") if t.strip()}))
        if values["to"] == "csv" and not topics:
            topics = offset_resets.topics_of_csv(values["csv"])
        return ResetTarget(values["to"], values.get(FIELDS.get(values["to"], "")), topics)


def reset(site: RollcallAdmin, request: HttpRequest, group: Group) -> HttpResponse:
    """The form; the preview; and, if the offsets are still those of the preview, an operation."""
    form = Reset(request.POST or None)
    plan = _planned(form, group) if request.method == "POST" and form.is_valid() else None
    seen = request.POST.get("seen", "")
    preview = previews.offsets(group.group_id)
    is_refused = preview.would == previews.REFUSED
    if plan is not None and plan.changes and seen == plan.digest and not is_refused:
        return _request(request, group.group_id, plan, form.cleaned_data["reason"])
    return render(
        request,
        "admin/groups/group/reset.html",
        {
            **site.admin_site.each_context(request),
            "title": f"Reset offsets of {group.group_id}",
            "group": group,
            "form": form,
            "fields": [form[name] for name in ("to", *FIELDS.values(), "topics", "reason")],
            "needed": FIELDS,
            "refused": " ".join(preview.sentences) if is_refused else "",
            "changed": bool(seen) and plan is not None,
            "plan": plan,
            "changes": [] if plan is None else plan.changes[:SHOWN_MAX],
            "more": 0 if plan is None else max(0, len(plan.changes) - SHOWN_MAX),
            "curl": None if plan is None else _curl(request, group, form),
            "cli": None if plan is None else _cli(group, form),
            **standing.urls(group),
        },
    )


def _planned(form: Reset, group: Group) -> Plan | None:
    """The preview; an error is shown beside its field."""
    try:
        return offset_resets.plan(group.group_id, form.target)
    except ValueError as error:
        text = str(error)
        field = FIELDS.get(form.cleaned_data["to"], "to")
        form.add_error(field, f"{text[:1].upper()}{text[1:]}.")
        return None


def _request(request: HttpRequest, group_id: str, plan: Plan, reason: str) -> HttpResponse:
    return request_verb(
        request, group_id, Operation.Verb.RESET_OFFSETS, reason, offsets=plan.offsets
    )


def undo(request: HttpRequest, operation: Operation) -> HttpResponse:
    """One click: restore the offsets from before the reset, unless they were set since."""
    try:
        plan = offset_resets.undo(operation)
        preview = previews.offsets(operation.group_id)
        if preview.would == previews.REFUSED:
            raise ValueError(" ".join(preview.sentences).removesuffix("."))
    except ValueError as error:
        messages.error(request, f"Nothing was undone: {error}.")
        return redirect("admin:groups_operation_change", operation.pk)
    return _request(request, operation.group_id, plan, f"undo of operation {operation.pk}")


def _json(target: ResetTarget) -> str | int:
    """The value for REST; it is valid, since a plan was computed from it."""
    if target.to == "moment":
        return str(target.value.isoformat())
    return int(target.value) if target.to in ("offset", "shift") else str(target.value)


def _curl(request: HttpRequest, group: Group, form: Reset) -> str:
    target, values = form.target, form.cleaned_data
    body: dict[str, Any] = {"to": target.to, "reason": values["reason"]}
    if target.to in FIELDS:
        body[FIELDS[target.to]] = _json(target)
    if target.topics and target.to != "csv":
        body["topics"] = list(target.topics)
    return curl(request, "POST", "groups/{}/offsets/resets", group.group_id, body=body)


OPTIONS: Final[Mapping[str, str]] = {
    "earliest": "--to-earliest",
    "latest": "--to-latest",
    "offset": "--to-offset",
    "shift": "--shift-by",
    "moment": "--to-datetime",
    "group": "--from-group",
    "csv": "--from-file",
}
"""The options of ``rollcall group reset-offsets``."""

FILE: Final = "FILE"
"""A placeholder, to be filled in."""


def _cli(group: Group, form: Reset) -> str:
    target, arguments = form.target, [OPTIONS[form.target.to]]
    if target.to in FIELDS:
        arguments.append(FILE if target.to == "csv" else str(_json(target)))
    if target.to != "csv":
        named = [word for topic in target.topics for word in ("--topic", topic)]
        arguments += named or ["--all-topics"]
    options = [*arguments, "--execute", "--reason", form.cleaned_data["reason"]]
    return cli("group", "reset-offsets", ids=[group.group_id], options=options)
