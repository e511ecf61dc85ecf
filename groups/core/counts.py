"""How much work the rows of a group describe: subscribed topics, their partitions, and how many of
these no member owns.

For lists and screens; no rule reads it. The rows are those of ``groups.core.rows`` or the models of
the same columns.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from groups.core.assignment import count_of, counts_by_topic
from groups.core.subscription import metadata_of, protocol_names, topics_of

CONSUMER: Final = "consumer"
"""The kind whose members' topics and partitions are in their details."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Subscribed topics, the partitions of these in the catalogue, and those without owner."""

    topics: int
    partitions: int
    unowned: int


def subscribed_topics(group: Any, row: Any) -> Sequence[str] | None:
    """A member's subscribed topics; None if they cannot be decoded. ``row``: its subscription and
    details."""
    if group.kind == CONSUMER:
        by_pattern = group.details.get("matches", {}).get(row.details.get("regex"), ())
        return sorted({*row.details.get("topics", ()), *by_pattern})
    return _subscribed(bytes(row.subscription), group.protocol_name)


@lru_cache(maxsize=256)
def _subscribed(subscription: bytes, protocol: str | None) -> Sequence[str] | None:
    """The decoded subscription. Members of a group usually have the same one: it is decoded once
    for thousands."""
    name = protocol or next(iter(protocol_names(subscription)), None)
    found = topics_of(metadata_of(subscription, name))
    return None if found is None else tuple(sorted(found))


def partitions_owned(group: Any, row: Any) -> int:
    """How many partitions a member owns, of all topics, without creating them. ``row``: its
    assignment and details."""
    if group.kind == CONSUMER:
        return sum(map(len, row.details.get("assigned", {}).values()))
    return count_of(bytes(row.assignment))


def counts(
    group: Any, rows: Iterable[Any], topics: Collection[str], size: Callable[[str], int]
) -> Counts:
    """The counts of a group with these members and subscribed topics. ``size``: the partitions of a
    topic."""
    sizes = {topic: size(topic) for topic in topics}
    return Counts(len(topics), sum(sizes.values()), _unowned(group, rows, sizes))


def _unowned(group: Any, rows: Iterable[Any], sizes: Mapping[str, int]) -> int:
    if group.kind == CONSUMER:  # by topic id; what does not exist any more is taken from it at once
        return max(0, sum(sizes.values()) - sum(partitions_owned(group, row) for row in rows))
    owned: Counter[str] = Counter()
    for row in rows:
        owned.update(counts_by_topic(bytes(row.assignment)))
    return without_owner(sizes, owned)


def without_owner(sizes: Mapping[str, int], owned: Mapping[str, int]) -> int:
    """Partitions of these topics that nobody owns. By topic: one that was deleted, or made again
    with fewer partitions, may still be assigned, and this says nothing of the others."""
    return sum(max(0, count - owned.get(topic, 0)) for topic, count in sizes.items())


def topics_of_all(group: Any, members: Iterable[Any]) -> set[str]:
    """The topics to which any of these members of a group subscribes. Each pattern, and each
    subscription that several members sent alike, is looked at once."""
    topics: set[str] = set()
    for some in _each_subscription(group, list(members)):
        topics.update(some)  # one by one: a union of all would hold the interpreter
    return topics


def _each_subscription(group: Any, rows: Sequence[Any]) -> Iterator[Iterable[str]]:
    if group.kind != CONSUMER:
        for subscription in {bytes(row.subscription) for row in rows}:
            yield _subscribed(subscription, group.protocol_name) or ()
        return
    for row in rows:
        yield row.details.get("topics", ())
    matches = group.details.get("matches", {})
    for regex in {row.details.get("regex") for row in rows}:
        yield matches.get(regex, ())


def counts_of(group: Any, members: Iterable[Any], size: Callable[[str], int]) -> Counts:
    """The counts of a group with these members."""
    rows = list(members)
    return counts(group, rows, topics_of_all(group, rows), size)
