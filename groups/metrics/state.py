"""What the web tells Prometheus of the rows, read at once. Values only; samples are made of them
in ``groups.metrics.state_samples`` and ``groups.metrics.kafka_exporter``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

from django.conf import settings
from django.db import connection, transaction

from groups.queries import attention, overview
from groups.queries.fired import Fired
from groups.queries.groups import slots_by_node
from groups.queries.overview import Overview
from groups.store.sql import metrics as sql


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsSettings:
    """Django's settings, under the same names in lower case."""

    metrics_cache_ms: int
    metrics_groups_max: int
    metrics_partitions_max: int
    metrics_compat: str
    metrics_loopback_allow: bool

    @classmethod
    def from_django(cls) -> Self:
        """Read them; a missing one is a programmer's mistake and raises."""
        return cls(**{f.name: getattr(settings, f.name.upper()) for f in fields(cls)})


class Count(NamedTuple):
    """Groups of one kind and state; ``oldest_s``: since the first of them came into it."""

    kind: str
    state: str
    groups: int
    oldest_s: float


class Single(NamedTuple):
    """Totals of which there is one each."""

    stopped_groups: int
    stopped_members: int
    frozen_groups: int
    pending_operations: int
    topics: int
    partitions: int
    failing_webhooks: int
    disabled_webhooks: int
    pending_webhook_deliveries: int


class Beat(NamedTuple):
    """A node, and since when its beat has not risen."""

    node_id: int
    age_s: float


class Waiting(NamedTuple):
    """A group that does not settle; ``still``: partitions that nobody works on."""

    group_id: str
    awaited: int
    ready: int
    new: int
    still: int


class GroupRow(NamedTuple):
    """One group."""

    group_id: str
    kind: str
    state: str
    generation: int
    state_s: float
    members: int


class TopicRow(NamedTuple):
    """One topic; ``ends`` reaches as far as somebody told."""

    name: str
    partitions: int
    ends: Sequence[int]


class OffsetRow(NamedTuple):
    """One committed offset; ``end`` None: not known."""

    group_id: str
    topic: str
    partition: int
    committed: int
    end: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything that one look found. ``groups`` are the first by id, as many as may be; of
    ``offsets`` and ``topics`` one more than may be told of says that there are more."""

    fleet: Overview
    fired: Sequence[Fired]
    slots: Mapping[int | None, int]
    counts: Sequence[Count]
    single: Single
    beats: Sequence[Beat]
    waiting: Sequence[Waiting]
    groups: Sequence[GroupRow]
    topics: Sequence[TopicRow]
    offsets: Sequence[OffsetRow]


def look(wanted: MetricsSettings) -> State:
    """The rows as they are. About twenty statements; ``DatabaseError``."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql.TIMEOUT)
        fleet = overview.look()
        has_partitions = wanted.metrics_compat != "none" and wanted.metrics_partitions_max > 0
        most = wanted.metrics_partitions_max + 1 if has_partitions else 0
        return State(
            fleet=fleet,
            fired=attention.fired(fleet),
            slots=slots_by_node(),
            counts=[Count(*row) for row in _rows(cursor, sql.COUNTS)],
            single=Single(*next(_rows(cursor, sql.SINGLE))),
            beats=[Beat(*row) for row in _rows(cursor, sql.BEATS)],
            waiting=[Waiting(*row) for row in _rows(cursor, sql.WAITING)],
            groups=[GroupRow(*row) for row in _rows(cursor, sql.GROUPS, wanted.metrics_groups_max)],
            topics=[TopicRow(*row) for row in _rows(cursor, sql.TOPICS, most)],
            offsets=[OffsetRow(*row) for row in _rows(cursor, sql.OFFSETS, most)],
        )


def _rows(cursor: Any, statement: str, most: int | None = None) -> Iterator[tuple[Any, ...]]:
    cursor.execute(statement, None if most is None else {"most": most})
    yield from cursor.fetchall()
