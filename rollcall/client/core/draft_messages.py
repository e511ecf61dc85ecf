"""A draft member's requests as messages, and the content of its join's response.

Values in, values out; ``draft`` decides when.
"""

from collections.abc import Sequence

from rollcall.client.core.events import Identity, Partitions, Standing, TopicPartition
from rollcall.wire.messages.draft.heartbeat import HeartbeatRequest
from rollcall.wire.messages.draft.join_group import JoinGroupRequest, JoinGroupResponse
from rollcall.wire.messages.draft.leave_group import LeaveGroupRequest


def join(
    identity: Identity, standing: Standing, topics: Sequence[str], strategy: str
) -> JoinGroupRequest:
    """JoinGroup; the consumer id is empty until the first response."""
    return JoinGroupRequest(
        group_id=identity.group,
        session_timeout_ms=identity.session_timeout_ms,
        topics=list(topics),
        consumer_id=standing.member_id,
        partition_assignment_strategy=strategy,
    )


def given(answer: JoinGroupResponse) -> Partitions:
    """The assigned partitions."""
    return frozenset(
        TopicPartition(topic.name, each)
        for topic in answer.partitions_to_own
        for each in topic.partitions
    )


def beat(identity: Identity, standing: Standing) -> HeartbeatRequest:
    """Heartbeat."""
    return HeartbeatRequest(
        group_id=identity.group,
        group_generation_id=standing.epoch,
        consumer_id=standing.member_id,
    )


def leave(identity: Identity, standing: Standing) -> LeaveGroupRequest:
    """LeaveGroup."""
    return LeaveGroupRequest(group_id=identity.group, consumer_id=standing.member_id)
