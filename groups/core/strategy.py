"""The type of a partition assignment strategy of the 0.9 draft, built in or an installation's
own."""

from collections.abc import Callable, Collection, Iterable, Mapping

Topics = Mapping[str, Collection[str]]
"""Consumer id to the names of its topics."""

Counts = Mapping[str, int]
"""Topic name to its number of partitions; 0 or missing: the topic does not exist (yet)."""

Parts = frozenset[tuple[str, int]]
"""(topic, partition) pairs."""

Strategy = Callable[[Topics, Counts], Mapping[str, Iterable[tuple[str, int]]]]
"""From consumers' subscriptions and partition counts to the partitions of each consumer."""
