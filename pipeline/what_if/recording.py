"""What was recorded of one group: lives, ownership, rebalances. Values; times are milliseconds.

A replay makes the same of what its rules decide (``ledger``), so both are measured alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

Millis = int
Part = tuple[str, int]
"""A topic's name and a partition."""

HOUR_MS: Final = 3_600_000


class Life(NamedTuple):
    """A member's life (docs/facts.md). ``topics`` None: its subscription could not be read;
    ``left`` None: it has not ended."""

    life: int
    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    kind: str
    session_ms: Millis
    rebalance_ms: Millis
    topics: tuple[str, ...] | None
    protocols: tuple[str, ...]
    joined: Millis
    origin: str = "joined"
    left: Millis | None = None
    departure: str = ""
    heard: Millis | None = None
    software: tuple[str, str] = ("", "")


class Interval(NamedTuple):
    """A life owned a partition from ``since`` to before ``until`` (None: still)."""

    life: int
    part: Part
    since: Millis
    until: Millis | None


class Wait(NamedTuple):
    """How long a rebalance waited for a member, and how that ended (``explanation.End``)."""

    ms: Millis
    end: str


@dataclass(frozen=True, slots=True)
class Rebalance:
    """One that was completed. ``causes``: each trigger with its time; ``waits``: by member id and
    act (``groups.core.waiting.Act``), those for the leader's assignment included."""

    started: Millis
    completed: Millis
    causes: Sequence[tuple[str, Millis]] = ()
    waits: Mapping[tuple[str, str], Wait] = field(default_factory=dict)


class Idle(NamedTuple):
    """For how long nobody worked on partitions, in a rebalance that ended (docs/facts.md,
    *Rebalances*): partitions x milliseconds."""

    ended: Millis
    stopped_ms: Millis
    silent_ms: Millis
    unowned_ms: Millis


@dataclass(frozen=True, slots=True)
class Recording:
    """One group from ``begin`` to ``end``."""

    group_id: str
    begin: Millis
    end: Millis
    lives: Sequence[Life]
    intervals: Sequence[Interval]
    rebalances: Sequence[Rebalance]
    idle: Sequence[Idle] = ()

    @property
    def kinds(self) -> frozenset[str]:
        """The protocols that its members spoke."""
        return frozenset(life.kind for life in self.lives)
