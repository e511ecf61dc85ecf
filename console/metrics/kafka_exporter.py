"""The same state with the names of danielqsj/kafka_exporter, for dashboards and alerts that use
those (Grafana 7589). Pure: from a ``State`` to samples.

Without a known end offset there is no sample, and no lag: -1, as in the exporter for some of these,
would be drawn and summed.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from console.metrics.state import OffsetRow, State
from groups.metrics.series import Sample


def samples(state: State, most: int) -> Iterator[Sample]:
    """All samples; with a limit of committed offsets, and of partitions of topics."""
    silent = {node.node_id for node in state.fleet.silent_nodes}
    yield Sample("kafka_brokers", sum(node.node_id not in silent for node in state.fleet.nodes))
    for group in state.groups:
        yield Sample("kafka_consumergroup_members", group.members, (group.group_id,))
    yield from _topics(state, most)
    yield from _offsets(state.offsets, most)


def _topics(state: State, most: int) -> Iterator[Sample]:
    """Whole topics only: a part of one would look like all of it."""
    room, left_out = most, max(0, state.single.partitions)
    for topic in state.topics:
        if topic.partitions > room:
            break
        room -= topic.partitions
        left_out -= topic.partitions
        yield Sample("kafka_topic_partitions", topic.partitions, (topic.name,))
        for partition, end in enumerate(topic.ends[: topic.partitions]):
            labels = (str(partition), topic.name)
            yield Sample("kafka_topic_partition_current_offset", end, labels)
    yield Sample("rollcall_series_left_out", max(0, left_out), ("partitions",))


def _offsets(rows: Sequence[OffsetRow], most: int) -> Iterator[Sample]:
    """For each group and topic all partitions or none, so that sums are correct."""
    is_cut = len(rows) > most
    cut = (rows[-1].group_id, rows[-1].topic) if is_cut else None
    for key, found in groupby(rows, key=lambda row: (row.group_id, row.topic)):
        if key != cut:
            yield from _of_topic(*key, list(found))
    yield Sample("rollcall_series_left_out", int(is_cut), ("offsets",))


def _of_topic(group_id: str, topic: str, rows: Sequence[OffsetRow]) -> Iterator[Sample]:
    lags = [None if row.end is None else max(0, row.end - row.committed) for row in rows]
    for row, lag in zip(rows, lags, strict=True):
        labels = (group_id, str(row.partition), topic)
        yield Sample("kafka_consumergroup_current_offset", row.committed, labels)
        if lag is not None:
            yield Sample("kafka_consumergroup_lag", lag, labels)
    total = sum(row.committed for row in rows)
    yield Sample("kafka_consumergroup_current_offset_sum", total, (group_id, topic))
    known = [lag for lag in lags if lag is not None]
    if len(known) == len(rows):
        yield Sample("kafka_consumergroup_lag_sum", sum(known), (group_id, topic))
