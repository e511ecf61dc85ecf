"""Computes the changes that give the catalogue the topics of a Kafka cluster. Values only.

``groups.catalogue.kafka_import`` reads the cluster and writes the rows.
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


def plan(known: Mapping[str, int], found: Iterable[FoundTopic]) -> Plan:
    """Compare the cluster's topics with ours, ``known`` by name with their partition counts.

    Nothing is removed: a topic that the cluster no longer has stays (deleting it would delete
    offsets, which people should decide), and so do extra partitions.
    """
    made = Plan()
    for topic in found:
        problem = _problem(topic, known.get(topic.name))
        if problem is not None:
            made.refused[topic.name] = problem
            continue
        if topic.name not in known:
            made.create[topic.name] = topic.partitions
        elif topic.partitions > known[topic.name]:
            made.grow[topic.name] = topic.partitions
        if any(topic.ends):
            made.ends[topic.name] = topic.ends
    return made


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
