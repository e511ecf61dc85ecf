"""The messages of the 0.9 draft's listener: one file per API, versions as data.

Keys and versions are Kafka's, bodies are not always: a connection uses one table or the other
(``protocol.draft_apis``), and the two are never mixed.
"""

from typing import Final

from rollcall.wire.messages import Messages
from rollcall.wire.messages.draft.consumer_metadata import (
    ConsumerMetadataRequest,
    ConsumerMetadataResponse,
)
from rollcall.wire.messages.draft.heartbeat import HeartbeatRequest, HeartbeatResponse
from rollcall.wire.messages.draft.join_group import JoinGroupRequest, JoinGroupResponse
from rollcall.wire.messages.draft.leave_group import LeaveGroupRequest, LeaveGroupResponse
from rollcall.wire.messages.draft.metadata import TopicMetadataRequest, TopicMetadataResponse
from rollcall.wire.messages.draft.offset_commit import OffsetCommitRequest, OffsetCommitResponse
from rollcall.wire.messages.draft.offset_fetch import OffsetFetchRequest, OffsetFetchResponse

DRAFT_MESSAGES: Final[dict[int, Messages]] = {
    each.key: each
    for each in (
        Messages(3, "Metadata", TopicMetadataRequest, TopicMetadataResponse),
        Messages(8, "OffsetCommit", OffsetCommitRequest, OffsetCommitResponse),
        Messages(9, "OffsetFetch", OffsetFetchRequest, OffsetFetchResponse),
        Messages(10, "ConsumerMetadata", ConsumerMetadataRequest, ConsumerMetadataResponse),
        Messages(11, "JoinGroup", JoinGroupRequest, JoinGroupResponse),
        Messages(12, "Heartbeat", HeartbeatRequest, HeartbeatResponse),
        Messages(13, "LeaveGroup", LeaveGroupRequest, LeaveGroupResponse),
    )
}
