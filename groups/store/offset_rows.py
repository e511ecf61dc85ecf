"""The committed offsets of an owner's batch as SQL: a row for each, and their history.

Pure, a part of the statements of ``groups.store.apply``. Where clients commit several partitions at
once, these are sent as runs (``Run``), which are cheaper for PostgreSQL than as many rows
(docs/hot-path.md).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from groups.core.events import Author, OffsetWrite
from groups.core.group import Decision
from groups.postgres.array_literals import Statement, array, arrays, in_order, integers
from groups.postgres.array_literals import columns as columns_of
from groups.store.sql import group_rows

Row = tuple[Any, ...]
Part = tuple[str, Decision]
"""A group's id, and the decision about it."""

RUN_MIN = 2
"""Partitions of a run, on average, from which on runs are cheaper than rows."""

OFFSET_COLUMNS = (
    "group_id",
    "topic",
    "partition",
    "committed_offset",
    "leader_epoch",
    "metadata",
)
"""Those of every table of offsets."""

COLUMNS = (*OFFSET_COLUMNS, "commit_ms", "retention_ms")
AUTHOR_COLUMNS = Author._fields
HISTORY_COLUMNS = (*COLUMNS, *AUTHOR_COLUMNS)
"""Those of a row with its history."""
RUN_COLUMNS = ("group_id", "topic", "commit_ms", "retention_ms")

USUAL: Mapping[str, Any] = {
    "leader_epoch": -1,
    "metadata": "",
    "commit_ms": None,
    "retention_ms": None,
}
"""The values of nearly every commit. A column with only such values is sent empty: PostgreSQL fills
it with NULL, and the statement replaces that by the value."""

_key = itemgetter(*map(OffsetWrite._fields.index, ("topic", "partition")))
_shared = itemgetter(
    *map(OffsetWrite._fields.index, ("topic", "commit_timestamp_ms", "retention_ms", "author"))
)


class Run(NamedTuple):
    """Partitions of one topic that one client committed at once.

    Of the last four, one value for each partition, all but the offsets are array literals, since a
    commit is repeated with other offsets; None: each has the usual value.
    """

    group_id: str
    topic: str
    commit_ms: int | None
    retention_ms: int | None
    author: Author
    partitions: str | list[Any]
    offsets: Sequence[int]
    leader_epochs: str | list[Any] | None
    metadata: str | list[Any] | None


def statements(parts: Sequence[Part]) -> Iterator[Statement]:
    """Write the offsets of groups that have some; the groups are in key order."""
    rows = commits = 0
    for _, decision in parts:
        rows += len(decision.offsets)
        commits += len(decision.answers)  # each commit is answered: a run has one author
    runs = _runs(parts) if rows >= RUN_MIN * commits else None
    if runs is not None:
        yield of_runs(runs)
    else:
        yield from _rows(parts)


def _standing(decision: Decision) -> Sequence[OffsetWrite]:
    """The offsets to write of one group, in key order. A statement may write a row only once: of
    several commits to one partition the last one counts, and none that is deleted."""
    offsets = decision.offsets
    if decision.deleted or (len(offsets) <= 1 and not decision.offset_deletes):
        return () if decision.deleted else offsets
    last = _last(offsets, decision.offset_deletes)
    return [last[at] for at in in_order(last)]


def _last(
    offsets: Iterable[OffsetWrite], deletes: Iterable[tuple[str, int]]
) -> dict[tuple[str, int], OffsetWrite]:
    last = {offset[:2]: offset for offset in offsets}
    for at in deletes:
        last.pop(at, None)
    return last


# -- a row for each


def _rows(parts: Sequence[Part]) -> Iterator[Statement]:
    plain, authored = list[tuple[str, OffsetWrite]](), list[tuple[str, OffsetWrite]]()
    for group_id, decision in parts:
        for offset in _standing(decision):
            (plain if offset.author is None else authored).append((group_id, offset))
    if plain:
        yield group_rows.PUT_OFFSETS, _columns(plain)[0]
    if authored:
        columns, authors = _columns(authored)
        yield group_rows.PUT_OFFSETS_AND_HISTORY, {**columns, **_author_columns(authors)}


def _columns(
    rows: Sequence[tuple[str, OffsetWrite]],
) -> tuple[dict[str, Any], Sequence[Any]]:
    """The arrays of ``COLUMNS``, and the author of each commit."""
    group_ids, offsets = columns_of(rows)
    *stored, authors, _topic_ids = columns_of(offsets)
    columns = zip(COLUMNS, (group_ids, *stored), strict=True)
    return {name: unless_usual(name, column) for name, column in columns}, authors


def unless_usual(name: str, column: Sequence[Any]) -> str | list[Any]:
    """The array of a column, or an empty one."""
    if name in USUAL and column.count(USUAL[name]) == len(column):
        return "{}"
    return array(column)


def around(group_id: str, write: OffsetWrite, author: Author) -> tuple[Row, Row]:
    """The row of ``HISTORY_COLUMNS`` before and after its offset."""
    topic, partition, _, epoch, metadata, commit_ms, retention_ms, *_ = write
    return (group_id, topic, partition), (epoch, metadata, commit_ms, retention_ms, *author)


def with_history(rows: Sequence[Row]) -> Statement:
    """Write these rows of ``HISTORY_COLUMNS``, each of another partition, and their history."""
    columns = zip(HISTORY_COLUMNS, columns_of(rows), strict=True)
    return group_rows.PUT_OFFSETS_AND_HISTORY, {
        name: unless_usual(name, column) for name, column in columns
    }


def _author_columns(authors: Sequence[Author]) -> dict[str, Any]:
    return arrays(AUTHOR_COLUMNS, authors)


# -- runs


def _runs(parts: Sequence[Part]) -> list[Run] | None:
    """The runs of some groups; None: they are so short that rows are cheaper, or not all of them
    have a history."""
    runs: list[Run] = []
    for group_id, decision in parts:
        if not decision.deleted:
            runs += runs_of(group_id, decision.offsets, decision.offset_deletes)
    rows = sum(len(run.offsets) for run in runs)
    have_authors = all(run.author is not None for run in runs)
    return runs if runs and have_authors and rows >= RUN_MIN * len(runs) else None


def runs_of(
    group_id: str, offsets: Collection[OffsetWrite], deletes: Sequence[tuple[str, int]] = ()
) -> list[Run]:
    """Each client's, in the order of its commit; of several commits to one partition the last one.
    Rows need no order within a group: nobody else writes them while the group's own row is
    locked."""
    if deletes or len(set(map(_key, offsets))) < len(offsets):
        offsets = _last(offsets, deletes).values()
    runs = list[Run]()
    for (topic, ms, kept, author), those in groupby(offsets, _shared):
        _, partitions, at, epochs, notes, *_ = columns_of(list(those))
        others = _literal("leader_epoch", epochs), _literal("metadata", notes)
        runs.append(Run(group_id, topic, ms, kept, author, array(partitions), at, *others))
    return runs


def _literal(name: str, column: Sequence[Any]) -> str | list[Any] | None:
    return None if column.count(USUAL[name]) == len(column) else array(column)


def _unless_none(literals: Sequence[Any]) -> str | list[Any]:
    return "{}" if literals.count(None) == len(literals) else array(literals)


def of_runs(runs: Sequence[Run]) -> Statement:
    """Write these runs, all of different partitions, and their history."""
    *same, authors, partitions, offsets, epochs, metadata = columns_of(runs)
    columns = zip(RUN_COLUMNS, same, strict=True)
    return group_rows.PUT_RUNS_AND_HISTORY, {
        **{name: unless_usual(name, column) for name, column in columns},
        **_author_columns(authors),
        "partitions": array(partitions),
        "offsets": integers(offsets),
        "leader_epochs": _unless_none(epochs),
        "metadata": _unless_none(metadata),
    }
