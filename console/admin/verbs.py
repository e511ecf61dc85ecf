"""Verbs on a group in the admin: preview, reason, request.

Each verb is an operation that the group's owner executes (``groups.operations.requests``), as in
REST. If the page is outdated, nothing is requested: it shows the current state.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from console.admin import sent_forms, standing
from console.admin.base import RollcallAdmin
from console.admin.curl import REASON, cli, curl
from console.admin.form_fields import LineField
from console.admin.links import quote
from console.queries import foresight_text, groups, previews
from console.queries.journal_text import seconds
from groups.core.classic.states import PREPARING
from groups.core.operations import OPERATIONS, Name
from groups.models import Group, Operation
from groups.operations import requests

TYPED_ABOVE: Final = 20
"""For a group with more members than this, its name has to be typed first."""

NAMED_MAX: Final = 12
EAGER: Final = "Members revoke all their partitions until the new generation is assigned."
COOPERATIVE: Final = (
    "Members keep their partitions during the rebalance, and revoke only those that move."
)
UNKNOWN: Final = (
    "Rollcall does not know this protocol: its members may revoke all their partitions until the"
    " new generation is assigned."
)

PROTOCOLS: Final[Mapping[str, str]] = {
    "range": EAGER,
    "roundrobin": EAGER,
    "sticky": EAGER,
    "cooperative-sticky": COOPERATIVE,
}
"""What members do when they are told to rejoin, by their protocol (KIP-429)."""


class Reason(forms.Form):
    """The reason, which the journal shows."""

    reason = LineField(
        widget=forms.Textarea(attrs={"rows": 3, "class": "rc-field", "autofocus": True})
    )


class TypedOut(forms.Form):
    """For irreversible actions: the name of the target has to be typed."""

    typed = forms.CharField(required=False, widget=forms.TextInput(attrs={"class": "rc-field"}))

    def is_typed(self, expected: str) -> bool:
        """Whether the name was typed; otherwise the form gets an error. An input is one line, and
        spaces at the ends of an id are invisible, so these are ignored."""
        if self.cleaned_data["typed"].split() == expected.split():
            return True
        self.add_error("typed", f"Type {expected} to continue.")
        return False


class Typed(TypedOut, Reason):
    """The typed name, and a reason."""


class OperationForm(Typed):
    """A verb on one group, and the group's state when the page was opened."""

    generation = forms.IntegerField(widget=forms.HiddenInput)
    anyway = forms.BooleanField(required=False)


def rebalance(site: RollcallAdmin, request: HttpRequest, group: Group) -> HttpResponse:
    """Preview and form; a POST whose preview is still valid becomes an operation."""
    members = groups.members_of(group)
    preview = previews.of(Name.REBALANCE, previews.Asked(group.group_id, group, members))
    is_refused = preview.would == previews.REFUSED
    form = OperationForm(request.POST or None, initial={"generation": group.generation})
    changed = request.method == "POST" and _is_old(form, group)
    may_ask = request.method == "POST" and not changed and not is_refused
    if may_ask and _is_complete(form, group, len(members)):
        values = form.cleaned_data
        # A rebalance may end between the page and the request; the generation then differs.
        expected = None if values["anyway"] else group.generation
        verb, reason = Operation.Verb.REBALANCE, values["reason"]
        return request_verb(
            request,
            group.group_id,
            verb,
            reason,
            expected_generation=expected,
            prediction=preview.kept,
        )
    if changed:
        form = OperationForm({**request.POST.dict(), "generation": group.generation})
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
            "refused": " ".join(preview.sentences) if is_refused else "",
            "rebalancing": group.state == PREPARING,
            "sentences": _preview(group, members, preview),
            "named": [m.client_id or m.member_id for m in members[:NAMED_MAX]],
            "more": max(0, len(members) - NAMED_MAX),
            "must_type": len(members) > TYPED_ABOVE,
            "curl": curl(
                request,
                "POST",
                "groups/{}/rebalances",
                group.group_id,
                body={**REASON, "expected_generation": group.generation},
            ),
            "cli": cli("group", "rebalance", ids=[group.group_id]),
            **standing.urls(group),
        },
    )


def of_member(site: RollcallAdmin, request: HttpRequest, group: Group, name: Name) -> HttpResponse:
    """The same for an operation on the member in ``?member=``."""
    row, member_id = OPERATIONS[name], request.GET.get("member", "")
    members = groups.members_of(group)
    member = next((m for m in members if m.member_id == member_id), None)
    if member is None:
        gone = f"{member_id} is no longer a member of the group."
        word = row.button.lower()
        messages.warning(request, gone if member_id else f"Select a member to {word}.")
        return redirect("admin:groups_group_change", quote(group.group_id))
    asked = previews.Asked(group.group_id, group, members, member_id)
    preview = previews.of(name, asked)
    is_refused = preview.would == previews.REFUSED
    form = OperationForm(request.POST or None, initial={"generation": group.generation})
    changed = request.method == "POST" and _is_old(form, group)
    may_ask = request.method == "POST" and not changed and not is_refused
    if may_ask and _is_confirmed(form, group, len(members)):
        reason = form.cleaned_data["reason"]
        return request_verb(
            request, group.group_id, name, reason, member_id=member_id, prediction=preview.kept
        )
    if changed:
        form = OperationForm({**request.POST.dict(), "generation": group.generation})
        form.errors.clear()
    context = {
        **site.admin_site.each_context(request),
        "title": f"{row.label} of {group.group_id}",
        "button": row.label.replace(" a member", " the member"),
        "destroys": name in DESTROYS,
        "refused": " ".join(preview.sentences) if is_refused else "",
        "sentences": [*_evicted(group, member, members), *preview.sentences[1:]]
        if name in DESTROYS
        else preview.sentences,
        "group": group,
        "member": member,
        "form": form,
        "changed": changed,
        "must_type": len(members) > TYPED_ABOVE,
        "curl": _curl(request, group, name, member_id),
        "cli": cli("group", name.value, ids=[group.group_id, member_id]),
        **standing.urls(group),
    }
    return render(request, "admin/groups/group/operation.html", context)


def _curl(request: HttpRequest, group: Group, name: Name, member_id: str) -> str:
    ids = (group.group_id, member_id)
    if not OPERATIONS[name].says:
        return curl(request, "DELETE", "groups/{}/members/{}", *ids)
    return curl(request, "POST", f"groups/{{}}/members/{{}}/{name}", *ids)


def _evicted(
    group: Any, member: groups.MemberView, members: Sequence[groups.MemberView]
) -> Sequence[str]:
    """What an eviction will do, in sentences."""
    who, others = member.client_id or member.member_id, len(members) - 1
    then = "Then the group is empty."
    if group.frozen_since and others:
        then = "The group is frozen: its partitions have no owner until it is thawed."
    elif others:
        rest = f"{others:,} member{'' if others == 1 else 's'}"
        then = f"The other {rest} rebalance and take over its partitions."
    parts = f"{member.partition_count:,} partition{'' if member.partition_count == 1 else 's'}"
    return [
        f"{who} is removed from the group at once, with {parts}.",
        then,
        "If its client is alive, the reply to its next heartbeat says so, and it joins again as a"
        " new member.",
        "Committed offsets do not change.",
    ]


DESTROYS: Final = (Name.EVICT,)
"""Operations that end a membership."""


def _is_old(form: OperationForm, group: Group) -> bool:
    """Whether the group has changed since the page was opened."""
    return str(form.data.get("generation")) != str(group.generation)


def _is_complete(form: OperationForm, group: Group, members: int) -> bool:
    """Whether all inputs are given; errors are shown beside the fields."""
    if not form.is_valid():
        return False
    if group.state == PREPARING and not form.cleaned_data["anyway"]:
        form.add_error("anyway", "The group is already rebalancing; nothing is changed.")
    return _is_confirmed(form, group, members)


def _is_confirmed(form: OperationForm, group: Group, members: int) -> bool:
    """Whether there is a reason, and a large group's name was typed."""
    if not form.is_valid():
        return False
    if members > TYPED_ABOVE:
        form.is_typed(group.group_id)
    return not form.errors


def request_verb(
    request: HttpRequest, group_id: str, verb: str, reason: str, **more: Any
) -> HttpResponse:
    """Request a verb, and redirect to its operation; or to the group, if it is refused. A form that
    was sent before leads to the first operation."""
    key = sent_forms.key_of(request, group_id, verb, reason, _meant(more))
    before = sent_forms.earlier(key)
    if before is not None:
        messages.info(request, sent_forms.SENT_BEFORE)
        return redirect("admin:groups_operation_change", before.pk)
    try:
        operation = requests.request(
            group_id,
            verb,
            reason=reason,
            actor=request.user.get_username(),
            idempotency_key=key,
            **{"prediction": _predicted(verb, group_id, more), **more},
        )
    except requests.OlderNode as error:
        messages.error(request, f"Nothing was requested. {error}")
        return redirect("admin:groups_group_change", quote(group_id))
    return redirect("admin:groups_operation_change", operation.pk)


def _predicted(verb: str, group_id: str, more: Mapping[str, Any]) -> Any:
    """What the operation is expected to do, if the page has not said so already."""
    if "prediction" in more:
        return more["prediction"]
    name, member_id = Name(verb), more.get("member_id", "")
    preview = previews.asked(name, group_id, member_id, more.get("until"))
    return None if preview is None else preview.kept


def _meant(more: Mapping[str, Any]) -> Sequence[Any]:
    """What the user asked for: without the generation, which the first request may have changed,
    and the offsets that were calculated."""
    offsets = more.get("offsets") or {}
    return [more.get("member_id"), more.get("until"), offsets.get("how"), offsets.get("wanted")]


def _preview(
    group: Group, members: Sequence[groups.MemberView], preview: previews.Preview
) -> list[str]:
    """What will happen, in sentences."""
    if not members:
        return []
    moves = [] if preview.found is None else [foresight_text.moves(preview.found)]
    return [*_steps(group, members), *moves]


def _steps(group: Group, members: Sequence[groups.MemberView]) -> list[str]:
    """What members do, by their protocol."""
    if group.kind == groups.CONSUMER:
        return [
            "The group epoch increases by one and the coordinator computes a new target"
            " assignment.",
            "Only partitions that move are revoked; members keep working on the others.",
            "Committed offsets do not change.",
        ]
    if group.kind == groups.COMMANDED:
        return [
            f"All members are commanded to stop their fetchers: {len(members)}.",
            "When all have acknowledged that, each is commanded which fetchers to start.",
            "A member that does not acknowledge is expelled; its partitions wait until it must"
            " have stopped.",
            f"The group goes from generation {group.generation} to {group.generation + 1}"
            f"{_last_time(group)}.",
            "Committed offsets do not change.",
        ]
    longest = max(member.rebalance_timeout_ms for member in members)
    return [
        f"{every_member(len(members))} asked with the next heartbeat to rejoin.",
        PROTOCOLS.get(group.protocol_name or "", UNKNOWN),
        f"A member that does not rejoin within {seconds(longest)} is removed.",
        f"The group goes from generation {group.generation} to {group.generation + 1}"
        f"{_last_time(group)}.",
        "Committed offsets do not change.",
    ]


def every_member(count: int) -> str:
    """The subject of a sentence, with its verb."""
    few = {1: "The one member is", 2: "Both members are"}
    return few.get(count) or f"All {count:,} members are"


def _last_time(group: Group) -> str:
    """The duration of the last rebalance."""
    newest = groups.journal_of(group.group_id).filter(kind=groups.REBALANCED).first()
    if newest is None or newest.duration_ms is None:
        return ""
    return f"; the last rebalance took {seconds(newest.duration_ms)}"
