"""Which conversions are allowed: the table of policies, and the journal entry of a conversion."""

from typing import Final

from groups.core.classic.group import ClassicGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.group import JournalEntry, Rules
from groups.core.journal import EntryKind

CONVERTED: Final = EntryKind.GROUP_CONVERTED
"""The journal's word for a conversion."""

UPGRADE: Final = "upgrade"
DOWNGRADE: Final = "downgrade"

ALLOWED: Final = {
    "bidirectional": frozenset({UPGRADE, DOWNGRADE}),
    "upgrade": frozenset({UPGRADE}),
    "downgrade": frozenset({DOWNGRADE}),
    "disabled": frozenset[str](),
}
"""What each value of group.consumer.migration.policy allows for a group with members. A group
without members may always be converted."""


def allows(rules: Rules, change: str) -> bool:
    """Whether a group with members may be converted in this direction."""
    return change in ALLOWED[rules.group_consumer_migration_policy]


def converted(
    before: ClassicGroup | ConsumerGroup,
    after: ClassicGroup | ConsumerGroup,
    trigger: str,
    reason: str,
    member_id: str | None,
    client_id: str | None,
    client_reason: str = "",
) -> JournalEntry:
    """The journal entry of a conversion: its cause, and the state that was carried over."""
    old, new = before.durable.group, after.durable.group
    return JournalEntry(
        CONVERTED,
        trigger=trigger,
        reason=reason,
        member_id=member_id,
        client_id=client_id,
        client_reason=client_reason,
        generation_before=old.generation,
        generation_after=new.generation,
        details={"from": old.kind, "to": new.kind, "members": len(after.durable.members)},
    )
