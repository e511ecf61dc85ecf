"""The other requests of a member: finding the coordinator, metadata of topics, offsets.

A dialect is a table of functions: values in, values out, no connection and no rule. Requests about
membership are in the machines (``core``).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from rollcall.client.core.events import Identity, LookUp, Standing, TopicPartition, Topics
from rollcall.wire.declare import Message
from rollcall.wire.messages import Messages

Offsets = Mapping[TopicPartition, int]
TopicIds = Mapping[TopicPartition, UUID]
"""The topics of partitions, if known."""
Versions = Mapping[int, tuple[int, int]]


class CoordinatorAddress(NamedTuple):
    """The coordinator's address; an error code if it is unknown."""

    code: int
    host: str
    port: int


class Fetched(NamedTuple):
    """Committed offsets, None where there is none, and the codes of whatever could not be read."""

    offsets: dict[TopicPartition, int | None]
    codes: set[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """``kafka.KAFKA`` and ``draft.DRAFT`` are the two.

    ``apis``: every message that may be sent, by its key. ``versions``: the first and the last by
    key; None: each node is asked for its own (ApiVersions). ``newest``: the newest version that can
    express a request, whatever the node supports; None: any. ``name_of``: an error's name.
    ``not_assigned``: the code for offsets of partitions that are not the member's.
    ``rebalancing``: codes that refuse a commit until the rebalance is over, in which a cooperative
    member keeps its partitions. The others come in pairs: a request, and the evaluation of its
    response.
    """

    apis: Mapping[int, Messages]
    versions: Versions | None = None
    newest: Callable[[Message], int | None] = lambda request: None
    name_of: Callable[[int], str]
    not_assigned: int
    rebalancing: frozenset[int] = frozenset()
    find: Callable[[str], Message]
    found: Callable[[Any], CoordinatorAddress]
    look_up: Callable[[LookUp], Message]
    topics: Callable[[Any], Topics]
    commit: Callable[[Identity, Offsets, Standing, TopicIds], Message]
    codes: Callable[[Any, TopicIds], dict[TopicPartition, int]]
    fetch: Callable[[Identity, Iterable[TopicPartition]], Message]
    fetched: Callable[[Any], Fetched]


def nodes(answer: Any) -> list[tuple[str, int]]:
    """The addresses of the cluster's nodes in a response with metadata, of either dialect."""
    return [(each.host, each.port) for each in answer.brokers]


def listed(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Partitions by topic, as requests name them."""
    by_topic: dict[str, list[int]] = {}
    for topic, partition in sorted(partitions):
        by_topic.setdefault(topic, []).append(partition)
    return by_topic
