"""``python -m pipeline``: analyse the journal once. ``spark-submit pipeline/__main__.py`` does too.

Ends with status 0 after a report, 1 when something went wrong or another analysis is at work, 2
when something is missing that only people can bring; the sentence is on standard error.
"""

import argparse
import getpass
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

if not __package__:  # spark-submit puts this folder on the path, not the one above
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from pipeline import console, paths
from pipeline.session import session

WRONG, MISSING = 1, 2


def main(arguments: Sequence[str]) -> int:
    """Run the analysis, and print the result."""
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _end)
    if options.until_eof:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    try:
        print(_analyse(options.output, options.requested_by))
    except paths.Unconfigured as missing:
        print(missing, file=sys.stderr)
        return MISSING
    except KeyboardInterrupt:
        print("The analysis was told to end.", file=sys.stderr)
        return WRONG
    except Exception as error:
        from pipeline.results.runs import AlreadyRunning, sentence

        what = "" if isinstance(error, AlreadyRunning) else "The analysis failed: "
        print(f"{what}{sentence(error)}", file=sys.stderr)
        return WRONG
    return 0


def _analyse(output: Path | None, requested_by: str) -> str:
    conninfo = paths.conninfo()
    folder = output or paths.data_dir() / "pipeline" / "rebalances"
    try:
        from pipeline.jobs import rebalances
    except ModuleNotFoundError as missing:
        raise paths.Unconfigured(
            f"The pipeline needs {missing.name}: install rollcall[spark]."
        ) from None
    return console.result_text(rebalances.run(conninfo, folder.absolute(), session, requested_by))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pipeline", description=__doc__)
    who = "who asked, for the report's run; default: the user of this machine; empty: the schedule"
    parser.add_argument("--requested-by", default=_by_hand(), help=who)
    parser.add_argument("--output", type=Path, help="where the tables of Parquet files go")
    parser.add_argument(
        "--until-eof", action="store_true", help="end when standard input does: a worker's pipe"
    )
    return parser


def _by_hand() -> str:
    """Who runs it, where neither a schedule nor a user of the admin does."""
    try:
        return f"{getpass.getuser()}, by hand"
    except (KeyError, OSError):  # a container's user may have no name
        return "somebody, by hand"


def _end(number: int, frame: FrameType | None) -> None:
    """End as by Ctrl-C, once: roll back current work and wait for Java."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt("The analysis was told to end.")


def _end_with_stdin() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
