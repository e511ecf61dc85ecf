"""Which changes of a group's kind are allowed: the table of policies, and what is told of one."""

from typing import Final

from groups.core.classic.group import ClassicGroup
from groups.core.consumer.group import ConsumerGroup
from groups.core.group import JournalEntry, Rules
from groups.core.journal import EntryKind

CONVERTED: Final = EntryKind.GROUP_CONVERTED
"""The journal's word for a change of kind."""

UPGRADE: Final = "upgrade"
DOWNGRADE: Final = "downgrade"

ALLOWED: Final = {
    "bidirectional": frozenset({UPGRADE, DOWNGRADE}),
    "upgrade": frozenset({UPGRADE}),
    "downgrade": frozenset({DOWNGRADE}),
    "disabled": frozenset[str](),
}
"""What each value of group.consumer.migration.policy lets a group with members do. A group
without members goes either way under all of them."""


def allows(rules: Rules, change: str) -> bool:
    """Whether a group with members may be changed so."""
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
    """The journal entry of a change of kind: by whom, and what was carried over."""
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
