"""What needs attention: the rules that fire (``console.queries.attention_table``). The Overview
shows them; nothing depends on them. An acknowledged rule fires as before, with its acknowledgement
(``console.queries.acknowledgements``)."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from django.db import connection

from console.queries.acknowledgements import Acknowledged, from_json, subjects_of
from console.queries.attention_table import OWN_COMMIT, RULES, RuleInput
from console.queries.fired import Fired, FiredRow
from console.queries.overview import JOURNAL_READ_MAX, LISTED_MAX, Overview, alone
from console.queries.situation_text import Situation
from console.queries.sql import attention as sql
from console.queries.thresholds import Thresholds
from groups.core.instance_claims import AGAIN_MS
from groups.core.journal import EntryKind
from groups.models import Group

CLAIMS_SHOWN_MS: Final = AGAIN_MS + 60_000
"""The age of the newest entry about an instance id that two workers use: while they do, there is
another every ``AGAIN_MS``."""

SILENT_MEMBERS_MAX: Final = 2_000
"""Silent members that are read, of all groups together."""

SEVERITY: Final = ("bad", "warn")
"""Tones, the most severe first; others follow."""


def fired(fleet: Overview, only: str | None = None) -> Sequence[Fired]:
    """All findings, of all groups or of one, the most severe first. One statement, two with
    ``attention.commit.ms``."""
    newest = fleet.newest_entry
    after = None if newest is None else newest - JOURNAL_READ_MAX
    seen = RuleInput(fleet, find(after, fleet.acknowledged, only))
    acknowledgements = (from_json(row.detail) for row in seen.of("acknowledged"))
    acknowledged = {
        **fleet.acknowledged,
        **{(one.rule, one.subject): one for one in acknowledgements},
    }
    lines = (
        line._replace(advice=rule.advice, docs=rule.docs)
        for rule in RULES
        for line in rule.fired(seen)
    )
    return sorted((_marked(line, acknowledged) for line in lines), key=_severity)


def _severity(line: Fired) -> int:
    return SEVERITY.index(line.tone) if line.tone in SEVERITY else len(SEVERITY)


def of_group(group: Group, now: Situation) -> Sequence[Fired]:
    """Rules that fire for this group, as in the whole fleet. One statement, two with
    ``attention.commit.ms``."""
    return fired(alone(group, now), group.group_id)


def _marked(line: Fired, acknowledged: Acknowledged) -> Fired:
    if line.subject is None:
        return line
    return line._replace(acknowledged=acknowledged.get((line.rule, line.subject)))


GROUPS_MAX: Final = 10_000
"""Groups of each rule that a list shows."""


def groups_of(names: Collection[str]) -> set[str]:
    """The groups for which one of these rules fires; not for ``UNSETTLED``, which is in the groups'
    own rows. One statement, two with ``attention.commit.ms``."""
    rows = find(None, {}, listed=GROUPS_MAX)
    return {row.group_id for row in rows if row.rule in names}


def find(
    journal_after: int | None,
    acknowledged: Acknowledged,
    only: str | None = None,
    listed: int = LISTED_MAX,
) -> Sequence[FiredRow]:
    """The input of the rules about groups: of all groups, or of this one; ``listed`` rows for each
    rule."""
    thresholds = Thresholds.from_django()
    values: dict[str, Any] = {
        f"known_{rule.name.replace('-', '_')}": subjects_of(rule.name, acknowledged)
        for rule in RULES
    }
    values |= {
        "only": only,
        "journal_after": journal_after,
        "read": JOURNAL_READ_MAX,
        "storm": thresholds.attention_rebalances_per_hour,
        "stopped": thresholds.attention_stopped_ms,
        "drained": thresholds.attention_drained_ms,
        "silent": thresholds.attention_silent_percent,
        "silent_members": SILENT_MEMBERS_MAX,
        "commit": thresholds.attention_commit_ms or sql.NEVER,
        "unsettled": thresholds.attention_unsettled_ms,
        "notify_queue": thresholds.attention_notify_queue_percent,
        "listed": listed,
        "completed": EntryKind.REBALANCE_COMPLETED.value,
        "limit_near": EntryKind.LIMIT_NEAR.value,
        "instance_taken": EntryKind.INSTANCE_TAKEN.value,
        "claims": CLAIMS_SHOWN_MS,
    }
    with connection.cursor() as cursor:
        cursor.execute(sql.FOUND_WITH_COUNTS, values)
        rows = [FiredRow(*row) for row in cursor.fetchall()]
        is_own = any(row.rule == OWN_COMMIT for row in rows)
        if thresholds.attention_commit_ms or is_own:
            cursor.execute(sql.NO_COMMITS, values)
            rows += [FiredRow(*row) for row in cursor.fetchall()]
    return rows
