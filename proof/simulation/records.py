"""The rows of a modelled PostgreSQL, a class for each table. Those of groups are ``Durable``."""

from dataclasses import dataclass
from uuid import UUID

from groups.core.events import OffsetWrite
from groups.core.transactions import Producer
from groups.store.sql.slots import UNKNOWN_MS
from proof.simulation.world import Micros

PendingKey = tuple[int, str, str, int]
"""Producer id, group, topic, partition."""


@dataclass(slots=True)
class NodeRecord:
    """A row of rollcall_node."""

    incarnation: UUID
    beat: int
    host: str
    port: int
    lease_ms: int
    takes_slots: bool = True
    unclean_ends: int = 0
    steady_since: Micros = 0
    clock_ms: int | None = None
    beat_at: Micros = 0


@dataclass(slots=True)
class SlotRecord:
    """A row of rollcall_slot."""

    node_id: int | None = None
    incarnation: UUID | None = None
    epoch: int = 0
    served_ms: int = 0
    shift_ms: int | None = None
    ended_at: Micros | None = None
    is_noted: bool = False
    interruptions: str = "[]"

    def end(self, gone: NodeRecord | None) -> None:
        """The service of an owner that gave nothing back ended with its last beat; None: that is
        not known."""
        if self.shift_ms is None:
            return
        self.ended_at = None if gone is None else gone.beat_at
        if gone is None or gone.clock_ms is None:
            self.served_ms += UNKNOWN_MS
        else:
            self.served_ms = max(self.served_ms, gone.clock_ms + self.shift_ms)
        self.is_noted, self.shift_ms = False, None


@dataclass(slots=True)
class LivenessRecord:
    """A row of rollcall_liveness; ``heard_at`` by the server's wall clock."""

    heard_at: Micros
    since_ms: int | None


@dataclass(slots=True)
class OffsetRecord:
    """A row of rollcall_offset; ``at`` by the server's wall clock."""

    offset: int
    leader_epoch: int
    metadata: str
    at: Micros


@dataclass(slots=True)
class OperationRecord:
    """A row of rollcall_operation."""

    group_id: str
    slot: int
    verb: str
    state: str = "pending"


@dataclass(slots=True)
class ProducerRecord:
    """A row of rollcall_producer; ``started`` by the server's wall clock."""

    producer: Producer
    slot: int
    started: Micros | None = None


@dataclass(slots=True)
class PendingRecord:
    """A row of rollcall_pending_offset. ``place``: in the order of writing."""

    write: OffsetWrite
    place: int
    superseded: bool
