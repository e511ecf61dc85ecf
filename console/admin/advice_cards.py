"""Advice as cards of a report's page: where each leads to."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from console.admin.links import quote
from console.queries import advice
from console.queries.advice import Card
from groups.models import AdviceDecision, ReportRun

IN_URL: Final = ("group_id", "rule", "subject")
"""What identifies an advice in the address of the form."""

VERDICTS: Final[Mapping[str, str]] = {
    AdviceDecision.Verdict.ACCEPTED.value: "Accept",
    AdviceDecision.Verdict.MUTED.value: "Mute",
}


class Shown(NamedTuple):
    """A card with its links: to the group, to entries of its journal (their numbers), and to what
    can be decided; and what it would save, in words."""

    card: Card
    group: str
    entries: Sequence[tuple[int, str]]
    links: Mapping[str, str]
    saves: str


def context(run: ReportRun, period: str) -> dict[str, Any]:
    """The cards of a period, and the muted ones apart. Two statements."""
    shown = [_shown(card) for card in advice.cards(run, period)]
    return {
        "cards": [each for each in shown if not each.card.is_muted],
        "muted": [each for each in shown if each.card.is_muted],
    }


def _shown(card: Card) -> Shown:
    group = reverse("admin:groups_group_change", args=[quote(card.group_id)])
    entries = [(number, entry(group, number)) for number in card.entries]
    saves = f"{card.saves_partition_ms / 1_000:,.1f} partition-seconds without owner"
    return Shown(card, group, entries, _links(card), saves)


def entry(group: str, number: int) -> str:
    """An entry of the journal, on the page of its group."""
    return f"{group}?tab=rebalances&before={number + 1}"


def _links(card: Card) -> Mapping[str, str]:
    """To accept it or to mute it, or to withdraw what was decided."""
    if card.decision is not None:
        return {"Withdraw": reverse("admin:groups_advicedecision_delete", args=[card.decision.pk])}
    address = reverse("admin:groups_advicedecision_add")
    named = {name: getattr(card, name) for name in IN_URL}
    return {
        words: f"{address}?{urlencode({**named, 'verdict': verdict})}"
        for verdict, words in VERDICTS.items()
    }
