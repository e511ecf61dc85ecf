"""The table of steps, and what is written from it."""

from launcher.installation import CHECKOUT
from pipeline.documentation import page
from pipeline.sources.tables import TABLES
from pipeline.steps.table import REPORTS, STEPS, needed


def test_the_page_of_tables_is_up_to_date() -> None:
    """`python -m pipeline tables > docs/pipeline-tables.md`."""
    assert (CHECKOUT / "docs" / "pipeline-tables.md").read_text() == page() + "\n"


def test_each_step_reads_only_what_is_there_before_it() -> None:
    known = {table.dataset for table in TABLES.values()}
    for step in STEPS:
        assert {*step.inputs} <= known, step.output.NAME
        known.add(step.output)


def test_reports_are_computed_from_tables_not_from_the_database() -> None:
    """The snapshot is held until the tables are written; vacuum waits for it."""
    sources = {table.dataset for table in TABLES.values()}
    for step in STEPS:
        assert step.report is None or not sources & {*step.inputs}, step.output.NAME


def test_every_column_of_a_report_can_be_stored_and_compared() -> None:
    """Figures travel as JSON and are sorted by PostgreSQL: whole numbers, texts and times."""
    for report in REPORTS.values():
        assert {*report.types().values()} <= {"bigint", "int", "string", "timestamp"}
        assert report.ORDER in report.names()
        assert {*report.TOTALS} <= {*report.figures()}
        assert report.CHART is None or {*report.CHART[1:]} <= {*report.names()}


def test_one_report_takes_only_the_steps_that_it_needs() -> None:
    assert [step.output.NAME for step in needed(["hours"])] == ["rebalances", "hours"]
