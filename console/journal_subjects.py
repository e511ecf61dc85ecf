"""What entries of the journal are about, for the right to read them (``console.people.rights``)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from groups.core.journal import EntryKind


class Subject(StrEnum):
    """What an entry is about."""

    GROUP = "group"
    TOPIC = "topic"
    ACL = "acl"
    CREDENTIAL = "credential"
    QUOTA = "quota"
    NODE = "node"


SUBJECTS: Final[Mapping[EntryKind, Subject]] = {
    **dict.fromkeys(EntryKind, Subject.GROUP),
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
"""Every kind has one; those that are not named are about groups."""


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
