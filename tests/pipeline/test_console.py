"""What a run says at a terminal."""

from pathlib import Path

from pipeline import console
from pipeline.jobs.rebalances import Done


def test_the_costliest_rows_are_printed_in_columns() -> None:
    rows = [
        ("orders", "member-left", 12, 100, 60, 50, "m-1", 7, 2_500, 300, 9),
        ("a", "operator", 1, 10, 10, 0, None, 0, 10, 10, 0),
    ]
    assert console.result_text(Done(7, 90, 2, Path("/out/run=7"), rows)).splitlines() == [
        "Run 7: 90 journal entries, 2 rows in the report, rebalances in /out/run=7",
        "group   trigger      rebalances  without owner ms at most  known  longest ms"
        "  slowest member  moved",
        "orders  member-left          12                      2500    300          60"
        "  m-1                 7",
        "a       operator              1                        10     10          10"
        "                      0",
    ]


def test_a_name_cannot_control_the_terminal() -> None:
    row = ("\x1b[2J" + "x" * 40, "t", 1, 1, 1, 1, "a\nb", 1, 1, 0, 1)
    _, _, line = console.result_text(Done(1, 1, 1, Path("out"), [row])).splitlines()
    assert line.startswith("?[2J" + "x" * 27 + "…  t ")
    assert "a?b" in line


def test_an_empty_report_is_one_line() -> None:
    assert console.result_text(Done(1, 0, 0, Path("out"), [])) == (
        "Run 1: 0 journal entries, 0 rows in the report, rebalances in out"
    )
