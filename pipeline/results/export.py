"""Tables and reports of the newest run, copied to a folder or an object store in a format of
others' programs.

Needs no Java: pyarrow reads and writes; Delta by ``deltalake``, where the group ``delta``
is installed. An export is repeated without harm: it replaces what is there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

import psycopg
import pyarrow as pa

from pipeline.datasets.dataset import Dataset
from pipeline.results import folders
from pipeline.results.folders import COMPLETE, Output
from pipeline.results.history import INCREMENTS, History, histories
from pipeline.results.parts import TYPES, Part, Parts

NEWEST: Final = """
SELECT id, reports FROM rollcall_report_run WHERE state = 'succeeded' ORDER BY id DESC LIMIT 1
"""

ROWS: Final = """
SELECT period, keys, figures FROM rollcall_report_run_row
WHERE run_id = %s AND report = %s ORDER BY id
"""

BATCH_ROWS: Final = 10_000

Writer = Callable[[pa.RecordBatchReader, Output, str, int], str]
"""Takes rows, the destination, the table's name and the run; returns the address."""


class NothingToExport(Exception):
    """No run has succeeded."""


class Lacking(Exception):
    """A format needs a package that is not installed; the text says which."""


class IsItself(Exception):
    """The tables would be written over themselves."""


class Table(NamedTuple):
    """What is exported: a name, and its rows, which can be read once."""

    name: str
    rows: pa.RecordBatchReader


def export(
    conninfo: str, output: Output, to: Output, form: str, tables: Mapping[str, type[Dataset]]
) -> Mapping[str, str]:
    """Copy these tables of files and all reports of the newest run; the addresses by name. Raises
    ``NothingToExport``, ``Lacking`` and ``IsItself``."""
    if to == output:
        raise IsItself(f"{to.address} is where the tables are: an export goes elsewhere.")
    write = FORMATS[form]
    with psycopg.connect(conninfo) as connection:
        found = connection.execute(NEWEST).fetchone()
        if found is None:
            raise NothingToExport("There is no run of the pipeline yet: start `make analyze`.")
        run_id, reports = found
        each = [*_tables(output, tables, run_id), *_reports(connection, run_id, reports)]
        return {table.name: write(table.rows, to, table.name, run_id) for table in each}


def _tables(output: Output, tables: Mapping[str, type[Dataset]], run_id: int) -> Iterator[Table]:
    """Those of the run: each in a folder of its own, or in layers of an incremental one. A run of
    some reports has not all of them."""
    layers = _layers(output, run_id)
    for name, table in tables.items():
        own = output.of(name, run_id)
        if folders.exists(f"{own}/{COMPLETE}"):
            yield Table(name, Parts(table, [Part(own)]).reader())
        elif layers is not None:
            history, runs = layers
            yield Table(name, history.layered(table, runs).reader())


def _layers(output: Output, run_id: int) -> tuple[History, Sequence[int]] | None:
    """Those of the run, if it was an incremental one."""
    increments = output.within(INCREMENTS)
    for name in histories(increments):
        history = History(increments.within(name))
        state = history.state([run_id])
        if state is not None:
            return history, state.layers
    return None


def _reports(
    connection: psycopg.Connection[Any], run_id: int, reports: Sequence[Mapping[str, Any]]
) -> Iterator[Table]:
    for report in reports:
        columns = [*report["keys"], *report["figures"]]
        fields = [("period", pa.string()), *((c["name"], TYPES[c["type"]]) for c in columns)]
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
    folders.write_rows(rows.schema, rows, address)
    return address


def _delta(rows: pa.RecordBatchReader, to: Output, name: str, run_id: int) -> str:
    """``TO/NAME``: one table, of which each export is a version; the number of the run is in its
    log."""
    try:
        from deltalake import CommitProperties, write_deltalake
    except ModuleNotFoundError:
        raise Lacking("Delta needs deltalake: `make analyze` installs it.") from None
    address = folders.escaped(f"{to.address}/{name}").replace("s3a://", "s3://", 1)
    said = CommitProperties(custom_metadata={"rollcall.run": str(run_id)})
    write_deltalake(
        address, rows, mode="overwrite", schema_mode="overwrite", commit_properties=said
    )
    return address


FORMATS: Final[Mapping[str, Writer]] = {"parquet": _parquet, "delta": _delta}
