"""From when on the rules of what needs attention fire for a group: the setting's threshold, or one
of its own, or never for a while; and what the journal and the facts say would be a good one. Reads
only."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import connection

from console.queries.attention_table import OF_GROUPS
from console.queries.groups import REBALANCED
from console.queries.sql import attention as sql
from console.queries.sql import attention_hours
from console.queries.why_text import seconds
from groups.models import AttentionRule

TUNABLE: Final = tuple(rule.name for rule in OF_GROUPS if rule.setting)
"""Those that a group may have another threshold for; each of them can be silenced."""

SETTINGS: Final = {rule.name: rule.setting for rule in OF_GROUPS}

MOST: Final = 1_000_000_000
"""The highest threshold: eleven days in milliseconds."""

PERCENT: Final = 100

PERIOD: Final = timedelta(days=14)
READ_MAX: Final = 20_000
"""Rebalances of a group that a proposal is made of, the newest."""

HOURS_READ_MAX: Final = 16 * 1024 * 1024
"""Bytes of stored hours of commits that a proposal is made of, the newest, and as many of packed
ones: with 50,000 partitions it is not all of the period."""

FEW: Final = 20
"""Of fewer rebalances or hours nothing is proposed."""

REBALANCES, HOURS = "rebalances", "hours"


class Learned(NamedTuple):
    """How a threshold is proposed: of rebalances or hours (``basis``), ``room`` times what all but
    one in a hundred stayed below, and not less than ``least``."""

    basis: str
    room: int
    least: int


LEARNED: Final = {
    "unsettled": Learned(REBALANCES, 3, 1_000),
    "storm": Learned(REBALANCES, 2, 5),
    "silent": Learned(HOURS, 2, 10),
    "no-commit": Learned(HOURS, 3, 60_000),
}

NEAR: Final = 1.5
"""A threshold is left as it is if the proposal is no more than so many times it, or it of that."""


def highest(rule: str) -> int:
    """The highest threshold of a rule."""
    return PERCENT if SETTINGS[rule].endswith(".percent") else MOST


def in_words(rule: str, threshold: int) -> str:
    """A threshold as people read it."""
    setting = SETTINGS[rule]
    if setting.endswith(".ms"):
        return seconds(threshold).replace(".0 s", " s")
    return f"{threshold:,} %" if setting.endswith(".percent") else f"{threshold:,} an hour"


class Standing(NamedTuple):
    """How a rule applies to a group. ``threshold``: None for a rule without one, 0: it never fires.
    ``own``: the row that gives it, None: the setting does; ``silence``: by which it is silenced."""

    rule: str
    meaning: str
    threshold: int | None
    own: AttentionRule | None
    silence: AttentionRule | None

    @property
    def text(self) -> str:
        """The threshold in words."""
        if self.threshold is None:
            return ""
        return in_words(self.rule, self.threshold) if self.threshold else "never"


class Proposal(NamedTuple):
    """Another threshold for a group: 99 of 100 of its ``counted`` rebalances or hours (``basis``)
    were not above ``p99``, in the threshold's unit."""

    rule: str
    threshold: int
    p99: int
    counted: int

    @property
    def basis(self) -> str:
        """What was counted."""
        return LEARNED[self.rule].basis

    @property
    def text(self) -> str:
        """The question that it is."""
        return (
            f"{self.rule}: p99 of the last {PERIOD.days} days is {in_words(self.rule, self.p99)}"
            f" (of {self.counted:,} {self.basis}); warn from"
            f" {in_words(self.rule, self.threshold)} on?"
        )


def of_group(group_id: str) -> tuple[Sequence[Standing], Sequence[Proposal]]:
    """Each rule about groups as it applies to this one, and thresholds that fit what it did where
    those that apply do not. One statement."""
    values: Mapping[str, Any] = {
        "group_id": group_id,
        "kind": REBALANCED,
        "period": PERIOD,
        "read": READ_MAX,
        "bytes": HOURS_READ_MAX,
    }
    with connection.cursor() as cursor:
        cursor.execute(SEEN, values)
        *seen, own = cursor.fetchone()
    rows = [_row(values) for values in json.loads(own)]
    standings = [
        _standing(rule.name, rule.meaning, [row for row in rows if row.rule == rule.name])
        for rule in OF_GROUPS
    ]
    return standings, list(_proposals(standings, zip(LEARNED, seen[::2], seen[1::2], strict=True)))


def _row(values: Mapping[str, Any]) -> AttentionRule:
    times = {
        name: values[name] and datetime.fromisoformat(values[name]) for name in ("at", "until")
    }
    return AttentionRule(**{**values, **times})


def _standing(rule: str, meaning: str, rows: Sequence[AttentionRule]) -> Standing:
    own = next((row for row in rows if row.threshold is not None), None)
    silence = next((row for row in rows if row.threshold is None), None)
    if rule not in TUNABLE:
        return Standing(rule, meaning, None, None, silence)
    threshold = by_setting(rule) if own is None else own.threshold
    return Standing(rule, meaning, threshold, own, silence)


def by_setting(rule: str) -> int:
    """The threshold of groups that have no other; 0: it never fires."""
    return int(getattr(settings, SETTINGS[rule].upper().replace(".", "_")))


SEEN: Final = f"""
WITH ended AS (
    SELECT at, duration_ms FROM rollcall_journal
    WHERE group_id = %(group_id)s AND kind = %(kind)s AND at >= now() - %(period)s
    ORDER BY id DESC LIMIT %(read)s
), hours AS (SELECT count(*) AS n FROM ended GROUP BY date_trunc('hour', at)),
silences AS ({attention_hours.SILENCES}), pauses AS ({attention_hours.PAUSES})
SELECT (SELECT count(*) FROM ended),
       (SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY duration_ms) FROM ended),
       (SELECT count(*) FROM ended),
       (SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY n) FROM hours),
       (SELECT count(*) FROM silences),
       (SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY percent) FROM silences),
       (SELECT count(*) FROM pauses),
       (SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY ms) FROM pauses),
       (SELECT coalesce(jsonb_agg(to_jsonb(own) ORDER BY {sql.FIRST}), '[]')::text
        FROM rollcall_attention_rule AS own WHERE {sql.applies("%(group_id)s")})
"""
"""For each rule of ``LEARNED`` how many were counted, and their p99."""


def _proposals(
    now: Sequence[Standing], seen: Iterable[tuple[str, int, int | None]]
) -> Iterator[Proposal]:
    applies = {each.rule: each.threshold or 0 for each in now}
    for rule, counted, p99 in seen:
        if counted >= FEW and p99 is not None:
            found = Proposal(rule, proposed(rule, p99), p99, counted)
            if not _is_near(found.threshold, applies[rule]):
                yield found


def proposed(rule: str, p99: int) -> int:
    """Room above it, to one digit: 2.1 s give 6 s."""
    learned = LEARNED[rule]
    room = max(p99 * learned.room, learned.least)
    digit = 10 ** math.floor(math.log10(room))
    return min(highest(rule), int(round(room / digit) * digit))


def _is_near(one: int, other: int) -> bool:
    return other > 0 and max(one, other) <= NEAR * min(one, other)
