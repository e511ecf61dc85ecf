"""Tables as folders of Parquet files: complete under their name, or not there.

A table of run 7 is the folder ``run=7``; while it is written it has another name. All executors
must be able to access the folder above. Does not know the contents of a table.
"""

import shutil
from pathlib import Path

from pyspark.sql import DataFrame

TABLES_KEPT = 3
"""Each is about as large as the journal, compressed; a report can be computed again from one."""


def write(table: DataFrame, folder: Path, run_id: int) -> Path:
    """Write a table of a run and return its path; all but the newest few are deleted."""
    folder.mkdir(parents=True, exist_ok=True)
    _clear(folder)
    partial, whole = folder / f".run={run_id}.partial", folder / f"run={run_id}"
    try:
        table.write.mode("overwrite").option("compression", "zstd").parquet(address(partial))
    except BaseException:
        _clear(folder)
        raise
    if whole.exists():  # from a database that was created again
        shutil.rmtree(whole)
    partial.rename(whole)
    _tidy(folder)
    return whole


def address(table: Path) -> str:
    """Where Spark finds it: a folder of this machine, whatever the file system of a cluster is."""
    return f"file:{table}"


def _tidy(folder: Path) -> None:
    newest = sorted(folder.glob("run=*"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for old in newest[TABLES_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def _clear(folder: Path) -> None:
    """Delete what failed runs have left, which may be what fills the disk: only one analysis runs
    at a time."""
    for partial in folder.glob(".run=*.partial"):
        shutil.rmtree(partial, ignore_errors=True)
