"""The comparison of recorded facts with a history: it is silent about a right one, and detects each
way in which lives and intervals can differ from what members observed."""

from collections.abc import Mapping
from typing import Any

import pytest

from groups.core.rows import slot_of
from proof.chaos.commits import Commits
from proof.chaos.logical_decoding import Change, Transaction, Values
from proof.history import Record, check

G, ANNA, BEN = "g", "anna", "ben"
PART = ["t", 1]
CALL = {"process": ANNA, "instance": None, "session_ms": 4_000.0, "group": G}


def invoke(number: int, at: float, api: str, **fields: Any) -> Record:
    common = {"member": ANNA, "generation": 1, **CALL, **fields}
    return {"type": "invoke", "at": at, "call": number, "api": api, **common}


def ok(number: int, at: float, **fields: Any) -> Record:
    return {"type": "ok", "at": at, "process": ANNA, "call": number, **fields}


def row(table: str, at: float, **fields: Any) -> Record:
    return {"type": "row", "at": at, "table": table, "group": G, **fields}


def life(at: float, number: int, member: str, *, is_end: bool = False, ago: float = 0.0) -> Record:
    return row("life", at, life=number, member=member, is_end=is_end, began_ms=ago)


def owned(at: float, number: int, *, since: float = 0.0) -> Record:
    return row("owned", at, life=number, topic="t", partitions=[1], is_end=False, since_ms=since)


def ceased(at: float, number: int, *, ago: float = 0.0, is_last: bool = False) -> Record:
    ends = {"is_end": True, "until_ms": ago, "is_last": is_last}
    return row("owned", at, life=number, topic="t", partitions=[1], **ends)


def group(at: float, revision: int, *members: str, generation: int = 1) -> Record:
    rows = dict.fromkeys(members)
    return row("group", at, kind="classic", generation=generation, revision=revision,
               state="Stable", members=rows, slot=slot_of(G))  # fmt: skip


RIGHT: Mapping[str, Record] = {
    "anna joins": invoke(1, 100, "JoinGroup", generation=-1),
    "life": life(110, 1, ANNA, ago=5),
    "members": group(110, 1, ANNA),
    "anna joined": ok(1, 120, member=ANNA, generation=1, leader=ANNA),
    "anna asks": invoke(2, 200, "SyncGroup"),
    "interval": owned(250, 1),
    "synced": group(250, 2, ANNA),
    "anna is told": ok(2, 300, owned=[PART]),
    "anna joins again": invoke(3, 1_000, "JoinGroup"),
    "ben": life(1_020, 2, BEN, ago=15),
    "both": group(1_020, 3, ANNA, BEN, generation=2),
    "anna has joined again": ok(3, 1_030, member=ANNA, generation=2, leader=ANNA),
    "end of the interval": ceased(1_100, 1, ago=90),
    "dealt": group(1_100, 4, ANNA, BEN, generation=2),
    "ben's interval": owned(1_200, 2),
    "ben's end": ceased(3_000, 2, is_last=True),
    "ben's life": life(3_000, 2, BEN, is_end=True),
    "anna alone": group(3_000, 5, ANNA, generation=3),
}
BEN_ASKS = (
    invoke(4, 1_005, "JoinGroup", member=BEN, process=BEN, generation=-1),
    invoke(5, 1_150, "SyncGroup", member=BEN, process=BEN, generation=2),
)


def verdict(change: Mapping[str, Record | None]) -> list[str]:
    records = [each for each in {**RIGHT, **change}.values() if each is not None]
    history = sorted([*records, *BEN_ASKS], key=lambda record: record["at"])
    return [each.what for each in check(history) if each.invariant == "I12"]


WRONG: Mapping[str, tuple[Mapping[str, Record | None], str]] = {
    "a life that is not recorded": ({"ben": None}, "lives of"),
    "a life without a beginning": ({"life": life(110, 1, ANNA, ago=60)}, "began its life"),
    "a life that begins twice": ({"twice": life(1_025, 2, BEN, ago=15)}, "began twice"),
    "a life that does not end": ({"ben's life": None}, "lives of"),
    "a life that ends twice": ({"twice": life(3_000, 2, BEN, is_end=True)}, "was not open"),
    "an interval that is not recorded": (
        {"interval": None, "end of the interval": None},
        "was told",
    ),
    "one that begins late": ({"interval": owned(400, 1)}, "was told"),
    "one that begins early": ({"interval": owned(250, 1, since=80)}, "did not ask"),
    "one that is open after its life": ({"ben's end": None}, "is over, and owns"),
    "one that ends twice": ({"twice": ceased(1_110, 1)}, "did not own it"),
    "one that ends early": ({"end of the interval": ceased(1_100, 1, ago=400)}, "did not give up"),
    "one that ends late": ({"end of the interval": ceased(1_100, 1)}, "did not give up"),
    "two owners": ({"end of the interval": None}, "which is of"),
    "members that are not alive": ({"dealt": group(1_100, 4, ANNA, generation=2)}, "lives of"),
}


def test_a_right_account_has_no_violation() -> None:
    assert verdict({}) == []


def test_a_request_that_is_refused_and_sent_again_may_end_it_in_between() -> None:
    refused = {
        "anna is refused": invoke(6, 600, "JoinGroup"),
        "not now": {"type": "fail", "at": 650, "process": ANNA, "call": 6, "code": 15},
    }
    assert verdict({**refused, "end of the interval": ceased(1_100, 1, ago=300)}) == []
    early = verdict({**refused, "end of the interval": ceased(1_100, 1, ago=550)})
    assert ["did not give up" in said for said in early] == [True]


def test_what_was_not_decided_may_be_written_until_the_next_answer() -> None:
    answered = {"anna is told": {**ok(2, 205), "type": "fail", "code": 15}}
    told = {"anna asks again": invoke(6, 280, "SyncGroup"), "now": ok(6, 300, owned=[PART])}
    assert verdict({**answered, **told}) == []
    too_late = {**answered, **told, "interval": owned(340, 1), "synced": group(340, 2, ANNA)}
    assert ["did not ask" in said for said in verdict(too_late)] == [False, True]


def test_what_was_refused_is_not_written_later() -> None:
    refused = {"anna is told": {**ok(2, 205), "type": "fail", "code": 25}}
    assert ["did not ask" in said for said in verdict(refused)] == [True]


def test_what_was_given_up_is_later_by_as_much_as_the_write_took() -> None:
    synced = invoke(7, 1_080, "SyncGroup", generation=2)
    assert verdict({"anna syncs": synced, "end of the interval": ceased(1_100, 1, ago=32)}) == []
    late = verdict({"anna syncs": synced, "end of the interval": ceased(1_100, 1, ago=28)})
    assert ["did not give up" in said for said in late] == [True]


def test_an_owner_that_took_over_after_the_join_knows_the_assignment_alone() -> None:
    taken = {
        "type": "row",
        "at": 1_050.0,
        "table": "slot",
        "slot": slot_of(G),
        "epoch": 2,
        "node": 1,
    }
    synced = invoke(7, 1_080, "SyncGroup", generation=2)
    late = {"end of the interval": ceased(1_100, 1), "taken": taken}
    assert verdict({**late, "anna syncs": synced}) == []
    assert ["did not give up" in said for said in verdict(late)] == [True]
    early = {**late, "taken": {**taken, "at": 1_025.0}, "anna syncs": synced}
    assert ["did not give up" in said for said in verdict(early)] == [True]


@pytest.mark.parametrize("wrong", WRONG)
def test_each_difference_is_detected(wrong: str) -> None:
    change, what = WRONG[wrong]
    assert any(what in said for said in verdict(change)), verdict(change)


def test_a_history_without_facts_is_not_judged() -> None:
    facts = [name for name, each in RIGHT.items() if each.get("table") in ("life", "owned")]
    assert verdict(dict.fromkeys(facts)) == []


# -- rows of PostgreSQL


def at(second: float) -> str:
    return f"2026-11-28 03:12:{second:09.6f}+00"


WALL_S = 1_795_835_530.0
"""2026-11-28 03:12:10."""


def made(table: str, **values: str | None) -> Change:
    row: Values = {"group_id": G, "life": "1", **values}
    return Change(table, row, False)


def test_facts_are_decoded_with_their_ages() -> None:
    """What ceases to be owned comes before the end of its life, whatever the log's order."""
    joined = made("rollcall_life", member_id=ANNA, at=at(9.9), joined_at=at(9.4), left_at=None)
    begins = {"topic": "t", "partitions": "{[0,2),[5,6)}", "from_at": at(9.9)}
    owns = made("rollcall_ownership", at=at(9.9), until_at=None, **begins)
    commits = Commits()
    life, owned = commits.rows(Transaction(1, WALL_S, [owns, joined]))
    assert (life["member"], round(life["began_ms"]), life["is_end"]) == (ANNA, 600, False)
    assert (owned["partitions"], round(owned["since_ms"])) == ([0, 1, 5], 100)
    left = made("rollcall_life", member_id=ANNA, at=at(9.9), joined_at=at(9.4), left_at=at(9.9))
    loses = made("rollcall_ownership", at=at(9.9), until_at=at(9.7), **begins)
    kept = commits.back([{"table": "life", "group": G}])
    assert [row["lives"] for row in kept] == [[[1, ANNA]]]
    over, end = commits.rows(Transaction(2, WALL_S, [left, loses]))
    assert (round(over["until_ms"]), over["is_last"], end["is_end"]) == (300, True, True)
    (none,) = commits.back([{"table": "life", "group": G}])
    assert none["lives"] == none["owned"] == []


def test_an_age_across_a_jump_of_the_clock_is_unknown() -> None:
    jumped = made(
        "rollcall_life", member_id=ANNA, at="2026-11-28 04:12:10+00", joined_at=at(9), left_at=None
    )
    (life,) = Commits().rows(Transaction(1, WALL_S, [jumped]))
    assert life["began_ms"] == 0
