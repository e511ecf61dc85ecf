"""From when on the rules of what needs attention fire for a group: the setting's threshold, or one
of its own, or never for a while; and what the journal says would be a good one. Reads only."""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import connection
from django.db.models import F, Q, QuerySet, Value
from django.db.models.functions import StrIndex
from django.utils import timezone

from console.queries.acknowledgements import ABOUT_GROUPS
from console.queries.attention import RULES
from console.queries.groups import REBALANCED
from console.queries.why_text import seconds
from groups.models import AttentionRule

OF_GROUPS: Final = tuple(rule for rule in RULES if rule.name in ABOUT_GROUPS)
TUNABLE: Final = tuple(rule.name for rule in OF_GROUPS if rule.setting)
"""Those that a group may have another threshold for; each of them can be silenced."""

SETTINGS: Final = {rule.name: rule.setting for rule in OF_GROUPS}

MOST: Final = 1_000_000_000
"""The highest threshold: eleven days in milliseconds."""

PERCENT: Final = 100

PERIOD: Final = timedelta(days=14)
READ_MAX: Final = 20_000
"""Rebalances of a group that a proposal is made of, the newest."""

FEW: Final = 20
"""Of fewer rebalances nothing is proposed."""

ROOM: Final = {"unsettled": 3, "storm": 2}
"""A proposal is so many times what all but one in a hundred stayed below."""

LEAST: Final = {"unsettled": 1_000, "storm": 5}

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
    """Another threshold for a group: ``p99`` of ``rebalances`` were below, in milliseconds or
    rebalances an hour."""

    rule: str
    threshold: int
    p99: int
    rebalances: int

    @property
    def text(self) -> str:
        """The question that it is."""
        return (
            f"{self.rule}: p99 of the last {PERIOD.days} days is {in_words(self.rule, self.p99)}"
            f" (of {self.rebalances:,} rebalances); warn from"
            f" {in_words(self.rule, self.threshold)} on?"
        )


def in_force(now: datetime) -> QuerySet[AttentionRule]:
    """Rows whose end has not passed."""
    return AttentionRule.objects.filter(Q(until__isnull=True) | Q(until__gt=now))


def about(group_id: str) -> QuerySet[AttentionRule]:
    """Rows in force about a group, in the order in which they decide (``sql.threshold``)."""
    found = in_force(timezone.now()).annotate(begins=StrIndex(Value(group_id), F("name")))
    whom = Q(is_prefix=False, name=group_id) | Q(is_prefix=True, begins=1)
    return found.filter(whom).order_by("is_prefix", "-name")


def standings(group_id: str) -> Sequence[Standing]:
    """Each rule about groups, as it applies to this one. One statement."""
    rows = list(about(group_id))
    return [
        _standing(rule.name, rule.meaning, [row for row in rows if row.rule == rule.name])
        for rule in OF_GROUPS
    ]


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


SEEN: Final = """
WITH ended AS (
    SELECT at, duration_ms FROM rollcall_journal
    WHERE group_id = %(group_id)s AND kind = %(kind)s AND at >= now() - %(period)s
    ORDER BY id DESC LIMIT %(read)s
), hours AS (SELECT count(*) AS n FROM ended GROUP BY date_trunc('hour', at))
SELECT (SELECT count(*) FROM ended),
       (SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY duration_ms) FROM ended),
       (SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY n) FROM hours)
"""


def proposals(group_id: str, now: Sequence[Standing]) -> Sequence[Proposal]:
    """Thresholds that fit what the group did, where those that apply do not. One statement."""
    values: Mapping[str, Any] = {
        "group_id": group_id,
        "kind": REBALANCED,
        "period": PERIOD,
        "read": READ_MAX,
    }
    with connection.cursor() as cursor:
        cursor.execute(SEEN, values)
        rebalances, *p99s = cursor.fetchone()
    if rebalances < FEW:
        return []
    applies = {each.rule: each.threshold or 0 for each in now}
    found = [
        Proposal(rule, proposed(rule, p99), p99, rebalances)
        for rule, p99 in zip(ROOM, p99s, strict=True)
        if p99 is not None
    ]
    return [each for each in found if not _is_near(each.threshold, applies[each.rule])]


def proposed(rule: str, p99: int) -> int:
    """Room above it, to one digit: 2.1 s give 6 s."""
    room = max(p99 * ROOM[rule], LEAST[rule])
    digit = 10 ** math.floor(math.log10(room))
    return min(MOST, int(round(room / digit) * digit))


def _is_near(one: int, other: int) -> bool:
    return other > 0 and max(one, other) <= NEAR * min(one, other)
