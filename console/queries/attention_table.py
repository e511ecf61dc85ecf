"""The rules of what needs attention: one table, each with its threshold and its sentences.
``console.queries.attention`` finds those that fire."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from django.utils import timezone
from django.utils.timesince import timesince

from console.queries.acknowledgements import ABOUT_GROUPS
from console.queries.fired import Fired, FiredRow, Place, Remedy
from console.queries.journal_acts import instance_taken
from console.queries.overview import OPERATION_WAITS, Overview, restart_wait
from console.queries.situation import MS
from console.queries.situation_text import Situation, many, seconds
from groups.models import Group

IN_MINUTES_FROM: Final = timedelta(minutes=2)
"""From this time on ages are in minutes; below in seconds."""


def passed(since: datetime) -> str:
    """An age or a duration in words."""
    ago = timezone.now() - since
    return timesince(since) if ago >= IN_MINUTES_FROM else seconds(round(ago / MS))


@dataclass(frozen=True, slots=True)
class RuleInput:
    """The input of the rules."""

    fleet: Overview
    rows: Sequence[FiredRow]

    def of(self, rule: str) -> list[FiredRow]:
        """The rows of one rule."""
        return [row for row in self.rows if row.rule == rule]

    def is_late(self, group: Group) -> bool:
        """Whether it has not settled for too long; those of the whole fleet are chosen already."""
        after = self.of(UNSETTLED_AFTER)
        return not after or timezone.now() - group.state_since > after[0].n * MS


def _slots(seen: RuleInput) -> Iterator[Fired]:
    free = seen.fleet.ownerless_slots
    if free:
        have = "slot has" if free == 1 else "slots have"
        unserved = seen.fleet.unserved_groups
        is_not = "is" if unserved == 1 else "are"
        detail = f"{many(unserved, 'group')} {is_not} not served until a node takes them."
        sentence, since = f"{free} {have} no owner", seen.fleet.ownerless_since
        yield Fired(
            "slot-without-owner", "bad", sentence, detail, Place.NODES, subject="", since=since
        )


WHEN_FORGOTTEN: Final = (
    "If it has left, it is forgotten after node.retention.hours without slots, or at once by an"
    " operator."
)


def _waiting_nodes(seen: RuleInput) -> Iterator[Fired]:
    for node in seen.fleet.waiting_nodes:
        ends = node.unclean_ends
        sentence = f"Node {node.node_id} waits before it takes slots"
        often = "" if ends == 1 else f" {ends} times in a row"
        detail = (
            f"It ended or lost its slots{often} without handing them over, the last time"
            f" {passed(node.steady_since)} ago; it takes some when it has beaten steadily for"
            f" {seconds(round(restart_wait(node) / MS))}."
        )
        subject, since = str(node.node_id), node.steady_since
        yield Fired(
            "node-unsteady", "warn", sentence, detail, Place.NODES, subject=subject, since=since
        )


def _nodes(seen: RuleInput) -> Iterator[Fired]:
    for node in seen.fleet.silent_nodes:
        ago = f"The last beat was {passed(node.beat_at)} ago. {WHEN_FORGOTTEN}"
        sentence, subject = f"Node {node.node_id} is silent", str(node.node_id)
        yield Fired(
            "node-silent",
            "warn",
            sentence,
            ago,
            Place.NODES,
            subject,
            subject,
            since=node.beat_at,
            remedy=Remedy.FORGET,
        )


def _unsettled(seen: RuleInput) -> Iterator[Fired]:
    fleet = seen.fleet
    for group in filter(seen.is_late, fleet.unsettled):
        yield _does_not_settle(group, fleet.situations[group.group_id])
    more = fleet.unsettled_count - len(fleet.unsettled)
    if more > 0:
        are = "is" if more == 1 else "are"
        sentence = f"{many(more, 'more group')} {are} still rebalancing"
        yield Fired("unsettled", "warn", sentence, "", Place.GROUPS)


def _does_not_settle(group: Group, now: Situation) -> Fired:
    group_id, sentence = group.group_id, f"Group {group.group_id} is still rebalancing"
    blamed = next(iter(now.evict), None)
    return Fired(
        "unsettled",
        now.tone,
        sentence,
        now.text,
        Place.GROUP,
        group_id,
        group_id,
        since=group.state_since,
        still=None if now.waiting is None else now.waiting.still,
        remedy=Remedy.WHY if blamed is None else Remedy.EVICT,
        member_id="" if blamed is None else blamed.member_id,
        name="" if blamed is None else blamed.name,
    )


def _operations(seen: RuleInput) -> Iterator[Fired]:
    for operation in seen.fleet.undecided:
        verb, key = operation.get_verb_display(), str(operation.pk)
        what = f"An operation on {operation.group_id} waits for its owner: {verb}"
        detail = f"{operation.actor} requested it {passed(operation.created_at)} ago."
        since = operation.created_at
        yield Fired(OPERATION_WAITS, "warn", what, detail, Place.OPERATION, key, key, since=since)


def _periodic_work(seen: RuleInput) -> Iterator[Fired]:
    for run in seen.fleet.failing_runs:
        name, last = run.task.name, run.last
        if last is not None and last.failed:
            tone, sentence, why = "bad", f"The {name} failed", last.outcome
        else:
            why = f"It last ran {passed(last.started_at)} ago." if last else "It has never run."
            tone, sentence = "warn", f"The {name} is late"
        yield Fired("periodic-work", tone, sentence, why, Place.SCHEDULE, subject=name)


Describe = Callable[[FiredRow], tuple[str, str]]


def _each(
    rule: str,
    describe: Describe,
    remedy: Callable[[FiredRow], Remedy | None] = lambda _row: Remedy.WHY,
    still: Callable[[FiredRow], int | None] = lambda _row: None,
    *,
    begins: bool = True,
) -> Callable[[RuleInput], Iterator[Fired]]:
    """The findings of a rule about groups; the last line has the number of further ones.
    ``begins``: the rows' times are when it began."""

    def fired(seen: RuleInput) -> Iterator[Fired]:
        rows = seen.of(rule)
        for row in rows:
            about = Fired(rule, "warn", *describe(row), Place.GROUP, row.group_id, row.group_id)
            since = row.at if begins else None
            yield about._replace(since=since, still=still(row), remedy=remedy(row))
        if rows and rows[0].total > len(rows):
            more = many(rows[0].total - len(rows), "more such group")
            yield Fired(rule, "warn", more, "", Place.GROUPS)

    return fired


def _limits(seen: RuleInput) -> Iterator[Fired]:
    for row in seen.of("limit"):
        place = Place.GROUP if row.group_id else Place.NODES
        text = f"{row.detail} ({passed(row.at)} ago)."
        yield Fired("limit", "warn", "A limit is near", text, place, row.group_id, str(row.n))


def _notify_queue(seen: RuleInput) -> Iterator[Fired]:
    for row in seen.of("notify-queue"):
        sentence = f"PostgreSQL's queue of notifications is {row.n} % full"
        detail = (
            "Somebody floods NOTIFY, or a session listens and leaves its transaction open. Changes"
            " are seen up to some seconds later, and programs that notify fail when it is full."
        )
        yield Fired("notify-queue", "warn", sentence, detail, Place.NODES, subject="")


def _horizon(seen: RuleInput) -> Iterator[Fired]:
    for row in seen.of("horizon"):
        sentence = "A transaction of PostgreSQL has been open for long"
        detail = (
            f"For more than {passed(row.at)}, and it has written: the pipeline, and others who read"
            f" in order without gaps, do not see {row.n:,} of the newest entries of the journal,"
            " nor facts of that time, until it ends. pg_stat_activity (backend_xid) and"
            " pg_prepared_xacts say whose it is."
        )
        yield Fired("horizon", "warn", sentence, detail, Place.NODES, subject="")


WHY_NOT_DRAINED: Final[Mapping[str, str]] = {
    "away": "The node is away, and no other node has taken its slots.",
    "no taker": "No other node takes slots: start one, or withdraw another drain.",
    "slow": "Others take slots, but not these: see the log of each node.",
}
"""Why a drained node still owns slots, by the rows of nodes."""


def _drains(seen: RuleInput) -> Iterator[Fired]:
    for row in seen.of("drain"):
        since = passed(row.at)
        why, _, by = row.detail.partition("|")
        if row.n:
            sentence = f"Node {row.group_id} was drained and still owns {many(row.n, 'slot')}"
            detail = f"Drained {since} ago by {by}. {WHY_NOT_DRAINED[why]}"
        else:
            sentence = f"Node {row.group_id} is drained"
            detail = f"For {since}, by {by}. It takes no slots until that is withdrawn."
        node = row.group_id
        about = Fired("drain", "warn", sentence, detail, Place.NODES, node, node, since=row.at)
        yield about._replace(remedy=Remedy.UNDRAIN)


def _instance(row: FiredRow) -> tuple[str, str]:
    what, who = instance_taken(json.loads(row.detail))
    is_are = "is" if row.n == 2 else "are"
    more = f" So {is_are} {many(row.n - 1, 'more instance')}." if row.n > 1 else ""
    return f"{what} of {row.group_id}", f"{who[:1].upper()}{who[1:]}.{more}"


def _silent(row: FiredRow) -> tuple[str, str]:
    detail = f"{row.n} of {row.detail} members, the first for {passed(row.at)}."
    return f"Most members of {row.group_id} are silent", detail


def _stopped(row: FiredRow) -> tuple[str, str]:
    have = "member" if row.n == 1 else "members"
    who = f"{row.n} {have} of {row.group_id}" if row.n else f"Work of {row.group_id}"
    is_are = "are" if row.n > 1 else "is"
    return f"{who} {is_are} stopped", f"For {passed(row.at)}, by {row.detail}."


def _worked_on(row: FiredRow) -> int | None:
    """Partitions whose members stopped with their group; of single ones it is unknown."""
    if row.n or row.partitions is None or row.unowned is None:
        return None
    return row.partitions - row.unowned


UNSETTLED: Final = "unsettled"
UNSETTLED_AFTER: Final = "unsettled-after"
OWN_COMMIT: Final = "own-commit"
"""Rows that are no findings: a group's threshold of ``UNSETTLED``, and whether groups have one of
``no-commit``."""


TABLE: Final = "operating#what-needs-attention"
CRASHES: Final = "operating#nodes-that-crash-and-nodes-that-have-left"


class Rule(NamedTuple):
    """One rule: when it fires, the setting with its threshold ("": none), what to do, and the page
    of the documentation that says more. Of those about groups a group may have another threshold
    (``console.queries.attention_rules``)."""

    name: str
    meaning: str
    setting: str
    fired: Callable[[RuleInput], Iterator[Fired]]
    advice: str = ""
    docs: str = TABLE


RULES: Final = (
    Rule(
        "slot-without-owner",
        "no node owns a slot: its groups are not served",
        "",
        _slots,
        "Start a node, or see in its log why it takes no slots.",
    ),
    Rule(
        "node-unsteady",
        "a node that ended or lost its slots without handing them over takes none yet",
        "node.restart.backoff.ms",
        _waiting_nodes,
        "See in its log why it ended; it takes slots by itself when it stays up.",
        CRASHES,
    ),
    Rule(
        "node-silent",
        "a node has not renewed its beat for 15 s",
        "",
        _nodes,
        "See whether its process lives and reaches PostgreSQL; forget it if it has left for good.",
        CRASHES,
    ),
    Rule(
        "drain",
        "a node was drained longer ago than this, or still owns slots after two minutes",
        "attention.drained.ms",
        _drains,
        "Withdraw the drain when the maintenance is over.",
        "operating#maintenance-of-a-node",
    ),
    Rule(
        "notify-queue",
        "PostgreSQL's queue of notifications is filled to this share",
        "attention.notify.queue.percent",
        _notify_queue,
        "End the session that listens in an open transaction (pg_stat_activity).",
    ),
    Rule(
        "horizon",
        "a transaction has been open for ten minutes that keeps readers in order from going on",
        "",
        _horizon,
        "End its session, or commit or roll back what is prepared (pg_prepared_xacts).",
    ),
    Rule(
        UNSETTLED,
        "a group rebalances for longer than this",
        "attention.unsettled.ms",
        _unsettled,
        "Evict the member that is silent, or see why it is busy; a shorter rebalance timeout ends"
        " such waits sooner.",
        "operating#what-do-i-do-when-a-group-does-not-settle",
    ),
    Rule(
        "unowned",
        "partitions of a group have no owner, and its rebalance is put off",
        "",
        _each(
            "unowned",
            lambda row: (
                f"{many(row.n, 'partition')} of {row.group_id} {'has' if row.n == 1 else 'have'}"
                " no owner",
                "Its rebalance is put off: it is frozen, or has a minimum interval.",
            ),
            lambda row: Remedy.THAW if row.detail else Remedy.WHY,
            lambda row: row.n,
        ),
        "Thaw it, or lower its rollcall.rebalance.min.interval.ms.",
    ),
    Rule(
        "storm",
        "a group completed at least this many rebalances within the last hour",
        "attention.rebalances.per.hour",
        _each(
            "storm",
            lambda row: (
                f"Group {row.group_id} rebalances again and again",
                f"{many(row.n, 'rebalance')} within the last hour.",
            ),
            begins=False,
        ),
        "Its journal names the cause of each: members that leave and join again want static ids,"
        " expired sessions a longer timeout.",
        "operating#why-did-a-group-rebalance-last-night",
    ),
    Rule(
        "shared-instance",
        "two workers use one group.instance.id: one is refused, or they fence each other",
        "",
        _each("shared-instance", _instance, begins=False),
        "Give each worker a group.instance.id of its own.",
    ),
    Rule(
        "silent",
        "at least this share of a group's members was silent for a session timeout",
        "attention.silent.percent",
        _each("silent", _silent),
        "Look for what they share: a network, a host, a release. Their partitions move when their"
        " sessions end.",
    ),
    Rule(
        "stopped",
        "an operator stopped a group or a member longer ago than this",
        "attention.stopped.ms",
        _each("stopped", _stopped, lambda row: None if row.n else Remedy.RESUME, _worked_on),
        "Start it again when the reason has passed, or acknowledge this with an end.",
        "pause",
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
            lambda _row: Remedy.THAW,
            lambda row: row.unowned,
        ),
        "Thaw it when the reason has passed: partitions of members that left wait for that.",
    ),
    Rule(
        "no-commit",
        "a stable group with committed offsets has not committed for this long; 0: never fires",
        "attention.commit.ms",
        _each(
            "no-commit",
            lambda row: (
                f"Group {row.group_id} does not commit",
                f"The last commit was {passed(row.at)} ago.",
            ),
        ),
        "See which partitions do not advance (Offsets), and the log of the member that owns them.",
    ),
    Rule(
        OPERATION_WAITS,
        "no owner has decided an operation for a minute",
        "",
        _operations,
        "See whether a node owns the group's slot, and whether it knows the operation.",
    ),
    Rule(
        "periodic-work",
        "periodic work failed, or is three periods late",
        "",
        _periodic_work,
        "See whether worker and beat run, and the error on the page Schedule.",
        "periodic",
    ),
    Rule(
        "limit",
        "a limit was nearly reached within the last day",
        "",
        _limits,
        "Raise the limit, or find what grows (docs/limits.md).",
        "limits",
    ),
)
"""Findings of one severity are in this order."""


OF_GROUPS: Final = tuple(rule for rule in RULES if rule.name in ABOUT_GROUPS)
