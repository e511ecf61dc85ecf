"""Offsets of one group as a log would keep them: the later write wins, whenever it counts.

What the rows must come to in the end, said in the simplest way: each write has a place in the
log, and the end of a transaction compares places. Transcripts show it, and ``tests/txn``
compares it with PostgreSQL.
"""

from collections.abc import Iterator
from typing import NamedTuple

from groups.core.group import Decision

Partition = tuple[str, int]


class Entry(NamedTuple):
    """One write."""

    place: int
    offset: int


class OffsetLog:
    """Committed offsets, and those that wait for their producer's transaction."""

    def __init__(self) -> None:
        self.places = 0
        self.kept: dict[Partition, Entry] = {}
        self.pending: dict[tuple[int, Partition], Entry] = {}

    @property
    def committed(self) -> dict[Partition, int]:
        """The offsets that are visible to readers."""
        return {at: entry.offset for at, entry in self.kept.items()}

    @property
    def unstable(self) -> set[Partition]:
        """What a transaction may still change."""
        return {at for _, at in self.pending}

    def write(self, decision: Decision) -> None:
        """What one event of a group has decided."""
        if decision.deleted:
            self.delete_group()
        for at in decision.offset_deletes:
            self.delete(at)
        for write in decision.offsets:
            self.commit((write.topic, write.partition), write.offset)
        for producer, _epoch, write, _superseded in decision.pending:
            self.commit_in(producer, (write.topic, write.partition), write.offset)

    def told(self) -> Iterator[str]:
        """Each partition: its offset, and whether it may still change."""
        for at in sorted({*self.committed, *self.unstable}):
            waits = " unstable" if at in self.unstable else ""
            yield f"{at[0]}-{at[1]} {self.committed.get(at, -1)}{waits}"

    def commit(self, at: Partition, offset: int) -> None:
        self.kept[at] = self._entry(offset)

    def commit_in(self, producer: int, at: Partition, offset: int) -> None:
        self.pending[producer, at] = self._entry(offset)

    def delete(self, at: Partition) -> None:
        self.kept.pop(at, None)
        self.pending = {key: e for key, e in self.pending.items() if key[1] != at}

    def delete_group(self) -> None:
        self.kept, self.pending = {}, {}

    def end(self, producer: int, *, commit: bool) -> None:
        for at, entry in [(a, e) for (p, a), e in self.pending.items() if p == producer]:
            del self.pending[producer, at]
            if commit and (at not in self.kept or self.kept[at].place < entry.place):
                self.kept[at] = entry

    def _entry(self, offset: int) -> Entry:
        self.places += 1
        return Entry(self.places, offset)
