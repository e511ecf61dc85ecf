"""The verbs of the command line."""

import argparse
import getpass
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from types import FrameType
from typing import TYPE_CHECKING

from pipeline import config, console
from pipeline.what_if import command as what_if
from pipeline.what_if import fleet_command as fleet

if TYPE_CHECKING:
    from pipeline.results.folders import Output

WRONG, MISSING = 1, 2

_said: list[str] = []
"""Why the process sends itself SIGTERM, which cannot say so."""

TOLD = "The analysis was told to end."
TOO_LONG = (
    "The analysis was ended after {:g} minutes: it may take no longer (--max-minutes; of those that"
    " the web and the schedule start, analysis.max.minutes)."
)


def main(arguments: Sequence[str]) -> int:
    """Run a verb and print its result; without one, ``run``."""
    options = _parser().parse_args(_with_verb(arguments))
    signal.signal(signal.SIGTERM, _end)
    if getattr(options, "until_eof", False):
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    if (minutes := getattr(options, "max_minutes", None)) is not None:
        _end_after(minutes)
    try:
        print(options.verb(options))
    except config.Unconfigured as missing:
        print(missing, file=sys.stderr)
        return MISSING
    except KeyboardInterrupt as told:
        print(str(told) or TOLD, file=sys.stderr)
        return WRONG
    except Exception as error:
        from pipeline.results.runs import AlreadyRunning, sentence

        called = getattr(options, "called", "The analysis")
        what = "" if isinstance(error, AlreadyRunning) else f"{called} failed: "
        print(f"{what}{sentence(error)}", file=sys.stderr)
        return WRONG
    return 0


def _with_verb(arguments: Sequence[str]) -> Sequence[str]:
    first = arguments[0] if arguments else ""
    is_option = first.startswith("--") and first != "--help"
    return ["run", *arguments] if not first or is_option else arguments


def _run(options: argparse.Namespace) -> str:
    console.progress("starting", 0)  # before the imports, which take a second
    conninfo = config.conninfo()
    with _lacking_recorded(conninfo, options.requested_by), config.extra():
        from pipeline.session import session
        from pipeline.steps import run
        from pipeline.steps.table import REPORTS
    reports = options.reports or [*REPORTS]
    if odd := [name for name in reports if name not in REPORTS]:
        raise config.Unconfigured(f"There is no report {odd[0]}: {', '.join(REPORTS)}.")
    if options.reports and options.is_incremental:
        raise config.Unconfigured("An incremental run computes all reports.")
    return console.result_text(
        run.run(
            conninfo, _output(options), session, options.requested_by, reports, console.progress,
            is_incremental=options.is_incremental,
        )
    )  # fmt: skip


@contextmanager
def _lacking_recorded(conninfo: str, requested_by: str) -> Iterator[None]:
    """A run that lacks a package is recorded as failed: whoever asked for it on a page looks for it
    there."""
    from pipeline.results import runs

    try:
        yield
    except config.Unconfigured:
        with runs.alone(conninfo) as connection, runs.recorded(connection, requested_by):
            raise


def _stream(options: argparse.Namespace) -> str:
    """Until it is told to end, or a run fails: one after the other, in one session."""
    console.progress("starting", 0)
    conninfo = config.conninfo()
    with config.extra():
        from pipeline.results.runs import AlreadyRunning
        from pipeline.session import session
        from pipeline.steps import run
    with session() as spark:
        while True:
            begun = time.monotonic()
            with suppress(AlreadyRunning):  # its report will do
                done = run.run(
                    conninfo, _output(options), lambda is_small: nullcontext(spark),
                    options.requested_by, note=console.progress, is_incremental=True,
                )  # fmt: skip
                print(console.result_text(done), flush=True)
            time.sleep(max(0.0, begun + options.every - time.monotonic()))


def _output(options: argparse.Namespace) -> "Output":
    from pipeline.results.folders import Output

    return Output.at(options.output or str(config.data_dir() / "pipeline"))


def _export(options: argparse.Namespace) -> str:
    conninfo = config.conninfo()
    with config.extra():
        from pipeline.results import export
        from pipeline.results.folders import Output
        from pipeline.steps.table import TABLES
    if options.format not in export.FORMATS:
        known = ", ".join(export.FORMATS)
        raise config.Unconfigured(f"There is no format {options.format}: {known}.")
    try:
        made = export.export(
            conninfo, _output(options), Output.at(options.to), options.format, TABLES
        )
    except (export.NothingToExport, export.Lacking, export.IsItself) as refused:
        raise config.Unconfigured(str(refused)) from None
    return "\n".join(f"{name} in {address}" for name, address in made.items())


def _tables(options: argparse.Namespace) -> str:
    from pipeline.documentation import page

    return page()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pipeline", description=__doc__)
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    run = verbs.add_parser("run", help="compute the reports once (the default)")
    run.add_argument("reports", nargs="*", help="only these")
    how = run.add_mutually_exclusive_group()
    how.add_argument(
        "--whole", dest="is_incremental", action="store_false", default=None,
        help="read everything again",
    )  # fmt: skip
    how.add_argument(
        "--incremental", dest="is_incremental", action="store_true", default=None,
        help="read what is new, even of little data",
    )  # fmt: skip
    run.set_defaults(verb=_run)
    stream = verbs.add_parser("stream", help="run again and again, each time upon the run before")
    stream.add_argument(
        "--every", type=_above_0, default=300.0, metavar="SECONDS", help="from begin to begin (300)"
    )
    stream.set_defaults(verb=_stream)
    for verb in (run, stream):
        _add_shared(verb)
    what_if.add_to(verbs, _me())
    fleet.add_to(verbs)
    export = verbs.add_parser("export", help="copy the newest run's tables and reports")
    export.add_argument("--format", default="parquet", help="parquet (default) or delta")
    export.add_argument("--to", required=True, help="a folder or a URI (s3://bucket/folder)")
    export.add_argument("--output", help="where the run has written its tables")
    export.set_defaults(verb=_export, called="The export")
    tables = verbs.add_parser("tables", help="print what each table means, as Markdown")
    tables.set_defaults(verb=_tables)
    return parser


def _add_shared(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--requested-by", default=_me(), help="who asked, for the run's record")
    verb.add_argument("--output", help="where tables go: a folder or a URI (s3a://bucket/folder)")
    verb.add_argument(
        "--until-eof", action="store_true", help="end when standard input does: a worker's pipe"
    )
    verb.add_argument("--max-minutes", type=_above_0, help="end, as by Ctrl-C, after this time")


def _above_0(text: str) -> float:
    """A number of seconds or minutes for which a thread can wait."""
    number = float(text)
    if not 0 < 60 * number <= threading.TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"{text} is not above 0, or too great")
    return number


def _me() -> str:
    """Who started this at a terminal."""
    try:
        return f"{getpass.getuser()} (command line)"
    except (KeyError, OSError):  # a user without a name, in a container
        return "command line"


def _end(number: int, frame: FrameType | None) -> None:
    """End as by Ctrl-C, once: roll back current work and wait for Java."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt(_said[0] if _said else TOLD)


def _end_with_stdin() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


def _end_after(minutes: float) -> None:
    def end() -> None:
        _said.append(TOO_LONG.format(minutes))
        os.kill(os.getpid(), signal.SIGTERM)

    timer = threading.Timer(60 * minutes, end)
    timer.daemon = True
    timer.start()
