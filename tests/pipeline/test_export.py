"""Exports of a run: every table and report, in each format, again and again."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from deltalake import DeltaTable
from pyarrow import dataset
from pyspark.sql import SparkSession

from pipeline.command import main
from pipeline.results import export, runs
from pipeline.results.folders import Output
from pipeline.steps import run
from pipeline.steps.job import Done
from pipeline.steps.table import ANSWERS, REPORTS, TABLES
from tests.pipeline.conftest import query, write
from tests.pipeline.journals import BEGIN, many

pytestmark = pytest.mark.timeout(300)

Read = Callable[[str], list[dict[str, Any]]]


def of_parquet(address: str) -> list[dict[str, Any]]:
    """The rows of a table of Parquet files."""
    rows: list[dict[str, Any]] = (
        dataset.dataset(address.removeprefix("file://")).to_table().to_pylist()
    )
    return rows


def of_delta(address: str) -> list[dict[str, Any]]:
    """The rows of the newest version of a Delta table."""
    rows: list[dict[str, Any]] = DeltaTable(address).to_pyarrow_table().to_pylist()
    return rows


COMPLETED = "SELECT count(*) FROM rollcall_journal WHERE kind = 'rebalance-completed'"

READERS: dict[str, Read] = {"parquet": of_parquet, "delta": of_delta}


Analyse = Callable[..., Done]


@pytest.fixture
def analyse(spark: SparkSession, url: str, conninfo: str, tmp_path: Path) -> Analyse:
    """A run of some hundred entries; its tables are in the data directory."""

    def analysed(*reports: str) -> Done:
        write(url, many(600))
        output = Output.at(str(tmp_path / "pipeline"))
        return run.run(conninfo, output, lambda is_small: nullcontext(spark), "alice", reports)

    return analysed


def answer(conninfo: str) -> None:
    """Of what-if, as its verb stores it."""
    keys = {"change": "x", "asked_groups": ""}
    told = json.dumps({**keys, "group_id": "g"}), json.dumps({"miss_percent": 1.5})
    until = datetime.now(UTC) + timedelta(hours=1)
    with runs.alone(conninfo) as connection:
        runs.answer(connection, until, "what-if", "7d", keys, [told])


def test_an_export_has_every_row_however_often_it_is_made(
    url: str,
    conninfo: str,
    tmp_path: Path,
    analyse: Analyse,
    capsys: pytest.CaptureFixture[str],
) -> None:
    analyse(*REPORTS)
    answer(conninfo)
    for form in export.FORMATS:
        assert_every_row_is_in(url, conninfo, tmp_path, form)
    assert_the_verb_says_where_everything_is(tmp_path, capsys)


def assert_every_row_is_in(url: str, conninfo: str, tmp_path: Path, form: str) -> None:
    """Export what is in the data directory twice, in this format."""
    read, to = READERS[form], Output.at(str(tmp_path / f"copies-{form}"))
    for _ in range(2):
        made = export.export(conninfo, Output.at(str(tmp_path / "pipeline")), to, form, TABLES)
        assert [*made] == [*TABLES, *REPORTS, *(report.NAME for report in ANSWERS)]
        rebalances = read(made["rebalances"])
        completed = query(
            url, "SELECT count(*) FROM rollcall_journal WHERE kind = 'rebalance-completed'"
        )
        assert [(len(rebalances),)] == completed
        assert rebalances[0]["completed_at"].utcoffset().total_seconds() == 0
    cost = [row for row in read(made["cost"]) if row["period"] == "all"]
    stored = query(
        url,
        "SELECT keys ->> 'group_id', keys ->> 'trigger' FROM rollcall_report_row"
        " WHERE report = 'cost' AND period = 'all'",
    )
    assert sorted((row["group_id"], row["trigger"]) for row in cost) == sorted(stored) != []
    assert read(made["hours"])[0]["hour"].minute == 0
    assert read(made["member_lives"]) == []  # an empty table is one, too
    assert [(row["change"], row["miss_percent"]) for row in read(made["what-if"])] == [("x", 1.5)]


@pytest.mark.long
def test_layers_of_incremental_runs_are_put_together(
    spark: SparkSession, url: str, conninfo: str, tmp_path: Path
) -> None:
    output = Output.at(str(tmp_path / "pipeline"))
    ago = datetime.now(UTC) - timedelta(hours=2) - BEGIN  # incremental runs read two months
    entries = [{**each, "at": each["at"] + ago} for each in many(600, groups=6)]
    for part in (entries[:400], entries[400:410]):
        write(url, part)
        run.run(conninfo, output, lambda is_small: nullcontext(spark), "alice", is_incremental=True)
    to = Output.at(str(tmp_path / "copies"))
    made = export.export(conninfo, output, to, "parquet", TABLES)
    ids = [row["journal_id"] for row in of_parquet(made["rebalances"])]
    assert (len(ids), [(len({*ids}),)]) == (len({*ids}), query(url, COMPLETED))


def assert_the_verb_says_where_everything_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``pipeline export`` of the run in the data directory."""
    assert main(["export", "--to", str(tmp_path / "copies")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"rebalances in file://{tmp_path}/copies/rebalances/run=")
    assert len(lines) == len(TABLES) + len(REPORTS) + len(ANSWERS)


@pytest.mark.usefixtures("url")
@pytest.mark.parametrize(
    ("form", "told"), [("parquet", "There is no run of the pipeline yet"), ("csv", "no format csv")]
)
def test_what_cannot_be_exported_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, told: str
) -> None:
    assert main(["export", "--to", str(tmp_path / "copies"), "--format", form]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "copies").exists()


def test_an_interrupted_export_is_not_complete_and_the_next_one_is(
    conninfo: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    analyse: Analyse,
) -> None:
    done = analyse("cost")
    to = Output.at(str(tmp_path / "copies"))
    arguments = (conninfo, Output.at(str(tmp_path / "pipeline")), to, "parquet", TABLES)

    def breaks(*_: Any) -> Any:
        raise psycopg.OperationalError("away")

    with monkeypatch.context() as patch:
        patch.setattr(export, "_typed", breaks)
        with pytest.raises(psycopg.OperationalError):
            export.export(*arguments)
    assert (tmp_path / "copies" / "rebalances" / f"run={done.run_id}" / "_SUCCESS").exists()
    assert not (tmp_path / "copies" / "cost" / f"run={done.run_id}" / "_SUCCESS").exists()
    made = export.export(*arguments)
    assert len(of_parquet(made["cost"])) > 0


@pytest.mark.usefixtures("url")
def test_an_export_does_not_write_over_the_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It deleted each table of the run before it had read it."""
    own = tmp_path / "pipeline" / "rebalances" / "run=1" / "_SUCCESS"
    own.parent.mkdir(parents=True)
    own.touch()
    for form in export.FORMATS:
        assert main(["export", "--to", str(tmp_path / "pipeline"), "--format", form]) == 2
        assert "an export goes elsewhere" in capsys.readouterr().err
    assert own.exists()


@pytest.mark.usefixtures("url")
def test_what_cannot_be_written_is_an_export_that_failed(
    conninfo: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It said that the analysis had failed."""
    with runs.alone(conninfo) as connection, runs.recorded(connection, "alice") as run_id:
        cost = {"name": "cost", "keys": [], "figures": []}
        runs.succeed(connection, run_id, runs.Read(datetime.now(UTC), 0, 0), [cost], [])
    assert main(["export", "--to", "/proc/nowhere"]) == 1
    assert capsys.readouterr().err.startswith("The export failed: ")
