"""The vocabulary of the journal: what entries are about, what triggers a decision, and the fields
of an entry. Shared by the rules, SQL, screens, REST and the pipeline; pure, and imports nothing
of ours.

Rows of earlier versions may contain words that are no longer here: readers compare words and do not
convert them.
"""

from enum import StrEnum
from typing import Final

NAMED_MAX: Final = 50
"""Ids that one entry names; further ones are only counted."""


class EntryKind(StrEnum):
    """The subject of an entry. ``console.queries.journal_text`` has a sentence for each."""

    REBALANCE_STARTED = "rebalance-started"
    REBALANCE_PUT_OFF = "rebalance-put-off"
    REBALANCE_COMPLETED = "rebalance-completed"
    REBALANCE_ABANDONED = "rebalance-abandoned"
    REBALANCE_RETRIED = "rebalance-retried"
    CONSUMER_REBALANCE_FAILED = "consumer-rebalance-failed"
    STABLE = "stable"
    EMPTIED = "emptied"
    MEMBER_REPLACED = "member-replaced"
    MEMBER_EXPELLED = "member-expelled"
    MEMBER_DRAINED = "member-drained"
    MEMBER_UNDRAINED = "member-undrained"
    INSTANCE_TAKEN = "instance-taken"
    ASSIGNMENT_FAILED = "assignment-failed"
    ASSIGNMENT_INSTALLED = "assignment-installed"
    ASSIGNOR_FAILED = "assignor-failed"
    ASSIGNOR_FELL_BACK = "assignor-fell-back"
    STRATEGY_FAILED = "strategy-failed"
    GROUP_CREATED = "group-created"
    GROUP_CONVERTED = "group-converted"
    GROUP_DELETED = "group-deleted"
    PAUSED = "paused"
    RESUMED = "resumed"
    OFFSETS_ALTERED = "offsets-altered"
    OFFSETS_DELETED = "offsets-deleted"
    OFFSETS_EXPIRED = "offsets-expired"
    OFFSETS_RESTORED = "offsets-restored"
    CONFIG_CHANGED = "config-changed"
    MARKED = "marked"

    # About topics; they have no group, and share a prefix (``groups.models.ABOUT_TOPICS``).
    TOPIC_CREATED = "topic-created"
    TOPIC_GROWN = "topic-grown"
    TOPIC_PLACED = "topic-placed"
    TOPIC_DELETED = "topic-deleted"

    # About access to the Kafka port.
    ACL_CREATED = "acl-created"
    ACL_DELETED = "acl-deleted"
    CREDENTIAL_SET = "credential-set"
    CREDENTIAL_DELETED = "credential-deleted"
    QUOTA_SET = "quota-set"
    QUOTA_REMOVED = "quota-removed"

    # About the cluster.
    SLOTS_CLAIMED = "slots-claimed"
    SLOTS_RELEASED = "slots-released"
    NODE_DRAINED = "node-drained"
    NODE_UNDRAINED = "node-undrained"
    NODE_OUTAGE = "node-outage"
    NODE_WAITS = "node-waits"
    NODE_FORGOTTEN = "node-forgotten"
    NODE_CONFIGURED = "node-configured"
    TIME_WENT_BACK = "time-went-back"
    LIMIT_NEAR = "limit-near"


class Trigger(StrEnum):
    """The cause in one word, for counting. ``console.queries.journal_text`` has a sentence for
    each."""

    MEMBER_JOINED = "member-joined"
    MEMBER_LEFT = "member-left"
    MEMBER_REFUSED = "member-refused"
    MEMBER_REPLACED = "member-replaced"
    MEMBER_RETURNED = "member-returned"
    LEADER_REJOINED = "leader-rejoined"
    METADATA_CHANGED = "metadata-changed"
    SUBSCRIPTION_CHANGED = "subscription-changed"
    SESSION_EXPIRED = "session-expired"
    JOIN_TIMED_OUT = "join-timed-out"
    SYNC_EXPIRED = "sync-expired"
    REBALANCE_TIMEOUT = "rebalance-timeout"
    NOT_ACKNOWLEDGED = "not-acknowledged"
    GROUP_OVERSIZED = "group-oversized"
    TOPICS_CHANGED = "topics-changed"
    ASSIGNOR_CHANGED = "assignor-changed"
    ASSIGNOR_FAILED = "assignor-failed"
    STRATEGY_FAILED = "strategy-failed"
    OWNER_CHANGED = "owner-changed"
    OPERATOR = "operator"
    REQUEST = "request"
    RETENTION = "retention"
    TOPIC_CREATED = "topic-created"
    TOPIC_DELETED = "topic-deleted"
    NO_ECHO = "no-echo"
    DATABASE_AWAY = "database-away"
    LOOP_STALLED = "loop-stalled"
    NODE_LOST = "node-lost"
    TOTAL = "total"


ENTRY_FIELDS: Final = (
    "kind",
    "trigger",
    "reason",
    "client_reason",
    "member_id",
    "client_id",
    "generation_before",
    "generation_after",
    "duration_ms",
    "waited_for",
    "joined",
    "left",
    "details",
)
"""The fields of an entry that are columns of its row, in their order."""
