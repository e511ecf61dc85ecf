"""The vocabulary of the journal: what entries are about, what triggers a decision, and the fields
of an entry. Shared by the rules, SQL, screens, REST and the pipeline; pure, and imports nothing
of ours.

Rows of earlier versions may contain words that are no longer here: readers compare words and do not
convert them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
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


class Subject(StrEnum):
    """What entries are about, for the right to read them (``console.people.rights``)."""

    GROUP = "group"
    TOPIC = "topic"
    ACL = "acl"
    CREDENTIAL = "credential"
    QUOTA = "quota"
    NODE = "node"


SUBJECTS: Final[Mapping[EntryKind, Subject]] = {
    EntryKind.REBALANCE_STARTED: Subject.GROUP,
    EntryKind.REBALANCE_PUT_OFF: Subject.GROUP,
    EntryKind.REBALANCE_COMPLETED: Subject.GROUP,
    EntryKind.REBALANCE_ABANDONED: Subject.GROUP,
    EntryKind.REBALANCE_RETRIED: Subject.GROUP,
    EntryKind.CONSUMER_REBALANCE_FAILED: Subject.GROUP,
    EntryKind.STABLE: Subject.GROUP,
    EntryKind.EMPTIED: Subject.GROUP,
    EntryKind.MEMBER_REPLACED: Subject.GROUP,
    EntryKind.MEMBER_EXPELLED: Subject.GROUP,
    EntryKind.INSTANCE_TAKEN: Subject.GROUP,
    EntryKind.ASSIGNMENT_FAILED: Subject.GROUP,
    EntryKind.ASSIGNMENT_INSTALLED: Subject.GROUP,
    EntryKind.ASSIGNOR_FAILED: Subject.GROUP,
    EntryKind.ASSIGNOR_FELL_BACK: Subject.GROUP,
    EntryKind.STRATEGY_FAILED: Subject.GROUP,
    EntryKind.GROUP_CREATED: Subject.GROUP,
    EntryKind.GROUP_CONVERTED: Subject.GROUP,
    EntryKind.GROUP_DELETED: Subject.GROUP,
    EntryKind.PAUSED: Subject.GROUP,
    EntryKind.RESUMED: Subject.GROUP,
    EntryKind.OFFSETS_ALTERED: Subject.GROUP,
    EntryKind.OFFSETS_DELETED: Subject.GROUP,
    EntryKind.OFFSETS_EXPIRED: Subject.GROUP,
    EntryKind.OFFSETS_RESTORED: Subject.GROUP,
    EntryKind.CONFIG_CHANGED: Subject.GROUP,
    EntryKind.MARKED: Subject.GROUP,
    EntryKind.TOPIC_CREATED: Subject.TOPIC,
    EntryKind.TOPIC_GROWN: Subject.TOPIC,
    EntryKind.TOPIC_PLACED: Subject.TOPIC,
    EntryKind.TOPIC_DELETED: Subject.TOPIC,
    EntryKind.ACL_CREATED: Subject.ACL,
    EntryKind.ACL_DELETED: Subject.ACL,
    EntryKind.CREDENTIAL_SET: Subject.CREDENTIAL,
    EntryKind.CREDENTIAL_DELETED: Subject.CREDENTIAL,
    EntryKind.QUOTA_SET: Subject.QUOTA,
    EntryKind.QUOTA_REMOVED: Subject.QUOTA,
    EntryKind.SLOTS_CLAIMED: Subject.NODE,
    EntryKind.SLOTS_RELEASED: Subject.NODE,
    EntryKind.NODE_DRAINED: Subject.NODE,
    EntryKind.NODE_UNDRAINED: Subject.NODE,
    EntryKind.NODE_WAITS: Subject.NODE,
    EntryKind.NODE_FORGOTTEN: Subject.NODE,
    EntryKind.NODE_CONFIGURED: Subject.NODE,
    EntryKind.NODE_OUTAGE: Subject.NODE,
    EntryKind.TIME_WENT_BACK: Subject.NODE,
    EntryKind.LIMIT_NEAR: Subject.NODE,
}
"""Every kind has one, without which nobody but Administrators would read it; a test checks it."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kinds of entries that somebody may read. ``names`` None: all, and those that only other
    versions know."""

    names: frozenset[str] | None

    def __contains__(self, kind: str) -> bool:
        return self.names is None or kind in self.names


EVERY_KIND: Final = Kinds(None)


def about(subject: Subject) -> Kinds:
    """The kinds of entries about this, for what reads no others."""
    return Kinds(frozenset(kind for kind, its in SUBJECTS.items() if its is subject))


OF_GROUPS, OF_TOPICS = about(Subject.GROUP), about(Subject.TOPIC)


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
