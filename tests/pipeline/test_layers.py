"""Tables of files without Spark: their types, layers of them, and what was read. No Java."""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.datasets.lives import Ownership
from pipeline.results import export, folders
from pipeline.results.folders import Output
from pipeline.results.history import Extent, History, State
from pipeline.results.parts import Parts
from pipeline.sources.tables import TABLES
from pipeline.steps.table import STEPS

SCHEMA = Parts(Ownership, ()).schema

NONE: frozenset[str] = frozenset()


@pytest.fixture
def history(tmp_path: Path) -> History:
    """Three layers: all groups, then two that are computed again, one of them twice; and one in
    which nothing is left of a group."""
    made = History.of(Output.at(str(tmp_path)), "jump-layout")
    for run, groups, left in (
        (1, "abcd", "abcd"),
        (2, "ab", "ab"),
        (3, "bc", "bc"),
        (4, "ad", "d"),
    ):
        made.note_groups(frozenset(groups), run)
        address = made.layers.of(Ownership.NAME, run)
        folders.write_rows(SCHEMA, owned(left, run).to_batches(), address)
    return made


def owned(groups: Iterable[str], life: int) -> pa.Table:
    """An interval of each group, with this life."""
    row = {"life": life, "topic": "t", "partition": 0, "from_at": datetime(2026, 1, 1, tzinfo=UTC)}
    return pa.Table.from_pylist([{**row, "group_id": name} for name in groups], schema=SCHEMA)


@pytest.mark.parametrize(
    ("runs", "of", "without", "found"),
    [
        ([1], None, NONE, {"a": 1, "b": 1, "c": 1, "d": 1}),
        ([1, 2, 3], None, NONE, {"a": 2, "b": 3, "c": 3, "d": 1}),
        ([1, 2, 3, 4], None, NONE, {"b": 3, "c": 3, "d": 4}),
        ([1, 2, 3], frozenset("bd"), NONE, {"b": 3, "d": 1}),
        ([1, 2, 3], None, frozenset("b"), {"a": 2, "c": 3, "d": 1}),
    ],
)
def test_the_rows_of_a_group_are_those_of_the_newest_layer_that_has_computed_it(
    history: History,
    runs: list[int],
    of: frozenset[str] | None,
    without: frozenset[str],
    found: dict[str, int],
) -> None:
    parts = history.layered(Ownership, runs, of, without)
    rows = parts.reader().read_all().to_pylist()
    assert {row["group_id"]: row["life"] for row in rows} == found
    assert parts.count(100) == len(rows) == len(found)


def test_what_was_read_is_noted_as_a_whole_and_what_is_old_is_left_out(history: History) -> None:
    assert history.extent() == Extent()
    first, second = (date(2026, 1, 1), date(2026, 1, 3)), (date(2026, 1, 2), date(2026, 2, 1))
    extent = Extent().with_more(5, {"lives": {"xid": 1}}, first)
    extent = extent.with_more(6, {"lives": {"xid": 2}, "journal": {"xid": 1}}, second)
    history.note_extent(6, extent)
    (Path(history.output.address.removeprefix("file://")) / "extents" / "run=7").mkdir()  # killed
    noted = history.extent()
    assert (noted.offsets, noted.runs) == ({"lives": {"xid": 2}, "journal": {"xid": 1}}, [5, 6])
    assert (noted.oldest(None), noted.oldest(second[0])) == (first[0], second[0])
    assert noted.behind(date(2026, 1, 4)).runs == [6]


def test_every_table_has_types_that_are_known_without_java() -> None:
    """`pipeline export` starts none."""
    for table in (*(step.output for step in STEPS), *(one.dataset for one in TABLES.values())):
        assert Parts(table, ()).schema.names == table.names()


def test_tidying_deletes_other_histories_and_nothing_else(history: History, tmp_path: Path) -> None:
    """A file that a file manager had left made every incremental run fail at its end."""
    own = Path(history.output.address.removeprefix("file://"))
    (own.parent / "other-jump-layout-3" / "bronze").mkdir(parents=True)
    (own.parent / ".DS_Store").touch()
    state = State(4, "2026-01-01T00:00:00+00:00", "code", [], [1, 2, 3, 4], "", 0, 0)
    history.note(state)
    history.tidy(state, Extent(), [Ownership.NAME])
    assert sorted(path.name for path in own.parent.iterdir()) == [".DS_Store", own.name]
    assert export._layers(Output.at(str(tmp_path)), 4) == (history, [1, 2, 3, 4])
