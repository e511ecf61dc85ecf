"""Who plays in the demo: the table of its groups. Nothing here starts, waits or prints."""

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

WIRE = "the wire"
"""Members that need no library: they speak with Rollcall's own codec."""

LIBRARY = "rollcall.client"
"""Members of Rollcall's own library, which needs nothing either."""

MODULES: Mapping[str, str] = {
    "kafka-python": "kafka",
    "confluent-kafka": "confluent_kafka",
    "aiokafka": "aiokafka",
}
"""The stock clients, by the names of their packages."""


class Kind(Enum):
    """How a group shares its partitions; the value is how the demo says it."""

    RANGE = "classic, range"
    COOPERATIVE = "classic, cooperative"
    STATIC = "classic, static members"
    ROUND_ROBIN = "classic, round robin"
    CONSUMER = "consumer protocol"
    DRAFT = "0.9 draft"
    COMMANDED = "commanded"


class Scene(Enum):
    """What may happen to a member; the value says what the group makes of it."""

    LEAVE = "a member leaves, and comes back later: a rebalance at once each time"
    CRASH = "a member dies, and comes back later: a rebalance when its session has ended"
    RESTART = "a member dies, and is back at once: a static one keeps its place"
    GROW = "one more member comes for a while"


EVERY_SCENE = tuple(Scene)


@dataclass(frozen=True, slots=True)
class Troupe:
    """A group, what it works on, and how many are in it when nothing happens.

    ``libraries`` are those that can play it, the best first.
    """

    name: str
    partitions: int
    kind: Kind
    libraries: tuple[str, ...]
    size: int
    scenes: tuple[Scene, ...] = EVERY_SCENE

    @property
    def topic(self) -> str:
        """The topic's name."""
        return f"demo.{self.name}"

    @property
    def group(self) -> str:
        """The group's id."""
        return f"demo-{self.name}"

    def library(self, installed: frozenset[str]) -> str | None:
        """The client that plays it here; None if none is installed."""
        return next((name for name in self.libraries if name in installed), None)


TROUPES: tuple[Troupe, ...] = (
    Troupe("orders", 6, Kind.RANGE, ("kafka-python", "aiokafka", "confluent-kafka"), 3),
    Troupe("invoices", 8, Kind.COOPERATIVE, ("confluent-kafka", "kafka-python"), 2),
    Troupe("thumbnails", 12, Kind.STATIC, ("aiokafka", "confluent-kafka", "kafka-python"), 3),
    Troupe("reports", 6, Kind.CONSUMER, ("confluent-kafka",), 2),
    Troupe("letters", 16, Kind.ROUND_ROBIN, (WIRE,), 5),
    Troupe("alerts", 9, Kind.CONSUMER, (WIRE,), 3),
    Troupe("parcels", 6, Kind.COOPERATIVE, (LIBRARY,), 3),
    Troupe("exports", 8, Kind.CONSUMER, (LIBRARY,), 3),
    Troupe("ledgers", 6, Kind.DRAFT, (LIBRARY,), 3),
    Troupe("robots", 12, Kind.COMMANDED, (LIBRARY,), 3),
)

NAMES = ("anna", "ben", "cleo", "dan", "eva", "fred", "gwen", "hugo")
"""The members of each group; no group has more."""


def installed() -> frozenset[str]:
    """What can play here: the wire, our library, and every stock client that is there."""
    found = (name for name, module in MODULES.items() if importlib.util.find_spec(module))
    return frozenset((WIRE, LIBRARY, *found))


@dataclass(frozen=True, slots=True)
class Part:
    """One member's part: all that it needs to play. Times are in milliseconds."""

    library: str
    kind: str
    bootstrap: str
    group: str
    topic: str
    name: str
    session_ms: int
    work_ms: int
    seed: str
