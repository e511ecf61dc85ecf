"""Lives and rebalances in which one thing is wrong, and others in which nothing is."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from pyspark.sql import SparkSession

from pipeline.datasets.lives import Lives
from pipeline.datasets.rebalances import Rebalances

AT = datetime(2026, 3, 1, tzinfo=UTC)
"""The moment of the run."""

SESSION_MS = 10_000


@dataclass(slots=True)
class Fleet:
    """Rows of both datasets as they are planted, over the last day."""

    chance: random.Random
    lives: list[dict[str, Any]] = field(default_factory=list)
    rebalances: list[dict[str, Any]] = field(default_factory=list)
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
    ) -> None:
        """A life that began so many seconds after the day's begin; None: it has not ended."""
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
                "kind": "classic",
                "session_timeout_ms": SESSION_MS,
                "protocols": ["range"],
                "joined_at": begun,
                "left_at": left,
                "departure": departure,
                "heard_at": left - timedelta(seconds=silent_s) if left is not None else None,
                "lived_ms": round(1_000 * lived_s) if lived_s is not None else None,
                "back_ms": round(1_000 * back_s) if back_s is not None else None,
            }
        )

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

    def frames(self, spark: SparkSession) -> tuple[Lives, Rebalances]:
        """Both datasets."""
        made = (
            (Lives, self.lives),
            (Rebalances, self.rebalances),
        )
        lives, rebalances = (
            spark.createDataFrame([_row(row, kind.names()) for row in rows], kind.ddl())
            for kind, rows in made
        )
        return Lives(lives), Rebalances(rebalances)


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


PLANTED = {
    "session-timeout": short_session,
    "static-membership": restarts,
    "crash-loop": loop,
    "no-acknowledgement": deaf,
    "slow-member": slow,
    "slow-leader": leader,
    "topic-growth": growing,
}
"""By the rule that must find it, and no other one."""
