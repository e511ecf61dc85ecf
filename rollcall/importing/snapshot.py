"""What an import reads of a cluster, of Kafka and of Rollcall alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

IDLE: Final = frozenset(("empty", "dead"))
"""States of groups without members, in lower case."""


class Committed(NamedTuple):
    """A committed offset.

    The leader's epoch is not among it: it counts elections of Kafka's brokers. A client that read
    one from Rollcall would take the leaders that Rollcall tells it for outdated (KIP-320).
    """

    offset: int
    metadata: str


Offsets = Mapping[tuple[str, int], Committed]
"""By topic and partition."""


class Rule(NamedTuple):
    """An access rule in the numbers of the wire."""

    resource_type: int
    name: str
    pattern_type: int
    principal: str
    host: str
    operation: int
    permission: int


@dataclass(frozen=True, slots=True)
class Group:
    """A group. ``offsets`` is None where they could not be read, ``why`` says the reason."""

    kind: str
    state: str
    offsets: Offsets | None
    why: str = ""

    @property
    def is_live(self) -> bool:
        """Whether it has members, or nobody says whether it has."""
        return self.state.lower() not in IDLE


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Topics with their partitions, groups by id, and access rules (None: no authorizer)."""

    topics: Mapping[str, int]
    groups: Mapping[str, Group]
    rules: frozenset[Rule] | None
