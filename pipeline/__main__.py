"""``python -m pipeline``: analyse the journal once. ``spark-submit pipeline/__main__.py`` does too.

Ends with status 0 after a report, 1 when something went wrong, 2 when something is missing that
only people can bring; the sentence is on standard error.
"""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # for spark-submit

from pipeline import places
from pipeline.session import session

WRONG, MISSING = 1, 2
TOP = 10
HEADS = ("group", "trigger", "rebalances", "without owner", "moved")


def main(arguments: Sequence[str]) -> int:
    """Analyse, and tell the costliest rows."""
    wanted = _parser().parse_args(arguments)
    if wanted.until_eof:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    try:
        conninfo = places.conninfo()
        with session() as spark:
            from pipeline.jobs import rebalances

            output = wanted.output or places.data_dir() / "pipeline" / "rebalances"
            done = rebalances.run(spark, conninfo, output, wanted.requested_by)
    except places.Unconfigured as missing:
        print(missing, file=sys.stderr)
        return MISSING
    except Exception as error:
        print(f"The analysis failed: {type(error).__name__}: {error}", file=sys.stderr)
        return WRONG
    print(f"Run {done.run_id}: {done.events} journal entries, {done.rows} rows, {done.table}")
    rows = [(r[0], r[1], str(r[2]), f"{r[8]} ms", str(r[7])) for r in done.top[:TOP]]
    for row in (HEADS, *rows) if rows else ():
        print(f"{row[0]:<32.32}  {row[1]:<18.18}  {row[2]:>10}  {row[3]:>14}  {row[4]:>8}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pipeline", description=__doc__)
    parser.add_argument("--requested-by", default="", help="who asked, for the report's run")
    parser.add_argument("--output", type=Path, help="where the Parquet tables go")
    parser.add_argument(
        "--until-eof", action="store_true", help="end when standard input does: a worker's pipe"
    )
    return parser


def _end_with_stdin() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
