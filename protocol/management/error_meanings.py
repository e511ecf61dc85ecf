"""What each error code of the wire means here: of docs/apis.md, ``manage.py apis``."""

from collections.abc import Mapping
from typing import Final

from groups.core.errors import ErrorCode as E
from protocol.handlers.support.wire_codes import WireCode as W

MEANINGS: Final[Mapping[E | W, str]] = {
    E.UNKNOWN_SERVER_ERROR: "a defect of Rollcall: the node's log has a traceback",
    E.NONE: "no error",
    E.UNKNOWN_TOPIC_OR_PARTITION: "no such topic or partition, or no right to know of it",
    W.LEADER_NOT_AVAILABLE: "the catalogue of topics could not be read; ask again",
    W.REQUEST_TIMED_OUT: "a change of topics may have been made or not; look before you ask again",
    E.OFFSET_METADATA_TOO_LARGE: "the note of an offset is longer than `offset.metadata.max.bytes`",
    E.COORDINATOR_LOAD_IN_PROGRESS: "the node loads the group's slot; ask again",
    E.COORDINATOR_NOT_AVAILABLE: "the database is away, or the outcome of a write is not known;"
    " ask for the coordinator, then again",
    E.NOT_COORDINATOR: "another node owns the group's slot; ask for the coordinator",
    E.INVALID_TOPIC_EXCEPTION: "a topic's name is empty, too long or has other characters",
    E.ILLEGAL_GENERATION: "the group has moved to another generation; join again",
    E.INCONSISTENT_GROUP_PROTOCOL: "the member has no assignor, or no protocol type, in common with"
    " the group",
    E.INVALID_GROUP_ID: "the group's id is empty or not allowed",
    E.UNKNOWN_MEMBER_ID: "no such member, or not any more; join as a new one",
    E.INVALID_SESSION_TIMEOUT: "below `group.min.session.timeout.ms` or above the maximum",
    E.REBALANCE_IN_PROGRESS: "a rebalance goes on; join again",
    E.INVALID_COMMIT_OFFSET_SIZE: "a commit of too many offsets, or no room for more of them",
    E.TOPIC_AUTHORIZATION_FAILED: "no ACL allows this on the topic",
    E.GROUP_AUTHORIZATION_FAILED: "no ACL allows this on the group",
    E.CLUSTER_AUTHORIZATION_FAILED: "no ACL allows this on the cluster, or the listener does not",
    W.UNSUPPORTED_SASL_MECHANISM: "the listener does not have the mechanism",
    W.ILLEGAL_SASL_STATE: "the listener has no authentication, or not at this point",
    E.UNSUPPORTED_VERSION: "the API, or what the request asks for, is not served in this version",
    E.TOPIC_ALREADY_EXISTS: "the topic exists",
    E.INVALID_PARTITIONS: "no, too many or fewer partitions than there are",
    E.INVALID_REPLICATION_FACTOR: "another one than 1 or -1",
    E.INVALID_REPLICA_ASSIGNMENT: "a partition on no live node, on several, or twice",
    E.INVALID_CONFIG: "no such configuration, or a value that it does not take",
    E.INVALID_REQUEST: "fields contradict each other, or one is out of its bounds",
    E.POLICY_VIOLATION: "a total or a bound of Rollcall's own ([limits](limits.md))",
    E.INVALID_PRODUCER_EPOCH: "the producer has a newer epoch",
    E.INVALID_TXN_STATE: "the transaction is not in a state for this",
    E.INVALID_PRODUCER_ID_MAPPING: "the transactional id has another producer id, or none",
    E.INVALID_TRANSACTION_TIMEOUT: "not positive, or above `transaction.max.timeout.ms`",
    E.CONCURRENT_TRANSACTIONS: "the transaction before is still being ended; ask again",
    E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "no ACL allows this on the transactional id, or it"
    " wants two phases",
    E.SECURITY_DISABLED: "no authorizer is configured, so there are no ACLs",
    W.SASL_AUTHENTICATION_FAILED: "wrong credentials; the connection is closed",
    E.NON_EMPTY_GROUP: "the group has members",
    E.GROUP_ID_NOT_FOUND: "no such group",
    E.MEMBER_ID_REQUIRED: "join again with the id of this answer",
    E.GROUP_MAX_SIZE_REACHED: "the group has `group.max.size` members",
    E.FENCED_INSTANCE_ID: "another member has the instance id now",
    E.GROUP_SUBSCRIBED_TO_TOPIC: "a member is subscribed to the topic whose offset is to go",
    E.UNSTABLE_OFFSET_COMMIT: "an open transaction has an offset of the partition; ask again",
    E.THROTTLING_QUOTA_EXCEEDED: "a quota is used up; ask again later",
    E.PRODUCER_FENCED: "another producer has the transactional id now",
    W.RESOURCE_NOT_FOUND: "no such user, or it does not have the mechanism",
    W.DUPLICATE_RESOURCE: "a request names a user twice",
    W.UNACCEPTABLE_CREDENTIAL: "the credential is not valid",
    E.UNKNOWN_TOPIC_ID: "no topic has this id",
    E.TRANSACTIONAL_ID_NOT_FOUND: "no such transactional id",
    E.FENCED_MEMBER_EPOCH: "the member's epoch is not that of the coordinator; join again",
    E.UNRELEASED_INSTANCE_ID: "the member that has the instance id has not left",
    E.UNSUPPORTED_ASSIGNOR: "the server does not have the assignor",
    E.STALE_MEMBER_EPOCH: "the member has a newer epoch, which the next heartbeat brings",
    W.MISMATCHED_ENDPOINT_TYPE: "the request is for controllers",
    W.UNSUPPORTED_ENDPOINT_TYPE: "the request is for neither brokers nor controllers",
    E.TRANSACTION_ABORTABLE: "the transaction has to be aborted",
    E.INVALID_REGULAR_EXPRESSION: "the pattern of a subscription cannot be read",
    E.REBOOTSTRAP_REQUIRED: "the client expected another cluster or node at this address",
    E.UNKNOWN_PARTITION_ASSIGNMENT_STRATEGY: "of the 0.9 draft: the server does not have the"
    " strategy, or the group has another",
    E.COMMITTING_PARTITIONS_NOT_ASSIGNED: "of the 0.9 draft: a commit of partitions of another"
    " member",
}
