"""A folded journal: one line for each rebalance, its cause first, with its entries behind it.

A rebalance has several entries: why it began, one for each member that joined or left until it
ended, then how it ended. Texts only; callers read the entries.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from console.queries import tones, why_text
from console.queries.journal_text import cause, client_reason, reached, seconds, sentence, waited
from console.queries.member_names import Name, Names
from console.queries.situation_text import many
from console.queries.why_text import SEVERAL
from groups.core.explanation import WHY
from groups.core.journal import EntryKind, Trigger
from groups.models import Journal

BEGINS: Final = frozenset([EntryKind.REBALANCE_STARTED, EntryKind.REBALANCE_PUT_OFF])
"""Kinds of entries with the cause of a rebalance."""

GOES_ON: Final = frozenset(
    [
        EntryKind.REBALANCE_RETRIED,
        EntryKind.CONSUMER_REBALANCE_FAILED,
        EntryKind.MEMBER_EXPELLED,
        EntryKind.ASSIGNMENT_FAILED,
        EntryKind.ASSIGNMENT_INSTALLED,
        EntryKind.ASSIGNOR_FAILED,
        EntryKind.ASSIGNOR_FELL_BACK,
        EntryKind.STRATEGY_FAILED,
    ]
)
"""Kinds of entries that belong to the rebalance in which they happen."""

FAILED: Final = frozenset(
    [EntryKind.CONSUMER_REBALANCE_FAILED, EntryKind.ASSIGNMENT_FAILED, EntryKind.STRATEGY_FAILED]
)
"""Kinds that a folded line shows."""

ENDS: Final[Mapping[str, str]] = {
    EntryKind.STABLE: "good",
    EntryKind.EMPTIED: "plain",
    EntryKind.REBALANCE_ABANDONED: "bad",
}
"""Kinds that end a rebalance, and the line's colour then."""

LEAVING: Final = frozenset(
    [Trigger.MEMBER_LEFT, Trigger.SESSION_EXPIRED, Trigger.JOIN_TIMED_OUT, Trigger.SYNC_EXPIRED]
)
"""Triggers whose entries name all members that left together."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line. ``entries``: its entries, the oldest first; a single one is shown completely."""

    at: datetime
    tone: str
    text: str
    entries: Sequence[Journal]


def folded(entries: Iterable[Journal]) -> list[Sequence[Journal]]:
    """The lines of one group's entries, which are given newest first; the newest line is first."""
    lines: list[Sequence[Journal]] = []
    going: list[Journal] = []
    is_complete = False
    for entry in reversed(list(entries)):
        if is_complete and entry.kind != EntryKind.STABLE:
            going, is_complete = [], False
        if entry.kind in BEGINS or entry.kind == EntryKind.REBALANCE_COMPLETED or going:
            if not _belongs(entry):
                lines.append([entry])
                continue
            if not going:
                lines.append(going)
            going.append(entry)
            is_complete = is_complete or entry.kind == EntryKind.REBALANCE_COMPLETED
            if entry.kind in ENDS:
                going, is_complete = [], False
        else:
            lines.append([entry])
    return sorted(lines, key=lambda line: -line[-1].pk)


def _belongs(entry: Journal) -> bool:
    """Whether an entry belongs to the rebalance during which it happened."""
    kinds = {*BEGINS, *GOES_ON, *ENDS, EntryKind.REBALANCE_COMPLETED}
    return entry.kind in kinds


def line(entries: Sequence[Journal], names: Names) -> Line:
    """A line in words."""
    name = names.among(entries)
    last = entries[-1]
    if len(entries) == 1 and last.kind != EntryKind.REBALANCE_COMPLETED:
        return single(last, name)
    return Line(last.at, _tone(entries), _rebalance(entries, name), entries)


def single(entry: Journal, name: Name) -> Line:
    """A single entry."""
    return Line(entry.at, tones.of_entry(entry), sentence(entry, name), [entry])


def _tone(entries: Sequence[Journal]) -> str:
    kinds = [entry.kind for entry in entries]
    if FAILED.intersection(kinds):
        return tones.BAD
    costs = {tones.cost(entry) for entry in entries if entry.kind in tones.BY_COST}
    if EntryKind.REBALANCE_COMPLETED in kinds:
        return next(tone for tone in (tones.BAD, tones.WARN, tones.GOOD) if tone in costs)
    return next((ENDS[kind] for kind in kinds if kind in ENDS), "warn")


def _rebalance(entries: Sequence[Journal], name: Name) -> str:
    """ "9 joined, the first w-1; 4 of 12 partitions moved. Generation 7 after 2.0 s." """
    end = next((e for e in entries if e.kind == EntryKind.REBALANCE_COMPLETED), None)
    causes = list(_causes(entries, end, name))
    parts = [*causes, _moved(entries)]
    first = "; ".join(part for part in parts if part)
    text = f"{first[:1].upper()}{first[1:]}. {_outcome(entries, end, name)}."
    failed = [entry for entry in entries if entry.kind in FAILED]
    return f"{text} {sentence(failed[-1], name)}" if failed else text


def _causes(entries: Sequence[Journal], end: Journal | None, name: Name) -> Iterator[str]:
    """The causes, each once, in order; then other members that joined or left. An entry of an
    earlier version names only the first one."""
    if end is not None and WHY in end.details:
        yield why_text.causes(why_text.explanation(end), name)
        return
    began = [entry for entry in entries if entry.kind in BEGINS and entry.trigger]
    by_trigger: dict[str, list[Journal]] = {}
    for entry in began or ([end] if end is not None and end.trigger else []):
        by_trigger.setdefault(entry.trigger, []).append(entry)
    joined, left = _count(end, "joined"), _count(end, "left")
    for trigger, of_trigger in by_trigger.items():
        count = _members(of_trigger, trigger)
        if trigger == Trigger.MEMBER_JOINED:
            count, joined = max(count, joined), 0
        elif trigger in LEAVING:
            count, left = max(count, left), 0
        yield _cause(trigger, of_trigger, count, name)
    if joined:
        yield f"{joined} joined in the meantime"
    if left:
        yield f"{left} left in the meantime"


def _count(end: Journal | None, which: str) -> int:
    """How many members joined, or left, until it ended; an entry names only the first of them."""
    if end is None:
        return 0
    named = len(getattr(end, which) or ())
    for key in (f"{which}_count", which):
        count = end.details.get(key)
        if isinstance(count, int):
            return max(count, named)
    return named


def _members(entries: Sequence[Journal], trigger: str) -> int:
    ids = {member_id for entry in entries for member_id in (entry.member_id, *(entry.left or ()))}
    if trigger not in LEAVING:
        ids = {entry.member_id for entry in entries}
    return max(len(ids - {None}), 1)


def _cause(trigger: str, entries: Sequence[Journal], count: int, name: Name) -> str:
    first = entries[0]
    who = name(first.member_id, first.client_id)
    if count > 1 and trigger in SEVERAL and who:
        return f"{count} {SEVERAL[trigger]}, the first {who}{client_reason(first)}"
    text = cause(first, name)
    return text if len(entries) == 1 or trigger in SEVERAL else f"{text} ({len(entries)} times)"


def _moved(entries: Sequence[Journal]) -> str:
    """How many partitions moved, of how many, if both were counted. A partition that moves twice
    during a rebalance counts twice: then the number of moves is shown."""
    counted = [entry.details for entry in entries if "moved" in (entry.details or {})]
    if not counted:
        return ""
    moved, total = sum(details["moved"] for details in counted), counted[-1].get("partitions")
    if total is None:
        return f"{many(moved, 'partition')} moved"
    if moved > total:
        return f"{many(moved, 'move')} of {many(total, 'partition')}"
    return f"{moved:,} of {many(total, 'partition')} moved"


def _assigned(entry: Journal, name: Name) -> str:
    """The sync phase, if it took a while, and whom it waited for."""
    if not entry.duration_ms or WHY not in entry.details:
        return ""
    waits = waited(entry, name)
    return f"assigned {seconds(entry.duration_ms)} later" + (f" ({waits})" if waits else "")


def _outcome(entries: Sequence[Journal], end: Journal | None, name: Name) -> str:
    """The result: the generation, the duration, and the members that were waited for."""
    kinds = {entry.kind for entry in entries}
    if end is not None:
        took = "" if end.duration_ms is None else f" after {seconds(end.duration_ms)}"
        number = reached(end)
        parts = [f"{number[:1].upper()}{number[1:]}{took}", waited(end, name)]
        parts += [_assigned(entry, name) for entry in entries if entry.kind == EntryKind.STABLE]
        return ", ".join(part for part in parts if part)
    if EntryKind.EMPTIED in kinds:
        return "The group has no members left"
    if EntryKind.REBALANCE_ABANDONED in kinds:
        return f"Dropped: {entries[-1].reason}"
    if kinds == {EntryKind.REBALANCE_PUT_OFF}:
        is_frozen = entries[-1].details.get("frozen")
        return "Put off, since the group is frozen" if is_frozen else "Put off for a while"
    return "It goes on"
