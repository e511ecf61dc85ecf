"""The pipeline over a journal: small stories, a hundred thousand entries, and a cluster."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline import java, places
from pipeline.session import session
from rollcall.installation import CHECKOUT
from tests.pipeline.conftest import oracle, report, runs, write
from tests.pipeline.journals import Entry, entry, many

pytestmark = pytest.mark.timeout(300)

EVENTS = 100_000


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """One session for these tests."""
    with session() as made:
        yield made


def analyse(spark: Any, output: Path) -> Any:
    """One run of the job."""
    from pipeline.jobs import rebalances

    return rebalances.run(spark, places.conninfo(), output, "alice")


def silver(spark: Any, url: str, output: Path, *entries: Entry) -> list[dict[str, Any]]:
    """The table of rebalances that these entries give."""
    write(url, entries)
    table = analyse(spark, output).table
    found = spark.read.parquet(str(table)).orderBy("journal_id").collect()
    return [row.asDict(recursive=True) for row in found]


def test_a_rebalance_is_told_whole(spark: Any, database_url: str, tmp_path: Path) -> None:
    cause = {"trigger": "member-left", "reason": "consumer closed", "client_id": "w-1"}
    (row,) = silver(
        spark,
        database_url,
        tmp_path / "out",
        entry(0, "g", "group-created"),
        entry(10, "g", "rebalance-started", **cause),
        entry(12, "g", "rebalance-completed", generation_before=1, generation_after=2,
              duration_ms=2_000, waited_for={"b": 30, "a": 1_900, "c": 0},
              details={"members": 3}, **cause),
        entry(12.5, "g", "stable", generation_after=2, duration_ms=500, details={"moved": 4}),
    )  # fmt: skip

    assert (row["group_id"], row["protocol"], row["trigger"]) == ("g", "classic", "member-left")
    assert (row["reason"], row["client_id"]) == ("consumer closed", "w-1")
    assert (row["duration_ms"], row["sync_ms"], row["without_owner_ms"]) == (2_000, 500, 2_500)
    assert (row["slowest_member"], row["slowest_ms"]) == ("a", 1_900)
    assert [wait["member_id"] for wait in row["waited_for"]] == ["a", "b", "c"]
    assert (row["members"], row["partitions_moved"]) == (3, 4)
    assert (row["stable_at"] - row["started_at"]).total_seconds() == 2.5


def test_what_the_next_rebalance_assigned_is_not_counted_twice(
    spark: Any, database_url: str, tmp_path: Path
) -> None:
    """The first was overtaken before its assignment came."""
    first, second = silver(
        spark,
        database_url,
        tmp_path / "out",
        entry(0, "g", "rebalance-started", trigger="member-joined"),
        entry(1, "g", "rebalance-completed", trigger="member-joined", generation_after=1,
              duration_ms=1_000),
        entry(2, "g", "rebalance-started", trigger="member-left"),
        entry(3, "g", "rebalance-completed", trigger="member-left", generation_after=2,
              duration_ms=900),
        entry(4, "g", "stable", generation_after=2, duration_ms=100, details={"moved": 2}),
    )  # fmt: skip

    assert (first["sync_ms"], first["partitions_moved"]) == (None, 0)
    assert (second["sync_ms"], second["partitions_moved"]) == (100, 2)


def test_the_consumer_protocol_takes_its_trigger_from_the_start(
    spark: Any, database_url: str, tmp_path: Path
) -> None:
    (row,) = silver(
        spark,
        database_url,
        tmp_path / "out",
        entry(0, "g", "rebalance-started", trigger="topics-changed"),
        entry(1, "g", "rebalance-started", trigger="member-joined"),
        entry(4, "g", "rebalance-completed", details={"members": 2, "moved": 3}),
    )

    assert (row["protocol"], row["trigger"]) == ("consumer", "topics-changed")
    assert (row["duration_ms"], row["partitions_moved"]) == (4_000, 3)


def test_an_empty_journal_makes_an_empty_report(
    spark: Any, database_url: str, tmp_path: Path
) -> None:
    assert silver(spark, database_url, tmp_path / "out") == []
    assert report(database_url) == []
    assert runs(database_url)[-1] == ("succeeded", 0, "alice")


def test_a_hundred_thousand_entries_say_what_plain_sql_says(
    spark: Any, database_url: str, tmp_path: Path
) -> None:
    write(database_url, many(EVENTS))
    done = analyse(spark, tmp_path / "out")

    found = report(database_url)
    assert found == oracle(database_url)
    assert len(found) == done.rows > 1_000
    assert done.events > EVENTS * 0.9  # all but the entries that no group has


def test_a_run_that_fails_says_why_and_leaves_the_report_before(
    spark: Any, database_url: str, tmp_path: Path
) -> None:
    write(database_url, many(400))
    analyse(spark, tmp_path / "out")
    before = report(database_url)
    (tmp_path / "file").write_text("no folder")

    with pytest.raises(OSError, match="file"):
        analyse(spark, tmp_path / "file" / "out")

    assert report(database_url) == before
    assert [state for state, *_ in runs(database_url)] == ["succeeded", "failed"]


@pytest.mark.parametrize("hidden", [False, True], ids=["machine", "wheel"])
def test_the_command_runs_on_the_java_that_is_there(
    hidden: bool, database_url: str, tmp_path: Path
) -> None:
    """Of the machine, where it has one; of the wheel where it has none. Both tell the same."""
    if not hidden and java.of_the_machine(os.environ) is None:
        pytest.skip("this machine has no Java 17 or 21")
    write(database_url, many(2_000))
    environ = {**os.environ, "PATH": "/usr/bin:/bin"}
    if hidden:
        environ = {**environ, "PATH": str(_no_java(tmp_path)), "JAVA_HOME": ""}

    ran = subprocess.run(
        [sys.executable, "-m", "pipeline", "--requested-by", "olga"],
        cwd=CHECKOUT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("Run ") and "without owner" in ran.stdout
    assert report(database_url) == oracle(database_url)


def _no_java(folder: Path) -> Path:
    """A path with what a shell needs and no Java."""
    programs = folder / "bin"
    programs.mkdir()
    for name in ("sh", "env", "ps", "bash", "dirname", "uname", "chmod", "ls"):
        found = next(
            (p for p in (Path("/bin") / name, Path("/usr/bin") / name) if p.exists()), None
        )
        if found is not None:
            (programs / name).symlink_to(found)
    return programs


def test_without_a_database_there_is_a_sentence(tmp_path: Path) -> None:
    environ = {**os.environ, "ROLLCALL_DATA_DIR": str(tmp_path)}
    del environ["ROLLCALL_DATABASE_URL"]
    ran = subprocess.run(
        [sys.executable, "-m", "pipeline"], cwd=CHECKOUT, env=environ, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 2
    assert ran.stderr == "No database: set ROLLCALL_DATABASE_URL, or start `make run` first.\n"
