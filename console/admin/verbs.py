"""Verbs on a group in the admin: preview, reason, request.

Each verb is an operation that the group's owner executes (``groups.operations.requests``), as in
REST. If the page is outdated, nothing is requested: it shows the current state.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from console.admin import sent_forms, standing
from console.admin.base import RollcallAdmin
from console.admin.curl import REASON, cli, curl
from console.admin.form_fields import LineField
from console.admin.links import quote
from console.operations import requests
from console.queries import foresight_text, groups, previews
from console.queries.journal_text import seconds
from groups.core.classic.states import PREPARING
from groups.core.operations import OPERATIONS, Name
from groups.models import Group

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


class Page(NamedTuple):
    """The page of an operation: what it would do, and what it asks for.

    ``seen``: the state when the page was opened, as the form's hidden fields have it; if it is
    another one, nothing is requested (``changed`` says what has changed). ``refused``: why it would
    fail; "": it would not. ``must_type``: whether the group's name has to be typed. ``check`` may
    add an error to a valid form, and ``more`` is what its values mean for the request.
    """

    name: Name
    title: str
    button: str
    form: type[Reason]
    sentences: Sequence[str]
    curl: str
    ids: Sequence[str]
    seen: Mapping[str, Any] = {}
    changed: str = "The group has changed"
    refused: str = ""
    must_type: bool = False
    destroys: bool = False
    check: Callable[[Any], None] = lambda _form: None
    more: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda _values: {}
    context: Mapping[str, Any] = {}


def answer(site: RollcallAdmin, request: HttpRequest, group: Group, page: Page) -> HttpResponse:
    """Preview and form; a POST whose preview is still valid becomes an operation."""
    form, is_sent = page.form(request.POST or None, initial={**page.seen}), request.method == "POST"
    is_old = any(str(form.data.get(name)) != str(value) for name, value in page.seen.items())
    changed = page.changed if is_sent and is_old else ""
    if is_sent and not changed and not page.refused and _is_complete(form, group, page):
        values = form.cleaned_data
        more = page.more(values)
        return request_verb(request, group.group_id, page.name, values["reason"], **more)
    if changed:
        form = page.form({**request.POST.dict(), **page.seen})
        form.errors.clear()
    context = {
        **site.admin_site.each_context(request),
        "group": group,
        "form": form,
        "changed": changed,
        "page": page,
        "title": page.title,
        "curl": page.curl,
        "cli": cli("group", page.name.value, ids=page.ids),
        **page.context,
        **standing.urls(group),
    }
    return render(request, "admin/groups/group/operation.html", context)


def _is_complete(form: Any, group: Group, page: Page) -> bool:
    """Whether all inputs are given; errors are shown beside the fields."""
    if not form.is_valid():
        return False
    page.check(form)
    if page.must_type:
        form.is_typed(group.group_id)
    return not form.errors


def refusal(preview: previews.Preview) -> str:
    """Why an operation would fail; "": it would not."""
    return " ".join(preview.sentences) if preview.would == previews.REFUSED else ""


def rebalance(site: RollcallAdmin, request: HttpRequest, group: Group) -> HttpResponse:
    """The page of a forced rebalance."""
    members, rebalancing = groups.members_of(group), group.state == PREPARING
    preview = previews.of(Name.REBALANCE, previews.Asked(group.group_id, group, members))

    def check(form: OperationForm) -> None:
        if rebalancing and not form.cleaned_data["anyway"]:
            form.add_error("anyway", "The group is already rebalancing; nothing is changed.")

    def more(values: Mapping[str, Any]) -> Mapping[str, Any]:
        # A rebalance may end between the page and the request; the generation then differs.
        expected = None if values["anyway"] else group.generation
        return {"expected_generation": expected, "prediction": preview.kept}

    page = Page(
        name=Name.REBALANCE,
        title=f"Force a rebalance of {group.group_id}",
        button="Force the rebalance",
        form=OperationForm,
        seen={"generation": group.generation},
        refused=refusal(preview),
        sentences=_preview(group, members, preview),
        must_type=len(members) > TYPED_ABOVE,
        check=check,
        more=more,
        curl=curl(
            request,
            "POST",
            "groups/{}/rebalances",
            group.group_id,
            body={**REASON, "expected_generation": group.generation},
        ),
        ids=[group.group_id],
        context={
            "rebalancing": rebalancing,
            "named": [m.client_id or m.member_id for m in members[:NAMED_MAX]],
            "more": max(0, len(members) - NAMED_MAX),
        },
    )
    return answer(site, request, group, page)


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
    preview, destroys = previews.of(name, asked), name in DESTROYS
    sentences = preview.sentences
    if destroys:
        sentences = [*_evicted(group, member, members), *sentences[1:]]
    page = Page(
        name=name,
        title=f"{row.label} of {group.group_id}",
        button=row.label.replace(" a member", " the member"),
        form=OperationForm,
        seen={"generation": group.generation},
        refused=refusal(preview),
        sentences=sentences,
        must_type=len(members) > TYPED_ABOVE,
        destroys=destroys,
        more=lambda _: {"member_id": member_id, "prediction": preview.kept},
        curl=_curl(request, group, name, member_id),
        ids=[group.group_id, member_id],
        context={"member": member},
    )
    return answer(site, request, group, page)


def _curl(request: HttpRequest, group: Group, name: Name, member_id: str) -> str:
    ids = (group.group_id, member_id)
    return curl(request, name.method, f"groups/{{}}/members/{{}}/{name.tail}".rstrip("/"), *ids)


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


def request_verb(
    request: HttpRequest, group_id: str, verb: str, reason: str, **more: Any
) -> HttpResponse:
    """Request a verb, and redirect to its operation. A form that was sent before leads to the first
    operation."""
    key = sent_forms.key_of(request, group_id, verb, reason, _meant(more))
    before = sent_forms.earlier(key)
    if before is not None:
        messages.info(request, sent_forms.SENT_BEFORE)
        return redirect("admin:groups_operation_change", before.pk)
    operation = requests.request(
        group_id,
        verb,
        reason=reason,
        actor=request.user.get_username(),
        idempotency_key=key,
        **{"prediction": _predicted(verb, group_id, more), **more},
    )
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
