"""Stopping and starting the work of a group or a member in the admin: preview, reason, request.

Each is an operation, as in ``console.admin.verbs``; if someone else has stopped or started the same
since the page was opened, nothing is requested, and the page shows the current state.
"""

from collections.abc import Sequence
from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from console.admin.base import RollcallAdmin
from console.admin.curl import curl
from console.admin.links import quote
from console.admin.verbs import TYPED_ABOVE, Page, Typed, answer, every_member
from console.queries import groups, pauses
from console.queries.pauses import WorkState
from groups.core.operations import Name
from groups.core.pauses import RUNNING
from groups.models import Group

STOP: Final = "stop"
START: Final = "start"


class PauseForm(Typed):
    """Stop or start. ``seen``: the pause when the page was opened, 0: none."""

    verb = forms.ChoiceField(choices=[(STOP, STOP), (START, START)], widget=forms.HiddenInput)
    seen = forms.IntegerField(widget=forms.HiddenInput)


def pause(site: RollcallAdmin, request: HttpRequest, group: Group) -> HttpResponse:
    """Preview and form, for the group or for the member in ``?member=``. Stopped work is offered to
    be started, other work to be stopped."""
    members = groups.members_of(group)
    work = pauses.work_of(group.group_id, [(m.member_id, m.instance_id) for m in members])
    name = request.GET.get("member", "")
    member = next((m for m in members if m.member_id == name), None)
    held = next((p.pause_id for p in work.pauses if p.name in _names(name, member)), RUNNING)
    if name and member is None and not held:
        messages.warning(request, f"{name} is no longer a member of the group.")
        return redirect("admin:groups_group_change", quote(group.group_id))
    word, verb = (START, Name.RESUME) if held else (STOP, Name.PAUSE)
    ids = [group.group_id, *([name] if name else [])]
    page = Page(
        name=verb,
        title=f"{word.title()} the work of {name or group.group_id}",
        button=f"{word.title()} the work",
        form=PauseForm,
        seen={"verb": word, "seen": held},
        changed="It was stopped or started",
        sentences=_preview(members, work, member) if not held else _after(work, name),
        must_type=not name and len(members) > TYPED_ABOVE,
        more=lambda _: {"member_id": name},
        curl=curl(request, "POST", f"groups/{{}}{'/members/{}' if name else ''}/{verb}", *ids),
        ids=ids,
        context={"member": member, "told": ", and the members receive it"},
    )
    return answer(site, request, group, page)


def _names(name: str, member: groups.MemberView | None) -> set[str]:
    """The possible names of a pause of this member; without a member, of the whole group."""
    return {name} if member is None else {member.instance_id or name}


ACCEPTED: Final = (
    "Commits are still accepted, so that members can record their progress when they stop."
)
SUPPORTED: Final = "only Rollcall's library supports it"


def _preview(
    members: Sequence[groups.MemberView], work: WorkState, member: groups.MemberView | None
) -> list[str]:
    """What stopping will do, in sentences."""
    if member is not None:
        return _preview_of_one(member, can_stop=work.listens[member.member_id])
    deaf = sum(not work.listens[m.member_id] for m in members)
    if deaf == len(members):
        nothing = f"no client of the group supports it; {SUPPORTED}"
        return [
            f"Nothing stops: {nothing}." if members else "Nothing stops: the group has no members.",
            "Members that join later with Rollcall's library are ordered to stop.",
        ]
    sentences = [
        f"{every_member(len(members))} ordered to stop at once, and so are members that join"
        " later.",
        "They stay members and keep their partitions; no member works on them until the start.",
        ACCEPTED,
    ]
    if deaf:
        one, many = "one client does", f"{deaf} clients do"
        clients = f"{one if deaf == 1 else many} not support stopping"
        sentences.append(f"But {clients}, and will continue: {SUPPORTED}.")
    return sentences


def _preview_of_one(member: groups.MemberView, *, can_stop: bool) -> list[str]:
    name = member.client_id or member.member_id
    if not can_stop:
        return [f"Nothing stops: the client of {name} does not support it; {SUPPORTED}."]
    ends = (
        "it stays stopped if it returns" if member.instance_id else "the stop ends when it leaves"
    )
    return [
        f"{name} is ordered to stop at once; {ends}.",
        "It stays a member and keeps its partitions; no other member works on them until it"
        " starts.",
        ACCEPTED,
    ]


def _after(work: WorkState, name: str) -> list[str]:
    """What starting will do."""
    sentences = [
        "The members that this stopped continue at once with the partitions that they have."
    ]
    if name and work.of_group is not None:
        sentences = [
            "The whole group is stopped as well, so the member stays stopped until the group"
            " is started."
        ]
    others = sum(bool(p.name) for p in work.pauses) if not name else 0
    if others:
        alone = (
            "1 member that was stopped individually stays"
            if others == 1
            else f"{others} members that were stopped individually stay"
        )
        sentences.append(f"{alone} stopped.")
    return sentences
