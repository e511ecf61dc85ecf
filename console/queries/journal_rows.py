"""Rows of the journal: those that somebody may read, and the columns by which its followers (event
streams, webhooks) find theirs. Each call is one short query; callers on a loop use a thread, which
returns its connection."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from django.db.models import Q, QuerySet

from console.journal_subjects import Kinds
from console.queries.journal_position import Position
from groups.models import Journal

PAGE: Final = 500

LOOKED_BACK: Final = 500
"""Entries before the newest one that a new reader knows: later additions among them come from
transactions that were running."""


def entries(kinds: Kinds) -> QuerySet[Journal]:
    """The entries of these kinds (``console.people.rights.kinds``). Whatever shows entries reads
    them by this query."""
    rows = Journal.objects.all()
    return rows if kinds.names is None else rows.filter(kind__in=sorted(kinds.names))


class JournalRow(NamedTuple):
    """The columns that decide which readers want an entry."""

    seq: int
    group_id: str
    kind: str


def end(now: float) -> Position:
    """The position at the current end."""
    newest = Journal.objects.order_by("-id").values_list("id", flat=True)[:LOOKED_BACK]
    return Position.behind(list(newest), now)


def is_behind(position: Position) -> bool:
    """Whether the journal ends before this position: its database was restored."""
    greatest = Journal.objects.order_by("-id").values_list("id", flat=True).first()
    return greatest is not None and greatest < position.greatest


def beyond(position: Position) -> Sequence[JournalRow]:
    """A page of entries that a position has not read, in order of numbers."""
    condition = Q(id__gt=position.greatest)
    for gap in position.gaps:
        condition |= Q(id__range=(gap.first, gap.last))
    # With the OR alone PostgreSQL would not use the index, and could read from the first entry on.
    first = position.gaps[0].first if position.gaps else position.greatest + 1
    rows = Journal.objects.filter(condition, id__gte=first).order_by("id")
    return [JournalRow(*row) for row in rows.values_list("id", "group_id", "kind")[:PAGE]]
