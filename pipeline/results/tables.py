"""Tables as folders of Parquet files: whole under their name, or not there.

A table of run 7 is the folder ``run=7``; while it is written it has another name. The folder
above must be one that all executors see. Knows nothing of what a table holds.
"""

import shutil
from pathlib import Path

from pyspark.sql import DataFrame

TABLES_KEPT = 3
"""Each is about as large as the journal, compressed; a report can be made again from one."""


def write(table: DataFrame, folder: Path, run_id: int) -> Path:
    """Write a table of a run and return its place; older ones than the newest few go."""
    folder.mkdir(parents=True, exist_ok=True)
    partial, whole = folder / f".run={run_id}.partial", folder / f"run={run_id}"
    table.write.mode("overwrite").option("compression", "zstd").parquet(address(partial))
    if whole.exists():  # of a database that began anew
        shutil.rmtree(whole)
    partial.rename(whole)
    _tidy(folder)
    return whole


def address(table: Path) -> str:
    """Where Spark finds it: a folder of this machine, whatever the file system of a cluster is."""
    return f"file:{table}"


def _tidy(folder: Path) -> None:
    """What runs that died have left goes too: only one analysis is at work."""
    newest = sorted(folder.glob("run=*"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for old in (*newest[TABLES_KEPT:], *folder.glob(".run=*.partial")):
        shutil.rmtree(old, ignore_errors=True)
