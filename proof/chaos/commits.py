"""Rows of ``proof.history`` from the transactions that PostgreSQL committed.

Pure. It remembers the members of each group, since a transaction names only those that it changes,
and the value of each partition.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from groups.core.journal import EntryKind, Trigger
from groups.core.rows import slot_of
from proof.chaos.fact_rows import FACTS, FactRows
from proof.chaos.logical_decoding import Change, Transaction, Values

Record = dict[str, Any]

GUARD: Final = "guard"
"""The prefix of the message with the epochs and revisions from which a transaction decided."""

COLUMNS: Final[Mapping[str, Sequence[str]]] = {
    "rollcall_slot": ("slot", "node_id", "epoch"),
    "rollcall_group": ("group_id", "kind", "state", "generation", "revision"),
    "rollcall_member": ("group_id", "member_id", "instance_id"),
    "rollcall_offset": ("group_id", "topic", "partition", "committed_offset"),
    "rollcall_journal": ("id", "group_id", "kind", "trigger", "member_id", '"left"'),
}
"""The columns of each table that a history needs."""

ROUND_ENDS: Final = frozenset({EntryKind.REBALANCE_COMPLETED, EntryKind.EMPTIED})
"""Journal entries of a round's end, which also name members that did not rejoin in time."""

Place = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Guard:
    """From what a transaction decided: epoch of each slot, revision of each group."""

    epochs: Mapping[int, int] = field(default_factory=dict)
    revisions: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, transaction: Transaction) -> "Guard":
        """Combine several guards of one transaction."""
        epochs: dict[int, int] = {}
        revisions: dict[str, int] = {}
        for message in transaction.messages:
            if message.prefix == GUARD:
                body = json.loads(message.text)
                epochs |= dict(zip(body["slots"], body["epochs"], strict=True))
                revisions |= dict(zip(body["groups"], body["revisions"], strict=True))
        return cls(epochs, revisions)

    def under(self, group_id: str) -> Record:
        """Slot and epoch under which a group was written, if the guard ran."""
        slot = slot_of(group_id)
        return {"slot": slot, "epoch": self.epochs[slot]} if slot in self.epochs else {}


class Commits:
    """``members`` are those of each group at the beginning: member id to instance id."""

    def __init__(self, members: Mapping[str, Mapping[str, str | None]] | None = None) -> None:
        self._members = {group: dict(those) for group, those in (members or {}).items()}
        self._offsets: dict[Place, int | None] = {}
        self._owners: dict[str | None, Values] = {}
        self._facts = FactRows()

    def rows(self, transaction: Transaction) -> Iterator[Record]:
        """One transaction's rows: slots, facts, groups with all their members, removed members,
        offsets. The caller adds the time."""
        guard = Guard.of(transaction)
        tables = _by_table(transaction)
        for change in tables["rollcall_slot"]:
            yield from self._slot_rows(change.values)
        lives, owned = ([change.values for change in tables[name]] for name in FACTS)
        yield from self._facts.rows(lives, owned, transaction.wall_s)
        before = self._change_members(tables["rollcall_member"])
        for change in tables["rollcall_group"]:
            yield self._group_row(change, guard)
        for change in tables["rollcall_journal"]:
            yield from self._removed(change.values, before)
        for change in tables["rollcall_offset"]:
            yield from self._offset_row(change, guard)

    def _slot_rows(self, values: Values) -> Iterator[Record]:
        """A change of a slot's owner or epoch; an owner also writes how long it served."""
        slot = values["slot"]
        if self._owners.get(slot) != values:
            self._owners[slot] = values
            yield _slot_row(values)

    def back(self, lost: Sequence[Record]) -> Iterator[Record]:
        """The rows of each group with ``lost`` rows, as they are without those."""
        for group in sorted({row["group"] for row in lost if "group" in row}):
            places = {
                (row["topic"], row["partition"])
                for row in lost
                if row["table"] == "offset" and row["group"] == group
            }
            held = [[*at, self._offsets.get((group, *at))] for at in sorted(places)]
            row = {"type": "row", "table": "back", "group": group, "offsets": held}
            yield row | self._facts.open_in(group)

    def _change_members(self, changes: Sequence[Change]) -> Mapping[str, set[str]]:
        """Apply the changes; returns the previous members of the changed groups."""
        before: dict[str, set[str]] = {}
        for change in changes:
            group, member = _text(change.values, "group_id"), _text(change.values, "member_id")
            those = self._members.setdefault(group, {})
            before.setdefault(group, set(those))
            if change.is_gone:
                those.pop(member, None)
            else:
                those[member] = change.values["instance_id"]
        return before

    def _group_row(self, change: Change, guard: Guard) -> Record:
        values, group = change.values, _text(change.values, "group_id")
        row: Record = {"type": "row", "table": "group", "group": group, **guard.under(group)}
        if change.is_gone:
            self._members.pop(group, None)
            return {**row, "table": "deleted"}
        if group in guard.revisions:
            row["seen"] = guard.revisions[group]
        return {
            **row,
            "kind": values["kind"],
            "state": values["state"],
            "generation": int(_text(values, "generation")),
            "revision": int(_text(values, "revision")),
            "members": dict(self._members.get(group, {})),
        }

    def _removed(self, entry: Values, before: Mapping[str, set[str]]) -> Iterator[Record]:
        if entry["trigger"] != Trigger.SESSION_EXPIRED or entry["kind"] in ROUND_ENDS:
            return
        group = _text(entry, "group_id")
        named = {*json.loads(_text(entry, "left")), *filter(None, [entry["member_id"]])}
        gone = before.get(group, set()) - self._members.get(group, {}).keys()
        for member in sorted(named & gone):
            yield {
                "type": "row", "table": "removed", "group": group, "member": member,
                "trigger": entry["trigger"],
            }  # fmt: skip

    def _offset_row(self, change: Change, guard: Guard) -> Iterator[Record]:
        values, group = change.values, _text(change.values, "group_id")
        place = (group, _text(values, "topic"), int(_text(values, "partition")))
        offset = None if change.is_gone else int(_text(values, "committed_offset"))
        if place in self._offsets and self._offsets[place] == offset:
            return  # a request that arrived twice: nothing changed
        self._offsets[place] = offset
        _, topic, partition = place
        yield {
            "type": "row", "table": "offset", "group": group, "topic": topic,
            "partition": partition, "offset": offset, **guard.under(group),
        }  # fmt: skip


def _by_table(transaction: Transaction) -> Mapping[str, list[Change]]:
    tables: dict[str, list[Change]] = {name: [] for name in (*COLUMNS, *FACTS)}
    for change in transaction.changes:
        tables[change.table].append(change)
    return tables


def _slot_row(values: Values) -> Record:
    node = values["node_id"]
    return {
        "type": "row", "table": "slot", "slot": int(_text(values, "slot")),
        "epoch": int(_text(values, "epoch")), "node": None if node is None else int(node),
    }  # fmt: skip


def _text(values: Values, name: str) -> str:
    found = values[name]
    assert found is not None, f"{name} is NULL"
    return found
