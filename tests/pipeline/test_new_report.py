"""A new report is a dataset, a step and a row of the table: CONTRIBUTING, *To add a report*."""

from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from console.admin import report_page
from console.queries import report_tables, reports
from groups.models import ReportRun
from pipeline.datasets.dataset import PERIOD, Column, Report
from pipeline.datasets.rebalances import Rebalances
from pipeline.results.folders import Output
from pipeline.steps import run, table
from pipeline.steps.periods import by_period
from pipeline.steps.table import REPORTS, STEPS, Step
from tests.pipeline.conftest import write
from tests.pipeline.journals import entry

pytestmark = pytest.mark.timeout(300)


class Kinds(Report):
    """Rebalances by protocol."""

    NAME = "kinds"
    TITLE = "Protocols"
    QUESTION = "Which protocol do groups that rebalance speak?"
    ORDER = "rebalances"
    KEY = (PERIOD, "kind")
    COLUMNS = (
        Column(PERIOD, "string", "the period"),
        Column("kind", "string", "the protocol"),
        Column("rebalances", "bigint", "rebalances"),
    )


def kinds(rebalances: Rebalances, at: datetime) -> Kinds:
    """By protocol."""
    rows = by_period(rebalances.frame, "completed_at", at).groupBy(*Kinds.KEY).count()
    return Kinds(rows.withColumnRenamed("count", "rebalances"))


def test_a_row_of_the_table_makes_a_report_that_pages_and_rest_show(
    spark: SparkSession,
    url: str,
    conninfo: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    django_db_blocker: Any,
) -> None:
    monkeypatch.setattr(table, "STEPS", (*STEPS, Step(Kinds, (Rebalances,), kinds)))
    monkeypatch.setattr(table, "REPORTS", {**REPORTS, "kinds": Kinds})
    write(url, [entry(1, "g", "rebalance-completed", duration_ms=9, details={"moved": 1})])
    output = Output.at(str(tmp_path / "out"))
    run.run(conninfo, output, lambda is_small: nullcontext(spark), "alice", ["kinds"])

    with django_db_blocker.unblock():
        newest: ReportRun | None = reports.newest()
        assert newest is not None
        report, *_ = reports.reports(newest)
        rows, count = report_tables.Stored(newest, report, "all").page("", "-rebalances", 10)
        assert [(row.keys, row.figures) for row in rows] == [
            ({"kind": "consumer"}, {"rebalances": 1})
        ]
        page = report_page.context(newest, {"report": "kinds", "period": "all"})
    assert (page["title"], count) == ("Protocols", 1)
    assert [cell.text for cell in page["rows"][0]] == ["consumer", "1"]
