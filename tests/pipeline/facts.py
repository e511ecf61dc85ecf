"""Lives and ownership for tests: what members of a few groups do, in the order of time."""

import random
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

from tests.pipeline.transactions import settle

Fact = tuple[str, dict[str, Any]]
"""The table and the columns of a row."""

END = datetime(2026, 3, 1, tzinfo=UTC)

DAYS = 70

DEPARTURES = ("left", "left", "expired", "expired", "not-acknowledged", "replaced", "unknown")


def many(count: int, groups: int = 12, seed: int = 1, end: datetime = END) -> Iterator[Fact]:
    """So many facts or a few more, over the last days before an end."""
    chance = random.Random(seed)
    alive: list[dict[str, Any]] = []
    made = 0
    while made < count:
        at = end - timedelta(seconds=round(DAYS * 86_400 * (1 - made / count), 3))
        if alive and chance.random() < 0.15:
            facts = [*_hours(chance, chance.choice(alive)["row"], at)]
        elif chance.random() < 0.02:
            facts = [*_deploy(chance, f"group-{chance.randrange(groups):04}", made, at)]
        elif alive and chance.random() < 0.5:
            facts = [*_ended(chance, alive.pop(chance.randrange(len(alive))), at)]
        elif alive and chance.random() < 0.5:
            facts = [*_moved(chance, chance.choice(alive), at)]
        else:
            alive.append(_begun(chance, groups, made + seed * 1_000_000, at))
            # That a life's beginning is no longer kept is nothing unusual.
            facts = [("life", alive[-1]["row"])] if chance.random() < 0.9 else []
        yield from facts
        made += max(len(facts), 1)


def _begun(chance: random.Random, groups: int, life: int, at: datetime) -> dict[str, Any]:
    client = chance.randrange(4)
    row = {
        "at": at,
        "life": life,
        "group_id": f"group-{chance.randrange(groups):04}",
        "member_id": f"m-{life % 9}",
        "instance_id": chance.choice([None, None, f"i-{client}"]),
        "client_id": chance.choice(["", f"worker-{client}"]),
        "client_host": f"10.0.0.{chance.randrange(2)}",
        "principal": "",
        "software_name": chance.choice(["", "librdkafka"]),
        "software_version": chance.choice(["", "2.6.0"]),
        "kind": chance.choice(["classic", "consumer"]),
        "session_timeout_ms": chance.choice([6_000, 45_000]),
        "rebalance_timeout_ms": 60_000,
        "pattern": "",
        "protocols": chance.choice([[], ["range"], ["range", "sticky"]]),
        "revision": 1,
        "joined_generation": 1,
        "joined_at": at - timedelta(seconds=chance.choice([0, 0.5])),
        "origin": "joined",
    }
    return {"row": row, "owned": {}}


def _ended(chance: random.Random, life: dict[str, Any], at: datetime) -> Iterator[Fact]:
    for (topic, begun), partitions in life["owned"].items():
        yield _ownership(life, topic, begun, partitions, at, at)
    row = life["row"]
    silence = timedelta(milliseconds=chance.choice([0, row["session_timeout_ms"]]))
    ended = {
        **row,
        "at": at,
        "left_generation": 2,
        "left_at": at,
        "departure": chance.choice(DEPARTURES),
        "heard_at": at - silence,
    }
    yield "life", ended
    if chance.random() < 0.5:  # its client is back at once, or nearly so
        later = at + timedelta(seconds=chance.choice([0.0, 2.5, 59.999, 60.0]))
        again = {**row, "at": later, "joined_at": later}
        number = row["life"] + 500_000
        yield "life", {**again, "life": number}
        over = {"left_generation": 3, "left_at": later, "departure": "left", "heard_at": later}
        yield "life", {**again, "life": number, **over}


def _hours(chance: random.Random, row: dict[str, Any], at: datetime) -> Iterator[Fact]:
    """What an hour was like for a member, an unknown one beside it."""
    hour = at.replace(minute=0, second=0, microsecond=0)
    shared = {"at": at, "group_id": row["group_id"], "hour": hour}
    yield (
        "silence",
        {
            **shared,
            "lives": [row["life"], None],
            "longest_ms": [chance.randrange(row["session_timeout_ms"]), 5],
            "looks": [chance.randrange(3) for _ in range(16)],
        },
    )
    begin = chance.randrange(100)
    last = begin + chance.choice([0, 0, 50, -50])
    yield (
        "progress",
        {
            **shared,
            "topic": f"t-{chance.randrange(2)}",
            "partitions": [0, 5],
            "commits": [3, 1],
            "first_offsets": [begin, 7],
            "last_offsets": [last, 7],
            "pauses_ms": [chance.randrange(3_600_000), 1],
            "lives": [row["life"], None],
            "end_offsets": [chance.choice([None, last, last + 9]), 9],
        },
    )


def _deploy(chance: random.Random, group_id: str, made: int, at: datetime) -> Iterator[Fact]:
    """Three members begin; a day later three others do, when these leave."""
    for wave in range(2):
        for number in range(3):
            joined = at + timedelta(days=wave, seconds=20 * number)
            life = _begun(chance, 1, 900_000_000 + 10 * made + 3 * wave + number, joined)["row"]
            row = {**life, "group_id": group_id, "joined_at": joined}
            yield "life", row
            if wave == 0:
                left = joined + timedelta(days=1, seconds=5)
                over = {"left_generation": 2, "left_at": left, "departure": "left"}
                yield "life", {**row, "at": left, **over, "heard_at": left}


def _moved(chance: random.Random, life: dict[str, Any], at: datetime) -> Iterator[Fact]:
    """It gets partitions, or loses some or all of those that it had."""
    if life["owned"] and chance.random() < 0.6:
        topic, begun = key = chance.choice([*life["owned"]])
        lost = chance.sample(life["owned"][key], chance.randrange(1, len(life["owned"][key]) + 1))
        until = at - timedelta(seconds=chance.choice([0, 0.25]))
        yield _ownership(life, topic, begun, lost, at, max(until, begun))
        life["owned"][key] = [p for p in life["owned"][key] if p not in lost]
        if not life["owned"][key]:
            del life["owned"][key]
        return
    topic = f"t-{chance.randrange(2)}"
    got = chance.sample(range(8), chance.randrange(1, 5))
    life["owned"][topic, at] = got
    yield _ownership(life, topic, at, got, at, None)


def _ownership(
    life: dict[str, Any],
    topic: str,
    begun: datetime,
    partitions: list[int],
    at: datetime,
    until: datetime | None,
) -> Fact:
    row = life["row"]
    ranges = ",".join(f"[{number},{number + 1})" for number in partitions)
    return "ownership", {
        "at": at,
        "group_id": row["group_id"],
        "life": row["life"],
        "topic": topic,
        "partitions": f"{{{ranges}}}",
        "from_generation": 1,
        "from_at": begun,
        "until_generation": None if until is None else 2,
        "until_at": until,
    }


def write(url: str, facts: Iterable[Fact]) -> None:
    """Add them, in one transaction; a stream reads them from then on."""
    with psycopg.connect(url) as connection:
        for table, row in facts:
            names = ", ".join(row)
            places = ", ".join(["%s"] * len(row))
            connection.execute(
                f"INSERT INTO rollcall_{table} (era, xid, {names}) VALUES"
                f" (rollcall_current_era(), pg_current_xact_id()::text::bigint, {places})".encode(),
                [*row.values()],
            )
    settle(url)
