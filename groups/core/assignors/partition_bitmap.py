"""Which partitions are taken while a target is computed, and which are free.

One byte per partition, so that half a million are marked and searched in milliseconds. No rules.
"""

from collections.abc import Iterable, Iterator, Mapping

from groups.core.assignors.types import Part, Parts, Racks

FREE = 0
TAKEN = 1


class PartitionBitmap:
    """The partitions of some topics; each is free or taken."""

    def __init__(self, topics: Iterable[str], counts: Mapping[str, int]) -> None:
        self._marks = {topic: bytearray(counts[topic]) for topic in sorted(topics)}

    @property
    def total(self) -> int:
        """The number of partitions."""
        return sum(map(len, self._marks.values()))

    def claim(self, held: Parts, topics: frozenset[str]) -> Parts:
        """Take those that exist, belong to these topics and are free; the same object if all
        are."""
        marks = self._marks
        good: list[Part] = []
        for part in held:
            topic, p = part
            mark = marks.get(topic)
            if mark is not None and 0 <= p < len(mark) and not mark[p] and topic in topics:
                mark[p] = TAKEN
                good.append(part)
        return held if len(good) == len(held) else frozenset(good)

    def claim_near(
        self, held: Parts, topics: frozenset[str], rack_id: str | None, racks: Racks
    ) -> tuple[Parts, list[Part]]:
        """The same, and those of them that are not near to the rack. ``racks`` are complete.

        One loop for both, since members that are already settled must cost little more than without
        racks.
        """
        marks = self._marks
        good: list[Part] = []
        away: list[Part] = []
        for part in held:
            topic, p = part
            mark = marks.get(topic)
            if mark is not None and 0 <= p < len(mark) and not mark[p] and topic in topics:
                mark[p] = TAKEN
                good.append(part)
                if rack_id not in racks[topic][p]:
                    away.append(part)
        return held if len(good) == len(held) else frozenset(good), away

    def release(self, parts: Iterable[Part]) -> None:
        """Mark them as free."""
        for topic, p in parts:
            self._marks[topic][p] = FREE

    def free(self, topics: Iterable[str] | None = None) -> Iterator[Part]:
        """The free partitions of these topics (None: of all), in order. Does not take them."""
        for topic in self._marks if topics is None else topics:
            mark = self._marks[topic]
            p = mark.find(FREE)
            while p >= 0:
                yield topic, p
                p = mark.find(FREE, p + 1)
