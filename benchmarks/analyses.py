"""What the pipeline costs beside DuckDB and SQL on the same rows, and a run upon another beside a
whole.

An invented fleet (``benchmarks.recorded``) in a PostgreSQL of its own. One session on ``local[2]``
for a database, as a run would start it for so much data; DuckDB with two threads and as much memory
as Java loads the same tables and computes all of the same (``tests/pipeline/oracle_duckdb.sql``),
PostgreSQL the cost alone (``tests/pipeline/oracle.sql``).
As many sizes as rounds (2): the first, with next to nothing to compute, tells what a run costs in
any case; the others are measured with increments, and once more with nine tenths of the entries in
one group. ENTRIES names others (``1000,400000``). After four minutes and a half nothing more is
begun, unless LIMIT_S names other seconds. Told are
seconds by the clock and of CPU, without and within PostgreSQL, microseconds of CPU an entry, and
ratios to what the row before them names; at the end what follows from them. On a busy machine CPU
compares, the clock does not. The
table is also written to ``benchmarks/results/analyses.md``. JDBC_JAR names PostgreSQL's driver, if
reading by JDBC is to be measured too.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psutil
import psycopg

from benchmarks.machine import watched
from benchmarks.options import Options
from benchmarks.reading import by_adbc, by_copy, by_jdbc, by_source
from benchmarks.recorded import A_GROUP, fill
from launcher import postgres
from launcher.installation import CHECKOUT
from pipeline import config
from pipeline.results.folders import Output
from pipeline.sources.tables import size
from pipeline.steps import run
from pipeline.steps.table import REPORTS
from tests.pipeline.duck import Config, computed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SIZES: Final = (1_000, 100_000, 1_000_000, 5_000_000, 20_000_000)
ROUNDS: Final = 2
DUCK: Final[Config] = {"threads": 2, "memory_limit": "2GB"}
"""What it needs beyond that it writes to files."""

LIMIT_S: Final = 270.0

HOT: Final = 9
"""Tenths of the entries in one group."""

RESULTS: Final = Path(__file__).parent / "results" / "analyses.md"
DUCKDB, COLD, WARM, ALONE, FIRST, NOTHING, FEW, ALL = (
    "DuckDB, all tables", "Spark, all tables, with its start", "Spark, all tables, warm",
    "Spark, cost alone, warm", "Spark, incremental, first", "nothing new",
    "1 % new in 1 % of groups", "1 % new in all",
)  # fmt: skip
"""What is measured."""

COST: Final = (CHECKOUT / "tests" / "pipeline" / "oracle.sql").read_text()

HEADS: Final = (
    "entries", "what", "s", "CPU s", "PostgreSQL CPU s", "entries/s", "CPU us/entry", "s ratio",
    "CPU ratio", "to",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds by the clock, and CPU seconds without PostgreSQL's processes, and of these."""

    what: str
    wall_s: float
    cpu_s: float
    postgres_s: float

    @property
    def all_cpu_s(self) -> float:
        """Where one computes, the other does not."""
        return self.cpu_s + self.postgres_s


@dataclass(slots=True)
class Table:
    """The figures, as far as they are measured; ``took`` by entries and what, ``until``: no more
    are begun."""

    until: float
    lines: list[str] = field(default_factory=list)
    took: dict[tuple[int, str], Took] = field(default_factory=dict)

    def begin(self) -> None:
        """The machine and the heads."""
        memory = psutil.virtual_memory().total >> 30
        loads = " ".join(f"{load:.0f}" for load in os.getloadavg())
        self._add(f"{os.cpu_count()} cores, {memory} GiB, load {loads} at the begin")
        self._add("")
        self._add(f"| {' | '.join(HEADS)} |")
        self._add(f"|{'---|' * len(HEADS)}")

    def row(self, entries: int, took: Took, to: Took | None) -> None:
        """One figure."""
        ratios = ("", "", "")
        if to is not None:
            of_cpu = took.all_cpu_s / max(to.all_cpu_s, 0.01)
            ratios = (f"{took.wall_s / to.wall_s:.2f}", f"{of_cpu:.2f}", to.what)
        cells = (
            f"{entries:,}", took.what, f"{took.wall_s:.1f}", f"{took.cpu_s:.1f}",
            f"{took.postgres_s:.1f}", f"{entries / took.wall_s:,.0f}",
            f"{1e6 * took.all_cpu_s / entries:.1f}", *ratios,
        )  # fmt: skip
        self._add(f"| {' | '.join(cells)} |")
        self.took[entries, took.what] = took

    def ratios(self, sizes: Sequence[int]) -> None:
        """What follows, as far as it was measured."""
        least, before = min(sizes), 0.0
        self._add("")
        for entries in sizes:
            ours, theirs = (self._each(entries, least, what) for what in (WARM, DUCKDB))
            if ours and theirs:
                grown = f", {ours / before:.2f} x that before" if before else ""
                self._add(
                    f"{entries:,}: {ours:.1f} us of CPU an entry without what a run costs in any"
                    f" case{grown}; DuckDB {theirs:.1f}: {ours / theirs:.1f} x"
                )
                before = ours
            for what in (f"{WARM}, hot", NOTHING, FEW, ALL):
                part, whole = self.took.get((entries, what)), self.took.get((entries, WARM))
                if part and whole:
                    ratio = part.all_cpu_s / whole.all_cpu_s
                    self._add(f"{entries:,}: {what}: {ratio:.2f} x the CPU of {WARM}")

    def left_out(self, entries: int, what: str) -> None:
        """For want of time."""
        self._add(f"{entries:,}: {what}: left out, the time is over")

    def _each(self, entries: int, least: int, what: str) -> float | None:
        """Microseconds an entry beyond the smallest size."""
        all_of, base = self.took.get((entries, what)), self.took.get((least, what))
        if all_of is None or base is None or entries == least:
            return None
        return 1e6 * (all_of.all_cpu_s - base.all_cpu_s) / (entries - least)

    def _add(self, line: str) -> None:
        print(line, flush=True)
        self.lines.append(line)
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text("\n".join(self.lines) + "\n")


def main(options: Options) -> bool:
    """Figures alone; that the rows are right, tests say."""
    table = Table(time.monotonic() + float(os.environ.get("LIMIT_S", LIMIT_S)))
    table.begin()
    sizes = _sizes(options)
    for entries in sizes:
        for hot in (0, HOT) if entries > min(sizes) else (0,):
            with _database() as url:
                _measured(table, url, entries, hot, is_least=entries == min(sizes))
    table.ratios(sizes)
    return True


def _sizes(options: Options) -> Sequence[int]:
    named = os.environ.get("ENTRIES")
    return [*map(int, named.split(","))] if named else SIZES[: options.rounds or ROUNDS]


@contextmanager
def _database() -> Iterator[str]:
    with (
        tempfile.TemporaryDirectory(prefix="rollcall-analyses-") as folder,
        postgres.serve(Path(folder) / "postgres", throwaway=True) as url,
    ):
        os.environ |= {"ROLLCALL_DATABASE_URL": url, "ROLLCALL_DATA_DIR": folder}
        words = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(words, cwd=CHECKOUT, check=True)
        yield url


def _measured(table: Table, url: str, entries: int, hot: int, *, is_least: bool) -> None:
    groups = max(1, entries // A_GROUP)
    fill(url, entries, groups, hot=hot)

    def told(what: str, act: Callable[[], object], to: Took | None = None) -> Took | None:
        what = f"{what}, hot" if hot else what
        if time.monotonic() > table.until:
            table.left_out(entries, what)
            return None
        took = _taken(what, act)
        table.row(entries, took, to)
        return took

    duck = told(DUCKDB, lambda: _by_duckdb(url))
    with _sessions(url) as sessions, tempfile.TemporaryDirectory(prefix="analyses-") as folder:
        analyse = _analyses(sessions, Output.at(folder))
        told(COLD, analyse(), duck)
        whole = told(WARM, analyse(), duck)
        if is_least:
            return
        told(ALONE, analyse("cost"))
        told("SQL, cost alone", lambda: _by_sql(url))
        if hot:
            return
        told(FIRST, analyse(is_incremental=True), whole)
        told(NOTHING, analyse(is_incremental=True), whole)
        for what, of in ((FEW, max(1, groups // 100)), (ALL, groups)):
            fill(url, entries // 100, of, is_new=True)
            told(what, analyse(is_incremental=True), whole)
        with sessions(is_small=False) as spark:
            _reading(told, spark, url)


@contextmanager
def _sessions(url: str) -> Iterator[run.Sessions]:
    """What starts a session once, for as much data as there is, and gives it to every run."""
    from pipeline.session import session

    with psycopg.connect(url) as connection:
        has_little = size(connection) < run.SMALL_BYTES
    made: list[SparkSession] = []
    with ExitStack() as until:

        def given(*, is_small: bool) -> "AbstractContextManager[SparkSession]":
            if not made:
                made.append(until.enter_context(session(is_small=has_little)))
            return nullcontext(made[0])

        yield given


def _analyses(sessions: run.Sessions, output: Output) -> Callable[..., Callable[[], object]]:
    def analyse(*reports: str, is_incremental: bool = False) -> Callable[[], object]:
        return lambda: run.run(
            config.conninfo(), output, sessions,
            reports=reports or tuple(REPORTS), is_incremental=is_incremental,
        )  # fmt: skip

    return analyse


def _reading(told: Callable[..., Took | None], spark: "SparkSession", url: str) -> None:
    """The journal's columns of reports, and nothing else."""
    told("COPY (binary), one process, discarded", lambda: by_copy(url))
    adbc = told("ADBC into Arrow, one process", lambda: by_adbc(url))
    told("the source in Spark", lambda: by_source(spark), adbc)
    if jar := os.environ.get("JDBC_JAR"):
        told("JDBC in Spark", lambda: by_jdbc(spark, url, jar), adbc)


def _by_duckdb(url: str) -> None:
    with tempfile.TemporaryDirectory(prefix="rollcall-analyses-") as folder:
        computed(url, datetime.now(UTC), {**DUCK, "temp_directory": folder}).close()


def _by_sql(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(COST.encode())
        connection.execute("SELECT * FROM cost").fetchall()


def _taken(what: str, act: Callable[[], object]) -> Took:
    with watched() as spent:
        began, (own, server) = time.monotonic(), _spent(spent())
        act()
        took = time.monotonic() - began
        own_after, server_after = _spent(spent())
    return Took(what, took, own_after - own, server_after - server)


def _spent(spent: Mapping[str, float]) -> tuple[float, float]:
    """CPU seconds of this process and what it started: PostgreSQL apart."""
    server = spent.get("postgres", 0.0)
    return sum(spent.values()) - server, server
