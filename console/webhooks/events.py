"""The events, their filters, and their bodies. No row is written here."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from console.queries.attention_table import RULES
from console.queries.fired import Fired, Place
from console.queries.journal_text import sentence
from groups.core.journal import ENTRY_FIELDS, EntryKind
from groups.models import Journal, Webhook

ANY_ENTRY, ANY_RULE = "journal.*", "attention.*"
TEST: Final = "webhook.test"

NAMES: Final[Sequence[str]] = (
    ANY_RULE,
    *(f"attention.{rule.name}" for rule in RULES),
    ANY_ENTRY,
    *(f"journal.{kind}" for kind in EntryKind),
)
"""The names that an endpoint may request; for a rule it gets events when it begins to fire and when
it ends."""

WORDS: Final[Mapping[str, str]] = {
    ANY_RULE: "Everything that needs attention",
    **{f"attention.{rule.name}": f"{rule.meaning} ({rule.name})" for rule in RULES},
    ANY_ENTRY: "Every entry of the journal",
    **{f"journal.{kind}": kind.value.replace("-", " ") for kind in EntryKind},
}
"""What they are, for people."""

BODY_BYTES_MAX: Final = 65_536
"""A longer body is sent without details: receivers usually accept no more."""


class Event(NamedTuple):
    """One event. ``name``: as endpoints request it; ``key``: each key is delivered once."""

    key: str
    name: str
    type: str
    group_id: str
    body: str


def matches(webhook: Webhook, name: str, group_id: str) -> bool:
    """Whether an endpoint wants such events. One with a filter on groups gets no others."""
    return is_selected(webhook.events, name) and group_id.startswith(webhook.group_prefix)


def is_selected(names: Sequence[str], name: str) -> bool:
    """Whether an endpoint that asks for ``names`` wants this event."""
    return not names or name in names or f"{name.partition('.')[0]}.*" in names


def selects_all(names: Sequence[str]) -> bool:
    """Whether it asks for entries of every kind, also of those that a later version adds."""
    return not names or ANY_ENTRY in names


def name_of(kind: str) -> str:
    """The name of an entry's event, by its kind."""
    return f"journal.{kind}"


def of_entry(entry: Journal) -> Event:
    """The event of a journal entry."""
    name = name_of(entry.kind)
    head = {"seq": entry.pk, "at": entry.at.isoformat(), "group_id": entry.group_id}
    data = {
        **head,
        "node_id": entry.node_id,
        **{field: getattr(entry, field) for field in ENTRY_FIELDS},
    }
    data["sentence"] = sentence(entry)
    return Event(f"journal:{entry.pk}", name, name, entry.group_id, body_of(name, entry.at, data))


def of_rule(line: Mapping[str, str], what: str, at: datetime) -> Event:
    """The event of a rule that ``began`` to fire, or ``ended``."""
    name = f"attention.{line['rule']}"
    key = f"attention:{line['rule']}:{line['key']}:{what}:{at.isoformat()}"
    text = body_of(f"{name}.{what}", at, line)
    return Event(key, name, f"{name}.{what}", line["group_id"], text)


def line_fields(line: Fired) -> dict[str, str]:
    """A line of the Overview's list."""
    group_id = line.key if line.place is Place.GROUP else ""
    fields = {"rule": line.rule, "key": line.key, "group_id": group_id}
    return {**fields, "sentence": line.sentence, "detail": line.detail}


def body_of(kind: str, at: datetime, data: Mapping[str, Any]) -> str:
    """The body: Standard Webhooks' three fields."""
    text = json.dumps({"type": kind, "timestamp": at.isoformat(), "data": data}, default=str)
    if len(text) <= BODY_BYTES_MAX:
        return text
    short = {name: value for name, value in data.items() if isinstance(value, str | int | None)}
    short = {name: v[:1_000] if isinstance(v, str) else v for name, v in short.items()}
    cut = {**short, "is_cut": True}
    return json.dumps({"type": kind, "timestamp": at.isoformat(), "data": cut}, default=str)
