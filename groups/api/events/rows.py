"""What those who follow the journal read of its rows. Each call is one short piece of work; who
calls it from a loop does so in a thread, which gives its connection back.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from django.db.models import Q

from groups.api import serializers as shapes
from groups.models import Journal
from groups.queries.journal_position import Position

PAGE: Final = 500

LOOKED_BACK: Final = 500
"""Entries below the newest one that are known from the start: what appears among them later is of
a transaction that was under way."""


class Entry(NamedTuple):
    """As much of an entry as says who wants to hear of it."""

    seq: int
    group_id: str
    kind: str


def newest() -> list[int]:
    """The last numbers, the greatest first."""
    return list(Journal.objects.order_by("-id").values_list("id", flat=True)[:LOOKED_BACK])


def greatest() -> int | None:
    """The greatest number there is; None: the journal is empty."""
    return Journal.objects.order_by("-id").values_list("id", flat=True).first()


def beyond(position: Position) -> Sequence[Entry]:
    """A page of what a position was not told, in the order of numbers."""
    wanted = Q(id__gt=position.greatest)
    for gap in position.gaps:
        wanted |= Q(id__range=(gap.first, gap.last))
    rows = Journal.objects.filter(wanted).order_by("id")
    return [Entry(*row) for row in rows.values_list("id", "group_id", "kind")[:PAGE]]


def texts(seqs: Collection[int]) -> Mapping[int, str]:
    """These entries as REST shows them, each in a line of JSON."""
    if not seqs:
        return {}
    rows = Journal.objects.filter(id__in=seqs)
    told = shapes.JournalEntry(rows, many=True).data
    return {entry["seq"]: json.dumps(entry, default=str) for entry in told}
