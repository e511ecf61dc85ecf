"""What the pipeline costs beside DuckDB and SQL on the same rows, and a run upon another beside a
whole.

An invented fleet (``benchmarks.recorded``) in a PostgreSQL of its own. All in one session on
``local[2]``; DuckDB with two threads and as much memory as Java loads the same tables and computes
all of the same (``tests/pipeline/oracle_duckdb.sql``), PostgreSQL the cost alone
(``tests/pipeline/oracle.sql``).
As many sizes as rounds (2), each once more with nine tenths of the entries in one group; ENTRIES
names others (``100000,400000``). Told are
seconds by the clock and of CPU, without and within PostgreSQL, microseconds of CPU an entry, and
ratios to what the row before them names. On a busy machine CPU compares, the clock does not. The
table is also written to ``benchmarks/results/analyses.md``. JDBC_JAR names PostgreSQL's driver, if
reading by JDBC is to be measured too.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psutil
import psycopg

from benchmarks.machine import cpu_seconds
from benchmarks.options import Options
from benchmarks.reading import by_adbc, by_copy, by_jdbc, by_source
from benchmarks.recorded import A_GROUP, fill
from launcher import postgres
from launcher.installation import CHECKOUT
from pipeline import config
from pipeline.results.folders import Output
from pipeline.steps import run
from pipeline.steps.table import REPORTS
from tests.pipeline.duck import Config, computed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SIZES: Final = (1_000_000, 5_000_000, 20_000_000)
ROUNDS: Final = 2
DUCK: Final[Config] = {"threads": 2, "memory_limit": "2GB"}
"""What it needs beyond that it writes to files."""

HOT: Final = 9
"""Tenths of the entries in one group."""

RESULTS: Final = Path(__file__).parent / "results" / "analyses.md"
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
    """The figures, as far as they are measured."""

    lines: list[str] = field(default_factory=list)

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

    def _add(self, line: str) -> None:
        print(line, flush=True)
        self.lines.append(line)
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text("\n".join(self.lines) + "\n")


def main(options: Options) -> bool:
    """Figures alone; that the rows are right, tests say."""
    table = Table()
    table.begin()
    for entries in _sizes(options):
        for hot in (0, HOT):
            with _database() as url:
                _measured(table, url, entries, hot)
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


def _measured(table: Table, url: str, entries: int, hot: int) -> None:
    from pipeline.session import session

    groups = entries // A_GROUP
    fill(url, entries, groups, hot=hot)

    def told(what: str, act: Callable[[], object], to: Took | None = None) -> Took:
        took = _taken(f"{what}, hot" if hot else what, act)
        table.row(entries, took, to)
        return took

    duck = told("DuckDB, all tables", lambda: _by_duckdb(url))
    told("SQL, cost alone", lambda: _by_sql(url))
    with session() as spark, tempfile.TemporaryDirectory(prefix="rollcall-analyses-") as folder:
        analyse = _analyses(spark, Output.at(folder))
        told("Spark, all tables, cold", analyse(), duck)
        told("Spark, all tables, warm", analyse(), duck)
        told("Spark, cost alone, warm", analyse("cost"))
        if hot:
            return
        _reading(told, spark, url)
        first = told("Spark, incremental, first", analyse(is_incremental=True), duck)
        told("nothing new", analyse(is_incremental=True), first)
        for what, of in (("1 % new in 1 % of groups", groups // 100), ("1 % new in all", groups)):
            fill(url, entries // 100, of, is_new=True)
            told(what, analyse(is_incremental=True), first)


def _analyses(spark: "SparkSession", output: Output) -> Callable[..., Callable[[], object]]:
    def analyse(*reports: str, is_incremental: bool = False) -> Callable[[], object]:
        return lambda: run.run(
            config.conninfo(), output, lambda is_small: nullcontext(spark),
            reports=reports or tuple(REPORTS), is_incremental=is_incremental,
        )  # fmt: skip

    return analyse


def _reading(told: Callable[..., Took], spark: "SparkSession", url: str) -> None:
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
    began, (own, server) = time.monotonic(), _spent()
    act()
    own_after, server_after = _spent()
    return Took(what, time.monotonic() - began, own_after - own, server_after - server)


def _spent() -> tuple[float, float]:
    """CPU seconds of this process and what it started: PostgreSQL apart."""
    own, server = [os.getpid()], list[int]()
    for process in psutil.Process().children(recursive=True):
        (server if process.name() == "postgres" else own).append(process.pid)
    return cpu_seconds(own), cpu_seconds(server)
