"""The first page: the fleet in a few numbers, and what needs attention.
``console.queries.overview`` counts; this module creates tiles and sentences."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from console.admin import fleet_charts, timeline_window
from console.admin.links import quote
from console.admin.troubles import folded, troubles
from console.people import rights
from console.queries import attention, journal_text, tones
from console.queries import overview as fleets
from console.queries.journal_acts import author
from console.queries.member_names import Name, names_of_groups, plain
from console.queries.overview import Overview
from console.queries.situation import SETTLED
from groups.models import Journal


class Tile(NamedTuple):
    """One number. ``tone`` is "", "good", "warn" or "bad"."""

    title: str
    number: str
    note: str
    link: str = ""
    tone: str = ""


def fleet(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """The context of the first page's template (unfold's DASHBOARD_CALLBACK)."""
    if not rights.may(request.user, rights.VIEW_GROUP):
        return context
    seen = fleets.look()
    now = timezone.now()
    may_view_nodes = rights.may(request.user, rights.VIEW_NODE)
    context.update(
        {
            "fleet": seen,
            "tiles": tiles(seen),
            "states": shares(seen),
            **folded(troubles(attention.fired(seen), request)),
            **fleet_charts.context(request, now),
            "marks": _marks(seen.marks),
            "latest": _latest(seen.latest),
            "over": _over(seen.outages if may_view_nodes else (), seen.over),
            "seen_at": now,
        }
    )
    return context


def _latest(entries: Sequence[Journal]) -> Sequence[dict[str, Any]]:
    names = names_of_groups(entries)
    return [_row(entry, names[entry.group_id]) for entry in entries]


def _marks(entries: Sequence[Journal]) -> Sequence[dict[str, Any]]:
    """Marks, each with its own time; one of a group leads to what followed."""
    return [
        {
            "at": at,
            "text": entry.reason,
            "group_id": entry.group_id,
            "actor": author(entry),
            "link": _after(entry.group_id, at)
            if entry.group_id
            else reverse("admin:groups_mark_changelist"),
        }
        for entry, at in ((entry, _marked_at(entry)) for entry in entries)
    ]


def _marked_at(entry: Journal) -> datetime:
    """The time that was marked, which may be before the entry's."""
    return timeline_window.moment(str((entry.details or {}).get("at"))) or entry.at


def _after(group_id: str, at: datetime) -> str:
    page = reverse("admin:groups_group_change", args=[quote(group_id)])
    return f"{page}{timeline_window.after(at)}"


def _over(outages: Sequence[Journal], long: Sequence[Journal]) -> Sequence[dict[str, Any]]:
    """What stood still and does so no more, the newest first: each with its cause and its cost, and
    a group with the time in which it was so."""
    names = names_of_groups(long)
    rows = [
        *(_row(entry) for entry in outages),
        *({**_row(entry, names[entry.group_id]), "link": _during(entry)} for entry in long),
    ]
    return sorted(rows, key=lambda row: row["at"], reverse=True)


def _during(entry: Journal) -> str:
    began = entry.at - timedelta(milliseconds=entry.duration_ms or 0)
    page = reverse("admin:groups_group_change", args=[quote(entry.group_id)])
    return f"{page}{timeline_window.query(began, entry.at + MARGIN)}"


MARGIN: Final = timedelta(minutes=1)


def _row(entry: Journal, name: Name = plain) -> dict[str, Any]:
    return {
        "group_id": entry.group_id,
        "link": reverse("admin:groups_group_change", args=[quote(entry.group_id)])
        if entry.group_id
        else reverse("admin:groups_node_changelist"),
        "sentence": journal_text.sentence(entry, name),
        "tone": tones.of_entry(entry),
        "at": entry.at,
    }


def tiles(seen: Overview) -> Sequence[Tile]:
    """The numbers, each with a link to its page."""
    live = len(seen.nodes) - len(seen.silent_nodes)
    more = "+" if seen.rebalances_1h.is_more else ""
    free = seen.ownerless_slots
    return (
        Tile(
            "Groups", f"{seen.groups:,}", _settled(seen), reverse("admin:groups_group_changelist")
        ),
        Tile("Members", f"{seen.members:,}", "in all groups"),
        Tile(
            "Rebalances",
            f"{seen.rebalances_1h.number:,}{more}",
            "in the last hour",
            reverse("admin:groups_reportrun_changelist"),
        ),
        Tile(
            "Nodes",
            str(live),
            f"of {len(seen.nodes)} heard of lately" if seen.silent_nodes else "alive",
            reverse("admin:groups_node_changelist"),
            "warn" if seen.silent_nodes or not live else "good",
        ),
        Tile(
            "Slots without owner",
            str(free),
            f"of {seen.slots}",
            reverse("admin:groups_node_changelist"),
            "bad" if free else "good",
        ),
    )


def _settled(seen: Overview) -> str:
    moving = sum(n for state, n in seen.states.items() if state not in SETTLED)
    return f"{moving:,} rebalancing" if moving else "none rebalancing"


def shares(seen: Overview) -> Sequence[dict[str, Any]]:
    """Groups by state, as parts of a bar; every state with a group is wide enough to be seen."""
    page = reverse("admin:groups_group_changelist")
    return [
        {
            "state": state,
            "count": count,
            "percent": max(0.8, 100 * count / seen.groups),
            "tone": tones.STATES.get(state, tones.WARN),
            "link": f"{page}?state={state}",
        }
        for state, count in sorted(seen.states.items(), key=lambda item: -item[1])
    ]
