"""Journal entries as SQL of the store's transactions; those about committed offsets say what these
were until now. Pure.

They are written ahead of the offsets, so that what is told of before is what is there before. Only
what somebody asked for is told so: an entry of this kind reads as many rows as it tells.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from groups.core.group import All, Decision, JournalEntry
from groups.core.journal import TOLD
from groups.core.offset_rules import OFFSETS_TOLD_MAX
from groups.postgres.array_literals import array
from groups.store.sql import group_rows

Statement = tuple[str, Mapping[str, Any]]


class Write(Protocol):
    """One group's part of a batch, as ``groups.store.apply`` has it."""

    @property
    def group_id(self) -> str:
        """Whose entries these are."""
        ...

    @property
    def revision(self) -> int:
        """The group's, once this is written."""
        ...

    @property
    def decision(self) -> Decision:
        """What was decided, its entries among it."""
        ...


COLUMNS = ("group_id", "revision", *TOLD)

OBJECTS = frozenset(["waited_for", "joined", "left", "details"])
"""Columns of JSON."""


def statements(writes: Sequence[Write], node_id: int) -> Iterator[Statement]:
    """Every entry of the batch; those that tell of offsets behind the others."""
    entries = [(write, entry) for write in writes for entry in write.decision.journal]
    plain = [_row(write, entry) for write, entry in entries if entry.offsets is None]
    if plain:
        yield group_rows.ADD_JOURNAL, {**_columns(COLUMNS, plain), "node_id": node_id}
    telling = [(write, entry) for write, entry in entries if entry.offsets is not None]
    if telling:
        yield (
            group_rows.ADD_JOURNAL_OF_OFFSETS,
            {
                **_of_offsets(telling),
                "node_id": node_id,
                "most": OFFSETS_TOLD_MAX,
            },
        )


def _of_offsets(entries: Sequence[tuple[Write, JournalEntry]]) -> Mapping[str, Any]:
    """Numbered entries, and beside them the partitions of each."""
    rows = [
        (*_row(write, entry), number, entry.offsets is All.OFFSETS)
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
        **_columns((*COLUMNS, "number", "has_all"), rows),
        **(_columns(parts, partitions) if partitions else dict.fromkeys(parts, "{}")),
    }


def _columns(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    columns = zip(*rows, strict=True)
    return {name: array(column) for name, column in zip(names, columns, strict=True)}


def _row(write: Write, entry: JournalEntry) -> tuple[Any, ...]:
    values = ((name, getattr(entry, name)) for name in TOLD)
    told = (json.dumps(_plain(v)) if name in OBJECTS else v for name, v in values)
    return (write.group_id, write.revision, *told)


def _plain(value: Mapping[str, Any] | Sequence[str]) -> Any:
    return dict(value) if isinstance(value, Mapping) else value
