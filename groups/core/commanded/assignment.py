"""Range assignment over threads, and the check whether a rebalance is necessary: pure functions.

The design does not define how ownership is computed; consumers of its time assigned ranges topic by
topic to all threads in order, as does this module. It knows no group and no rows.
"""

from collections.abc import Mapping

from groups.core.commanded.states import DIFFERS, GONE, NOTHING_REGISTERED, UNOWNED
from groups.core.commanded.thread_offers import Owned

Threads = Mapping[str, Mapping[str, int]]
"""Consumer id to topic name to its number of threads."""

Counts = Mapping[str, int]
"""Topic name to its number of partitions; 0 or missing: the topic does not exist (yet)."""


def deal(threads: Threads, counts: Counts) -> Mapping[str, Owned]:
    """Compute the ownership: of each topic every thread gets a contiguous range, the first ones one
    more.

    Threads are ordered by consumer id, then by number. Every partition of a topic for which a
    consumer has threads gets one owner.
    """
    shares: dict[str, dict[tuple[str, int], int]] = {consumer: {} for consumer in threads}
    lines: dict[str, list[tuple[str, int]]] = {}
    for consumer in sorted(threads):
        for topic, number in threads[consumer].items():
            lines.setdefault(topic, []).extend((consumer, n) for n in range(number))
    for topic, lined_up in sorted(lines.items()):
        quota, more = divmod(counts.get(topic, 0), len(lined_up))
        at = 0
        for place, (consumer, number) in enumerate(lined_up):
            size = quota + (place < more)
            shares[consumer].update({(topic, p): number for p in range(at, at + size)})
            at += size
    return shares


def necessity(owned: Mapping[str, Owned], target: Mapping[str, Owned], counts: Counts) -> str:
    """The first of the design's conditions that makes a rebalance necessary; "" if none does.

    If nothing is owned before or after, it is not necessary (docs/decisions/0014).
    """
    has = {part for parts in owned.values() for part in parts}
    shall = {part for parts in target.values() for part in parts}
    if not has:
        return NOTHING_REGISTERED if shall else ""
    if shall - has:
        return UNOWNED
    if any(partition >= counts.get(topic, 0) for topic, partition in has):
        return GONE
    mine = {consumer: parts for consumer, parts in owned.items() if parts}
    return DIFFERS if mine != {c: parts for c, parts in target.items() if parts} else ""
