"""Kafka's error codes, and the one way a rule refuses a request.

An error of a client is a ``Refuse`` with the error code; only ``Group.step`` of each kind catches
it. A programming error is an ``assert``. Numbers and names are Apache Kafka's.
"""

from enum import IntEnum


class ErrorCode(IntEnum):
    """The codes that Rollcall returns (with the KIP that introduced a code)."""

    UNKNOWN_SERVER_ERROR = -1
    NONE = 0
    UNKNOWN_TOPIC_OR_PARTITION = 3
    OFFSET_METADATA_TOO_LARGE = 12
    COORDINATOR_LOAD_IN_PROGRESS = 14
    COORDINATOR_NOT_AVAILABLE = 15
    NOT_COORDINATOR = 16
    INVALID_TOPIC_EXCEPTION = 17
    ILLEGAL_GENERATION = 22
    INCONSISTENT_GROUP_PROTOCOL = 23
    INVALID_GROUP_ID = 24
    UNKNOWN_MEMBER_ID = 25
    INVALID_SESSION_TIMEOUT = 26
    REBALANCE_IN_PROGRESS = 27
    INVALID_COMMIT_OFFSET_SIZE = 28
    TOPIC_AUTHORIZATION_FAILED = 29
    GROUP_AUTHORIZATION_FAILED = 30
    CLUSTER_AUTHORIZATION_FAILED = 31
    UNSUPPORTED_VERSION = 35
    TOPIC_ALREADY_EXISTS = 36
    INVALID_PARTITIONS = 37
    INVALID_REPLICATION_FACTOR = 38
    INVALID_REPLICA_ASSIGNMENT = 39
    INVALID_CONFIG = 40
    INVALID_REQUEST = 42
    POLICY_VIOLATION = 44
    INVALID_PRODUCER_EPOCH = 47  # KIP-98
    INVALID_TXN_STATE = 48  # KIP-98
    INVALID_PRODUCER_ID_MAPPING = 49  # KIP-98
    INVALID_TRANSACTION_TIMEOUT = 50  # KIP-98
    CONCURRENT_TRANSACTIONS = 51  # KIP-98
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = 53  # KIP-98
    SECURITY_DISABLED = 54  # KIP-140
    NON_EMPTY_GROUP = 68
    GROUP_ID_NOT_FOUND = 69
    MEMBER_ID_REQUIRED = 79  # KIP-394
    GROUP_MAX_SIZE_REACHED = 81  # KIP-389
    FENCED_INSTANCE_ID = 82  # KIP-345
    GROUP_SUBSCRIBED_TO_TOPIC = 86  # KIP-496
    UNSTABLE_OFFSET_COMMIT = 88  # KIP-447
    THROTTLING_QUOTA_EXCEEDED = 89  # KIP-599
    PRODUCER_FENCED = 90  # KIP-588
    UNKNOWN_TOPIC_ID = 100  # KIP-516
    TRANSACTIONAL_ID_NOT_FOUND = 105  # KIP-664
    FENCED_MEMBER_EPOCH = 110  # KIP-848
    UNRELEASED_INSTANCE_ID = 111  # KIP-848
    UNSUPPORTED_ASSIGNOR = 112  # KIP-848
    STALE_MEMBER_EPOCH = 113  # KIP-848
    TRANSACTION_ABORTABLE = 120  # KIP-890
    INVALID_REGULAR_EXPRESSION = 128  # KIP-848
    REBOOTSTRAP_REQUIRED = 129  # KIP-1242

    # The 0.9 draft's own. Kafka gave their numbers to other errors later, so here they have other
    # numbers; protocol.requests.draft_errors has those of the wire.
    UNKNOWN_PARTITION_ASSIGNMENT_STRATEGY = -1024
    COMMITTING_PARTITIONS_NOT_ASSIGNED = -1027


DETAIL_CHARS_MAX = 4_096
"""At most four bytes for each, and so well below the 32,767 of a string."""


class Refuse(Exception):
    """A rule refuses a request: return ``code``, change nothing.

    ``detail`` is a sentence for responses with an error message. It is truncated, since it may
    quote a name that is too long for a Kafka string.
    """

    def __init__(self, code: ErrorCode, detail: str | None = None) -> None:
        super().__init__(code.name)
        self.code = code
        is_long = detail is not None and len(detail) > DETAIL_CHARS_MAX
        self.detail = f"{detail[:DETAIL_CHARS_MAX]}..." if detail and is_long else detail
