"""A strategy as an installation would bring it: the last consumer by id takes everything."""

from collections.abc import Mapping

from groups.core.strategy import Counts, Topics


def assign(topics: Topics, counts: Counts) -> Mapping[str, list[tuple[str, int]]]:
    """Good for one consumer, or for consumers that all want the same."""
    last = max(topics)
    return {last: [(topic, p) for topic in topics[last] for p in range(counts.get(topic, 0))]}
