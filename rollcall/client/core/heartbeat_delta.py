"""What the coordinator has been told, field by field, so that a heartbeat says only what is new.

KIP-848: a field that is null says "as before". All fields are said on joining, and again when an
answer was lost, since whether the question was heard is not known then.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from rollcall.client.core.events import Identity, Subscription
from rollcall.wire.messages.consumer_group_heartbeat import (
    ClientAssignor,
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)

Place = tuple[UUID, int]
"""A partition as the consumer protocol names it: by the topic's id."""

LEAVE_EPOCH = -1
LEAVE_FOR_NOW_EPOCH = -2


class Saying(NamedTuple):
    """All that a heartbeat can say beside who sends it."""

    subscription: Subscription
    owned: frozenset[Place]


class Assignors(NamedTuple):
    """What never changes: the server's assignor that the member asks for, and its own."""

    server: str | None = None
    own: Sequence[ClientAssignor] = ()


def assignors(identity: Identity, own: Sequence[ClientAssignor]) -> Assignors:
    """Of the names that the member goes by, the first that is not its own is a server's."""
    names = {each.name for each in own}
    return Assignors(next((n for n in identity.assignors if n not in names), None), own)


def heartbeat(
    identity: Identity,
    member_id: str,
    epoch: int,
    now: Saying,
    before: Saying | None,
    assignors: Assignors,
) -> ConsumerGroupHeartbeatRequest:
    """The heartbeat that says what is new since ``before``; all of it where that is None."""
    fields: dict[str, Any] = {}
    if before is None:
        fields = {
            "instance_id": identity.instance_id,
            "rack_id": identity.rack,
            "rebalance_timeout_ms": identity.rebalance_timeout_ms,
            "server_assignor": assignors.server,
            "client_assignors": assignors.own or None,
        }
    if before is None or now.subscription.topics != before.subscription.topics:
        # An empty list, not null, where there is a pattern alone: Kafka wants it so on joining.
        fields["subscribed_topic_names"] = sorted(now.subscription.topics)
    pattern = now.subscription.pattern
    if pattern is not None or epoch > 0:  # "" takes a pattern back
        if before is None or pattern != before.subscription.pattern:
            fields["subscribed_topic_regex"] = pattern or ""
    if before is None or now.owned != before.owned:
        fields["topic_partitions"] = listed(now.owned)
    return ConsumerGroupHeartbeatRequest(
        group_id=identity.group, member_id=member_id, member_epoch=epoch, **fields
    )


def leave(identity: Identity, member_id: str) -> ConsumerGroupHeartbeatRequest:
    """The last heartbeat; a static member leaves for a while and keeps its place."""
    static = identity.instance_id is not None
    return ConsumerGroupHeartbeatRequest(
        group_id=identity.group,
        member_id=member_id,
        member_epoch=LEAVE_FOR_NOW_EPOCH if static else LEAVE_EPOCH,
        instance_id=identity.instance_id,
    )


def listed(places: Iterable[Place]) -> list[TopicPartitions]:
    """Partitions as the message holds them."""
    by_topic: dict[UUID, list[int]] = {}
    for topic_id, partition in sorted(places):
        by_topic.setdefault(topic_id, []).append(partition)
    return [TopicPartitions(topic_id=t, partitions=ps) for t, ps in by_topic.items()]


def places(listing: Iterable[TopicPartitions]) -> frozenset[Place]:
    """Partitions as a set."""
    return frozenset((each.topic_id, p) for each in listing for p in each.partitions)
