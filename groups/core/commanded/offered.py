"""What all consumers of a commanded group offer, counted.

So a registration looks at its own topics only: if each looked at every consumer, ten thousand
consumers that register together would cost a hundred million looks. The members' rows decide; a new
owner counts them once.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Self

from groups.core.commanded import thread_offers
from groups.core.rows import MemberRow
from groups.core.values import SharedDict


@dataclass(slots=True)
class Offered:
    """``topics``: consumers by topic in their rows, ``filters``: by filter; 0 is no entry.
    ``named``: how many topics consumers name in total; ``owning``: consumers with partitions.
    ``newest``: the greatest position, -1 without consumers, None if it is not known any more.
    ``news``: topics whose first consumer came, or whose last one went, since the topics in the
    group's row were set."""

    topics: SharedDict[str, int] = field(default_factory=SharedDict)
    filters: dict[str, int] = field(default_factory=dict)
    named: int = 0
    owning: int = 0
    newest: int | None = -1
    news: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, rows: Iterable[MemberRow], written: Iterable[str]) -> Self:
        """Count the rows; ``written``: the topics in the group's row."""
        found = cls()
        for row in rows:
            found.add(row)
        found.news ^= set(written)
        return found

    def copy(self) -> Self:
        """A copy that a step may change."""
        topics, filters, news = self.topics.copy(), self.filters.copy(), self.news.copy()
        return replace(self, topics=topics, filters=filters, news=news)

    def add(self, row: MemberRow) -> None:
        """Count a row."""
        if self.newest is not None:
            self.newest = max(self.newest, row.position)
        self._count(row, 1)

    def remove(self, row: MemberRow) -> None:
        """Do not count it any more."""
        if row.position == self.newest:
            self.newest = None
        self._count(row, -1)

    def swap(self, before: MemberRow, after: MemberRow) -> None:
        """Count the new row of a consumer, which keeps its position, in place of the old one."""
        is_same = before.details is after.details and before.assignment == after.assignment
        if not is_same or before.subscription != after.subscription:
            self._count(before, -1)
            self._count(after, 1)

    def next_position(self, rows: Iterable[MemberRow]) -> int:
        """The position of a consumer that comes now; ``rows``: those that are there."""
        if self.newest is None:
            self.newest = max((row.position for row in rows), default=-1)
        return self.newest + 1

    def _count(self, row: MemberRow, one: int) -> None:
        for topic in thread_offers.topics_in(row) if row.subscription else ():
            before = self.topics.get(topic, 0)
            self.topics[topic] = before + one
            if not before or not before + one:
                self.news.add(topic)
        key = row.details.get(thread_offers.FILTER)
        if key is not None:
            self.filters[key] = self.filters.get(key, 0) + one
        self.named += one * len(row.details.get(thread_offers.THREADS, ()))
        self.owning += one * bool(thread_offers.parts_in(row))
