"""``rollcall group timeline``: of a group at work, and how a past is drawn."""

from typing import Any

from rollcall.cli.timeline import lines
from tests.cli.conftest import Cli
from tests.clients.conftest import Worker


def test_a_group_is_shown_along_time(cli: Cli, worker: Worker, name: str) -> None:
    told = cli("group", "timeline", name, "-o", "json").json
    (lane,) = told["lanes"]
    assert lane["steps"][-1]["partitions"] > 0 and told["rebalances"]
    shown = cli("group", "timeline", name).printed
    assert told["text"] in shown and "▇" in shown
    assert cli("group", "timeline", name, "-o", "csv").rows[0]["name"] == lane["name"]
    assert cli("group", "timeline", name, "--since", "yesterday").code != 0


def lane(name: str, **over: Any) -> Any:
    return {"name": name, "steps": [], "spans": [], "departures": [], **over}


def test_lanes_are_blocks_with_silence_and_departures() -> None:
    def at(minute: int) -> str:
        return f"2026-11-27T00:{minute:02}:00Z"

    steps = [{"at": at(0), "partitions": 2}, {"at": at(30), "partitions": 4}]
    gone = {"at": at(50), "silent_since": at(40), "how": "expired", "member_id": "ben"}
    found = {
        "group_id": "g",
        "since": at(0),
        "until": "2026-11-27T01:00:00Z",
        "text": "1 rebalance.",
        "lanes": [
            lane("anna", steps=steps, spans=[{"since": at(0), "until": None}]),
            lane("ben", spans=[{"since": at(10), "until": at(50)}], departures=[gone]),
        ],
        "rebalances": [{"since": at(29), "until": at(30), "text": "why"}],
        "events": [{"at": at(45), "text": "1.7 (marked by olga)"}],
        "cuts": ["Something is missing."],
    }
    told = list(lines(found, 72))
    assert told[2:5] == [
        "rebalances" + " " * 32 + "|",
        "anna" + " " * 8 + "▄" * 30 + "▇" * 30,
        "ben" + " " * 19 + "·" * 30 + "~" * 10 + "x",
    ]
    assert told[-3:] == [
        f"{at(45)[:19]}Z  1.7 (marked by olga)",
        f"{at(29)[:19]}Z  why",
        "Something is missing.",
    ]
