"""The rows behind the web's metrics, read at once. Values only; ``console.metrics.state_samples``
and ``console.metrics.kafka_exporter`` create samples."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

from django.conf import settings
from django.db import connection, transaction

from console.metrics import sql
from console.queries import attention, overview
from console.queries.fired import Fired
from console.queries.groups import slots_by_node
from console.queries.overview import Overview


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
        """Read them; a missing setting is a programming error and raises."""
        return cls(**{f.name: getattr(settings, f.name.upper()) for f in fields(cls)})


class Count(NamedTuple):
    """Groups of one kind and state; ``oldest_s``: how long the first of them has been in it."""

    kind: str
    state: str
    groups: int
    oldest_s: float


class Single(NamedTuple):
    """Single totals."""

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
    """A node, and how long its beat has not changed."""

    node_id: int
    age_s: float


class Waiting(NamedTuple):
    """A group that is not settled; ``still``: partitions that no member works on."""

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
    """One topic; ``ends`` has the known end offsets."""

    name: str
    partitions: int
    ends: Sequence[int]


class OffsetRow(NamedTuple):
    """One committed offset; ``end`` None: unknown."""

    group_id: str
    topic: str
    partition: int
    committed: int
    end: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The result of one read. ``groups`` are the first by id, up to the limit; ``offsets`` and
    ``topics`` have one more than the limit if there are more."""

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


def look(settings: MetricsSettings) -> State:
    """Read the rows. About twenty statements; raises ``DatabaseError``."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql.TIMEOUT)
        fleet = overview.look()
        has_partitions = settings.metrics_compat != "none" and settings.metrics_partitions_max > 0
        most = settings.metrics_partitions_max + 1 if has_partitions else 0
        return State(
            fleet=fleet,
            fired=attention.fired(fleet),
            slots=slots_by_node(),
            counts=[Count(*row) for row in _rows(cursor, sql.COUNTS)],
            single=Single(*next(_rows(cursor, sql.SINGLE))),
            beats=[Beat(*row) for row in _rows(cursor, sql.BEATS)],
            waiting=[Waiting(*row) for row in _rows(cursor, sql.WAITING)],
            groups=[
                GroupRow(*row) for row in _rows(cursor, sql.GROUPS, settings.metrics_groups_max)
            ],
            topics=[TopicRow(*row) for row in _rows(cursor, sql.TOPICS, most)],
            offsets=[OffsetRow(*row) for row in _rows(cursor, sql.OFFSETS, most)],
        )


def _rows(cursor: Any, statement: str, most: int | None = None) -> Iterator[tuple[Any, ...]]:
    cursor.execute(statement, None if most is None else {"most": most})
    yield from cursor.fetchall()
