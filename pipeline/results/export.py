"""Tables and reports of the newest run, copied to a folder or an object store in a format of
others' programs.

Needs no Java: pyarrow reads and writes; Delta by ``deltalake``, where the extra ``rollcall[delta]``
is installed. An export is repeated without harm: it replaces what is there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, Final, NamedTuple

import psycopg
import pyarrow as pa
from pyarrow import dataset, fs, parquet

from pipeline.results.folders import COMPLETE, Output, opened
from pipeline.results.history import GROUPS, History

NEWEST: Final = """
SELECT id, reports FROM rollcall_report_run WHERE state = 'succeeded' ORDER BY id DESC LIMIT 1
"""

ROWS: Final = """
SELECT period, keys, figures FROM rollcall_report_row WHERE run_id = %s AND report = %s ORDER BY id
"""

BATCH_ROWS: Final = 10_000

KINDS: Final[Mapping[str, pa.DataType]] = {
    "string": pa.string(),
    "bigint": pa.int64(),
    "int": pa.int32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}
"""The types of reports' columns."""

MICROSECONDS: Final = dataset.ParquetFileFormat(
    read_options=dataset.ParquetReadOptions(coerce_int96_timestamp_unit="us")
)
"""As PostgreSQL has times; Spark's files say nanoseconds, which Delta does not know."""

Writer = Callable[[pa.RecordBatchReader, Output, str, int], str]
"""Takes rows, the destination, the table's name and the run; returns the address."""


class NothingToExport(Exception):
    """No run has succeeded."""


class Lacking(Exception):
    """A format needs a package that is not installed; the text says which."""


class Table(NamedTuple):
    """What is exported: a name, and its rows, which can be read once."""

    name: str
    rows: pa.RecordBatchReader


def export(
    conninfo: str, output: Output, to: Output, form: str, tables: Sequence[str]
) -> Mapping[str, str]:
    """Copy these tables of files and all reports of the newest run; the addresses by name. Raises
    ``NothingToExport`` and ``Lacking``."""
    write = FORMATS[form]
    with psycopg.connect(conninfo) as connection:
        found = connection.execute(NEWEST).fetchone()
        if found is None:
            raise NothingToExport("There is no run of the pipeline yet: start `make analyze`.")
        run_id, reports = found
        each = [*_tables(output, tables, run_id), *_reports(connection, run_id, reports)]
        return {table.name: write(table.rows, to, table.name, run_id) for table in each}


def _tables(output: Output, names: Sequence[str], run_id: int) -> Iterator[Table]:
    """Those that the run has written; one that was for some reports alone has not all of them."""
    incremental = History.with_run(output, run_id)
    for name in names:
        files, folder = opened(output.of(name, run_id))
        if files.get_file_info(f"{folder}/{COMPLETE}").type != fs.FileType.NotFound:
            yield Table(name, _in_utc(_read(output.of(name, run_id)).scanner().to_reader()))
        elif incremental is not None:
            history, state = incremental
            yield Table(name, _in_utc(_layered(history.layers, name, state.layers)))


def _read(address: str) -> dataset.Dataset:
    files, folder = opened(address)
    return dataset.dataset(folder, filesystem=files, format=MICROSECONDS)


def _layered(layers: Output, name: str, run_ids: Sequence[int]) -> pa.RecordBatchReader:
    """Of each group the rows of the newest layer that has computed it, as ``History.layered``."""
    first, *_ = run_ids
    readers, later = [], pa.array([], pa.string())
    for run_id in reversed(run_ids):
        others = ~dataset.field("group_id").isin(later)
        readers.append(_read(layers.of(name, run_id)).scanner(filter=others).to_reader())
        if run_id != first:
            groups = _read(layers.of(GROUPS, run_id)).to_table()["group_id"].combine_chunks()
            later = pa.concat_arrays([later, groups])
    return pa.RecordBatchReader.from_batches(readers[-1].schema, chain.from_iterable(readers))


def _in_utc(rows: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """Spark's files do not say that their times are in UTC."""
    schema = pa.schema(
        [
            field.with_type(KINDS["timestamp"]) if pa.types.is_timestamp(field.type) else field
            for field in rows.schema
        ]
    )
    return pa.RecordBatchReader.from_batches(schema, (batch.cast(schema) for batch in rows))


def _reports(
    connection: psycopg.Connection[Any], run_id: int, reports: Sequence[Mapping[str, Any]]
) -> Iterator[Table]:
    for report in reports:
        columns = [*report["keys"], *report["figures"]]
        fields = [("period", pa.string()), *((c["name"], KINDS[c["type"]]) for c in columns)]
        schema = pa.schema(fields)
        batches = _batches(connection, run_id, report["name"], schema)
        yield Table(report["name"], pa.RecordBatchReader.from_batches(schema, batches))


def _batches(
    connection: psycopg.Connection[Any], run_id: int, report: str, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    with connection.cursor(name="export") as cursor:
        cursor.execute(ROWS, [run_id, report])
        while rows := cursor.fetchmany(BATCH_ROWS):
            values = [{"period": period, **keys, **figures} for period, keys, figures in rows]
            arrays = [
                pa.array([_typed(field, row.get(field.name)) for row in values], type=field.type)
                for field in schema
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _typed(field: pa.Field, value: Any) -> Any:
    is_time = pa.types.is_timestamp(field.type) and value is not None
    return datetime.fromisoformat(value) if is_time else value


def _parquet(rows: pa.RecordBatchReader, to: Output, name: str, run_id: int) -> str:
    """``TO/NAME/run=N``; complete when ``_SUCCESS`` is there, as the pipeline's own tables are."""
    address = to.of(name, run_id)
    files, folder = opened(address)
    if files.get_file_info(folder).type != fs.FileType.NotFound:
        files.delete_dir(folder)
    files.create_dir(folder, recursive=True)
    place = f"{folder}/part-0.parquet"  # also without rows, for their schema
    with parquet.ParquetWriter(place, rows.schema, filesystem=files, compression="zstd") as writer:
        for batch in rows:
            writer.write_batch(batch)
    with files.open_output_stream(f"{folder}/{COMPLETE}"):
        pass
    return address


def _delta(rows: pa.RecordBatchReader, to: Output, name: str, run_id: int) -> str:
    """``TO/NAME``: one table, of which each export is a version; the number of the run is in its
    log."""
    try:
        from deltalake import CommitProperties, write_deltalake
    except ModuleNotFoundError:
        raise Lacking("Delta needs deltalake: install rollcall[delta].") from None
    address = f"{to.address}/{name}".replace("s3a://", "s3://", 1)
    said = CommitProperties(custom_metadata={"rollcall.run": str(run_id)})
    write_deltalake(
        address, rows, mode="overwrite", schema_mode="overwrite", commit_properties=said
    )
    return address


FORMATS: Final[Mapping[str, Writer]] = {"parquet": _parquet, "delta": _delta}
