"""What needs attention: one table of rules, each with its threshold, and the sentences of those
that fire. The Overview shows them; nothing is decided by them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from django.db import connection
from django.utils import timezone
from django.utils.timesince import timesince

from groups.core.journal import EntryKind
from groups.queries.overview import JOURNAL_READ_MAX, LISTED_MAX, Overview
from groups.queries.situation import MS
from groups.queries.situation_text import seconds
from groups.queries.thresholds import Thresholds
from groups.store.sql import attention as sql

SILENT_MEMBERS_MAX: Final = 2_000
"""Silent members of all groups together that are looked at."""


TOLD_IN_MINUTES: Final = timedelta(minutes=2)
"""From here on; below, it is told in seconds."""


def passed(since: datetime) -> str:
    """How long ago, or for how long, in words."""
    ago = timezone.now() - since
    return timesince(since) if ago >= TOLD_IN_MINUTES else seconds(round(ago / MS))


class Place(StrEnum):
    """What kind of page tells more."""

    GROUP = "group"
    GROUPS = "groups"
    NODES = "nodes"
    OPERATION = "operation"
    SCHEDULE = "schedule"


class Fired(NamedTuple):
    """One line of what needs attention. ``key``: which group or operation."""

    rule: str
    tone: str
    sentence: str
    detail: str
    place: Place
    key: str = ""


class Found(NamedTuple):
    """One row of the statement; ``total``: how many of its rule there are."""

    rule: str
    group_id: str
    detail: str
    n: int
    at: datetime
    total: int


@dataclass(frozen=True, slots=True)
class Seen:
    """What the rules look at."""

    fleet: Overview
    found: Sequence[Found]

    def of(self, rule: str) -> list[Found]:
        """The rows of one rule."""
        return [row for row in self.found if row.rule == rule]


def _slots(seen: Seen) -> Iterator[Fired]:
    free = seen.fleet.ownerless_slots
    if free:
        have = "slot has" if free == 1 else "slots have"
        detail = "Their groups are not served until a node takes them."
        yield Fired("slot-without-owner", "bad", f"{free} {have} no owner", detail, Place.NODES)


def _nodes(seen: Seen) -> Iterator[Fired]:
    for node in seen.fleet.silent_nodes:
        ago = f"The last beat was {passed(node.beat_at)} ago."
        yield Fired("node-silent", "warn", f"Node {node.node_id} is silent", ago, Place.NODES)


def _unsettled(seen: Seen) -> Iterator[Fired]:
    fleet = seen.fleet
    for group in fleet.unsettled:
        now = fleet.situations[group.group_id]
        sentence = f"Group {group.group_id} does not settle"
        yield Fired("unsettled", now.tone, sentence, now.text, Place.GROUP, group.group_id)
    more = fleet.unsettled_count - len(fleet.unsettled)
    if more > 0:
        yield Fired("unsettled", "warn", f"{more} more groups do not settle", "", Place.GROUPS)


def _operations(seen: Seen) -> Iterator[Fired]:
    for operation in seen.fleet.failed:
        what = f"{operation.get_verb_display()} of {operation.group_id} failed"
        detail = operation.detail or "No reason was given."
        yield Fired("operation-failed", "bad", what, detail, Place.OPERATION, str(operation.pk))


def _turns(seen: Seen) -> Iterator[Fired]:
    for turn in seen.fleet.troubled_turns:
        last = turn.last
        if last is not None and last.failed:
            sentence = f"The {turn.task.name} failed"
            yield Fired("periodic-work", "bad", sentence, last.outcome, Place.SCHEDULE)
        else:
            when = f"It last ran {passed(last.started_at)} ago." if last else "It never ran."
            sentence = f"The {turn.task.name} is late"
            yield Fired("periodic-work", "warn", sentence, when, Place.SCHEDULE)


Says = Callable[[Found], tuple[str, str]]


def _each(rule: str, says: Says) -> Callable[[Seen], Iterator[Fired]]:
    """A rule about groups that the statement found; how many more there are is said last."""

    def fired(seen: Seen) -> Iterator[Fired]:
        rows = seen.of(rule)
        for row in rows:
            yield Fired(rule, "warn", *says(row), Place.GROUP, row.group_id)
        if rows and rows[0].total > len(rows):
            more = f"{rows[0].total - len(rows)} more such groups"
            yield Fired(rule, "warn", more, "", Place.GROUPS)

    return fired


def _silent(row: Found) -> tuple[str, str]:
    detail = f"{row.n} of {row.detail} members, the first of them for {passed(row.at)}."
    return f"Most members of {row.group_id} are silent", detail


def _stopped(row: Found) -> tuple[str, str]:
    have = "member" if row.n == 1 else "members"
    who = f"{row.n} {have} of {row.group_id}" if row.n else f"Work of {row.group_id}"
    is_are = "are" if row.n > 1 else "is"
    return f"{who} {is_are} stopped", f"For {passed(row.at)}, by {row.detail}."


class Rule(NamedTuple):
    """One rule: what fires it, and the setting that holds its threshold ("": none)."""

    name: str
    meaning: str
    setting: str
    fired: Callable[[Seen], Iterator[Fired]]


RULES: Final = (
    Rule("slot-without-owner", "no node owns a slot: its groups are not served", "", _slots),
    Rule("node-silent", "a node's beat has not risen for 15 s", "", _nodes),
    Rule(
        "unsettled",
        "a group rebalances for longer than this",
        "attention.unsettled.ms",
        _unsettled,
    ),
    Rule(
        "unowned",
        "partitions of a group have no owner, and its rebalance is put off",
        "",
        _each(
            "unowned",
            lambda row: (
                f"{row.n} partitions of {row.group_id} have no owner",
                "Its rebalance is put off: it is frozen, or has a minimum interval.",
            ),
        ),
    ),
    Rule(
        "storm",
        "a group completed at least so many rebalances within the last hour",
        "attention.rebalances.per.hour",
        _each(
            "storm",
            lambda row: (
                f"Group {row.group_id} rebalances again and again",
                f"{row.n} rebalances within the last hour.",
            ),
        ),
    ),
    Rule(
        "silent",
        "at least this share of a group's members was not heard of for a session",
        "attention.silent.percent",
        _each("silent", _silent),
    ),
    Rule(
        "stopped",
        "an operator stopped a group or a member longer ago than this",
        "attention.stopped.ms",
        _each("stopped", _stopped),
    ),
    Rule(
        "frozen",
        "a group was frozen longer ago than this",
        "attention.stopped.ms",
        _each(
            "frozen",
            lambda row: (
                f"Group {row.group_id} is frozen",
                f"For {passed(row.at)}: no rebalance begins until it is thawed.",
            ),
        ),
    ),
    Rule(
        "no-commit",
        "a stable group that has committed did not do so for this long; 0: never fires",
        "attention.commit.ms",
        _each(
            "no-commit",
            lambda row: (
                f"Group {row.group_id} commits nothing",
                f"The last commit was {passed(row.at)} ago.",
            ),
        ),
    ),
    Rule("operation-failed", "what an operator asked for failed within a day", "", _operations),
    Rule("periodic-work", "periodic work failed, or is three periods late", "", _turns),
    Rule(
        "limit",
        "a limit was nearly reached within a day",
        "",
        lambda seen: (
            Fired(
                "limit",
                "warn",
                "A limit is near",
                f"{row.detail} ({passed(row.at)} ago).",
                Place.GROUP if row.group_id else Place.NODES,
                row.group_id,
            )
            for row in seen.of("limit")
        ),
    ),
)
"""The most urgent first; the Overview shows them in this order."""


def fired(fleet: Overview) -> Sequence[Fired]:
    """Everything that needs attention. One statement, two with ``attention.commit.ms``."""
    seen = Seen(fleet, find(fleet, Thresholds.from_django()))
    return [line for rule in RULES for line in rule.fired(seen)]


def find(fleet: Overview, thresholds: Thresholds) -> Sequence[Found]:
    """What the rules about groups are judged by."""
    values: Mapping[str, int | str] = {
        "journal_after": fleet.newest_entry - JOURNAL_READ_MAX,
        "storm": thresholds.attention_rebalances_per_hour,
        "stopped": thresholds.attention_stopped_ms,
        "silent": thresholds.attention_silent_percent,
        "silent_members": SILENT_MEMBERS_MAX,
        "commit": thresholds.attention_commit_ms,
        "listed": LISTED_MAX,
        "completed": EntryKind.REBALANCE_COMPLETED.value,
        "limit_near": EntryKind.LIMIT_NEAR.value,
    }
    with connection.cursor() as cursor:
        cursor.execute(sql.FOUND, values)
        found = [Found(*row) for row in cursor.fetchall()]
        if thresholds.attention_commit_ms:
            cursor.execute(sql.NO_COMMITS, values)
            found += [Found(*row) for row in cursor.fetchall()]
    return found
