"""Consumers' offers of threads, and their format in rows. No rules.

Threads are in a row's details, the topics that match at present in its subscription, and the owned
partitions in its assignment; the last two in the format of the classic protocol (as in the 0.9
draft), so that the admin and Kafka's own tools can read them.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from groups.core import row_packing
from groups.core.assignment import Parts
from groups.core.commands import Ownership
from groups.core.rows import MemberRow

STRATEGY: Final = "range"

THREADS: Final = "threads"
"""Threads by topic name, in a member's details."""

FILTER: Final = "filter"
FILTER_THREADS: Final = "filter_threads"
"""A member's filter, by its key, and the threads for each topic that matches it."""

OWNED: Final = "owned"
"""Partitions and the number of their thread, by topic name, in a member's details."""

WHITE_LIST: Final = "white_list"
BLACK_LIST: Final = "black_list"

Owned = Mapping[tuple[str, int], int]
"""Partition to the number of the thread that works on it."""

Matches = Mapping[str, Collection[str]]
"""The key of a filter to its matching topics."""


def filter_key(kind: str, pattern: str) -> str:
    """A filter's key: its kind and its pattern."""
    return f"{kind}:{pattern}"


def filter_of(key: str) -> tuple[str, str]:
    """The kind and the pattern of a filter."""
    kind, _, pattern = key.partition(":")
    return kind, pattern


LET_THROUGH_MAX: Final = 1_000_000
"""Topics of all consumers with filters in a group: the row of each contains its topics."""


def room(consumers: int) -> int:
    """How many topics match a filter at most, the first by name, if a group has so many consumers
    with filters: the total of all of them is limited, however many topics exist."""
    return LET_THROUGH_MAX // max(1, consumers)


Offer = Mapping[str, Any]
"""The details of a member that describe its offer."""


def offers(threads: Mapping[str, int], key: str | None, filter_threads: int) -> Offer:
    """The details for these threads or this filter."""
    if key is None:
        return {THREADS: dict(threads)}
    return {FILTER: key, FILTER_THREADS: filter_threads}


def threads_of(row: MemberRow, matches: Matches) -> Mapping[str, int]:
    """Threads by topic, as the member offers them now."""
    key = row.details.get(FILTER)
    if key is None:
        named: Mapping[str, int] = row.details[THREADS]
        return named
    number: int = row.details[FILTER_THREADS]
    return dict.fromkeys(matches.get(key, ()), number)


def same_offer(row: MemberRow, details: Offer) -> bool:
    """Whether the member's offer is the same already."""
    return all(row.details.get(n) == details.get(n) for n in (THREADS, FILTER, FILTER_THREADS))


def subscribed(row: MemberRow, matches: Matches) -> MemberRow:
    """The member with the topics of its offer at present; the same object if it has them."""
    packed = row_packing.pack_topics(STRATEGY, threads_of(row, matches))
    return row if packed == row.subscription else replace(row, subscription=packed)


def topics_in(row: MemberRow) -> frozenset[str]:
    """The topics in the member's row."""
    return row_packing.topics_in(row.subscription)


def parts_in(row: MemberRow) -> Parts:
    """The partitions that the member owns."""
    return row_packing.parts_in(row.assignment)


def owned_by(row: MemberRow) -> Owned:
    """The partitions that the member owns, and the thread of each."""
    by_topic: Mapping[str, Iterable[tuple[int, int]]] = row.details.get(OWNED, {})
    return {(topic, p): n for topic, pairs in by_topic.items() for p, n in pairs}


def owning(row: MemberRow, owned: Owned) -> MemberRow:
    """The member with exactly these partitions."""
    by_topic: dict[str, list[list[int]]] = {}
    for (topic, partition), thread in sorted(owned.items()):
        by_topic.setdefault(topic, []).append([partition, thread])
    details = {**row.details, OWNED: by_topic}
    return replace(row, assignment=row_packing.pack_parts(owned), details=details)


def thread_name(consumer_id: str, number: int) -> str:
    """A thread's name: the consumer's id and a number from 0."""
    return f"{consumer_id}-{number}"


def ownership(consumer_id: str, owned: Owned) -> Ownership:
    """The ownership map of a command."""
    found: dict[str, dict[int, str]] = {}
    for (topic, partition), number in sorted(owned.items()):
        found.setdefault(topic, {})[partition] = thread_name(consumer_id, number)
    return found
