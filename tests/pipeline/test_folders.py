"""Folders of tables: of any name, and of databases that begin again."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import dataset

from pipeline.results import export, folders, rows
from pipeline.results.folders import COMPLETE, Output

NAMES = ("my data", "größe", "50%", "a%20b", "a+b=c,d@e", "#1?", "~", "tab\tx")

ROWS = pa.table({"group_id": ["a", "b"]})


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    """The driver read another folder than the one that Spark had written: reports were empty."""
    output = Output.at(str(tmp_path / name))
    assert output.address == f"file://{tmp_path / name}"  # as Hadoop takes it, without escapes
    address = output.of("t", 1)
    folders.write_rows(ROWS.schema, ROWS.to_batches(), address)
    assert (tmp_path / name / "t" / "run=1" / COMPLETE).exists()
    assert folders.read_rows(address) == ROWS
    assert [*output.runs("t")] == [1]
    output.keep("t", [])
    assert not (tmp_path / name / "t" / "run=1").exists()


@pytest.mark.parametrize(
    ("form", "name"),
    [
        (form, name)
        for form in export.FORMATS
        for name in NAMES
        if form != "delta" or name not in ("a%20b", "tab\tx")  # deltalake 1.6 takes neither
    ],
)
def test_an_export_goes_to_a_folder_of_any_name(tmp_path: Path, form: str, name: str) -> None:
    to = Output.at(str(tmp_path / name))
    rows = pa.RecordBatchReader.from_batches(ROWS.schema, ROWS.to_batches())
    export.FORMATS[form](rows, to, "t", 1)
    (file,) = (tmp_path / name / "t").rglob("*.parquet")
    assert dataset.dataset(str(file)).to_table() == ROWS


def test_tables_of_a_database_that_is_gone_are_not_kept_instead_of_a_new_run(
    tmp_path: Path,
) -> None:
    """Numbers of runs begin again with a restored backup: each run deleted its own tables, until
    its number was the greatest."""
    output = Output.at(str(tmp_path))
    for run_id in (3, 4, 5, 6, 97, 98, 99):
        folders.write_rows(ROWS.schema, ROWS.to_batches(), output.of("t", run_id))
    output.tidy("t", 6)
    assert sorted(output.runs("t")) == [4, 5, 6]


def test_rows_that_are_not_where_they_were_written_end_a_run(tmp_path: Path) -> None:
    """It succeeded, and its reports were empty."""
    with pytest.raises(FileNotFoundError, match="rows/cost"):
        [*rows.written(Output.at(str(tmp_path)), ["cost"])]
