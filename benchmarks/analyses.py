"""What the pipeline costs beside DuckDB on the same rows, and a run upon another beside a whole.

Synthetic groups over sixty days, in a PostgreSQL of their own. All in one warm session on
``local[2]``, and DuckDB with two threads, which loads the same tables and computes all of the same
(``tests/pipeline/oracle_duckdb.sql``). As many sizes as rounds (2), from 200,000 entries on, each
once with nine tenths of the entries in one group. Told are seconds, their ratio to DuckDB's,
PostgreSQL's CPU and microseconds an entry; of increments of 1 %, in one hundredth of the groups and
in all, the ratio is to the first run.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import psycopg

from benchmarks.machine import cpu_seconds
from benchmarks.options import Options
from launcher import postgres
from launcher.installation import CHECKOUT
from pipeline import config
from pipeline.results.folders import Output
from pipeline.steps import run
from pipeline.steps.job import Done
from tests.pipeline.duck import computed

SIZES = (200_000, 1_000_000, 5_000_000, 20_000_000)
ROUNDS = 2
A_GROUP = 500
"""Entries of a group, where they are spread evenly."""

DAYS = timedelta(days=60)

JOURNAL = """
INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason, client_reason,
    member_id, client_id, generation_before, generation_after, duration_ms, waited_for, joined,
    "left", details)
SELECT %(since)s + (n * 3 + p) * (%(until)s - %(since)s) / %(entries)s, 'group-' || g, 1, 0, kind,
    (ARRAY['member-joined', 'member-left', 'session-expired'])[1 + n %% 3], 'a reason', '',
    'm-' || n %% 7, 'worker-' || n %% 5, n, n + 1, CASE WHEN p > 0 THEN 900 + n * 7919 %% 4000 END,
    CASE WHEN p = 1 THEN jsonb_build_object('m-1', n %% 900, 'm-2', n %% 1300) ELSE '{}' END,
    '[]', '[]',
    CASE p WHEN 1 THEN jsonb_build_object('members', 4, 'waited_for_count', 2, 'why',
        jsonb_build_object('causes', jsonb_build_array(jsonb_build_object('trigger',
            'member-joined', 'ms', n %% 700), jsonb_build_object('trigger', 'member-left', 'ms',
            200))))
    WHEN 2 THEN '{"members": 4, "moved": 3}' ELSE '{}' END
FROM generate_series(0, %(entries)s / 3 - 1) AS n,
    LATERAL (SELECT CASE WHEN n %% 10 < %(hot)s THEN 0 ELSE n * 31 %% %(groups)s END AS g) AS of,
    (VALUES (0, 'rebalance-started'), (1, 'rebalance-completed'), (2, 'stable')) AS k(p, kind)
ORDER BY n, p
"""

LIVES = """
INSERT INTO rollcall_life (at, era, xid, life, group_id, member_id, instance_id, client_id,
    client_host, principal, software_name, software_version, kind, session_timeout_ms,
    rebalance_timeout_ms, pattern, protocols, revision, joined_generation, joined_at, origin,
    left_generation, left_at, departure, heard_at)
SELECT CASE e WHEN 0 THEN began ELSE began + interval '1 hour' END, 0,
    pg_current_xact_id()::text::bigint, %(first)s + n, 'group-' || g, 'm-' || n, NULL,
    'worker-' || n %% 5, '10.0.0.' || n %% 3, '', 'librdkafka', '2.6.0', 'classic', 45000, 60000,
    '', '{range}', 1, 1, began, 'joined', CASE e WHEN 1 THEN 2 END,
    CASE e WHEN 1 THEN began + interval '1 hour' END,
    CASE e WHEN 1 THEN (ARRAY['left', 'expired'])[1 + n %% 2] END,
    CASE e WHEN 1 THEN began + interval '59 minutes' END
FROM generate_series(0, %(entries)s / 20 - 1) AS n,
    LATERAL (SELECT n * 31 %% %(groups)s AS g,
        %(since)s + n * (%(until)s - %(since)s) / (%(entries)s / 20) AS began) AS of,
    (VALUES (0), (1)) AS k(e)
"""

OWNERSHIP = """
INSERT INTO rollcall_ownership (at, era, xid, group_id, life, topic, partitions, from_generation,
    from_at, until_generation, until_at)
SELECT CASE e WHEN 0 THEN began ELSE began + interval '1 hour' END, 0,
    pg_current_xact_id()::text::bigint, 'group-' || g, %(first)s + n, 'orders',
    int4multirange(int4range((n * 4 %% 12)::int, (n * 4 %% 12 + 4)::int)), 1, began,
    CASE e WHEN 1 THEN 2 END, CASE e WHEN 1 THEN began + interval '1 hour' END
FROM generate_series(0, %(entries)s / 20 - 1) AS n,
    LATERAL (SELECT n * 31 %% %(groups)s AS g,
        %(since)s + n * (%(until)s - %(since)s) / (%(entries)s / 20) AS began) AS of,
    (VALUES (0), (1)) AS k(e)
"""


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds by the clock, and CPU seconds of PostgreSQL's processes."""

    wall_s: float
    postgres_s: float


def main(options: Options) -> bool:
    """Figures alone; that the rows are right, tests say."""
    print(
        f"{'entries':>10}  {'what':34} {'s':>7} {'PostgreSQL s':>12} {'us/entry':>8} {'ratio':>6}"
    )
    for entries in SIZES[: options.rounds or ROUNDS]:
        for hot in (0, 9):
            with _database() as url:
                _measured(url, entries, hot)
    return True


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


def _fill(url: str, entries: int, groups: int, *, hot: int = 0, is_new: bool = False) -> None:
    """So many entries, and a tenth as many rows of lives and of ownership each: over sixty days, or
    (``is_new``) since they ended."""
    until = datetime.now(UTC)
    values = {
        "entries": entries, "groups": groups, "hot": hot, "first": is_new * 1_000_000_000,
        "since": until - DAYS * (0.01 if is_new else 1), "until": until,
    }  # fmt: skip
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in (JOURNAL, LIVES, OWNERSHIP):
            connection.execute(statement.encode(), values)
        connection.execute("VACUUM ANALYZE")


def _measured(url: str, entries: int, hot: int) -> None:
    from pipeline.session import session

    groups = entries // A_GROUP
    _fill(url, entries, groups, hot=hot)
    conninfo = config.conninfo()
    with session() as spark, tempfile.TemporaryDirectory(prefix="rollcall-analyses-") as folder:
        output = Output.at(folder)

        def analyse(what: str, beside: Took | None = None, *, is_incremental: bool) -> Took:
            def once() -> Done:
                return run.run(
                    conninfo, output, lambda is_small: nullcontext(spark),
                    is_incremental=is_incremental,
                )  # fmt: skip

            return _told(url, entries, f"{what}, hot" if hot else what, once, beside)

        duck = _told(url, entries, "DuckDB", lambda: computed(url, datetime.now(UTC)))
        analyse("Spark, whole, cold", duck, is_incremental=False)
        analyse("Spark, whole, warm", duck, is_incremental=False)
        if hot:
            return
        whole = analyse("Spark, incremental, first", duck, is_incremental=True)
        analyse("nothing new", whole, is_incremental=True)
        for what, of in (("1 % new in 1 % of groups", groups // 100), ("1 % new in all", groups)):
            _fill(url, entries // 100, of, is_new=True)
            analyse(what, whole, is_incremental=True)


def _told(
    url: str, entries: int, what: str, act: Callable[[], object], beside: Took | None = None
) -> Took:
    server = psutil.Process().children(recursive=True)
    own = [process.pid for process in server if process.name() == "postgres"][:1]
    before, began = cpu_seconds(own), time.monotonic()
    act()
    took = Took(time.monotonic() - began, cpu_seconds(own) - before)
    ratio = f"{took.wall_s / beside.wall_s:6.2f}" if beside is not None else ""
    each = 1e6 * took.wall_s / entries
    print(
        f"{entries:>10}  {what:34} {took.wall_s:7.1f} {took.postgres_s:12.1f} {each:8.1f} {ratio}",
        flush=True,
    )
    return took
