"""What a run says at a terminal."""

from typing import Any

from pipeline import console
from pipeline.progress import Progress
from pipeline.steps.job import Done

TABLES = {"rebalances": "file:///out/rebalances/run=7"}


def row(**over: Any) -> dict[str, Any]:
    """One of the costliest rows."""
    return {**dict.fromkeys(console.TITLES, 1), "group_id": "g", "trigger": "t", **over}


def test_the_costliest_rows_are_printed_in_columns() -> None:
    rows = [
        row(group_id="orders", without_owner_ms=2_500, slowest_member="m-1"),
        row(group_id="a", without_owner_ms=10, slowest_member=None),
    ]
    assert console.result_text(Done(7, "whole: little data", 90, 2, TABLES, rows)).splitlines() == [
        "Run 7 (whole: little data): 90 journal entries, 2 rows of reports,"
        " rebalances in file:///out/rebalances/run=7",
        "group   trigger  rebalances  without owner ms at most  known  longest ms"
        "  slowest member  moved",
        "orders  t                 1                      2500      1           1"
        "  m-1                 1",
        "a       t                 1                        10      1           1"
        "                      1",
    ]


def test_a_name_cannot_control_the_terminal() -> None:
    hostile = row(group_id="\x1b[2J" + "x" * 40, slowest_member="a\nb")
    _, _, line = console.result_text(Done(1, "", 1, 1, TABLES, [hostile])).splitlines()
    assert line.startswith("?[2J" + "x" * 27 + "…  t ")
    assert "a?b" in line


def test_an_empty_report_is_one_line() -> None:
    assert (
        console.result_text(Done(1, "3 groups upon run 0", 0, 0, {}, []))
        == "Run 1 (3 groups upon run 0): 0 journal entries, 0 rows of reports"
    )


def test_progress_is_noted_once_and_never_goes_back() -> None:
    """Spark plans more tasks while it works."""
    noted: list[tuple[str, int]] = []
    progress = Progress(2, lambda stage, percent: noted.append((stage, percent)))
    progress.begin("read")
    for share in (0.5, 0.5, 0.2, 1.0):
        progress.note(share)
    progress.begin("write")
    progress.note(1.0)
    assert noted == [("read", 0), ("read", 25), ("read", 50), ("write", 50), ("write", 99)]
