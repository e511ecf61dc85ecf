"""One group's state on its page: members, owners, offsets, journal, verbs.

Converts rows to texts and shapes for the templates. Queries are in ``console.queries.groups``;
decides nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from console.admin import stopping
from console.admin.links import quote
from console.admin.troubles import folded, troubles
from console.people import rights
from console.queries import attention, groups, pauses, tones
from console.queries.fired import Fired
from console.queries.journal_acts import author
from console.queries.situation import SETTLED, PageValues, of_one
from console.queries.situation_text import Facts, Order, Situation, Tone, clock, situation
from groups.core.journal import EntryKind
from groups.models import Group, GroupConfig, Journal, Operation

READING: Final = ["GET", "HEAD"]
"""HTTP methods of pages that only show something."""

OPERATIONS_MAX: Final = 5
DIGITS_MAX: Final = 19
"""Digits of the greatest bigint: a longer number is no row's."""

WAITING_NAMED: Final = 5
"""Members named that have not acknowledged a command; others are only counted."""


def ago(at: datetime | None, now: datetime) -> str:
    """How long ago, in words; "" for never."""
    if at is None:
        return ""
    passed = max(0, round((now - at) / timedelta(seconds=1)))
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if passed >= length:
            return f"{passed // length} {unit} ago"
    return f"{passed} s ago"


@dataclass(frozen=True, slots=True)
class Standing:
    """The values that a group's page reads, whichever tab is shown."""

    group: Any
    members: Sequence[groups.MemberView]
    counts: Mapping[str, int]
    work: pauses.WorkState
    situation: Situation
    attention: Sequence[Fired]


def look(group: Any) -> Standing:
    """Read the state of a group. At most nine statements."""
    members = groups.members_of(group)
    work = pauses.work_of(group.group_id, [(m.member_id, m.instance_id) for m in members])
    groups.request_look(group.group_id)
    counts = groups.partition_counts(groups.topics_of_members(members))
    now = of_one(PageValues(group, members, work, group.owner_id, counts))
    return Standing(group, members, counts, work, now, attention.of_group(group, now))


def head(seen: Standing, request: HttpRequest) -> dict[str, Any]:
    """The content above every tab of a group's page."""
    group, work = seen.group, seen.work
    may_evict = rights.may(request.user, rights.EVICT)
    return {
        "group": group,
        "tone": tones.STATES.get(group.state, tones.WARN),
        "situation": seen.situation,
        **folded(troubles(seen.attention, request)),
        "evict_now": evict_links(group, seen.situation) if may_evict else (),
        "is_pending": group.state not in SETTLED,
        "facts": facts(group, seen.members),
        **stopping.of_group(group, work),
        "may_pause": rights.may(request.user, rights.PAUSE),
        "may_be_paused": any(work.listens.values()) or work.is_stopped,
        "is_consumer": group.kind == groups.CONSUMER,
        **urls(group),
    }


def only_frozen(group_id: str) -> Group | None:
    """A frozen group without a row, deleted or not created yet: it can be thawed."""
    freeze = groups.freeze_of(group_id)
    if freeze is None:
        return None
    group = Group(group_id=group_id, state="Dead", kind="", revision=0)
    setattr(group, "frozen_since", freeze.updated_at)  # noqa: B010  (as with_freezes has it)
    return group


def buried(group_id: str, freeze: GroupConfig | None = None) -> dict[str, Any]:
    """The head of a deleted group's page, with the author of the deletion. (A group that never
    existed has a journal too, if it was configured.) Two statements."""
    ends = groups.journal_of(group_id).filter(kind=EntryKind.GROUP_DELETED)
    end = ends.first()
    return {
        "group": Group(group_id=group_id, state="Dead", kind="", revision=0),
        "tone": tones.STATES["Dead"],
        "is_deleted": True,
        "frozen_name": "" if freeze is None else _frozen_name(freeze),
        "gone": "not there" if end is None else "deleted",
        "situation": NEVER_THERE if end is None else _ended(end),
        "operations": last_operations(group_id),
        **urls(Group(group_id=group_id)),
    }


def _frozen_name(freeze: GroupConfig) -> str:
    now = timezone.now()
    until = f" until {clock(freeze.until, now)}" if freeze.until else ""
    since = clock(freeze.updated_at, now)
    return f"The name is frozen since {since}{until}: if members join, no rebalance begins."


NEVER_THERE: Final = Situation(Tone.PLAIN, "There is no such group: no member has joined it yet.")


def _ended(end: Journal) -> Situation:
    by = author(end) if "author" in end.details else ""
    order = Order(by, end.at, end.reason)
    return situation(Facts("Dead", True, deleted=order), timezone.now())


def evict_links(group: Group, current: Situation) -> Sequence[tuple[str, str]]:
    """The labels and URLs of the buttons that would end the wait."""
    url = reverse("admin:groups_group_evict", args=[quote(group.group_id)])
    return [(one.name, f"{url}?{urlencode({'member': one.member_id})}") for one in current.evict]


def urls(group: Group) -> dict[str, str]:
    """The URLs of the parts of a group's page."""
    key = quote(group.group_id)
    return {
        "page_url": reverse("admin:groups_group_change", args=[key]),
        "live_url": reverse("admin:groups_group_live", args=[key]),
        "timeline_url": reverse("admin:groups_group_timeline", args=[key]),
        "picture_url": reverse("admin:groups_group_picture", args=[key]),
        "rebalance_url": reverse("admin:groups_group_rebalance", args=[key]),
        "evict_url": reverse("admin:groups_group_evict", args=[key]),
        "pause_url": reverse("admin:groups_group_pause", args=[key]),
        "reset_url": reverse("admin:groups_group_reset", args=[key]),
        "configure_url": reverse("admin:groups_group_configure", args=[key]),
        "freeze_url": reverse("admin:groups_group_freeze", args=[key]),
        "remove_url": reverse("admin:groups_group_remove", args=[key]),
    }


def facts(group: Any, members: Sequence[groups.MemberView]) -> list[tuple[str, Any]]:
    """The facts at the head of the page."""
    epoch = "Group epoch" if group.kind == groups.CONSUMER else "Generation"
    assignor = group.protocol_name or group.details.get("assignor") or "none yet"
    if group.kind == groups.CONSUMER:
        assignor = f"{assignor}{_author(group)}"
    leader = next((m.client_id or m.member_id for m in members if m.is_leader), None)
    owned = sum(m.partition_count for m in members)
    return [
        (epoch, group.generation),
        ("Members", f"{len(members):,}"),
        *commands(group),
        ("Partitions owned", f"{owned:,}"),
        ("Assignor", assignor),
        ("Leader", leader or "the coordinator assigns" if members else "none"),
        ("Coordinator", _coordinator(group.owner_id)),
        ("In this state since", group.state_since),
    ]


def _coordinator(node_id: int | None) -> str:
    return "no node yet" if node_id is None else f"node {node_id}"


def _author(group: Group) -> str:
    """The member that assigned, if one did; or why none did although members could."""
    member, why_not = group.details.get("assigned_by"), group.details.get("fell_back")
    if why_not:
        return f", by the coordinator instead of {why_not}"
    return f", run by member {member}" if member else ""


def commands(group: Group) -> list[tuple[str, str]]:
    """The members that a commanded group waits for: "stop-fetcher: w-1, w-2 and 3 more"."""
    if group.kind != groups.COMMANDED:
        return []
    members = groups.not_acknowledged(group.group_id)
    lines = [f"{option}: {_named(names)}" for option, names in members.items()]
    return [("Not acknowledged", "; ".join(lines) or "nothing")]


def _named(names: Sequence[str]) -> str:
    more = len(names) - WAITING_NAMED
    return ", ".join(names[:WAITING_NAMED]) + (f" and {more} more" if more > 0 else "")


def number_of(text: str) -> int | None:
    """A row's number in a URL; None for other texts."""
    plain = text.isascii() and text.isdigit() and len(text) < DIGITS_MAX
    return int(text) if plain else None


def last_operations(group_id: str) -> list[Operation]:
    """The newest operations on the group."""
    operations = Operation.objects.filter(group_id=group_id)
    people = operations.exclude(verb=Operation.Verb.EXPIRE_OFFSETS)
    return list(people.order_by("-id")[:OPERATIONS_MAX])
