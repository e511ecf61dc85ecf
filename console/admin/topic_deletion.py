"""Deleting a topic in the admin: a list of what is deleted with it, and its name to be typed.

The catalogue's function does it, as in REST. A page that was opened for an earlier topic of the
same name deletes nothing.
"""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from console.admin.base import RollcallAdmin
from console.admin.curl import cli, curl
from console.admin.links import quote
from console.admin.verbs import TypedOut
from console.operations import topic_changes as changes
from console.people import rights
from console.queries import topic_groups
from console.queries.situation_text import many
from groups.core.authors import user
from groups.core.errors import Refuse
from groups.models import Topic


class Deleting(TypedOut):
    """The typed name; and the topic for which the page was opened."""

    topic_id = forms.CharField(widget=forms.HiddenInput)


def delete(site: RollcallAdmin, request: HttpRequest, topic: Topic) -> HttpResponse:
    """The list of what is deleted, and the form."""
    form = Deleting(request.POST or None, initial={"topic_id": topic.topic_id})
    changed = request.method == "POST" and form.data.get("topic_id") != str(topic.topic_id)
    is_meant = request.method == "POST" and not changed and form.is_valid()
    if is_meant and form.is_typed(topic.name):
        return _deleted(request, topic)
    if changed:
        form = Deleting(initial={"topic_id": topic.topic_id})
    return render(
        request,
        "admin/groups/topic/delete.html",
        {
            **site.admin_site.each_context(request),
            "title": f"Delete {topic.name}",
            "topic": topic,
            "form": form,
            "changed": changed,
            "sentences": _sentences(topic, rights.may(request.user, rights.VIEW_GROUP)),
            "page_url": reverse("admin:groups_topic_change", args=[quote(topic.name)]),
            "curl": curl(request, "DELETE", "topics/{}", topic.name, body=None),
            "cli": cli("topic", "delete", ids=[topic.name], options=()),
        },
    )


def _deleted(request: HttpRequest, topic: Topic) -> HttpResponse:
    who: Any = request.user
    try:
        changes.delete(topic, user(who.get_username()))
    except Refuse as refusal:
        messages.error(request, f"Nothing was deleted. {refusal.detail or refusal.code.name}")
    else:
        messages.success(request, f"The topic {topic.name} was deleted.")
    return redirect("admin:groups_topic_changelist")


def _sentences(topic: Topic, may_see_groups: bool) -> Sequence[str]:
    """What is deleted with the topic, and what stays."""
    offsets = topic_groups.offsets_of(topic)
    count = (
        f"{offsets:,}" if offsets < topic_groups.OFFSETS_COUNTED_MAX else f"at least {offsets:,}"
    )
    usage = topic_groups.of(topic)
    named = [_use(use) for use in usage.uses] if may_see_groups else []
    more = ["More groups use it than are named here."] if named and usage.is_more else []
    return [
        f"The topic is deleted with its {many(topic.partitions, 'partition')}.",
        f"Committed offsets of it that are deleted, of all groups: {count}. The journal of each"
        " group keeps the first thousand.",
        *(named or ([] if usage.uses else ["No group uses it."])),
        *more,
        "The journal, ACLs that name the topic, and groups stay. A new topic of this name is"
        " another topic.",
    ]


def _use(use: topic_groups.Use) -> str:
    """ "orders: 3 members subscribe and rebalance; 2 of them lose partitions." """
    if use.unread:
        return f"{use.group.group_id}: its members that subscribe rebalance (too many to count)."
    effects = []
    if use.subscribers:
        who = "member subscribes" if use.subscribers == 1 else "members subscribe"
        effects.append(f"{use.subscribers} {who}, so the group rebalances")
    if use.owners:
        effects.append(f"{many(len(use.owners), 'member')} lose{'s' * (len(use.owners) == 1)} work")
    if use.has_committed:
        effects.append("its committed offsets of the topic are deleted")
    return f"{use.group.group_id}: {'; '.join(effects)}."
