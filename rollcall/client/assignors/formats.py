"""The formats that classic members exchange: subscriptions, assignments, a sticky assignor's state.

Byte for byte what Java's ``ConsumerProtocol`` writes (version 3 of both, tested with Java's and
kafka-python's own). The coordinator never decodes them. No assignor is here.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import Final, NamedTuple

from rollcall.client.core.events import NOTHING, Partitions, TopicPartition
from rollcall.wire.codec import decode, encode
from rollcall.wire.declare import Message, message, wire
from rollcall.wire.errors import WireError
from rollcall.wire.kinds import array, int32
from rollcall.wire.messages import consumer_protocol_assignment as assigned
from rollcall.wire.messages import consumer_protocol_subscription as subscribed

VERSION: Final = 3
_PREFIX_BYTES: Final = 2


class Unreadable(Exception):
    """Bytes of another member cannot be decoded."""


class Claim(NamedTuple):
    """A member's own data: its subscription, its partitions, and their generation."""

    topics: tuple[str, ...]
    owned: Partitions = NOTHING
    generation: int = -1
    rack: str | None = None
    user_data: bytes | None = None


@message(versions="0-1")
class StickyUserData(Message):
    """The state of Java's StickyAssignor: its last assignment, and from v1 on its generation.

    There is no version number: readers try the longer form first.
    """

    previous_assignment: list[subscribed.TopicPartition] = wire(array(subscribed.TopicPartition))
    generation: int = wire(int32, since=1, default=-1)


def subscription(claim: Claim) -> bytes:
    """A member's metadata for JoinGroup."""
    body = subscribed.ConsumerProtocolSubscription(
        topics=sorted(claim.topics),
        user_data=claim.user_data,
        owned_partitions=[
            subscribed.TopicPartition(topic=topic, partitions=partitions)
            for topic, partitions in by_topic(claim.owned)
        ],
        generation_id=claim.generation,
        rack_id=claim.rack,
    )
    return VERSION.to_bytes(_PREFIX_BYTES, "big") + encode(body, VERSION)


def read_subscription(metadata: bytes) -> Claim:
    """Another member's subscription, in any version; ``Unreadable`` if it cannot be decoded."""
    version = _version(metadata)
    try:
        body = decode(subscribed.ConsumerProtocolSubscription, version, metadata, _PREFIX_BYTES)
    except WireError as error:
        raise Unreadable(str(error)) from None
    owned = _flat((each.topic, each.partitions) for each in body.owned_partitions)
    return Claim(tuple(body.topics), owned, body.generation_id, body.rack_id, body.user_data)


def assignment(partitions: Iterable[TopicPartition]) -> bytes:
    """One member's assignment, which the leader sends in SyncGroup."""
    body = assigned.ConsumerProtocolAssignment(
        assigned_partitions=[
            assigned.TopicPartition(topic=topic, partitions=indexes)
            for topic, indexes in by_topic(partitions)
        ]
    )
    return VERSION.to_bytes(_PREFIX_BYTES, "big") + encode(body, VERSION)


def read_assignment(data: bytes) -> Partitions:
    """An assignment from the leader; empty bytes are none (a leader may omit a member)."""
    if not data:
        return NOTHING
    version = _version(data)
    try:
        body = decode(assigned.ConsumerProtocolAssignment, version, data, _PREFIX_BYTES)
    except WireError as error:
        raise Unreadable(str(error)) from None
    return _flat((each.topic, each.partitions) for each in body.assigned_partitions)


def sticky_user_data(partitions: Partitions, generation: int) -> bytes:
    """A sticky member's state, as Java writes it since 2.2."""
    previous = [
        subscribed.TopicPartition(topic=topic, partitions=indexes)
        for topic, indexes in by_topic(partitions)
    ]
    return encode(StickyUserData(previous_assignment=previous, generation=generation), 1)


def read_sticky_user_data(data: bytes | None) -> tuple[Partitions, int]:
    """A sticky member's state; none if it is missing or cannot be decoded."""
    for version in (1, 0) if data else ():
        try:
            memory = decode(StickyUserData, version, data or b"")
        except WireError:
            continue
        owned = _flat((each.topic, each.partitions) for each in memory.previous_assignment)
        return owned, memory.generation
    return NOTHING, -1


def generation_user_data(generation: int) -> bytes:
    """A cooperative-sticky member's state: only the generation."""
    return generation.to_bytes(4, "big", signed=True)


def read_generation_user_data(data: bytes | None) -> int:
    """The generation in a cooperative-sticky member's state; -1 for none.

    Other clients write other data here; kafka-python writes a sticky member's state.
    """
    return int.from_bytes(data, "big", signed=True) if data and len(data) == 4 else -1


def by_topic(partitions: Iterable[TopicPartition]) -> list[tuple[str, list[int]]]:
    """Partitions sorted, a list for each topic."""
    ordered = sorted(partitions)
    return [
        (topic, [each.partition for each in group])
        for topic, group in groupby(ordered, key=lambda each: each.topic)
    ]


def _version(data: bytes) -> int:
    """The version with which to decode: a newer one begins like ours."""
    if len(data) < _PREFIX_BYTES:
        raise Unreadable("too short for a version")
    version = int.from_bytes(data[:_PREFIX_BYTES], "big", signed=True)
    if version < 0:
        raise Unreadable(f"version {version}")
    return min(version, VERSION)


def _flat(lists: Iterable[tuple[str, Iterable[int]]]) -> Partitions:
    return frozenset(TopicPartition(topic, index) for topic, found in lists for index in found)
