"""The response to a commit or a deletion of offsets whose request names a topic twice.

In Kafka the broker answers for partitions that do not exist, and the group coordinator for the
others, topic by topic. If there are results of both, the broker merges them by topic.
"""

from collections.abc import Container, Hashable, Iterable, Sequence
from typing import TypeVar

from groups.core.errors import ErrorCode

Topic = TypeVar("Topic", bound=Hashable)
Partition = TypeVar("Partition")

BROKERS_OWN = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID)


def is_answered_by_both(codes: Iterable[Container[int]]) -> bool:
    """Whether a partition of the request does not exist. ``codes``: by topic and partition."""
    return any(code in judged for judged in codes for code in BROKERS_OWN)


def added_up(
    topics: Iterable[tuple[Topic, Iterable[Partition]]],
) -> Sequence[tuple[Topic, list[Partition]]]:
    """Each topic once, with the partitions of all its entries."""
    found: dict[Topic, list[Partition]] = {}
    for topic, partitions in topics:
        found.setdefault(topic, []).extend(partitions)
    return list(found.items())
