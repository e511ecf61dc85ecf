"""Folders of Parquet files, of this machine or an object store: ``OUTPUT/TABLE/run=N``.

A table is complete when its ``_SUCCESS`` is there, which Spark writes last; readers take the newest
complete one. The driver lists and deletes by pyarrow, executors write by Spark: both understand the
same addresses. Does not know the contents of a table.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa
from pyarrow import dataset, fs, parquet
from pyspark.sql import DataFrame

TABLES_KEPT: Final = 3
"""Each is about as large as the journal, compressed; reports can be computed again from one."""

LOCAL: Final = "file://"

COMPLETE: Final = "_SUCCESS"
RUN: Final = "run"

ROW_GROUP_BYTES: Final = 128 << 20
"""Of a table that is read whole."""

ROW_GROUP_BYTES_BY_GROUPS: Final = 1 << 20
"""Of one that is sorted, and of which some groups are read: the least that is read."""

BLOCK_BYTES: Final = 1 << 20
"""What is read at a time of a file that is copied."""


@dataclass(frozen=True, slots=True)
class Output:
    """Where tables go: a URI."""

    address: str

    @classmethod
    def at(cls, place: str) -> "Output":
        """Of a URI, or a folder of this machine, which all executors must share. Its path is as it
        is, without escapes: Hadoop, by which Spark writes, takes ``%20`` for three characters."""
        return cls(place.rstrip("/") if "://" in place else f"{LOCAL}{Path(place).absolute()}")

    def of(self, table: str, run_id: int) -> str:
        """The address of a run's table."""
        return f"{self.address}/{table}/{RUN}={run_id}"

    def within(self, folder: str) -> "Output":
        """A folder in it."""
        return Output(f"{self.address}/{folder}")

    def write(self, frame: DataFrame, table: str, run_id: int) -> str:
        """Write a table of a run and return its address; incomplete ones are deleted first, since
        they may be what fills the disk: only one analysis runs at a time."""
        self.clear(table)
        address = self.of(table, run_id)
        write(frame, address)
        return address

    def clear(self, table: str) -> None:
        """Delete what failed runs have left."""
        for address in self.runs(table).values():
            if not exists(f"{address}/{COMPLETE}"):
                delete(address)

    def tidy(self, table: str, run_id: int) -> None:
        """Delete all but those of this run and the few before it. Greater numbers are of a database
        that is gone: numbers begin again with a restored backup, or another database."""
        there = sorted(run for run in self.runs(table) if run <= run_id)
        self.keep(table, there[-TABLES_KEPT:])

    def runs(self, table: str) -> Mapping[int, str]:
        """The addresses of a table by runs, complete or not."""
        return numbered(f"{self.address}/{table}", RUN)

    def keep(self, table: str, run_ids: Collection[int]) -> None:
        """Delete the tables of all other runs."""
        for run_id, address in self.runs(table).items():
            if run_id not in run_ids:
                delete(address)


def write(frame: DataFrame, address: str, row_group_bytes: int = ROW_GROUP_BYTES) -> None:
    """Write a table, in place of what is there."""
    writer = frame.write.mode("overwrite").option("compression", "zstd")
    writer.option("parquet.block.size", row_group_bytes).parquet(address)


def write_rows(schema: pa.Schema, batches: Iterable[pa.RecordBatch], address: str) -> None:
    """The same of rows that this process has; without rows the file is there, for its columns."""
    files, folder = opened(address)
    if files.get_file_info(folder).type != fs.FileType.NotFound:
        files.delete_dir(folder)
    files.create_dir(folder, recursive=True)
    place = f"{folder}/part-0.parquet"
    with parquet.ParquetWriter(place, schema, filesystem=files, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)
    with files.open_output_stream(f"{folder}/{COMPLETE}"):
        pass


def read_rows(address: str) -> pa.Table:
    """All rows of a small table."""
    files, folder = opened(address)
    return dataset.dataset(folder, filesystem=files, format="parquet").to_table()


def write_lines(frame: DataFrame, address: str) -> None:
    """Write the only column, a line for each row, in place of what is there."""
    frame.write.mode("overwrite").text(address)


def read_lines(address: str) -> Iterator[bytes]:
    """What ``write_lines`` has written, in blocks, which need not end with a line. Raises
    ``OSError`` where it has not."""
    files, folder = opened(address)
    for info in files.get_file_info(fs.FileSelector(folder)):
        if info.base_name.startswith("part-"):
            with files.open_input_stream(info.path) as stream:
                while block := stream.read(BLOCK_BYTES):
                    yield bytes(block)


def clear(address: str) -> None:
    """Delete a folder, if it is there."""
    if exists(address):
        delete(address)


def numbered(address: str, key: str) -> dict[int, str]:
    """The addresses of the folders ``KEY=N`` by their numbers."""
    named = {re.fullmatch(rf"{key}=(\d+)", name): name for name in children(address)}
    return {int(found[1]): f"{address}/{name}" for found, name in named.items() if found}


def children(address: str) -> list[str]:
    """The names of what is in a folder, if there is one."""
    files, folder = opened(address)
    selector = fs.FileSelector(folder, allow_not_found=True)
    return [info.base_name for info in files.get_file_info(selector)]


def exists(address: str) -> bool:
    """Whether it is there."""
    files, path = opened(address)
    return bool(files.get_file_info(path).type != fs.FileType.NotFound)


def delete(address: str) -> None:
    """Delete a folder."""
    files, folder = opened(address)
    files.delete_dir(folder)


def read_text(address: str) -> str:
    """A small file."""
    files, path = opened(address)
    with files.open_input_stream(path) as stream:
        return bytes(stream.read()).decode()


def write_text(address: str, text: str) -> None:
    """A small file, and its folder: complete, or not there."""
    files, path = opened(address)
    files.create_dir(path.rpartition("/")[0], recursive=True)
    with files.open_output_stream(f"{path}.new") as stream:
        stream.write(text.encode())
    files.move(f"{path}.new", path)


def escaped(address: str) -> str:
    """The address as a URL, for programs that take ``%20`` for a space."""
    is_local = address.startswith(LOCAL)
    return Path(address.removeprefix(LOCAL)).as_uri() if is_local else address


def opened(address: str) -> tuple[fs.FileSystem, str]:
    """The file system of an address, and the path there."""
    if address.startswith(LOCAL):
        return fs.LocalFileSystem(), address.removeprefix(LOCAL)
    found: tuple[fs.FileSystem, str] = fs.FileSystem.from_uri(
        re.sub("^s3a:", "s3:", address)  # Hadoop's name for S3
    )
    return found
