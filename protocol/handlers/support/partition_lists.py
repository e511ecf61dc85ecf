"""The partitions of topics as Metadata returns them, kept from one request to the next.

All members of a group ask for the same topics, and a restart or a rebalance makes all ask at once.
To make and to encode a list of a thousand partitions takes seven milliseconds.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final
from uuid import UUID

from groups.cluster.view import leader
from groups.core.errors import ErrorCode
from protocol.handlers.support.wire_codes import WireCode
from rollcall.wire.kept import Kept
from rollcall.wire.messages.metadata import MetadataResponsePartition

PARTITIONS_KEPT_MAX: Final = 100_000
"""Of all lists: 14 MB of objects, and at most 8 MB of their encodings."""

LIST_COSTS: Final = 5
"""A list takes as much memory as this many partitions, besides its own."""

NONE: tuple[int, ...] = ()
"""Offline replicas, one list for all partitions: a list for each would be half of their memory."""

Partitions = Kept[MetadataResponsePartition]
Key = tuple[UUID | None, int, tuple[int, ...]]


class PartitionLists:
    """The lists that were last asked for, by topic, number of partitions and live nodes. Used by
    the event loop and by the thread beside it."""

    def __init__(self, room: int = PARTITIONS_KEPT_MAX) -> None:
        self._room = room
        self._lists: OrderedDict[Key, Partitions] = OrderedDict()
        self._lock = Lock()

    def find(self, topic_id: UUID, count: int, nodes: tuple[int, ...]) -> Partitions | None:
        """The list, if it is kept."""
        key = _key(topic_id, count, nodes)
        with self._lock:
            found = self._lists.get(key)
            if found is not None:
                self._lists.move_to_end(key)
            return found

    def make(self, topic_id: UUID, count: int, nodes: tuple[int, ...]) -> Partitions:
        """The list, made anew and kept."""
        partitions = _partitions(topic_id, count, nodes)
        key = _key(topic_id, count, nodes)
        with self._lock:
            before = self._lists.pop(key, None)
            self._lists[key] = partitions
            self._room += _cost(before) - _cost(partitions)
            while self._room < 0 and len(self._lists) > 1:
                _, oldest = self._lists.popitem(last=False)
                self._room += _cost(oldest)
        return partitions


def _cost(of: Partitions | None) -> int:
    return 0 if of is None else LIST_COSTS + len(of)


def _key(topic_id: UUID, count: int, nodes: tuple[int, ...]) -> Key:
    """Where there is one node, it leads all partitions of all topics: their lists are equal."""
    return (topic_id if len(nodes) > 1 else None, count, nodes)


def _partitions(topic_id: UUID, count: int, nodes: tuple[int, ...]) -> Partitions:
    """Leader epoch -1, "none": without a log no epoch is needed, and clients then do not send
    OffsetForLeaderEpoch."""
    alone = {node_id: (node_id,) for node_id in nodes}
    leaders = [leader(nodes, topic_id, index) for index in range(count)]
    return Kept(
        MetadataResponsePartition(
            error_code=ErrorCode.NONE if leads >= 0 else WireCode.LEADER_NOT_AVAILABLE,
            partition_index=index,
            leader_id=leads,
            replica_nodes=alone.get(leads, NONE),
            isr_nodes=alone.get(leads, NONE),
            offline_replicas=NONE,
        )
        for index, leads in enumerate(leaders)
    )
