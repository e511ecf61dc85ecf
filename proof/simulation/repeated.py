"""Faults that strike again and again at the same place, and the end of members that died before.

Each is switched on by its name, alone or with others; no swarm draws them. A member that died must
be removed after a session, the time in which nobody could decide, and one grace, whatever the
number of faults; after slots were handed over without a gap no grace is added.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from groups.core.earlier import RETRY_MS
from groups.core.rows import slot_of
from proof.simulation.clients import Client
from proof.simulation.cluster import Fault, Run
from proof.simulation.draft_client import DraftClient
from proof.simulation.node import GRACE_MS, Node
from proof.simulation.world import MS, SECOND, Micros

DIES_AT_S: Final = 9.0
"""When a member of each group dies: the groups have settled."""

SAMPLE: Final = 50 * MS
SLACK_MS: Final = 1_500
"""A tick, a write that is tried again, and the error of the samples."""

BEAT_MS: Final = 750
"""The end of a crashed node's service is not counted, at most one interval of its beats."""

STOPPED_S: Final = 4.0
"""Longer than a lease."""


def _first(run: Run) -> Node | None:
    return run.network.nodes.get(run.node_ids[0])


def _crash_node(run: Run) -> None:
    if node := _first(run):
        node.crash()


def _stop_node(run: Run) -> None:
    if node := _first(run):
        node.pause(run.world.now + int(STOPPED_S * SECOND))


def _crash_database(run: Run) -> None:
    if run.database.is_up:
        run.database.crash()
        run.later(0.5, run.database.start)


def _crash_both(run: Run) -> None:
    """The host restarts."""
    _crash_database(run)
    for _, node in sorted(run.network.nodes.items()):
        node.crash()


def _end_sessions(run: Run) -> None:
    for session in list(run.database.sessions):
        run.database.close(session)


def _flap(run: Run) -> None:
    """The first node's network to the database is away for a moment."""
    if node := _first(run):
        name, cut = node.process.name, run.database.weather.cut
        cut.add(name)
        run.later(1, lambda: cut.discard(name))


def _trade_slots(run: Run) -> None:
    """Drains and their ends: slots go from node to node."""
    ids, turn = run.node_ids, run.struck["slots-traded"]
    run.drain(ids[(turn - 1) % len(ids)], is_on=False)
    if len(ids) > 1:
        run.drain(ids[turn % len(ids)], is_on=True)


def _restart_next(run: Run) -> None:
    """A planned restart of one node after the other."""
    if node := run.network.nodes.get(
        run.node_ids[run.struck["rolling-restart"] % len(run.node_ids)]
    ):
        node.drain()


REPEATED: Final[Mapping[str, Fault]] = {
    "node-crash-loop": Fault(_crash_node, 5, is_steady=True),
    "node-stop-loop": Fault(_stop_node, 9, is_steady=True),
    "database-crash-loop": Fault(_crash_database, 5, is_steady=True),
    "host-crash-loop": Fault(_crash_both, 9, is_steady=True),
    "sessions-end-loop": Fault(_end_sessions, 1, is_steady=True),
    "database-flaps": Fault(_flap, 3, is_steady=True),
    "slots-traded": Fault(_trade_slots, 4, is_steady=True),
    "rolling-restart": Fault(_restart_next, 4, is_steady=True),
}

NOTES_LOST: Final = "host-crash-loop"
"""The table of last heartbeats is unlogged: after a crash of PostgreSQL only nodes that live know
them."""

WITHOUT_A_GAP: Final = frozenset({"slots-traded", "rolling-restart"})
"""With more than one node."""


@dataclass
class Death:
    """A member that died. ``served_ms``: how long its group could have been decided since."""

    run: Run
    client: Client
    died: Micros
    struck: int
    served_ms: int = 0

    def look(self) -> None:
        """Count the time until it is removed, and record it then."""
        group = self.run.database.groups.get(self.client.group_id)
        if group is None or self.client.member_id not in group.members:
            self.tell(is_removed=True)
        elif self.run.is_peace:
            self.tell(is_removed=False)
        else:
            self.served_ms += SAMPLE // MS if self._is_served() else 0
            self.run.world.after(SAMPLE, self.look)

    def _is_served(self) -> bool:
        database, group_id = self.run.database, self.client.group_id
        row = database.slots[slot_of(group_id)]
        node = None if row.node_id is None else self.run.network.nodes.get(row.node_id)
        if node is None or not node.process.alive or not database.is_up:
            return False
        entry = node.coordinator.entries.get(group_id)
        return (
            node.process.paused_until <= self.run.world.now
            and node.process.name not in database.weather.cut
            and node.coordinator.serves(slot_of(group_id))
            and entry is not None
            and not entry.suspended
        )

    @property
    def limit_ms(self) -> float:
        """What it may have taken. The others of a draft have a session to join again first."""
        session_ms, faults = self.client.session_ms, self.run.struck.total() - self.struck
        if NOTES_LOST in self.run.faults:
            return math.inf
        is_smooth = len(self.run.node_ids) > 1 and set(self.run.faults) <= WITHOUT_A_GAP
        grace_ms = RETRY_MS if is_smooth else max(session_ms, GRACE_MS) + BEAT_MS * faults
        sessions = 2 if isinstance(self.client, DraftClient) else 1
        return sessions * session_ms + grace_ms + SLACK_MS

    def tell(self, *, is_removed: bool) -> None:
        """For the checker; a member that is still there at the end may have had no time."""
        if is_removed or self.served_ms > self.limit_ms:
            self.run.world.record(
                "dead",
                group=self.client.group_id,
                member=self.client.member_id,
                served_ms=self.served_ms,
                limit_ms=self.limit_ms,
            )


def kill_some(run: Run) -> None:
    """In each group a member dies, and others stay."""
    for group_id in run.groups:
        there = [c for c in run.clients if c.group_id == group_id and c.member_id and not c.is_over]
        chosen = next((client for client in there if client.instance is None), None)
        if chosen is not None and len(there) > 1:
            run.excuse(chosen, 3600)
            chosen.die()
            Death(run, chosen, run.world.now, run.struck.total()).look()
