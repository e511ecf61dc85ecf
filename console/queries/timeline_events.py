"""What happened in a group beside its rebalances: marks and deploys, operators' acts, takeovers and
outages. Texts are the journal's."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from console.queries import journal_text, tones
from console.queries.member_names import Name
from console.queries.situation_text import many
from console.queries.why_text import seconds
from groups.core.journal import EntryKind
from groups.core.pauses import GROUP
from groups.models import Journal

MARK, DEPLOY, OPERATOR, NODE, OUTAGE, GROUP_EVENT = (
    "mark",
    "deploy",
    "operator",
    "node",
    "outage",
    "group",
)
"""Sorts of events."""

OF_GROUP: Final[Mapping[str, str]] = {
    EntryKind.PAUSED: OPERATOR,
    EntryKind.RESUMED: OPERATOR,
    EntryKind.CONFIG_CHANGED: OPERATOR,
    EntryKind.OFFSETS_ALTERED: OPERATOR,
    EntryKind.OFFSETS_DELETED: OPERATOR,
    EntryKind.OFFSETS_RESTORED: OPERATOR,
    EntryKind.MEMBER_EXPELLED: GROUP_EVENT,
    EntryKind.INSTANCE_TAKEN: GROUP_EVENT,
    EntryKind.CONSUMER_REBALANCE_FAILED: GROUP_EVENT,
    EntryKind.ASSIGNMENT_FAILED: GROUP_EVENT,
    EntryKind.GROUP_CREATED: GROUP_EVENT,
    EntryKind.GROUP_CONVERTED: GROUP_EVENT,
    EntryKind.GROUP_DELETED: GROUP_EVENT,
}
"""The sort of a group's entries; others are part of a rebalance."""

OF_CLUSTER: Final[Mapping[str, str]] = {
    EntryKind.SLOTS_CLAIMED: NODE,
    EntryKind.SLOTS_RELEASED: NODE,
    EntryKind.NODE_OUTAGE: OUTAGE,
    EntryKind.TIME_WENT_BACK: OUTAGE,
}
"""The same of entries that concern a group without naming it."""

BY_SLOT: Final = frozenset([EntryKind.SLOTS_CLAIMED, EntryKind.SLOTS_RELEASED])


class Event(NamedTuple):
    """Something that happened. ``until`` None: it took no time. ``seq``: its entry's number, None:
    it has none."""

    at: datetime
    until: datetime | None
    sort: str
    tone: str
    text: str
    seq: int | None


class Pause(NamedTuple):
    """Work of the group (``member_id`` None) or of a member was stopped; without ``since`` or
    ``until`` it was so before, or is so after, the time that was read."""

    member_id: str | None
    since: datetime | None
    until: datetime | None


def of_entries(entries: Iterable[Journal], slot: int, name: Name) -> Iterator[Event]:
    """The events of journal entries; takeovers of other slots are none."""
    for entry in entries:
        sort = (OF_GROUP if entry.group_id else OF_CLUSTER).get(entry.kind)
        if sort is None or (entry.kind in BY_SLOT and slot not in _slots(entry)):
            continue
        since, until = _time(entry)
        text = journal_text.sentence(entry, name)
        yield Event(since, until, sort, tones.of_entry(entry), text, entry.pk)


def _slots(entry: Journal) -> Sequence[int]:
    return (entry.details or {}).get("slots") or ()


def _time(entry: Journal) -> tuple[datetime, datetime | None]:
    """When it was: an outage is written when it is over."""
    details = entry.details or {}
    try:
        return datetime.fromisoformat(details["since"]), datetime.fromisoformat(details["until"])
    except (KeyError, TypeError, ValueError):
        return entry.at, None


def of_mark(text: str, actor: str, at: datetime) -> Event:
    """A mark as an event."""
    return Event(at, None, MARK, tones.PLAIN, f"{text} (marked by {actor})", None)


def of_deploys(rows: Iterable[tuple[str, str]]) -> Iterator[Event]:
    """The deploys that an analysis has recognised: the keys and figures of its report, as JSON."""
    for row in rows:
        keys, figures = (json.loads(text) for text in row)
        try:
            began = datetime.fromisoformat(str(keys["began_at"]))
            took = timedelta(milliseconds=int(figures["took_ms"]))
        except (KeyError, TypeError, ValueError):
            continue  # of another version
        if began.tzinfo is not None:
            yield Event(began, began + took, DEPLOY, tones.PLAIN, _deploy(figures), None)


def _deploy(figures: Mapping[str, Any]) -> str:
    replaced, members = figures.get("replaced") or 0, figures.get("members") or 0
    software = f" ({figures['software']})" if figures.get("software") else ""
    rebalances = many(figures.get("rebalances") or 0, "rebalance")
    idle = seconds(figures.get("without_owner_ms") or 0)
    return (
        f"Deploy: {replaced} of {many(members, 'member')} were replaced{software}; {rebalances},"
        f" partitions were without owner for {idle} in all."
    )


def pauses(entries: Iterable[Journal]) -> Sequence[Pause]:
    """When work was stopped, by the entries, which are given newest first."""
    found: list[Pause] = []
    since: dict[str | None, datetime] = {}
    ordered = sorted(entries, key=lambda entry: entry.pk)
    for entry in ordered:
        if entry.kind not in (EntryKind.PAUSED, EntryKind.RESUMED):
            continue
        target = None if (entry.details or {}).get("scope") == GROUP else entry.member_id
        if entry.kind == EntryKind.PAUSED:
            since.setdefault(target, entry.at)
        else:
            found.append(Pause(target, since.pop(target, None), entry.at))
    return [*found, *(Pause(target, at, None) for target, at in since.items())]
