"""The fields that the coordinator has received, so that a heartbeat contains only changes.

KIP-848: a field that is null means "unchanged". All fields are sent on joining, and again after a
lost response, since it is then unknown whether the request was received.
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
"""A partition in the consumer protocol: by the topic's id."""

LEAVE_EPOCH = -1
LEAVE_FOR_NOW_EPOCH = -2


class Saying(NamedTuple):
    """All fields of a heartbeat besides the sender."""

    subscription: Subscription
    owned: frozenset[Place]


class Assignors(NamedTuple):
    """Fields that never change: the requested server-side assignor, and the member's own ones."""

    server: str | None = None
    own: Sequence[ClientAssignor] = ()


def assignors(identity: Identity, own: Sequence[ClientAssignor]) -> Assignors:
    """Of the configured names, the first that is not its own is the server's."""
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
    """The heartbeat with the changes since ``before``; with all fields if that is None."""
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
        # An empty list, not null, if there is only a pattern: Kafka requires this on joining.
        fields["subscribed_topic_names"] = sorted(now.subscription.topics)
    pattern = now.subscription.pattern
    # "" removes a pattern, also that of the static member whose place this one takes.
    if pattern is not None or epoch > 0 or identity.instance_id is not None:
        if before is None or pattern != before.subscription.pattern:
            fields["subscribed_topic_regex"] = pattern or ""
    if before is None or now.owned != before.owned:
        fields["topic_partitions"] = listed(now.owned)
    return ConsumerGroupHeartbeatRequest(
        group_id=identity.group, member_id=member_id, member_epoch=epoch, **fields
    )


def leave(identity: Identity, member_id: str) -> ConsumerGroupHeartbeatRequest:
    """The last heartbeat; a static member leaves temporarily and keeps its place."""
    static = identity.instance_id is not None
    return ConsumerGroupHeartbeatRequest(
        group_id=identity.group,
        member_id=member_id,
        member_epoch=LEAVE_FOR_NOW_EPOCH if static else LEAVE_EPOCH,
        instance_id=identity.instance_id,
    )


def listed(places: Iterable[Place]) -> list[TopicPartitions]:
    """Partitions in the message's form."""
    by_topic: dict[UUID, list[int]] = {}
    for topic_id, partition in sorted(places):
        by_topic.setdefault(topic_id, []).append(partition)
    return [TopicPartitions(topic_id=t, partitions=ps) for t, ps in by_topic.items()]


def places(listing: Iterable[TopicPartitions]) -> frozenset[Place]:
    """Partitions as a set."""
    return frozenset((each.topic_id, p) for each in listing for p in each.partitions)
