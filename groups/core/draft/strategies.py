"""Partition assignment strategies of the 0.9 draft, as pure functions.

``BUILT_IN`` has those of every installation. An installation's own strategy is any function with
the same signature (setting ``partition.assignment.strategies``); its result is unknown, so ``deal``
checks it. No group and no rows here.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Final

from groups.core.strategy import Counts, Parts, Strategy, Topics

RANGE: Final = "range"
ROUND_ROBIN: Final = "roundrobin"


class Misdealt(Exception):
    """A strategy's result is invalid: every partition must have one owner."""


def assign_ranges(topics: Topics, counts: Counts) -> Mapping[str, list[tuple[str, int]]]:
    """Topic by topic, each of its consumers gets a contiguous range; the first ones get one
    more."""
    shares: dict[str, list[tuple[str, int]]] = {consumer: [] for consumer in topics}
    for topic, consumers in _subscribers(topics):
        quota, more = divmod(counts.get(topic, 0), len(consumers))
        at = 0
        for place, consumer in enumerate(consumers):
            size = quota + (place < more)
            shares[consumer] += [(topic, p) for p in range(at, at + size)]
            at += size
    return shares


def assign_in_turn(topics: Topics, counts: Counts) -> Mapping[str, list[tuple[str, int]]]:
    """All partitions in order, to consumers in round-robin order; those that do not subscribe are
    skipped."""
    shares: dict[str, list[tuple[str, int]]] = {consumer: [] for consumer in topics}
    last = ""  # no consumer has this id
    for topic, consumers in _subscribers(topics):
        at = bisect_right(consumers, last)
        for partition in range(counts.get(topic, 0)):
            last = consumers[at % len(consumers)]
            shares[last].append((topic, partition))
            at += 1
    return shares


BUILT_IN: Final[Mapping[str, Strategy]] = {RANGE: assign_ranges, ROUND_ROBIN: assign_in_turn}
"""The friendly names of the design, and their functions."""


def find(name: str, own: Iterable[tuple[str, Strategy]]) -> Strategy | None:
    """The strategy of this friendly name; an installation's own comes first."""
    return {**BUILT_IN, **dict(own)}.get(name)


def deal(strategy: Strategy, topics: Topics, counts: Counts) -> Mapping[str, Parts]:
    """Let a strategy assign, and check that every partition has one owner, which subscribes to it.

    Raises ``Misdealt``, also for errors that the strategy raises.
    """
    try:
        shares = {consumer: list(parts) for consumer, parts in strategy(topics, counts).items()}
    except Exception as error:
        raise Misdealt(f"it raised {type(error).__name__}: {error}") from error
    _check(shares, topics, counts)
    return {consumer: frozenset(shares.get(consumer, ())) for consumer in topics}


def _check(shares: Mapping[str, list[tuple[str, int]]], topics: Topics, counts: Counts) -> None:
    expected = {(t, p) for t in _subscribed(topics) for p in range(counts.get(t, 0))}
    seen: set[tuple[str, int]] = set()
    for consumer, parts in shares.items():
        for part in parts:
            if part in seen:
                raise Misdealt(f"it gave {part[0]}-{part[1]} to two consumers")
            if part not in expected or consumer not in topics or part[0] not in topics[consumer]:
                raise Misdealt(f"it gave {consumer} {part[0]}-{part[1]}, which nobody asked for")
            seen.add(part)
    if len(seen) < len(expected):
        raise Misdealt(f"it gave {len(seen)} of {len(expected)} partitions away")


def _subscribers(topics: Topics) -> list[tuple[str, list[str]]]:
    """Each topic with its consumers, both in order."""
    found: dict[str, list[str]] = {}
    for consumer in sorted(topics):
        for topic in topics[consumer]:
            found.setdefault(topic, []).append(consumer)
    return sorted(found.items())


def _subscribed(topics: Topics) -> list[str]:
    return sorted({topic for names in topics.values() for topic in names})
