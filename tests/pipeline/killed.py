"""An incremental run that is killed with kill -9, its Java with it, at the point that is named.

``python -m tests.pipeline.killed POINT OUTPUT``, in a process group of its own.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from pyarrow import fs

from pipeline.command import main
from pipeline.results import folders, runs
from pipeline.results.history import History
from pipeline.steps.increments import Increment

WRITE, LAYER, SUCCEED = folders.write, Increment.table, runs.succeed


def die(*_: Any, **__: Any) -> Any:
    """Now, and everything that was started for it."""
    os.killpg(0, signal.SIGKILL)


def in_the_read(self: History, dataset: Any, frame: Any, number: int) -> None:
    """Executors have begun to read, and nothing is written."""
    die(frame.limit(3).collect())


def in_the_write(frame: Any, address: str, *by: str) -> None:
    """Some of the files are there, and they look like all."""
    WRITE(frame, address, *by)
    if by:
        files, folder = fs.FileSystem.from_uri(address)
        found = files.get_file_info(fs.FileSelector(folder, recursive=True))
        parts = [info.path for info in found if info.path.endswith(".parquet")]
        for path in parts[::2]:
            files.delete_file(path)
        if parts:
            files.delete_file(f"{folder}/{folders.COMPLETE}")
            die()


def before_the_cursor(frame: Any, address: str, *by: str) -> None:
    """A batch is written, and Spark does not know it."""
    WRITE(frame, address, *by)
    if by:
        die()


def after_a_layer(self: Increment, step: Any) -> None:
    """Some tables are computed, and the run does not count yet."""
    LAYER(self, step)
    die()


def in_the_flip(*arguments: Any, **_: Any) -> Any:
    """Rows are written, and the transaction has not ended."""
    connection, run_id, read, described, rows, unchanged = arguments

    def some() -> Any:
        yield next(iter(rows))
        die()

    return SUCCEED(connection, run_id, read, described, some(), unchanged)


POINTS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "read": (History, "write_batch", in_the_read),
    "write": (folders, "write", in_the_write),
    "cursor": (folders, "write", before_the_cursor),
    "layer": (Increment, "table", after_a_layer),
    "flip": (runs, "succeed", in_the_flip),
    "flipped": (History, "tidy", die),
}

if __name__ == "__main__":
    point, output = sys.argv[1:]
    where, name, instead = POINTS[point]
    setattr(where, name, instead)
    sys.exit(main(["run", "--incremental", "--output", output]))
