"""Rows of the database as a recording: what an earlier or a newer version wrote breaks nothing."""

import json
import signal
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from groups.core.group import Rules
from pipeline import config
from pipeline.command import main
from pipeline.results import runs
from pipeline.what_if.changes import Change
from pipeline.what_if.command import SHOWN, rules_of, text
from pipeline.what_if.fleet import Description, group_of
from pipeline.what_if.fleet_rows import (
    Numbers,
    journal_rows,
    life_rows,
    ownership_rows,
    renumbered,
    round_rows,
)
from pipeline.what_if.recording import Recording, Wait
from pipeline.what_if.rows import recording_of


@pytest.fixture(autouse=True)
def _handler() -> Iterator[None]:
    """The command takes SIGTERM for itself; this process has others to serve."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


BEGIN = 1_700_000_000_000
FLEET = Description(members=4, partitions=6, crashes=4.0, stalls=4.0, session_ms=10_000)


def entry(**over: Any) -> dict[str, Any]:
    plain = dict.fromkeys(("causes", "waits", "trigger", "duration_ms"))
    return {**plain, "id": 1, "at_ms": 5_000, "kind": "rebalance-completed", **over}


def read(*entries: dict[str, Any]) -> Recording:
    return recording_of("g", (), (), entries, (), 0, 10_000)


@pytest.mark.parametrize(
    "odd",
    ["null", "[]", "{}", "3", '["x"]', '[{"trigger": 1, "at_ms": 2}]', '[{"trigger": "operator"}]',
     '[{"trigger": "operator", "at_ms": "soon"}]'],
)  # fmt: skip
def test_causes_that_cannot_be_read_leave_the_trigger(odd: str) -> None:
    (one,) = read(entry(causes=odd, trigger="operator", duration_ms=1_000)).rebalances
    assert list(one.causes) == [("operator", 4_000)]


@pytest.mark.parametrize("odd", ["3", '["x"]', '[{"members": 3}]', '[{"members": {"m": "long"}}]'])
def test_waits_that_cannot_be_read_are_left_out(odd: str) -> None:
    (one,) = read(entry(waits=odd)).rebalances
    assert one.waits == {}


def test_the_leaders_assignment_belongs_to_the_completion_before_it() -> None:
    waits = json.dumps([{"act": "sync", "end": "synced", "members": {"m": 40}}])
    stable = entry(id=2, kind="stable", at_ms=5_040, waits=waits)
    (one,) = read(stable, entry()).rebalances
    assert one.waits == {("m", "sync"): Wait(40, "synced")}
    assert one.completed == 5_000


def test_a_recording_is_the_same_after_it_was_rows() -> None:
    for number in range(3):
        made = group_of(FLEET, number, BEGIN).recording
        numbers = Numbers()
        new = renumbered(made, numbers)
        lives: dict[int, Any] = {}
        for row in life_rows(made, new, numbers):
            lives[row["life"]] = _ms(row)
        intervals: dict[Any, Any] = {}
        for row in ownership_rows(made, new, numbers):
            for partition in row["partitions"]:
                key = (row["life"], row["topic"], partition, row["from_at"])
                intervals[key] = {**_ms(row), "partition": partition}
        again = recording_of(
            made.group_id,
            lives.values(),
            intervals.values(),
            [_ms(row) for row in journal_rows(made, numbers)],
            [_ms(row) for row in round_rows(made, numbers)],
            made.begin,
            made.end,
        )
        lived = [life._replace(life=new[life.life]) for life in made.lives]
        assert sorted(again.lives, key=lambda life: life.life) == lived
        assert {i.part for i in again.intervals} == {i.part for i in made.intervals}
        assert len(again.intervals) == len(made.intervals)
        assert list(again.idle) == [one for one in made.idle if one.ended >= made.begin]
        assert [r.completed for r in again.rebalances] == [r.completed for r in made.rebalances]


def _ms(row: Any) -> dict[str, Any]:
    """The row as Spark hands it on: times as milliseconds."""
    times = {k: v for k, v in row.items() if k.endswith("_at") or k == "at"}
    return {**row, **{k.replace("_at", "_ms") if k != "at" else "at_ms": _milli(v)
                      for k, v in times.items()}}  # fmt: skip


def _milli(moment: Any) -> int | None:
    return None if moment is None else round(moment.timestamp() * 1_000)


def test_what_was_before_a_period_is_not_in_it() -> None:
    made = group_of(FLEET, 1, BEGIN).recording
    numbers = Numbers()
    rows = [_ms(row) for row in life_rows(made, renumbered(made, numbers), numbers)]
    later = BEGIN + 3_600_000
    ends = {row["life"]: row for row in rows}
    found = recording_of("g", ends.values(), (), (), (), later, made.end)
    assert all(life.left is None or life.left >= later for life in found.lives)
    assert min(life.joined for life in found.lives) == later - 60_000


def test_settings_are_those_of_the_environment() -> None:
    name = "ROLLCALL_GROUP_INITIAL_REBALANCE_DELAY_MS"
    assert rules_of({name: "7"}).group_initial_rebalance_delay_ms == 7
    assert rules_of({}) == Rules()
    with pytest.raises(config.Unconfigured, match=name):
        rules_of({name: "soon"})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("what-if", "Name at least one change"),
        ("what-if --no-short-pauses", "Name at least one change"),
        ("fleet --plan --groups 0", "Counts and times are more than 0"),
        ("fleet --plan --classic 1.5", "Shares are between 0 and 1"),
        ("fleet --plan --crashes -1", "Rates are not negative"),
    ],
)
def test_what_is_wrong_is_said(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.split()) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    ["--session-timeout-ms 0", "--session-timeout-ms x", "--freeze 22:00", "--freeze 10:00-10:00",
     "--deploy-at-once 0", "--initial-rebalance-delay-ms -1", "--assignor acme"],
)  # fmt: skip
def test_an_option_that_means_nothing_is_refused(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["what-if", *words.split()])
    assert words.split()[0] in capsys.readouterr().err


def test_an_answer_names_all_groups_together_and_says_whole_why_there_is_none() -> None:
    row = {**dict.fromkeys(SHOWN, 7), "kind": "classic", "refused": ""}
    why = "Members of the kind draft are not replayed, and this is a long sentence."
    rows = [
        {**row, "group_id": ""},
        {**row, "group_id": "a"},
        {"group_id": "b\x1b", "refused": why},
    ]
    told = text(Change(static=True), SimpleNamespace(rows=rows, events=3)).splitlines()
    assert told[0] == "What if: static ids; 3 events decided."
    assert [line.split()[0] for line in told[2:4]] == ["(all)", "a"]
    assert told[4:] == [f"b?: {why}"]
    nothing = text(Change(static=True), SimpleNamespace(rows=[], events=0))
    assert nothing.endswith("No member was recorded in this time.")


def test_a_question_beside_an_analysis_is_asked_again(
    url: str, conninfo: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was told that the report of the other would do, which does not answer it."""
    with runs.alone(conninfo):
        assert main(["what-if", "--static-ids"]) == 1
    assert capsys.readouterr().err.endswith(
        "Another analysis is at work; ask again when it has ended.\n"
    )
