"""Merges what members observed and what the database committed into one history; ``proof.history``
judges it.

Pure. The database gives an instant just *before* a commit becomes visible, and that may take long
(its log is flushed first). Reads in that span may see the state before: a fetch that was sent in
that span counts as sent at its beginning.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from proof.history import Violation, check

Record = Mapping[str, Any]
Place = tuple[str, str, int]

UNSEEN_MS: Final = 60_000.0
"""A commit without a response became visible this much later at the latest."""


def judge(calls: Sequence[Record], rows: Sequence[Record]) -> list[Violation]:
    """The violations. ``calls`` are records of members, ``rows`` of the database."""
    return check(merged(calls, rows))


def merged(calls: Sequence[Record], rows: Sequence[Record]) -> list[Record]:
    """Both sorted by time; at equal times rows come first. Rows of groups that no call names are
    left out: their members are not observed."""
    groups = {call["group"] for call in calls if call["type"] == "invoke"}
    known = [row for row in rows if row["table"] == "slot" or row["group"] in groups]
    spans = _spans(calls, known)
    corrected = [_as_early_as_it_saw(call, spans) for call in calls]
    return sorted([*known, *corrected], key=lambda record: record["at"])


BEFORE_MS: Final = 90_000.0
AFTER_MS: Final = 5_000.0
"""How much of the history around a violation is kept: more than any session before it."""


def around(found: Collection[Violation], history: Sequence[Record]) -> list[Record]:
    """The records before these violations: of their groups, and those without a group."""
    groups = {call["call"]: call["group"] for call in history if call["type"] == "invoke"}

    def group_of(record: Record) -> str | None:
        group: str | None = record.get("group", groups.get(record.get("call", -1)))
        return group

    spans = [(group_of(each.record), each.at) for each in found]

    def is_near(record: Record) -> bool:
        about = group_of(record)
        return any(
            about in (None, group) and -BEFORE_MS <= record["at"] - at <= AFTER_MS
            for group, at in spans
        )

    return [record for record in history if is_near(record)]


Spans = Mapping[Place, Sequence[tuple[float, float]]]


def _spans(calls: Sequence[Record], rows: Sequence[Record]) -> Spans:
    """For each partition: the spans in which each commit to it may have been in progress."""
    acknowledged = _acknowledged(calls)
    spans: dict[Place, list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        if row["table"] == "offset":
            place = (row["group"], row["topic"], row["partition"])
            seen = acknowledged.get((place, row["offset"]), row["at"] + UNSEEN_MS)
            spans[place].append((row["at"], max(seen, row["at"])))
    for those in spans.values():  # the next writer has waited for the row's lock
        for n, (since, until) in enumerate(those[:-1]):
            those[n] = (since, min(until, those[n + 1][0]))
    return spans


def _acknowledged(calls: Sequence[Record]) -> Mapping[tuple[Place, int], float]:
    requests: dict[int, Record] = {}
    acknowledged_at: dict[tuple[Place, int], float] = {}
    for call in calls:
        if call["type"] == "invoke" and call["api"] == "OffsetCommit":
            requests[call["call"]] = call
        elif call["type"] == "ok" and call["call"] in requests:
            request = requests.pop(call["call"])
            for topic, partition, offset in request["offsets"]:
                acknowledged_at[(request["group"], topic, partition), offset] = call["at"]
    return acknowledged_at


def _as_early_as_it_saw(call: Record, spans: Spans) -> Record:
    if call["type"] != "invoke" or call["api"] != "OffsetFetch":
        return call
    places = [(call["group"], topic, partition) for topic, partition in call["wanted"]]
    begun = [since for place in places if (since := _under_way(spans.get(place, ()), call["at"]))]
    return {**call, "at": min(begun) - 0.001} if begun else call


def _under_way(spans: Collection[tuple[float, float]], at: float) -> float | None:
    """When the commit began that was in progress at an instant."""
    those = list(spans)
    n = bisect_right(those, (at, float("inf"))) - 1
    return those[n][0] if n >= 0 and those[n][1] > at else None
