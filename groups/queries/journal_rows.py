"""What those who follow the journal read of its rows: event streams, and webhooks. Each call is one
short piece of work; who calls it from a loop does so in a thread, which gives its connection back.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from django.db.models import Q

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


def end(now: float) -> Position:
    """Behind what stands there now."""
    newest = Journal.objects.order_by("-id").values_list("id", flat=True)[:LOOKED_BACK]
    return Position.behind(list(newest), now)


def is_behind(position: Position) -> bool:
    """Whether the journal has not come so far as somebody was told: its database was restored."""
    greatest = Journal.objects.order_by("-id").values_list("id", flat=True).first()
    return greatest is not None and greatest < position.greatest


def beyond(position: Position) -> Sequence[Entry]:
    """A page of what a position was not told, in the order of numbers."""
    wanted = Q(id__gt=position.greatest)
    for gap in position.gaps:
        wanted |= Q(id__range=(gap.first, gap.last))
    # PostgreSQL finds no place in an index by an OR: else it may read from the first entry on.
    first = position.gaps[0].first if position.gaps else position.greatest + 1
    rows = Journal.objects.filter(wanted, id__gte=first).order_by("id")
    return [Entry(*row) for row in rows.values_list("id", "group_id", "kind")[:PAGE]]
