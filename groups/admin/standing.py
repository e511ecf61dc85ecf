"""How one group stands, as its page shows it: members, who owns what, offsets, journal, verbs.

Puts rows into words and shapes for the templates. Reads by ``groups.queries.groups``, decides
nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib.admin.utils import quote
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from groups.access import rights
from groups.admin import stopping
from groups.admin.member_table import by_topic, shortened, table
from groups.core.classic.waiting import COOPERATIVE
from groups.core.journal import EntryKind
from groups.core.waiting import Phase
from groups.models import Group, Journal, Node, Operation
from groups.queries import groups, pauses
from groups.queries.journal_text import author, seconds, sentence
from groups.queries.situation import SETTLED, SILENT_SHARE, Seen, of_one
from groups.queries.situation_text import (
    Facts,
    Order,
    Situation,
    Tone,
    Waiting,
    situation,
)

READING: Final = ["GET", "HEAD"]
"""All that pages which only show something answer to."""

MATRIX_MEMBERS_MAX: Final = 40
MATRIX_PARTITIONS_MAX: Final = 96
"""A larger matrix says less than a line a topic."""

TOPICS_MAX: Final = 100
"""Topics of such lines, those with partitions without owner first."""

OFFSETS_MAX: Final = 100
OPERATIONS_MAX: Final = 5
JOURNAL_MAX: Final = 30
DIGITS_MAX: Final = 19
"""Digits of the greatest bigint: longer ones number no row."""

COLOURS: Final = 8

WAITING_NAMED: Final = 5
"""Members named that have not acknowledged a command; the rest is counted."""

TONES: Final = {
    "Stable": "good",
    "Empty": "plain",
    "Dead": "plain",
}
"""Of the states in which nobody waits; the others are on their way to one."""

KIND_TONES: Final[Mapping[str, str]] = {
    EntryKind.REBALANCE_COMPLETED: "good",
    EntryKind.STABLE: "good",
    EntryKind.REBALANCE_STARTED: "warn",
    EntryKind.REBALANCE_ABANDONED: "bad",
    EntryKind.REBALANCE_RETRIED: "warn",
    EntryKind.CONSUMER_REBALANCE_FAILED: "bad",
    EntryKind.MEMBER_EXPELLED: "bad",
    EntryKind.GROUP_DELETED: "bad",
    EntryKind.PAUSED: "warn",
    EntryKind.RESUMED: "good",
    EntryKind.SLOTS_CLAIMED: "good",
}


def ago(at: datetime | None, now: datetime) -> str:
    """How long ago, in words; "" for never."""
    if at is None:
        return ""
    passed = max(0, round((now - at) / timedelta(seconds=1)))
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if passed >= length:
            return f"{passed // length} {unit} ago"
    return f"{passed} s ago"


def of(group: Group, request: HttpRequest) -> dict[str, Any]:
    """Everything that the live part of a group's page shows. Fourteen statements at most."""
    members = groups.members_of(group)
    offsets = groups.offsets_of(group.group_id, members, OFFSETS_MAX + 1)
    work = pauses.work_of(group.group_id, [(m.member_id, m.instance_id) for m in members])
    entries = journal(group.group_id, request)
    groups.ask_for_a_look(group.group_id)
    may_evict = rights.may(request.user, rights.EVICT)
    owner = groups.owner_of(group)
    counts = groups.partition_counts(groups.topics_of_members(members))
    now = of_one(Seen(group, members, work, owner, counts))
    listed = table(members, request.GET)
    colours = {m.member_id: n % COLOURS for n, m in enumerate(members)}
    shown = matrix(members, counts, gave_up(group, members, now.waiting))
    return {
        "group": group,
        "tone": TONES.get(group.state, "warn"),
        "situation": now,
        "evict_now": evict_link(group, now) if may_evict else None,
        "is_pending": group.state not in SETTLED,
        "facts": facts(group, members, owner),
        "table": listed,
        "members": [
            {**member(m, colours[m.member_id], may_evict), **stopping.of_member(work, m)}
            for m in listed.rows
        ],
        "has_instances": any(m.instance_id for m in listed.rows),
        **stopping.of_group(group, work),
        "may_pause": rights.may(request.user, rights.PAUSE),
        "may_be_paused": any(work.listens.values()) or work.is_stopped,
        "matrix": shown,
        "by_topic": [] if shown else by_topic(members, counts, _ranges)[:TOPICS_MAX],
        "offsets": offsets[:OFFSETS_MAX],
        "more_offsets": len(offsets) > OFFSETS_MAX,
        "lag": total_lag(offsets),
        **_told(entries, request),
        "operations": last_operations(group.group_id),
        "is_consumer": group.kind == groups.CONSUMER,
        **urls(group),
    }


def buried(group_id: str, request: HttpRequest) -> dict[str, Any] | None:
    """What is left of a group that was deleted: who did it, and its journal, which one that never
    was has, too, where it was configured; None: nothing is known of it. Four statements."""
    entries = journal(group_id, request)
    if not entries:
        return None
    ends = groups.journal_of(group_id).filter(kind=EntryKind.GROUP_DELETED)
    end = ends.first()
    return {
        "group": Group(group_id=group_id, state="Dead", kind="", revision=0),
        "tone": TONES["Dead"],
        "is_deleted": True,
        "gone": "not there" if end is None else "deleted",
        "situation": NEVER_THERE if end is None else _ended(end),
        **_told(entries, request),
        "operations": last_operations(group_id),
        **urls(Group(group_id=group_id)),
    }


NEVER_THERE: Final = Situation(Tone.PLAIN, "There is no such group: nobody has joined it yet.")


def _ended(end: Journal) -> Situation:
    by = author(end) if "author" in end.details else ""
    order = Order(by, end.at, end.reason)
    return situation(Facts("Dead", True, deleted=order), timezone.now())


def _told(entries: Sequence[Journal], request: HttpRequest) -> dict[str, Any]:
    """A page of the journal."""
    return {
        "journal": [told(entry) for entry in entries[:JOURNAL_MAX]],
        "is_old": number_of(request.GET.get("before", "")) is not None,
        "older": entries[JOURNAL_MAX - 1].pk if len(entries) > JOURNAL_MAX else None,
    }


def evict_link(group: Group, told: Situation) -> tuple[str, str] | None:
    """What the button says that would end the waiting, and where it leads."""
    if told.evict is None:
        return None
    url = reverse("admin:groups_group_evict", args=[quote(group.group_id)])
    return told.evict.name, f"{url}?{urlencode({'member': told.evict.member_id})}"


def urls(group: Group) -> dict[str, str]:
    """Where the parts of a group's page are."""
    key = quote(group.group_id)
    return {
        "page_url": reverse("admin:groups_group_change", args=[key]),
        "live_url": reverse("admin:groups_group_live", args=[key]),
        "rebalance_url": reverse("admin:groups_group_rebalance", args=[key]),
        "evict_url": reverse("admin:groups_group_evict", args=[key]),
        "pause_url": reverse("admin:groups_group_pause", args=[key]),
    }


def facts(
    group: Group, members: Sequence[groups.MemberView], owner: Node | None
) -> list[tuple[str, Any]]:
    """The head of the page."""
    epoch = "Group epoch" if group.kind == groups.CONSUMER else "Generation"
    assignor = group.protocol_name or group.details.get("assignor") or "none yet"
    if group.kind == groups.CONSUMER:
        assignor = f"{assignor}{_author(group)}"
    leader = next((m.client_id or m.member_id for m in members if m.is_leader), None)
    owned = sum(m.partition_count for m in members)
    return [
        (epoch, group.generation),
        ("Members", len(members)),
        *commands(group),
        ("Partitions owned", owned),
        ("Assignor", assignor),
        ("Leader", leader or "the coordinator assigns" if members else "nobody"),
        ("Coordinator", f"node {owner.node_id}" if owner else "no node yet"),
        ("In this state since", group.state_since),
    ]


def _author(group: Group) -> str:
    """Who assigned, where it was a member; and why not, where it should have been."""
    member, why_not = group.details.get("assigned_by"), group.details.get("fell_back")
    if why_not:
        return f", by the coordinator instead of {why_not}"
    return f", run by member {member}" if member else ""


def commands(group: Group) -> list[tuple[str, str]]:
    """For whom a commanded group waits: "stop-fetcher: w-1, w-2 and 3 more"."""
    if group.kind != groups.COMMANDED:
        return []
    found = groups.not_acknowledged(group.group_id)
    said = [f"{option}: {_named(names)}" for option, names in found.items()]
    return [("Not acknowledged", "; ".join(said) or "nothing")]


def _named(names: Sequence[str]) -> str:
    more = len(names) - WAITING_NAMED
    return ", ".join(names[:WAITING_NAMED]) + (f" and {more} more" if more > 0 else "")


def member(view: groups.MemberView, colour: int, may_evict: bool) -> dict[str, Any]:
    """One line of the members' table. How long ago a member was heard of is only told where that
    is long: it would change the page of a healthy group with each heartbeat."""
    age, session = view.heartbeat_age_ms, max(1, view.session_timeout_ms)
    is_silent = age is not None and age > SILENT_SHARE * session
    return {
        "view": view,
        "colour": colour,
        "name": shortened(view.client_id) or "(no client id)",
        "id": shortened(view.member_id),
        "is_silent": is_silent,
        "session": seconds(session),
        "age": None if age is None else seconds(age),
        "partitions": ", ".join(
            f"{topic}: {_ranges(numbers)}" for topic, numbers in (view.assignment or {}).items()
        ),
        "topics": ", ".join(view.topics or ()),
        "may_evict": may_evict,
    }


def _ranges(numbers: Sequence[int]) -> str:
    """0-3, 7."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1] = [parts[-1][0], number]
        else:
            parts.append([number, number])
    return ", ".join(f"{a}-{b}" if a != b else f"{a}" for a, b in parts)


def matrix(
    members: Sequence[groups.MemberView], counts: Mapping[str, int], gave_up: Collection[str] = ()
) -> Mapping[str, Any] | None:
    """Members by partitions; None where there would be nothing or too much to see.

    Partitions of subscribed topics that nobody owns have columns too: they are what one looks for.
    """
    owned = {
        (t, p) for m in members for t, numbers in (m.assignment or {}).items() for p in numbers
    }
    free = partitions_of(counts) - owned
    parts = sorted(owned | free)
    if not parts or len(parts) > MATRIX_PARTITIONS_MAX or len(members) > MATRIX_MEMBERS_MAX:
        return None
    topics: dict[str, list[int]] = {}
    for topic, partition in parts:
        topics.setdefault(topic, []).append(partition)
    rows = [
        {
            "name": shortened(m.client_id or m.member_id),
            "member_id": m.member_id,
            "colour": n % COLOURS,
            "gave_up": m.member_id in gave_up,
            "cells": [p in (m.assignment or {}).get(t, ()) for t, p in parts],
        }
        for n, m in enumerate(members)
    ]
    return {
        "topics": topics.items(),
        "rows": rows,
        "free": [part in free for part in parts] if free else None,
        "free_count": len(free),
    }


def gave_up(
    group: Group, members: Sequence[groups.MemberView], waiting: Waiting | None
) -> set[str]:
    """Members that work on nothing of what their rows still say: eager ones that have rejoined, and
    those of a commanded group that have stopped, or not started."""
    if waiting is None or waiting.awaited_count > len(waiting.awaited):
        return set()
    awaited = {one.member_id for one in waiting.awaited}
    everybody = {m.member_id for m in members}
    if waiting.phase == Phase.START:
        return awaited
    if waiting.phase == Phase.STOP:
        return everybody - awaited
    if group.protocol_name in COOPERATIVE or group.kind == groups.CONSUMER:
        return set()
    if waiting.phase == Phase.SYNC:
        return everybody
    return everybody - awaited if waiting.phase == Phase.JOIN else set()


def partitions_of(counts: Mapping[str, int]) -> set[tuple[str, int]]:
    """Every partition of these topics, as far as a matrix can show them."""
    found = counts.items()
    return {(name, p) for name, n in found for p in range(min(n, MATRIX_PARTITIONS_MAX + 1))}


def total_lag(offsets: Sequence[groups.OffsetView]) -> int | None:
    """Over the partitions whose end is known."""
    known = [offset.lag for offset in offsets if offset.lag is not None]
    return sum(known) if known else None


def journal(group_id: str, request: HttpRequest) -> list[Journal]:
    """A page of the journal, and one entry more, newest first; ``?before=`` goes back."""
    entries = groups.journal_of(group_id)
    before = number_of(request.GET.get("before", ""))
    if before is not None:
        entries = entries.filter(id__lt=before)
    return list(entries[: JOURNAL_MAX + 1])


def number_of(text: str) -> int | None:
    """A row's number as a URL says it; None for anything else."""
    plain = text.isascii() and text.isdigit() and len(text) < DIGITS_MAX
    return int(text) if plain else None


def told(entry: Journal) -> dict[str, Any]:
    """One line of the journal."""
    return {
        "at": entry.at,
        "sentence": sentence(entry),
        "tone": KIND_TONES.get(entry.kind, "plain"),
        "node": entry.node_id,
        "member_id": entry.member_id,
    }


def last_operations(group_id: str) -> list[Operation]:
    """What people asked of the group lately."""
    found = Operation.objects.filter(group_id=group_id)
    people = found.exclude(verb=Operation.Verb.EXPIRE_OFFSETS)
    return list(people.order_by("-id")[:OPERATIONS_MAX])
