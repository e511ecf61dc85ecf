"""The newest run's advice, each beside what people have decided about it. Reads only."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import BigIntegerField, Exists, OuterRef, Q, QuerySet
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce
from django.utils import timezone

from groups.models import AdviceDecision, ReportRun, RunRow

REPORT: Final = "advice"
"""The report that has it (``pipeline.datasets.advice``)."""

CARDS_MAX: Final = 100
"""Those with the greatest effect; the report has all."""

WHAT_IF: Final = "python -m pipeline what-if --group={group} {options}"
"""The command that tries it on what was recorded."""

KEY: Final = ("group_id", "rule", "subject")

Key = tuple[str, str, str]
"""Group, rule, subject."""


@dataclass(frozen=True, slots=True)
class Card:
    """One advice. ``entries`` and ``lives``: numbers of the journal's entries, and of members'
    lives, that are evidence; ``saves_partition_ms``: partitions x milliseconds without owner that
    it would have saved at most; ``what_if``: the command that tries it, "" if none can."""

    group_id: str
    rule: str
    subject: str
    finding: str
    change: str
    evidence: int
    confidence: str
    cost_ms: int
    saves_partition_ms: int
    entries: Sequence[int]
    lives: Sequence[int]
    what_if: str
    decision: AdviceDecision | None

    @property
    def is_muted(self) -> bool:
        """Whether it stays out of sight."""
        return self.decision is not None and self.decision.verdict == self.decision.Verdict.MUTED


def cards(run: ReportRun, period: str, group_id: str | None = None) -> Sequence[Card]:
    """Those of a period, muted ones last, else by their effect. Two statements."""
    rows = RunRow.objects.filter(run=run, report=REPORT, period=period)
    if group_id is not None:
        rows = rows.filter(keys__group_id=group_id)
    saves = Coalesce(Cast(KT("figures__saves_partition_ms"), BigIntegerField()), 0)
    cost = Coalesce(Cast(KT("figures__cost_ms"), BigIntegerField()), 0)
    named = {f"key_{name}": KT(f"keys__{name}") for name in KEY}
    ordered = rows.alias(saves=saves, cost=cost, **named).alias(muted=Exists(_muted()))
    first = ordered.order_by("muted", "-saves", "-cost", "id")[:CARDS_MAX]
    decided = {_key(each): each for each in in_force()}
    made = [_card(row, decided) for row in first]
    return sorted(made, key=lambda card: card.is_muted)


def in_force(now: datetime | None = None) -> QuerySet[AdviceDecision]:
    """The decisions whose end has not passed."""
    ends = Q(until__isnull=True) | Q(until__gt=timezone.now() if now is None else now)
    return AdviceDecision.objects.filter(ends)


def _muted() -> QuerySet[AdviceDecision]:
    """The decision that mutes a row, if one does: muted ones leave room for others."""
    key = {name: OuterRef(f"key_{name}") for name in KEY}
    return in_force().filter(verdict=AdviceDecision.Verdict.MUTED, **key)


def exists(run: ReportRun | None, key: Key) -> bool:
    """Whether the run gives this advice, for any period."""
    rows = RunRow.objects.filter(run=run, report=REPORT, keys=dict(zip(KEY, key, strict=True)))
    return run is not None and rows.exists()


def _key(decision: AdviceDecision) -> Key:
    return (decision.group_id, decision.rule, decision.subject)


def _card(row: RunRow, decided: Mapping[Key, AdviceDecision]) -> Card:
    keys, figures = row.keys, row.figures
    key: Key = (keys["group_id"], keys["rule"], keys["subject"])
    options = figures.get("what_if") or ""
    return Card(
        *key,
        finding=figures["finding"],
        change=figures["change"],
        evidence=figures["evidence"],
        confidence=figures["confidence"],
        cost_ms=figures["cost_ms"],
        saves_partition_ms=figures.get("saves_partition_ms") or 0,
        entries=_numbers(figures.get("entries")),
        lives=_numbers(figures.get("lives")),
        what_if=WHAT_IF.format(group=shlex.quote(key[0]), options=options) if options else "",
        decision=decided.get(key),
    )


def _numbers(text: Any) -> Sequence[int]:
    """What a report stores as a text of numbers."""
    return [int(number) for number in (text or "").split(",") if number]
