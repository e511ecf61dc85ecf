"""Lives and rebalances in which one thing is wrong, and others in which nothing is."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from pyspark.sql import SparkSession

from pipeline.datasets.deploys import Deploys
from pipeline.datasets.lives import Lives, Ownership
from pipeline.datasets.rebalances import Rebalances
from pipeline.steps.deploys import deploys

AT = datetime(2026, 3, 1, tzinfo=UTC)
"""The moment of the run."""

SESSION_MS = 10_000


@dataclass(slots=True)
class Fleet:
    """Rows of both datasets as they are planted, over the last day."""

    chance: random.Random
    lives: list[dict[str, Any]] = field(default_factory=list)
    rebalances: list[dict[str, Any]] = field(default_factory=list)
    intervals: list[dict[str, Any]] = field(default_factory=list)
    numbers: "count[int]" = field(default_factory=lambda: count(1))

    def life(
        self,
        group_id: str,
        client_id: str,
        begun_s: float,
        lived_s: float | None,
        departure: str | None = None,
        *,
        back_s: float | None = None,
        silent_s: float = 0.0,
        instance_id: str | None = None,
        protocol: str = "range",
        kind: str = "classic",
    ) -> int:
        """A life that began so many seconds after the day's begin; None: it has not ended. Returns
        its number."""
        begun = AT - timedelta(days=1) + timedelta(seconds=begun_s)
        left = begun + timedelta(seconds=lived_s) if lived_s is not None else None
        number = next(self.numbers)
        self.lives.append(
            {
                "life": number,
                "group_id": group_id,
                "member_id": f"{client_id}-{number}",
                "instance_id": instance_id,
                "client_id": client_id,
                "client_host": "10.0.0.1",
                "software": "a client 1.0",
                "kind": kind,
                "session_timeout_ms": SESSION_MS,
                "protocols": [protocol],
                "joined_at": begun,
                "left_at": left,
                "departure": departure,
                "heard_at": left - timedelta(seconds=silent_s) if left is not None else None,
                "lived_ms": round(1_000 * lived_s) if lived_s is not None else None,
                "back_ms": round(1_000 * back_s) if back_s is not None else None,
            }
        )
        return number

    def owns(self, group_id: str, life: int, partitions: Iterable[int], from_s: float) -> None:
        """A life owns partitions from so many seconds after the day's begin."""
        since = AT - timedelta(days=1) + timedelta(seconds=from_s)
        row = {"group_id": group_id, "life": life, "topic": "t", "from_at": since, "until_at": None}
        self.intervals += [{**row, "partition": number} for number in partitions]

    def rebalance(self, group_id: str, seconds: float, trigger: str, **over: Any) -> None:
        """A rebalance that took a second."""
        at = AT - timedelta(days=1) + timedelta(seconds=seconds)
        row = dict.fromkeys(Rebalances.names())
        self.rebalances.append(
            {
                **row,
                "group_id": group_id,
                "trigger": trigger,
                "reason": "",
                "client_reason": "",
                "started_at": at - timedelta(seconds=1),
                "completed_at": at,
                "duration_ms": 1_000,
                "without_owner_ms": 1_000,
                "partitions_moved": 1,
                "journal_id": next(self.numbers),
                "causes": [{"trigger": trigger, "ms": 1_000}],
                **over,
            }
        )

    def frames(self, spark: SparkSession) -> tuple[Lives, Rebalances, Ownership, Deploys]:
        """What advice is made of, each read once."""
        made = ((Lives, self.lives), (Rebalances, self.rebalances), (Ownership, self.intervals))
        lives, rebalances, intervals = (
            spark.createDataFrame([_row(row, kind.names()) for row in rows], kind.ddl()).cache()
            for kind, rows in made
        )
        known = Lives(lives), Rebalances(rebalances)
        return *known, Ownership(intervals), deploys(*known, AT)


def _row(row: dict[str, Any], names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


def quiet(fleet: Fleet, group_id: str) -> None:
    """A group in which members live long; one deploy, one crash."""
    for number in range(6):
        fleet.life(group_id, f"w-{number}", 0, None)
        fleet.life(group_id, f"old-{number}", 0, 4_000 + number, "left")
        fleet.rebalance(group_id, 4_000 + number, "member-left")
    fleet.life(group_id, "crashed", 0, 9_000, "expired", silent_s=10)
    fleet.rebalance(group_id, 9_000, "session-expired")
    fleet.rebalance(group_id, 20_000, "owner-changed")
    fleet.rebalance(group_id, 30_000, "operator")


def short_session(fleet: Fleet, group_id: str) -> None:
    """A member that pauses for longer than its session timeout."""
    for number in range(fleet.chance.randrange(3, 30)):
        begun = 1_000 + 600 * number
        fleet.life(group_id, "slow", begun, 500, "expired", back_s=4.0, silent_s=10)
        fleet.rebalance(group_id, begun + 500, "session-expired")


def restarts(fleet: Fleet, group_id: str) -> None:
    """Dynamic members that a deploy restarts every ten minutes."""
    for number in range(fleet.chance.randrange(3, 20)):
        begun = 600 * number
        fleet.life(group_id, "deployed", begun, 580, "left", back_s=20.0)
        fleet.rebalance(group_id, begun + 580, "member-left")
        fleet.rebalance(group_id, begun + 600, "member-joined")


def loop(fleet: Fleet, group_id: str) -> None:
    """A member that joins and crashes."""
    for number in range(fleet.chance.randrange(5, 40)):
        begun = 200 * number
        fleet.life(group_id, "looping", begun, 15, "expired", back_s=170.0, silent_s=10)
        fleet.rebalance(group_id, begun, "member-joined")
        fleet.rebalance(group_id, begun + 15, "session-expired")


def deaf(fleet: Fleet, group_id: str) -> None:
    """A member that never acknowledges."""
    for number in range(fleet.chance.randrange(3, 12)):
        begun = 900 * number
        fleet.life(group_id, "deaf", begun, 600, "not-acknowledged", back_s=300.0)
        fleet.rebalance(group_id, begun + 600, "not-acknowledged")


def slow(fleet: Fleet, group_id: str) -> None:
    """A member whose host hangs: every rebalance waits for it."""
    for number in range(fleet.chance.randrange(3, 30)):
        fleet.rebalance(
            group_id, 500 * number, "member-joined", slowest_member="hung-1", slowest_ms=7_000
        )


def leader(fleet: Fleet, group_id: str) -> None:
    """A leader that is slow to sync."""
    for number in range(fleet.chance.randrange(3, 30)):
        fleet.rebalance(group_id, 500 * number, "member-left", sync_ms=2_500)


def growing(fleet: Fleet, group_id: str) -> None:
    """A topic that grows each minute."""
    for number in range(fleet.chance.randrange(10, 60)):
        fleet.rebalance(group_id, 7_200 + 60 * number, "topics-changed")


def eager(fleet: Fleet, group_id: str) -> None:
    """Members whose assignor stops all partitions when one of them grows, or shrinks."""
    for number in range(4):
        life = fleet.life(group_id, f"w-{number}", 0, None)
        fleet.owns(group_id, life, range(8 * number, 8 * number + 8), 100)
    for number in range(fleet.chance.randrange(3, 30)):
        fleet.rebalance(
            group_id, 900 * number, "member-joined", kind="classic", without_owner_ms=1_500,
            partitions_moved=fleet.chance.randrange(16),
        )  # fmt: skip


def cooperative(fleet: Fleet, group_id: str) -> None:
    """The same with an assignor that does not, with brief rebalances, or where all moves."""
    for number in range(4):
        life = fleet.life(group_id, f"w-{number}", 0, None, protocol="cooperative-sticky")
        fleet.owns(group_id, life, range(8 * number, 8 * number + 8), 100)
    for number in range(20):
        fleet.rebalance(
            group_id, 900 * number, "member-joined", kind="classic", without_owner_ms=1_500
        )
    for number, over in enumerate(
        20 * [{"without_owner_ms": 900}, {"without_owner_ms": 1_500, "partitions_moved": 6}]
    ):
        fleet.rebalance(f"{group_id}-range", 900 * number, "member-joined", kind="classic", **over)
    life = fleet.life(f"{group_id}-range", "w", 0, None)
    fleet.owns(f"{group_id}-range", life, range(12), 100)


def deployed(fleet: Fleet, group_id: str) -> None:
    """All members are restarted at once, under other names, or under theirs after a while."""
    back_s = fleet.chance.choice([None, 90.0])
    members, rounds = fleet.chance.randrange(3, 9), fleet.chance.randrange(4, 10)
    for turn in range(rounds):
        begun, is_last = 7_000 * turn, turn + 1 == rounds
        for member in range(members):
            name = f"w-{member}" if back_s else f"w-{turn}-{member}"
            lived = None if is_last else 6_910 + member / 100
            fleet.life(
                group_id, name, begun + member / 100, lived,
                None if is_last else "left", back_s=None if is_last else back_s,
            )  # fmt: skip
            fleet.rebalance(group_id, begun + member, "member-joined")


def rolling(fleet: Fleet, group_id: str) -> None:
    """One member after the other is restarted, again and again."""
    for turn in range(8):
        for member in range(6):
            begun = 7_000 * turn + 70 * member
            fleet.life(group_id, f"w-{turn}-{member}", begun, 7_000, "left")
            fleet.rebalance(group_id, begun, "member-joined")


def idle(fleet: Fleet, group_id: str) -> None:
    """More members than partitions."""
    for number in range(4):
        life = fleet.life(group_id, f"w-{number}", 0, None)
        fleet.owns(group_id, life, [number], 2_000)
    for number in range(fleet.chance.randrange(3, 9)):
        fleet.life(group_id, f"idle-{number}", 1_000, None)


def spare(fleet: Fleet, group_id: str) -> None:
    """Two members too many, and others that the next assignment will give something."""
    for number in range(4):
        life = fleet.life(group_id, f"w-{number}", 0, None)
        fleet.owns(group_id, life, [number], 2_000)
    for number in range(2):
        fleet.life(group_id, f"spare-{number}", 1_000, None)
    for number in range(5):
        fleet.life(group_id, f"new-{number}", 3_000, None)


BLAMELESS = {
    "quiet": quiet,
    "cooperative": cooperative,
    "rolling": rolling,
    "spare": spare,
}
"""What looks like a cause, and is none."""

PLANTED = {
    "session-timeout": short_session,
    "static-membership": restarts,
    "crash-loop": loop,
    "no-acknowledgement": deaf,
    "slow-member": slow,
    "slow-leader": leader,
    "topic-growth": growing,
    "eager-assignor": eager,
    "deploy-at-once": deployed,
    "idle-members": idle,
}
"""By the rule that must find it, and no other one."""
