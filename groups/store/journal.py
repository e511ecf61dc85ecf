"""Journal entries as SQL of the store's transactions; entries about committed offsets contain their
previous values. Pure.

They are written before the offsets, so that they read the previous values. Only requested changes
have them: such an entry reads as many rows as it lists.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from groups.core.explanation import WHY
from groups.core.group import All, Decision, JournalEntry
from groups.core.journal import ENTRY_FIELDS
from groups.core.offset_rules import OFFSETS_LISTED_MAX
from groups.postgres.array_literals import Statement, arrays
from groups.store.sql import group_rows


class Write(Protocol):
    """One group's part of a batch (``groups.store.apply.Write``)."""

    @property
    def group_id(self) -> str:
        """The group."""
        ...

    @property
    def revision(self) -> int:
        """The group's revision after this write."""
        ...

    @property
    def decision(self) -> Decision:
        """The decision, with its entries and facts."""
        ...


class Line(NamedTuple):
    """An entry, and the group and revision that it is about."""

    group_id: str
    revision: int
    entry: JournalEntry


COLUMNS = ("group_id", "revision", *ENTRY_FIELDS)

OBJECTS = frozenset(["waited_for", "joined", "left", "details"])
"""Columns of JSON."""


def statements(writes: Sequence[Write], node_id: int) -> Iterator[Statement]:
    """The statements for all entries of the batch; entries about offsets come last."""
    entries = [(write, entry) for write in writes for entry in write.decision.journal]
    plain = [
        Line(write.group_id, write.revision, entry)
        for write, entry in entries
        if entry.offsets is None
    ]
    if plain:
        yield lines(plain, node_id)
    telling = [(write, entry) for write, entry in entries if entry.offsets is not None]
    if telling:
        yield (
            group_rows.ADD_JOURNAL_OF_OFFSETS,
            {
                **_of_offsets(telling),
                "node_id": node_id,
                "most": OFFSETS_LISTED_MAX,
            },
        )


def lines(entries: Sequence[Line], node_id: int) -> Statement:
    """The statement for entries that are not about offsets."""
    rows = [_row(line) for line in entries]
    return group_rows.ADD_JOURNAL, {**arrays(COLUMNS, rows), "node_id": node_id}


def _of_offsets(entries: Sequence[tuple[Write, JournalEntry]]) -> Mapping[str, Any]:
    """The columns of the entries, with numbers, and of the partitions of each."""
    rows = [
        (*_row(Line(write.group_id, write.revision, entry)), number, entry.offsets is All.OFFSETS)
        for number, (write, entry) in enumerate(entries)
    ]
    partitions = [
        (number, *partition)
        for number, (_, entry) in enumerate(entries)
        if not isinstance(entry.offsets, All)
        for partition in entry.offsets or ()
    ]
    parts = ("part_of", "topic", "partition")
    return {
        **arrays((*COLUMNS, "number", "has_all"), rows),
        **(arrays(parts, partitions) if partitions else dict.fromkeys(parts, "{}")),
    }


def _row(line: Line) -> tuple[Any, ...]:
    entry = line.entry
    values = ((name, getattr(entry, name)) for name in ENTRY_FIELDS)
    if entry.why is not None:
        explained = {**entry.details, WHY: entry.why.encoded()}
        values = ((name, explained if name == "details" else value) for name, value in values)
    columns = (json.dumps(_plain(v)) if name in OBJECTS else v for name, v in values)
    return (line.group_id, line.revision, *columns)


def _plain(value: Mapping[str, Any] | Sequence[str]) -> Any:
    return dict(value) if isinstance(value, Mapping) else value
