"""Tables of Parquet files, in a folder or an object store: ``OUTPUT/TABLE/run=N``.

A table is complete when its ``_SUCCESS`` is there, which Spark writes last; readers take the newest
complete one. The driver lists and deletes by pyarrow, executors write by Spark: both understand the
same addresses. Does not know the contents of a table.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pyarrow import fs
from pyspark.sql import DataFrame

TABLES_KEPT: Final = 3
"""Each is about as large as the journal, compressed; reports can be computed again from one."""

COMPLETE: Final = "_SUCCESS"
RUN: Final = re.compile(r"run=(\d+)")


@dataclass(frozen=True, slots=True)
class Output:
    """Where tables go: a URI."""

    address: str

    @classmethod
    def at(cls, place: str) -> "Output":
        """Of a URI, or a folder of this machine, which all executors must share."""
        return cls(place.rstrip("/") if "://" in place else Path(place).absolute().as_uri())

    def of(self, table: str, run_id: int) -> str:
        """The address of a run's table."""
        return f"{self.address}/{table}/run={run_id}"

    def write(self, frame: DataFrame, table: str, run_id: int) -> str:
        """Write a table of a run and return its address; incomplete ones are deleted first, since
        they may be what fills the disk: only one analysis runs at a time."""
        self.clear(table)
        address = self.of(table, run_id)
        frame.write.mode("overwrite").option("compression", "zstd").parquet(address)
        return address

    def clear(self, table: str) -> None:
        """Delete what failed runs have left."""
        files, folder = self._opened(table)
        for path in _runs(files, folder).values():
            if files.get_file_info(f"{path}/{COMPLETE}").type == fs.FileType.NotFound:
                files.delete_dir(path)

    def tidy(self, table: str) -> None:
        """Delete all but the newest few."""
        files, folder = self._opened(table)
        found = _runs(files, folder)
        for run_id in sorted(found)[:-TABLES_KEPT]:
            files.delete_dir(found[run_id])

    def _opened(self, table: str) -> tuple[fs.FileSystem, str]:
        return opened(f"{self.address}/{table}")


def opened(address: str) -> tuple[fs.FileSystem, str]:
    """The file system of an address, and the path there."""
    files, folder = fs.FileSystem.from_uri(re.sub("^s3a:", "s3:", address))  # Hadoop's name for S3
    return files, folder


def _runs(files: fs.FileSystem, folder: str) -> dict[int, str]:
    """The folders of runs by their numbers."""
    within = files.get_file_info(fs.FileSelector(folder, allow_not_found=True))
    named = ((RUN.fullmatch(info.base_name), info.path) for info in within)
    return {int(match[1]): path for match, path in named if match is not None}
