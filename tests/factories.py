"""Values for tests: groups, members, decisions and batches, each with as little said as may be.

Only builders. What runs (nodes, servers, connections) is made where it is used.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from groups.core.classic.group import ClassicGroup
from groups.core.events import OffsetWrite
from groups.core.group import Decision, JournalEntry, Rules
from groups.core.journal import EntryKind
from groups.core.rows import SLOTS, Durable, GroupRow, MemberRow, slot_of
from groups.core.subscription import pack_protocols
from groups.store import apply
from groups.store.apply import Batch, Write

RULES = Rules()
NODE = 7


def member(member_id: str = "m-1", *, position: int = 0, **over: Any) -> MemberRow:
    """One member that speaks the range protocol."""
    row = MemberRow(
        member_id=member_id,
        instance_id=None,
        client_id="a-client",
        client_host="/127.0.0.1",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=20_000,
        position=position,
        subscription=pack_protocols((("range", b"topics"),)),
        assignment=b"its share",
    )
    return replace(row, **over)


def durable(
    group_id: str = "g",
    members: Iterable[MemberRow] = (),
    *,
    revision: int = 0,
    **columns: Any,
) -> Durable:
    """A group's rows: Stable where it has members, else Empty."""
    by_id = {row.member_id: row for row in members}
    row = GroupRow(group_id, "classic", "Empty", generation=1, protocol_type="consumer")
    if by_id:
        leader = next(iter(by_id))
        row = replace(
            row, state="Stable", protocol_name="range", leader=leader, details={"synced": True}
        )
    return Durable(replace(row, **columns), by_id, revision)


def nothing(group_id: str = "g") -> Durable:
    """In place of the rows of a group that has none."""
    return ClassicGroup.absent(group_id, RULES, 0).durable


def decision(after: Durable, **over: Any) -> Decision:
    """A decision that leaves these rows behind."""
    return Decision(group=ClassicGroup.merge(after, None, RULES, 0), **over)


def change(before: Durable, *, journal: bool = True, **columns: Any) -> Write:
    """A write that changes columns of the group's own row, and says so in the journal."""
    after = replace(before, group=replace(before.group, **columns))
    entries = (JournalEntry(EntryKind.REBALANCE_STARTED),) if journal else ()
    return Write(before, decision(after, journal=entries))


def birth(group_id: str = "g", *members: MemberRow, **columns: Any) -> Write:
    """A write that makes a new group."""
    return Write(
        nothing(group_id),
        decision(
            durable(group_id, members, **columns), journal=(JournalEntry(EntryKind.GROUP_CREATED),)
        ),
    )


def death(before: Durable) -> Write:
    """A write that deletes a group."""
    absent = ClassicGroup.absent(before.group.group_id, RULES, 0)
    entries = (JournalEntry(EntryKind.GROUP_DELETED),)
    return Write(before, Decision(group=absent, deleted=True, journal=entries))


def commit(before: Durable, *offsets: OffsetWrite) -> Write:
    """A write of offsets alone: generation and members stay as they are."""
    group = ClassicGroup.merge(before, None, RULES, 0)
    return Write(before, Decision(group=group, offsets=offsets))


def offset(at: int = 1, *, topic: str = "t", partition: int = 0, metadata: str = "") -> OffsetWrite:
    """One committed offset."""
    return OffsetWrite(topic, partition, at, -1, metadata)


def written(write: Write) -> Durable:
    """The rows as an owner remembers them once the write has committed."""
    after = write.decision.group.durable
    return Durable(after.group, after.members, write.revision)


def batch(*writes: Write, epochs: Mapping[int, int] | None = None, epoch: int = 1) -> Batch:
    """Writes that commit together, under one epoch for every slot unless said otherwise."""
    return Batch(NODE, epochs or dict.fromkeys(range(SLOTS), epoch), writes)


def ids_in_slot(slot: int, count: int, prefix: str = "g") -> list[str]:
    """Group ids that fall into one slot."""
    found: list[str] = []
    number = 0
    while len(found) < count:
        group_id = f"{prefix}-{number}"
        if slot_of(group_id) == slot:
            found.append(group_id)
        number += 1
    return found


def ids_in_slots(count: int, prefix: str = "g") -> list[str]:
    """Group ids of as many different slots, in key order."""
    by_slot: dict[int, str] = {}
    number = 0
    while len(by_slot) < count:
        group_id = f"{prefix}-{number}"
        by_slot.setdefault(slot_of(group_id), group_id)
        number += 1
    return sorted(by_slot.values())


def apply_with(cursor: Any, batch: Batch) -> None:
    """Write the batch with a cursor whose transaction the caller owns (``atomic``)."""
    for text, parameters in apply.statements(batch):
        cursor.execute(text, parameters)
