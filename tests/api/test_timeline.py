"""A group along time, over REST: stories with exact times, and what a bound leaves out."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from console.queries import timeline
from console.queries.timeline_lanes import DEPARTURES_MAX, LANES_MAX, MEMBERS_MAX
from groups.core.rows import slot_of
from groups.models import Mark
from tests.pasts import DAY, Past, execute

pytestmark = pytest.mark.django_db

STATEMENTS_MAX = 13
"""For any group: eleven of the timeline, and whether the group is known, and its row."""


@pytest.fixture
def past() -> Past:
    """Anna owns all from 00:10; Ben comes at 00:20, and is lost at 00:50, silent for five
    minutes."""
    told = Past()
    anna, ben = told.life("anna", 10), told.life("ben", 20, 50, "expired", silent=5)
    told.owned(anna, "{[0,4)}", 10, 20)
    told.owned(anna, "{[0,2)}", 20)
    told.owned(ben, "{[2,4)}", 20, 50)
    told.owned(anna, "{[2,4)}", 51)
    told.rebalanced(1, 10, members=1, moved=4)
    told.rebalanced(
        2,
        20,
        ms=3_000,
        who="ben",
        waits={"rejoin:rejoined": [(anna, 2_900)]},
        moved=2,
        cost=(8_000, 0, 0),
    )
    told.rebalanced(
        3,
        51,
        ms=60_000,
        trigger="session-expired",
        who="ben",
        waits={"rejoin:silent": [(ben, 59_000)], "sync:synced": [(anna, 500), (None, 20)]},
        cost=(0, 600_000, 120_000),
        moved=2,
        members=1,
    )
    return told


def read(client: Client, since: float = 0, until: float = 60, **query: str) -> Any:
    """The timeline of some minutes of the day."""
    times = {"since": DAY + timedelta(minutes=since), "until": DAY + timedelta(minutes=until)}
    asked = {**{name: at.isoformat() for name, at in times.items()}, **query}
    answer = client.get("/api/v1/groups/packers/timeline", asked)
    assert answer.status_code == 200, answer.content
    return answer.json()


def owned(body: Any, name: str) -> list[tuple[int, int]]:
    """What a lane owned, by minutes of the day."""
    lane = next(lane for lane in body["lanes"] if lane["name"] == name)
    times = [datetime.fromisoformat(step["at"]) - DAY for step in lane["steps"]]
    return [
        (round(at / timedelta(minutes=1)), step["partitions"])
        for at, step in zip(times, lane["steps"], strict=True)
    ]


def test_lanes_show_who_owned_how_much_when(viewer: Client, past: Past) -> None:
    body = read(viewer)
    assert body["by"] == "member" and body["lives"] == 2
    assert owned(body, "anna") == [(10, 4), (20, 2), (51, 4)]
    assert owned(body, "ben") == [(20, 2), (50, 0)]
    later = read(viewer, 30, 40)
    assert owned(later, "anna") == [(30, 2)] and owned(later, "ben") == [(30, 2)]
    assert read(viewer, 0, 5)["lanes"] == []


def test_those_that_were_lost_come_first_with_their_silence(viewer: Client, past: Past) -> None:
    ben, anna = read(viewer)["lanes"]
    assert (ben["name"], ben["lost"], ben["waited_ms"]) == ("ben", 1, 59_000)
    (left,) = ben["departures"]
    silent = datetime.fromisoformat(left["at"]) - datetime.fromisoformat(left["silent_since"])
    assert (left["how"], silent) == ("expired", timedelta(minutes=5))
    assert [(wait["generation"], wait["act"], wait["end"]) for wait in ben["waits"]] == [
        (3, "rejoin", "silent")
    ]
    assert [(wait["generation"], wait["act"], wait["ms"]) for wait in anna["waits"]] == [
        (2, "rejoin", 2_900),
        (3, "sync", 500),
    ]


def test_the_cost_of_a_time_is_that_of_its_rebalances(viewer: Client, past: Past) -> None:
    body = read(viewer)
    assert body["cost"] | {"slowest": None} == {
        "rebalances": 3,
        "moved": 8,
        "stopped_ms": 8_000,
        "silent_ms": 600_000,
        "unowned_ms": 120_000,
        "slowest": None,
    }
    assert body["text"] == (
        "3 rebalances; 8 partitions moved; 728.0 partition-seconds without work (8.0 stopped,"
        " 600.0 with silent owners, 120.0 without owner). They waited longest for ben: 59.0 s in 1"
        " rebalance."
    )
    first = read(viewer, 15, 30)
    assert first["cost"]["rebalances"] == 1 and "for anna: 2.9 s" in first["text"]
    assert read(viewer, 25, 30)["text"] == "No rebalance in this time."


def test_rebalances_are_told_although_the_journal_lost_them(viewer: Client, past: Past) -> None:
    texts = [one["text"] for one in read(viewer)["rebalances"]]
    assert texts[2] == (
        "Rebalanced to generation 3 after 1 min, because member ben was silent for its session"
        " timeout."
    )


def test_states_follow_from_the_rebalances(viewer: Client, past: Past) -> None:
    past.rebalanced(4, 55, outcome="emptied", ms=0, trigger="member-left", members=0)
    first, *_ = read(viewer)["states"]
    assert datetime.fromisoformat(first["since"]) > DAY + timedelta(minutes=9)
    states = [one["state"] for one in read(viewer)["states"]]
    assert states == [
        "Rebalancing",
        "Stable",
        "Rebalancing",
        "Stable",
        "Rebalancing",
        "Stable",
        "Empty",
    ]
    assert [one["state"] for one in read(viewer, 56, 57)["states"]] == ["Empty"]


def test_a_group_whose_first_rebalance_is_not_known_was_stable_before(viewer: Client) -> None:
    """Of a group without members nothing is shown before its first one joins."""
    told = Past()
    told.life("anna", 10, 40)
    told.rebalanced(7, 20)
    states = [one["state"] for one in read(viewer)["states"]]
    assert states == ["Stable", "Rebalancing", "Stable"]


JOURNAL = """
INSERT INTO rollcall_journal (at, group_id, revision, node_id, kind, trigger, reason,
    generation_before, generation_after, waited_for, joined, "left", details, duration_ms)
VALUES (%(at)s, %(group_id)s, 1, 1, %(kind)s, %(trigger)s, %(reason)s, 1, %(generation)s, '{}',
    '[]', '[]', %(details)s, 1000)
"""


def entry(minute: float, kind: str, details: str = "{}", **over: Any) -> None:
    """An entry of the journal."""
    values = {"group_id": "packers", "trigger": "operator", "reason": "why", "generation": 0}
    execute(
        JOURNAL,
        at=DAY + timedelta(minutes=minute),
        kind=kind,
        details=details,
        **{**values, **over},
    )


def test_what_happened_beside_rebalances_is_told(viewer: Client, past: Past) -> None:
    entry(20, "rebalance-completed", trigger="member-joined", generation=2)
    entry(30, "paused", '{"scope": "group"}', reason="olga stopped the group's work: a test")
    entry(31, "config-changed", group_id="other")
    mine, other = slot_of("packers"), slot_of("packers") + 1
    entry(32, "slots-claimed", f'{{"slots": [{mine}]}}', group_id="", reason="1 slot of node 2")
    entry(33, "slots-claimed", f'{{"slots": [{other}]}}', group_id="")
    outage = '{"since": "2026-11-27T00:34:00Z", "until": "2026-11-27T00:35:00Z", "ms": 60000}'
    entry(35, "node-outage", outage, group_id="", trigger="database-away")
    Mark.objects.create(at=DAY + timedelta(minutes=40), text="1.7", group_id="", actor="olga")
    Mark.objects.create(at=DAY + timedelta(minutes=41), text="no", group_id="other", actor="olga")
    body = read(viewer)
    told = [(one["sort"], one["text"]) for one in body["events"]]
    assert told[:2] == [
        ("operator", "Olga stopped the group's work: a test."),
        ("node", "Node 1 took 1 slot of node 2."),
    ]
    assert told[2][0] == "outage" and "lease" in told[2][1]
    assert told[3:] == [("mark", "1.7 (marked by olga)")]
    assert body["events"][2]["until"] == "2026-11-27T00:35:00Z"
    assert "Rebalanced to generation 2 in 1.0 s" in body["rebalances"][1]["text"]


def test_what_one_may_not_read_is_left_out(api: Any, past: Past) -> None:
    entry(35, "node-outage", group_id="", trigger="database-away")
    entry(36, "paused", '{"scope": "group"}')
    sorts = [one["sort"] for one in read(api("view_group"))["events"]]
    assert sorts == ["operator"]


def test_many_members_are_shown_by_hosts(viewer: Client) -> None:
    past = Past()
    past.life("gone", 1, 2)
    for n in range(MEMBERS_MAX + 1):
        life = past.life(f"m-{n}", 10, host=f"/10.0.0.{n % 3}")
        past.owned(life, f"{{[{n},{n + 1})}}", 10)
    body = read(viewer, 5)
    assert body["by"] == "host" and len(body["lanes"]) == 3
    assert sum(lane["steps"][-1]["partitions"] for lane in body["lanes"]) == MEMBERS_MAX + 1
    one = read(viewer, host="/10.0.0.2")
    assert one["by"] == "member" and one["lives"] == 20


def test_lanes_without_room_are_one(viewer: Client) -> None:
    past = Past()
    for n in range(LANES_MAX + 5):
        past.owned(past.life(f"m-{n:02}", 10), "{[0,2)}", 10)
    lost = past.life("z-lost", 10, 20, "expired")
    *_, rest = lanes = read(viewer)["lanes"]
    assert len(lanes) == LANES_MAX + 1 and lanes[0]["key"] == str(lost)
    assert (rest["key"], rest["name"], rest["lives"]) == ("", "6 more members", 6)
    assert [step["partitions"] for step in rest["steps"]] == [12]


def test_what_is_left_out_is_said(
    viewer: Client, past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "ROUNDS_MAX", 2)
    monkeypatch.setattr(timeline, "CHANGES_MAX", 3)
    body = read(viewer)
    assert [one["generation"] for one in body["rebalances"]] == [2, 3]
    assert not any(lane["steps"] for lane in body["lanes"]) and len(body["cuts"]) == 2


def test_waits_are_read_of_the_newest_rebalances(
    viewer: Client, past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "WAITS_MAX", 2)
    body = read(viewer)
    assert {wait["generation"] for lane in body["lanes"] for wait in lane["waits"]} == {3}
    assert body["cuts"] == ["Whom rebalances waited for is told of the newest 1."]


def test_lives_are_those_that_are_there_and_those_that_ended_last(
    viewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    past = Past()
    for name, left in (("early", 20), ("late", 30), ("there", None)):
        past.life(name, 10, left)
    monkeypatch.setattr(timeline, "LIVES_MAX", 2)
    body = read(viewer)
    assert {lane["name"] for lane in body["lanes"]} == {"there", "late"}
    assert body["cuts"] == ["Of so many lives the 2 that ended last are shown."]


def test_a_host_was_there_while_any_of_its_members_was(viewer: Client) -> None:
    """And its newest departures are told one by one."""
    past = Past()
    for n in range(MEMBERS_MAX + 1):
        past.life(f"m-{n:02}", n, n + 1, "expired" if n % 2 else "left", silent=0.5)
    past.life("again", MEMBERS_MAX + 20)
    (lane,) = read(viewer, 0, MEMBERS_MAX + 30)["lanes"]
    assert [span["until"] is None for span in lane["spans"]] == [False, True]
    assert (lane["lives"], lane["left"]) == (MEMBERS_MAX + 2, MEMBERS_MAX + 1)
    assert lane["lost"] == (MEMBERS_MAX + 1) // 2
    told = lane["departures"]
    assert len(told) == DEPARTURES_MAX and told[0]["member_id"] == f"m-{MEMBERS_MAX:02}"
    assert {one["how"] for one in told if one["silent_since"]} == {"expired"}


def test_a_timeline_takes_few_statements(viewer: Client, past: Past) -> None:
    with CaptureQueriesContext(connection) as queries:
        read(viewer)
    own = [each for each in queries if "rollcall_api_token" not in each["sql"]]
    assert len(own) <= STATEMENTS_MAX, len(own)


@pytest.mark.parametrize(
    ("since", "until"),
    [("2026-11-27T00:00:00Z", "2026-11-27T00:00:00Z"), ("2026-01-01T00:00:00Z", None)],
)
def test_a_time_without_length_or_too_long_is_refused(
    viewer: Client, past: Past, since: str, until: str | None
) -> None:
    query = f"since={quote(since)}" + (f"&until={quote(until)}" if until else "")
    assert viewer.get(f"/api/v1/groups/packers/timeline?{query}").status_code == 400
    assert viewer.get("/api/v1/groups/nobody/timeline").status_code == 404
