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
from pipeline.sources.pull import New
from pipeline.steps import incremental_run
from pipeline.steps.increments import Increment

WRITE, LAYER, SUCCEED = incremental_run.write_batch, Increment.table, runs.succeed


def die(*_: Any, **__: Any) -> Any:
    """Now, and everything that was started for it."""
    os.killpg(0, signal.SIGKILL)


def in_the_read(self: New) -> Any:
    """Some rows are there, and nothing is written."""
    die(next(READ(self)))


READ = New.here


def in_the_write(job: Any, history: History, found: New) -> None:
    """Some of the bytes are there, and the table looks complete."""
    WRITE(job, history, found)
    files, folder = folders.opened(history.bronze.of(found.table.NAME, job.run_id))
    for info in files.get_file_info(fs.FileSelector(folder)):
        if info.path.endswith(".parquet"):
            with files.open_input_stream(info.path) as stream:
                some = stream.read(info.size // 2)
            with files.open_output_stream(info.path) as stream:
                stream.write(some)
            die()


def before_the_cursor(job: Any, history: History, found: New) -> None:
    """What is new in a table is written, and it is noted nowhere."""
    WRITE(job, history, found)
    die()


NOTE = History.note_extent


def after_the_cursor(self: History, run: int, extent: Any) -> None:
    """What was read counts, and nothing is computed of it."""
    NOTE(self, run, extent)
    die()


def after_a_layer(self: Increment, step: Any) -> None:
    """Some tables are computed, and the run does not count yet."""
    LAYER(self, step)
    die()


def in_the_flip(*arguments: Any, **_: Any) -> Any:
    """Rows are written, and the transaction has not ended."""
    connection, run_id, read, described, rows, replaced = arguments

    def some() -> Any:
        yield next(iter(rows))
        die()

    return SUCCEED(connection, run_id, read, described, some(), replaced)


POINTS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "read": (New, "here", in_the_read),
    "write": (incremental_run, "write_batch", in_the_write),
    "cursor": (incremental_run, "write_batch", before_the_cursor),
    "noted": (History, "note_extent", after_the_cursor),
    "layer": (Increment, "table", after_a_layer),
    "flip": (runs, "succeed", in_the_flip),
    "flipped": (History, "tidy", die),
}

if __name__ == "__main__":
    point, output = sys.argv[1:]
    where, name, instead = POINTS[point]
    setattr(where, name, instead)
    sys.exit(main(["run", "--incremental", "--output", output]))
