"""Imports a Kafka cluster's topics: creates and grows ours, and raises their end offsets.

librdkafka reads the cluster, ``import_plan`` decides, ``topic_changes`` writes. Celery
runs it every ``import.interval.ms`` if ``import.bootstrap.servers`` names a cluster.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

import re2
from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured

from console.operations import topic_changes as changes
from console.operations.import_plan import FoundTopic, Plan, is_internal, plan
from groups.core.authors import IMPORT
from groups.core.errors import Refuse
from groups.models import Topic

PATIENCE_S = 8.0
"""The timeout of each of the two requests. Both fit into the time that a task may take before
another worker gets it (``coordinator_site.periodic.VISIBILITY_S``)."""

NAMED_MAX = 3
"""Topics that an outcome names; others are only counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSettings:
    """The cluster whose topics are imported, and the interval. Not Kafka's settings."""

    import_bootstrap_servers: str
    import_topics: str
    import_client_config: str
    import_interval_ms: int

    @classmethod
    def from_django(cls) -> Self:
        """Read them; a missing setting is a programming error and raises."""
        return cls(**{f.name: getattr(django_settings, f.name.upper()) for f in fields(cls)})


class KafkaCluster:
    """The topics of a Kafka cluster. Raises ``confluent_kafka.KafkaException`` if it cannot be
    reached."""

    def __init__(self, bootstrap_servers: str, client_config: Mapping[str, str]) -> None:
        try:
            from confluent_kafka.admin import AdminClient
        except ImportError as missing:
            raise ImproperlyConfigured(
                "Importing topics needs confluent-kafka: install the group `import`."
            ) from missing
        self._admin: Any = AdminClient({**client_config, "bootstrap.servers": bootstrap_servers})

    def topics(self, pattern: str) -> list[FoundTopic]:
        """Every topic whose whole name matches (RE2), without Kafka's internal ones, with end
        offsets."""
        expression = re2.compile(pattern)
        metadata = self._admin.list_topics(timeout=PATIENCE_S)
        counts = {
            name: len(topic.partitions)
            for name, topic in sorted(metadata.topics.items())
            if topic.error is None and not is_internal(name) and expression.fullmatch(name)
        }
        ends = self._ends(counts)
        return [
            FoundTopic(name, count, tuple(ends.get((name, n), 0) for n in range(count)))
            for name, count in counts.items()
        ]

    def _ends(self, counts: Mapping[str, int]) -> dict[tuple[str, int], int]:
        """End offsets; a partition without a leader has none."""
        from confluent_kafka import KafkaException, TopicPartition
        from confluent_kafka.admin import OffsetSpec

        offset_specs = {
            TopicPartition(name, n): OffsetSpec.latest()
            for name, count in counts.items()
            for n in range(count)
        }
        if not offset_specs:
            return {}
        offsets = {}
        answers = self._admin.list_offsets(offset_specs, request_timeout=PATIENCE_S)
        for partition, answer in answers.items():
            try:
                offsets[partition.topic, partition.partition] = answer.result().offset
            except KafkaException:
                continue
        return offsets


def run() -> str:
    """One import; returns a sentence about the changes."""
    settings = ImportSettings.from_django()
    if not settings.import_bootstrap_servers:
        return "no cluster is configured (import.bootstrap.servers)"
    config = read_config(settings.import_client_config)
    topics = KafkaCluster(settings.import_bootstrap_servers, config).topics(settings.import_topics)
    existing = dict(Topic.objects.values_list("name", "partitions"))
    return apply(plan(existing, topics), len(topics))


def apply(planned: Plan, topic_count: int) -> str:
    """Write a plan's changes, each topic separately: one that is refused, as for want of room,
    keeps no other from being changed. Returns the result."""
    for names, write in ((planned.create, changes.create), (planned.grow, changes.grow)):
        for name, count in list(names.items()):
            try:
                write(name, count, IMPORT)
            except Refuse as refusal:
                planned.refused[name] = refusal.detail or refusal.code.name
                del names[name]
                planned.ends.pop(name, None)
    raised = sum(changes.raise_ends(name, ends) for name, ends in planned.ends.items())
    return "; ".join((f"{topic_count} topics found", *_sentences(planned, raised)))


def _sentences(planned: Plan, raised: int) -> Iterator[str]:
    for verb, names in (("made", planned.create), ("grown", planned.grow)):
        if names:
            yield f"{len(names)} {verb} ({_some(names)})"
    if raised:
        yield f"end offsets of {raised} raised"
    if planned.refused:
        name, problem = next(iter(planned.refused.items()))
        yield f"{len(planned.refused)} not changed ({name}: {problem})"


def _some(names: Mapping[str, int]) -> str:
    more = len(names) - NAMED_MAX
    return ", ".join(list(names)[:NAMED_MAX]) + (f" and {more} more" if more > 0 else "")


def read_config(path: str) -> dict[str, str]:
    """A file of ``name=value`` lines with librdkafka's names: how to reach the cluster, including
    secrets, which then need no environment variable. "" is no file.

    Raises ``ImproperlyConfigured`` for a file that cannot be read, or a line without "=".
    """
    if not path:
        return {}
    try:
        lines = Path(path).read_text().splitlines()
    except OSError as error:
        raise ImproperlyConfigured(f"import.client.config: {error}") from error
    pairs = [line.partition("=") for line in map(str.strip, lines) if line and line[0] != "#"]
    if not all(sign for _, sign, _ in pairs):
        raise ImproperlyConfigured(f"import.client.config: {path} has a line without '='.")
    return {name.strip(): value.strip() for name, _, value in pairs}
