"""The table beside Kafka: what is kept of a run, and what is said of a worse one."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.table import Line, Table, drawn, keep, whole, worse

FAST = Line("heartbeats: per CPU-second", 150_000, 75_000, 2.0, 1.9, more=True)
SOON = Line("one joins, seconds", 0.1, 1.0, 0.1, 0.15, more=False)
RUN = Table("2026-11-28T10:00:00", "4.4.0", 2, 0.5, [FAST, SOON])


def test_a_table_has_the_last_figures_of_every_line_whichever_run_measured_it(
    tmp_path: Path,
) -> None:
    """Lines are measured one by one where a machine is not free for long."""
    assert whole(tmp_path) is None
    faster = replace(FAST, ratio=2.5)
    later = replace(RUN, at="2026-11-29T09:00:00", lines=[faster])
    for table in (later, RUN):
        keep(table, tmp_path)

    assert whole(tmp_path) == replace(later, lines=[faster, SOON])
    assert len(list(tmp_path.iterdir())) == 2

    beside_another = replace(RUN, at="2026-11-30T09:00:00", kafka="4.5.0", lines=[FAST])
    keep(beside_another, tmp_path)
    assert whole(tmp_path) == beside_another


def test_a_line_fell_behind_if_it_is_worse_by_more_than_noise_and_misses_its_goal() -> None:
    slower = replace(FAST, ratio=1.5)
    tardy = replace(SOON, ratio=0.3)
    cases = {
        (replace(FAST, ratio=1.7), SOON): 0,  # noise
        (FAST, replace(SOON, ratio=0.14)): 0,  # still at its goal
        (slower, SOON): 1,
        (FAST, tardy): 1,
        (slower, tardy): 2,
        (replace(slower, name="new"), SOON): 0,
    }
    for lines, count in cases.items():
        assert len(worse(replace(RUN, lines=lines), RUN)) == count, lines
    assert worse(replace(RUN, lines=[slower]), None) == []
    [said] = worse(replace(RUN, lines=[tardy]), RUN)
    assert said == "one joins, seconds: 0.30 of Kafka, 0.10 on 2026-11-28T10:00:00"


def test_the_picture_has_a_bar_for_each_line_on_the_side_of_who_is_ahead() -> None:
    behind = replace(FAST, name="a < b & c", ratio=0.5)
    nothing = replace(SOON, ratio=0.0)

    picture = ElementTree.fromstring(drawn(replace(RUN, lines=[FAST, behind, SOON, nothing])))

    bars = [each for each in picture if each.tag.endswith("rect") and each.get("x")]
    middle = float(bars[0].attrib["x"])
    starts = [float(bar.attrib["x"]) for bar in bars]
    assert starts[1] < middle
    assert starts[2:] == [middle, middle]
    assert all(float(bar.attrib["width"]) > 0 for bar in bars)
    assert "a < b & c" in {each.text for each in picture}
