"""The facts of one day of a fleet, invented: what its rows take (``benchmarks.fact_sizes``).

Groups of fifty members with two hundred partitions of a topic, of which each member is replaced
once in the day, one after another, by a sticky assignor: it leaves, its partitions go to others;
another joins and takes some of theirs. Every rebalance waits for all of them for up to a heartbeat.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Final
from uuid import UUID

MEMBERS: Final = 50
PARTITIONS: Final = 200
TOPIC: Final = "orders.placed"
HEARTBEAT_MS: Final = 3_000
PAUSE_MS: Final = 5_000
"""A consumer commits by itself so often."""

ANSWER_MS: Final = 40
"""A SyncGroup is there after at most so much, nearly always."""

DAY_0: Final = datetime(2000, 1, 1, tzinfo=UTC)

Row = dict[str, Any]
Table = dict[str, list[Row]]

ROUNDS: Final = {"consumer": 1.14, "sticky": 2, "cooperative-sticky": 3}
"""Rebalances for each member that is replaced, as measured (docs/facts.md)."""


class Group:
    """One group's day."""

    def __init__(self, name: str, kind: str, begin: datetime, lives: Iterator[int]) -> None:
        self.name = name
        self.kind = "consumer" if kind == "consumer" else "classic"
        self.rounds = ROUNDS[kind]
        self.rows: Table = {name: [] for name in ("life", "ownership", "round")}
        self.hours: Table = {name: [] for name in ("silence", "progress")}
        self._random = random.Random(name)
        self._lives = lives
        self._begin = begin
        self._xids = count(10)
        self._generation = 1_000
        self._topic_id = UUID(int=self._random.getrandbits(128))
        self._offsets = [self._random.randrange(10**6, 10**9) for _ in range(PARTITIONS)]
        self.members: dict[int, Row] = {}
        self.owned: dict[int, dict[int, datetime]] = {}
        for n in range(MEMBERS):
            life = self._member(begin - timedelta(hours=24))
            share = range(n * PARTITIONS // MEMBERS, (n + 1) * PARTITIONS // MEMBERS)
            self.owned[life] = dict.fromkeys(share, begin - timedelta(hours=24))

    def day(self) -> None:
        """A deploy somewhere in the day, and the hours."""
        deploy = self._begin + timedelta(seconds=self._random.randrange(80_000))
        oldest = sorted(self.members)
        at = deploy
        owed = 0.0
        for life in oldest:
            owed += self.rounds
            at += timedelta(seconds=20)
            self._leave(life, at)
            owed = self._rebalance("member-left", at, owed)
            at += timedelta(seconds=20)
            self._join(at)
            while owed >= 1:
                owed = self._rebalance("member-joined", at, owed)
        for hour in range(24):
            self._hour(self._begin + timedelta(hours=hour))
        self.rows["life_open"] = [*self.members.values()]
        self.rows["ownership_open"] = [
            self._of(life, [part for part, at in owned.items() if at == begun], begun)
            for life, owned in self.owned.items()
            for begun in {*owned.values()}
        ]

    def _place(self, at: datetime) -> Row:
        return {"at": at, "era": 0, "xid": next(self._xids)}

    def _member(self, at: datetime) -> int:
        life, number = next(self._lives), self._random.randrange(10**4)
        client = f"consumer-{self.name}-{number % 50}"
        self.members[life] = {
            "life": life, "group_id": self.name,
            "member_id": f"{client}-{UUID(int=self._random.getrandbits(128))}",
            "client_id": client, "client_host": f"/10.20.{number % 200}.{number % 250}",
            "principal": "User:orders", "software_name": "apache-kafka-java",
            "software_version": "4.1.0", "kind": self.kind, "api_version": 9,
            "session_timeout_ms": 45_000, "rebalance_timeout_ms": 300_000, "subscription": [TOPIC],
            "pattern": "", "protocols": ["sticky"], "revision": self._generation * 7,
            "joined_generation": self._generation, "joined_at": at, "origin": "joined",
        }  # fmt: skip
        self.owned[life] = {}
        return life

    def _leave(self, life: int, at: datetime) -> None:
        self._generation += 1
        member, owned = self.members.pop(life), self.owned.pop(life)
        place = self._place(at)
        ended = {"left_generation": self._generation, "left_at": at, "departure": "left"}
        heard = at - timedelta(milliseconds=self._random.randrange(HEARTBEAT_MS))
        self.rows["life"].append({**place, **member, **ended, "heard_at": heard})
        self._closed(place, life, owned, at)
        for partition in owned:
            self._opened(place, self._by_size()[0], [partition], at)

    def _join(self, at: datetime) -> None:
        self._generation += 1
        life = self._member(at)
        place = self._place(at)
        self.rows["life"].append({**place, **self.members[life]})
        taken = []
        for _ in range(PARTITIONS // MEMBERS):
            other = self._by_size()[-1]
            partition = self._random.choice(sorted(self.owned[other]))
            self._closed(place, other, {partition: self.owned[other].pop(partition)}, at)
            taken.append(partition)
        self._opened(place, life, taken, at)

    def _by_size(self) -> Sequence[int]:
        lives = self._random.sample(sorted(self.members), len(self.members))
        return sorted(lives, key=lambda life: len(self.owned[life]))

    def _opened(self, place: Row, life: int, partitions: Sequence[int], at: datetime) -> None:
        self.owned[life].update(dict.fromkeys(partitions, at))
        self.rows["ownership"].append({**place, **self._of(life, partitions, at)})

    def _closed(self, place: Row, life: int, owned: dict[int, datetime], at: datetime) -> None:
        for begun in sorted({*owned.values()}):
            partitions = [partition for partition, since in owned.items() if since == begun]
            ended = {"until_generation": self._generation, "until_at": at}
            row = {**place, **self._of(life, partitions, begun), **ended}
            self.rows["ownership"].append(row)

    def _of(self, life: int, partitions: Sequence[int], begun: datetime) -> Row:
        ranges = ",".join(f"[{each},{each}]" for each in sorted(partitions))
        return {
            "group_id": self.name, "life": life, "topic": TOPIC, "topic_id": self._topic_id,
            "partitions": "{" + ranges + "}", "from_generation": self._generation - 20,
            "from_at": begun,
        }  # fmt: skip

    def _rebalance(self, trigger: str, at: datetime, owed: float) -> float:
        if owed < 1:
            return owed
        lives = sorted(self.members, key=lambda life: str(self.members[life]["member_id"]))
        rejoined = [self._random.randrange(10, HEARTBEAT_MS) for _ in lives]
        synced = [self._random.randrange(10, ANSWER_MS) for _ in lives[1:]]
        is_classic = self.kind == "classic"
        took = timedelta(milliseconds=max(rejoined) + ANSWER_MS)
        ms = int(took.total_seconds() * 1000)
        self.rows["round"].append({
            **self._place(at + took), "group_id": self.name, "generation": self._generation,
            "kind": self.kind, "outcome": "assigned", "started_at": at, "ended_at": at + took,
            "is_partial": False, "members": len(lives), "moved": 4,
            "stopped_ms": sum(rejoined) * 4, "silent_ms": 0, "unowned_ms": 4 * ms,
            "triggers": [trigger], "cause_members": [1],
            "cause_ids": [self.members[lives[0]]["member_id"]], "cause_at_ms": [0],
            "cause_ms": [ms],
            "acts": ["rejoin", "sync"] if is_classic else ["revoke"],
            "ends": ["rejoined", "synced"] if is_classic else ["revoked"],
            "counts": [len(lives), len(lives) - 1] if is_classic else [len(lives)],
            "lives": lives + (lives[1:] if is_classic else []),
            "waited_ms": rejoined + (synced if is_classic else []),
        })  # fmt: skip
        return owed - 1

    def _hour(self, hour: datetime) -> None:
        over = hour + timedelta(hours=1)
        lives = sorted(self.members)
        looks = [[640 - n, n, 0, 0, 0, 0, 0, 0] for n in range(len(lives))]
        longest = [HEARTBEAT_MS + self._random.randrange(3_000) for _ in lives]
        silence = {"group_id": self.name, "lives": lives, "longest_ms": longest, "looks": looks}
        self.hours["silence"].append({**self._place(over), "hour": hour, **silence})
        self.hours["progress"].append(
            {**self._place(over + timedelta(seconds=62)), "hour": hour, **self._progress()}
        )

    def _progress(self) -> Row:
        owners = {part: life for life, parts in self.owned.items() for part in parts}
        first = [each + self._random.randrange(200) for each in self._offsets]
        last = [each + 90_000 + self._random.randrange(9_000) for each in first]
        self._offsets = last
        return {
            "group_id": self.name, "topic": TOPIC, "partitions": list(range(PARTITIONS)),
            "commits": [719 + self._random.randrange(3) for _ in last], "first_offsets": first,
            "last_offsets": last,
            "pauses_ms": [PAUSE_MS + self._random.randrange(300) for _ in last],
            "lives": [owners[part] for part in range(PARTITIONS)],
            "end_offsets": [each + self._random.randrange(500) for each in last],
        }  # fmt: skip


def fleet(kind: str, groups: int, begin: datetime) -> Iterator[Group]:
    """So many groups of the kind, each with its day; their lives have numbers of one sequence."""
    lives = count(1)
    for n in range(groups):
        group = Group(f"orders-{n}", kind, begin, lives)
        group.day()
        yield group


def write(cursor: Any, groups: Sequence[Group]) -> None:
    """Add the rows of these to the tables, in order of time, as owners do."""
    names = ("life", "life_open", "ownership", "ownership_open", "round", "silence", "progress")
    for name in names:
        rows = [row for group in groups for row in {**group.rows, **group.hours}[name]]
        columns = [*max(rows, key=len)]
        into = f"COPY rollcall_{name} ({', '.join(columns)}) FROM STDIN"
        with cursor.copy(into) as copy:
            for row in sorted(rows, key=lambda row: row.get("at", DAY_0)):
                copy.write_row([row.get(column) for column in columns])
