"""Texts of journal entries about requests: changes of committed offsets, settings, topics, a whole
group. Each has the author and the previous value.

Used by ``console.queries.journal_text``.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from console.queries.situation_text import many, seconds
from groups.core.authors import ANONYMOUS
from groups.core.configs.group import FREEZE
from groups.core.instance_claims import How
from groups.core.journal import EntryKind, Trigger
from groups.models import Journal

OFFSETS_NAMED = 3
"""Offsets that a sentence names; others are only counted, and are in the entry's details."""

OFFSETS_GONE: Final[Mapping[str, str]] = {
    Trigger.TOPIC_DELETED: " with their topic",
    Trigger.TOPIC_CREATED: " of an earlier topic with the same name",
}
"""Why offsets were deleted without a request for it."""

TOPICS: Final[Mapping[str, str]] = {
    EntryKind.TOPIC_CREATED: "created",
    EntryKind.TOPIC_GROWN: "added partitions to",
    EntryKind.TOPIC_PLACED: "set the racks of",
    EntryKind.TOPIC_DELETED: "deleted",
}
"""Kinds of entries about topics, which have no group, and their verbs."""

ACLS: Final[Mapping[str, str]] = {
    EntryKind.ACL_CREATED: "created",
    EntryKind.ACL_DELETED: "deleted",
}
CREDENTIALS: Final[Mapping[str, str]] = {
    EntryKind.CREDENTIAL_SET: "set",
    EntryKind.CREDENTIAL_DELETED: "deleted",
}
NODES: Final[Mapping[str, str]] = {
    EntryKind.NODE_DRAINED: "drained",
    EntryKind.NODE_UNDRAINED: "withdrew the drain of",
    EntryKind.NODE_FORGOTTEN: "forgot",
}
"""Entries about nodes."""

QUOTAS: Final[Mapping[str, str]] = {
    EntryKind.QUOTA_SET: "set",
    EntryKind.QUOTA_REMOVED: "removed",
}
"""Entries about access to the Kafka port."""


CLAIMS: Final[Mapping[str, str]] = {
    How.REFUSED: "refused",
    How.FENCED: "fenced",
    How.TAKEN: "taken over",
}
"""What became of claims of an instance id."""


def instance_taken(details: Mapping[str, Any]) -> tuple[str, str]:
    """That two workers use one instance id, and who they are: without the end of a sentence."""
    counts = [f"{word} {_times(details[how])}" for how, word in CLAIMS.items() if details.get(how)]
    others = [_client(one) for one in details.get("others", [])] or ["another of that name"]
    within = seconds(1_000 * details.get("seconds", 0))
    what = f"{_client(details.get('holder', {}))} has it, {' and '.join(others)} claimed it"
    return (
        f"Instance {details.get('instance')} is used by two workers",
        f"{what} ({', '.join(counts)} within {within})",
    )


def _client(one: Mapping[str, Any]) -> str:
    return f"client {one.get('client_id')} at {one.get('host')}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def author(entry: Journal) -> str:
    """The author: "olga", "client admin-1 (/10.0.0.7)", or "client admin-1 of User:ann
    (/10.0.0.7)"; "somebody" if unknown."""
    values = entry.details.get("author") or {}
    if "user" in values or "program" in values:
        return str(values.get("user") or values["program"])
    if values.get("client_host"):
        who = values.get("principal", ANONYMOUS)
        of = "" if who == ANONYMOUS else f" of {who}"
        return f"client {values.get('client_id') or 'without a name'}{of} ({values['client_host']})"
    return "somebody"


def offsets_altered(entry: Journal) -> str:
    count = many(entry.details.get("offsets", 0), "offset")
    before, after = _flat(entry, "before"), _flat(entry, "after")
    named = [
        f"{name} to {offset}" + (f" (was {before[name]})" if name in before else "")
        for name, offset in list(after.items())[:OFFSETS_NAMED]
    ]
    named += [f"{name} to none (was {was})" for name, was in before.items() if name not in after][
        : max(0, OFFSETS_NAMED - len(named))
    ]
    how = entry.details.get("how")
    if how is not None:
        because = f": {entry.reason}" if entry.reason else ""
        return f"{_begin(author(entry))} set {count} {how}: {_some(named, entry)}{because}."
    return f"{_begin(author(entry))} set {count} without being a member: {_some(named, entry)}."


def offsets_deleted(entry: Journal) -> str:
    count = many(entry.details.get("offsets", 0), "offset")
    before = _flat(entry, "before")
    named = [f"{name} was {offset}" for name, offset in list(before.items())[:OFFSETS_NAMED]]
    how = OFFSETS_GONE.get(entry.trigger, "")
    return f"{_begin(author(entry))} deleted {count}{how}: {_some(named, entry)}."


def _flat(entry: Journal, when: str) -> dict[str, int]:
    """Offsets by the name of their partition, in the form "orders-2"."""
    return {
        f"{topic}-{number}": offset
        for topic, numbers in sorted((entry.details.get(when) or {}).items())
        for number, offset in sorted((numbers or {}).items(), key=lambda item: int(item[0]))
    }


def _some(named: Sequence[str], entry: Journal) -> str:
    more = entry.details.get("offsets", 0) - len(named)
    rest = f" and {more:,} more" if more > 0 and named else ""
    return (", ".join(named) + rest) or "none of them is recorded"


def _begin(text: str) -> str:
    return text[:1].upper() + text[1:] if text.startswith(("client ", "somebody", "the ")) else text


def config_changed(entry: Journal) -> str:
    before, after = entry.details.get("before", {}), entry.details.get("after", {})
    end = entry.details.get("until")
    changes = [
        _freeze(before.get(name), value, end)
        if name == FREEZE and "true" in (before.get(name), value)
        else _setting(name, before.get(name), value)
        for name, value in sorted(after.items())
    ]
    because = f": {entry.reason}" if entry.reason else ""
    return f"{_begin(author(entry))} {'; '.join(changes)}{because}."


def _freeze(before: str | None, after: str | None, end: str | None) -> str:
    """``end``: a time in the format of PostgreSQL's JSON."""
    if after != "true":
        return "thawed the group"
    until = f"{datetime.fromisoformat(end).astimezone(UTC):%Y-%m-%d %H:%M} UTC" if end else ""
    if before == after:
        return f"set the end of the freeze: {until or 'when an operator thaws the group'}"
    return f"froze the group until {until}" if until else "froze the group"


def _setting(name: str, before: str | None, after: str | None) -> str:
    was = "was not set" if before is None else f"was {before}"
    return f"deleted {name} ({was})" if after is None else f"set {name} to {after} ({was})"


def topic(entry: Journal, verb: str) -> str:
    before, after = entry.details.get("before", {}), entry.details.get("after", {})
    counts = [what["partitions"] for what in (before, after) if "partitions" in what]
    change = f" ({' to '.join(map(str, counts))} partitions)" if counts else ""
    return f"{_begin(author(entry))} {verb} the topic {entry.details.get('topic')}{change}."


def acl(entry: Journal, verb: str) -> str:
    values = entry.details.get("acl", {})
    where = f" from {values['host']}" if values.get("host", "*") != "*" else ""
    more = "..." if values.get("pattern") == "PREFIXED" else ""
    what = f"{values.get('permission')} {values.get('principal')}{where} {values.get('operation')}"
    of = f"{values.get('resource_type')} {values.get('name')}{more}"
    return f"{_begin(author(entry))} {verb} the ACL {what} of {of}."


def credential(entry: Journal, verb: str) -> str:
    mechanism, user = entry.details.get("mechanism"), entry.details.get("user")
    return f"{_begin(author(entry))} {verb} the password of {user} ({mechanism})."


def quota(entry: Journal, verb: str) -> str:
    values = entry.details.get("quota", {})
    kinds = str(values.get("entity_type", "")).split()
    names = {"user": "user_name", "client-id": "client_id", "ip": "ip"}
    parts = [f"{kind} {values.get(names.get(kind, ''), '') or '(default)'}" for kind in kinds]
    before, after = values.get("before"), values.get("value")
    was = "was not set" if before is None else f"was {before:g}" if _is_number(before) else before
    to = f" to {after:g}" if _is_number(after) else "" if after is None else f" to {after}"
    of = f"{values.get('key')} of {', '.join(parts)}"
    return f"{_begin(author(entry))} {verb} the quota {of}{to} ({was})."


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def node(entry: Journal, verb: str) -> str:
    because = f": {entry.reason}" if entry.reason else ""
    return f"{_begin(author(entry))} {verb} node {entry.node_id}{because}."


def node_waits(entry: Journal) -> str:
    ends, wait_ms = entry.details.get("unclean_ends", 1), entry.details.get("wait_ms", 0)
    how_often = "" if ends == 1 else f" {ends} times in a row"
    return (
        f"Node {entry.node_id} ended or lost its slots{how_often} without handing them over:"
        f" it takes none for {seconds(wait_ms)}, while others serve."
    )


def node_configured(entry: Journal) -> str:
    before, after = entry.details.get("before", {}), entry.details.get("after", {})
    if not before:
        return f"Node {entry.node_id} started for the first time; the entry has its settings."
    changes = [_setting(n, before.get(n), after.get(n)) for n in sorted({*before, *after})]
    return f"Node {entry.node_id} started with other settings: {'; '.join(changes)}."


def group_deleted(entry: Journal) -> str:
    by = f" by {author(entry)}" if "author" in entry.details else ""
    because = f": {entry.reason}" if entry.reason else ""
    lost = entry.details.get("offsets", 0)
    offsets = f", with {many(lost, 'offset')}" if lost else ""
    return f"The group was deleted{by}{offsets}{because}."
