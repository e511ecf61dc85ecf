"""Resets of offsets: computes each partition's offset before and after; and converts an operation's
row to the event that its owner executes.

A reset is computed once, for its preview, and the operation contains the result: so exactly the
preview is executed, and the previous offsets are stored for an undo.
"""

import csv
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.db import connection

from groups.models import Offset, Operation, Topic
from groups.store.sql import offset_operations as sql

PARTITIONS_MAX: Final = 10_000
"""Partitions of one reset: one batch of a committer writes it, and its operation's row contains it
twice."""

OFFSET_MAX: Final = 2**63 - 1

CSV_COLUMNS: Final = (3, 4)
"""topic,partition,offset as kafka-consumer-groups --export writes it; with the group in front, as
it does for several groups."""

WHOLE: Final = re.compile(r"[+-]?[0-9]{1,40}")
"""Not all that Python reads: 1_000 is a mistyped list, and not a thousand."""

BYTE_ORDER_MARK: Final = "\ufeff"

Part = tuple[str, int]


@dataclass(frozen=True, slots=True)
class ResetTarget:
    """A requested reset. ``to``: a key of ``WAYS``; ``value``: its value, as text or a time;
    ``topics`` empty: all topics that the group has committed."""

    to: str
    value: Any = None
    topics: tuple[str, ...] = ()

    @property
    def as_json(self) -> Mapping[str, Any]:
        """As JSON values."""
        value = None if self.value is None else str(self.value)
        return {"to": self.to, "value": value, "topics": list(self.topics)}


@dataclass(frozen=True, slots=True)
class Change:
    """One partition. None: no offset."""

    topic: str
    partition: int
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """The planned changes. ``unchanged``: partitions that have the new offset already."""

    how: str
    changes: Sequence[Change]
    unchanged: int
    target: ResetTarget | None = None

    @property
    def digest(self) -> str:
        """Identifies a plan."""
        document = json.dumps([self.how, self.offsets])
        return hashlib.sha256(document.encode()).hexdigest()

    @property
    def offsets(self) -> Mapping[str, Any]:
        """The form in an operation's row."""
        return {
            "how": self.how,
            "to": [[c.topic, c.partition, c.after] for c in self.changes],
            "before": [[c.topic, c.partition, c.before] for c in self.changes],
            "wanted": None if self.target is None else self.target.as_json,
        }


@dataclass(frozen=True, slots=True)
class Scope:
    """The partitions that can be set: ``before`` by partition, None if the group has no offset; the
    known end offset of each partition."""

    group_id: str
    before: Mapping[Part, int | None]
    ends: Mapping[Part, int]


def plan(group_id: str, target: ResetTarget) -> Plan:
    """The offsets before and after of each partition that changes. Raises ValueError with a
    message."""
    way = WAYS.get(target.to)
    if way is None:
        raise ValueError(f"offsets are set to one of {', '.join(WAYS)}")
    scope = _scope(group_id, target)
    how, after = way(scope, target.value)
    return replace(_changes(how, scope, after), target=target)


def back(group_id: str, offsets: Mapping[str, Any]) -> Plan:
    """The changes that undo an operation. Raises ValueError if offsets were set since."""
    was = {(t, p): offset for t, p, offset in offsets["before"]}
    became = {(t, p): offset for t, p, offset in offsets["to"]}
    now = _committed(group_id, sorted({topic for topic, _ in became}))
    if any(now.get(part) != offset for part, offset in became.items()):
        raise ValueError("offsets were set or committed since: check them, and reset again")
    return _changes(f"back from {offsets['how']}", Scope(group_id, now, {}), was)


def undo(operation: Operation) -> Plan:
    """The changes that undo an operation, if it has reset offsets. Raises ValueError."""
    if operation.offsets is None or operation.state != Operation.State.SUCCEEDED:
        raise ValueError("only a successful reset can be undone")
    return back(operation.group_id, operation.offsets)


def removal(group_id: str, target: ResetTarget) -> Plan:
    """Delete offsets: of a topic's partitions, or of the one in the value."""
    before = _committed(group_id, target.topics)
    if target.value is not None:
        before = {part: offset for part, offset in before.items() if part[1] == target.value}
    after = dict.fromkeys(before)
    return replace(_changes("to none", Scope(group_id, before, {}), after), target=target)


def restored(group_id: str, at: datetime) -> Plan:
    """What a restore does: it sets all offsets that the group had then, also where it has none now.
    Raises ValueError if it had none."""
    scope = Scope(group_id, _committed(group_id, ()), {})
    how, after = f"to those of {_in_words(at)}", _as_of(group_id, at)
    return replace(_compared(how, scope, after), target=ResetTarget("moment", at))


def _changes(how: str, scope: Scope, after: Mapping[Part, int | None]) -> Plan:
    found = _compared(how, scope, after)
    if len(found.changes) > PARTITIONS_MAX:
        raise ValueError(f"one reset changes at most {PARTITIONS_MAX:,} partitions: name topics")
    return found


def _compared(how: str, scope: Scope, after: Mapping[Part, int | None]) -> Plan:
    changes = [
        Change(*part, scope.before.get(part), offset)
        for part, offset in sorted(after.items())
        if scope.before.get(part) != offset
    ]
    return Plan(how, changes, len(after) - len(changes))


# -- the current state


def _scope(group_id: str, target: ResetTarget) -> Scope:
    before: dict[Part, int | None] = dict(_committed(group_id, target.topics))
    names = target.topics or sorted({topic for topic, _ in before})
    rows = Topic.objects.filter(name__in=names).values_list("name", "partitions", "end_offsets")
    topics = {name: (count, ends) for name, count, ends in rows}
    missing = sorted(set(target.topics) - topics.keys() - {topic for topic, _ in before})
    if missing:
        raise ValueError(f"there is no topic {missing[0]}")
    for name in target.topics:
        for partition in range(topics.get(name, (0, ()))[0]):
            before.setdefault((name, partition), None)
    ends = {
        (n, p): end
        for n, (_, ends_of_topic) in topics.items()
        for p, end in enumerate(ends_of_topic)
    }
    return Scope(group_id, before, ends)


def _committed(group_id: str, topics: Sequence[str]) -> dict[Part, int]:
    rows = Offset.objects.filter(group_id=group_id)
    if topics:
        rows = rows.filter(topic__in=topics)
    offsets = rows.values_list("topic", "partition", "committed_offset")
    return {(topic, partition): offset for topic, partition, offset in offsets}


# -- the kinds of resets


After = tuple[str, Mapping[Part, int | None]]


def _earliest(scope: Scope, _value: Any) -> After:
    return "to the earliest", dict.fromkeys(scope.before, 0)


def _latest(scope: Scope, _value: Any) -> After:
    unknown = sorted(part for part in scope.before if part not in scope.ends)
    if unknown:
        topic, partition = unknown[0]
        raise ValueError(f"the end offset of {topic}-{partition} is unknown")
    return "to the latest", {part: scope.ends[part] for part in scope.before}


def _number(scope: Scope, value: Any) -> After:
    number = _whole(value)
    if number < 0:
        raise ValueError("an offset must be 0 or more")
    return f"to {number}", dict.fromkeys(scope.before, number)


def _shift(scope: Scope, value: Any) -> After:
    """As Kafka's tool does, never below the first offset and never beyond the end, if that is
    known."""
    by = _whole(value)
    after = {
        part: min(max(0, before + by), scope.ends.get(part, OFFSET_MAX))
        for part, before in scope.before.items()
        if before is not None
    }
    return f"by {by:+}", after


def _moment(scope: Scope, value: Any) -> After:
    if not isinstance(value, datetime):
        raise ValueError("a time must be a date and time with a time zone")
    then = _as_of(scope.group_id, value)
    after = {part: offset for part, offset in then.items() if part in scope.before}
    if not after:
        raise ValueError(_nothing_at(value))
    return f"to those of {_in_words(value)}", after


def _as_of(group_id: str, at: datetime) -> Mapping[Part, int]:
    """The offsets at a time, by the history. Raises ValueError if there were none."""
    with connection.cursor() as cursor:
        cursor.execute(sql.AS_OF, {"group_id": group_id, "to": at})
        then = {(row[0], row[1]): row[2] for row in cursor.fetchall()}
    if not then:
        raise ValueError(_nothing_at(at))
    return then


def _nothing_at(at: datetime) -> str:
    return f"the history has no offset at {_in_words(at)}"


def _in_words(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S %Z}"


def _group(scope: Scope, value: Any) -> After:
    other = str(value or "")
    theirs = _committed(other, sorted({topic for topic, _ in scope.before}))
    after = {part: offset for part, offset in theirs.items() if part in scope.before}
    if not after:
        raise ValueError(f"the group {other!r} has committed none of these partitions")
    return f"to those of the group {other}", after


def _csv(scope: Scope, value: Any) -> After:
    after: dict[Part, int | None] = {}
    for number, row in enumerate(_rows(str(value or "")), 1):
        if not row:
            continue
        part, offset = _line(scope, number, row)
        if part in after:
            raise ValueError(f"line {number}: {part[0]}-{part[1]} is duplicated")
        after[part] = offset
    if not after:
        raise ValueError("the file has no lines")
    return "to the offsets of a file", after


def _line(scope: Scope, number: int, row: Sequence[str]) -> tuple[Part, int]:
    fields = [field.strip() for field in row]
    if len(fields) not in CSV_COLUMNS:
        raise ValueError(f"line {number}: it must be topic,partition,offset")
    if len(fields) == CSV_COLUMNS[-1] and fields.pop(0) != scope.group_id:
        raise ValueError(f"line {number}: it names another group")
    try:
        part, offset = (fields[0], _whole(fields[1])), _whole(fields[2])
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from None
    if part not in scope.before:
        raise ValueError(f"line {number}: {part[0]}-{part[1]} is not among the requested topics")
    if offset < 0:
        raise ValueError(f"line {number}: an offset must be 0 or more")
    return part, offset


def _rows(text: str) -> Sequence[Sequence[str]]:
    """The rows of a file, without the mark that spreadsheets put before it. Raises ValueError."""
    try:
        return list(csv.reader(text.removeprefix(BYTE_ORDER_MARK).splitlines()))
    except csv.Error as error:
        raise ValueError(f"the file is not CSV: {error}") from None


def topics_of_csv(text: str) -> tuple[str, ...]:
    """The topics in a file, which may include partitions without an offset; none if it is no
    CSV."""
    with suppress(ValueError):
        rows = [row for row in _rows(text) if len(row) in CSV_COLUMNS]
        return tuple(sorted({row[-CSV_COLUMNS[0]].strip() for row in rows}))
    return ()


def _whole(value: Any) -> int:
    text = str(value).strip()
    if WHOLE.fullmatch(text) is None:
        raise ValueError(f"{text[:40]!r} is not a whole number")
    number = int(text)
    if abs(number) > OFFSET_MAX:
        raise ValueError("an offset has at most 63 bits")
    return number


WAYS: Final[Mapping[str, Callable[[Scope, Any], After]]] = {
    "earliest": _earliest,
    "latest": _latest,
    "offset": _number,
    "shift": _shift,
    "moment": _moment,
    "group": _group,
    "csv": _csv,
}
"""By the word in the request: how the new offsets are computed."""
