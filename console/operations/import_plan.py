"""Computes the changes that give the catalogue the topics of a Kafka cluster. Values only.

``console.operations.kafka_import`` reads the cluster and writes the rows.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from groups.core.topics import PARTITIONS_MAX, name_problem

INTERNAL = "__"
"""The prefix of Kafka's internal topics (``__consumer_offsets``), which are not imported."""


@dataclass(frozen=True, slots=True)
class FoundTopic:
    """A topic of the cluster. ``ends``: each partition's end offset, 0 if unknown."""

    name: str
    partitions: int
    ends: tuple[int, ...] = ()


@dataclass(slots=True)
class Plan:
    """The changes, by topic. ``refused`` has the reason for each topic that is not changed."""

    create: dict[str, int] = field(default_factory=dict)
    grow: dict[str, int] = field(default_factory=dict)
    ends: dict[str, tuple[int, ...]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


def plan(existing: Mapping[str, int], found: Iterable[FoundTopic]) -> Plan:
    """Compare the cluster's topics with ours, ``existing`` by name with their partition counts.

    Nothing is removed: a topic that the cluster no longer has stays (deleting it would delete
    offsets, which people should decide), and so do extra partitions.
    """
    result = Plan()
    for topic in found:
        problem = _problem(topic, existing.get(topic.name))
        if problem is not None:
            result.refused[topic.name] = problem
            continue
        if topic.name not in existing:
            result.create[topic.name] = topic.partitions
        elif topic.partitions > existing[topic.name]:
            result.grow[topic.name] = topic.partitions
        if any(topic.ends):
            result.ends[topic.name] = topic.ends
    return result


def _problem(topic: FoundTopic, partitions: int | None) -> str | None:
    problem = name_problem(topic.name)
    if problem is not None:
        return problem
    if not 1 <= topic.partitions <= PARTITIONS_MAX:
        return f"It has {topic.partitions} partitions; at most {PARTITIONS_MAX} are possible here."
    if partitions is not None and topic.partitions < partitions:
        return f"It has {topic.partitions} partitions there and {partitions} here."
    return None


def is_internal(name: str) -> bool:
    """Whether it is an internal topic of Kafka."""
    return name.startswith(INTERNAL)
