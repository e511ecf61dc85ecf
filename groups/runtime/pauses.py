"""The pauses in this node's groups, in memory, and the polls that wait for changes of them.

Filled with the slots (``groups.cluster.slot_keeper``) and by operators' verbs
(``groups.operations.pauses``), in both cases after the rows were written. No I/O and no rule.
"""

from collections.abc import Collection, Mapping

from groups.core.pauses import Pauses
from groups.core.rows import slot_of
from groups.runtime.heartbeat_views import Watchers

NOTHING: Pauses = {}


class Paused(Watchers):
    """Pauses by group id; only groups with pauses are here."""

    def __init__(self) -> None:
        super().__init__()
        self._pauses: dict[str, Pauses] = {}

    def of(self, group_id: str) -> Pauses:
        """The pauses of the group."""
        return self._pauses.get(group_id, NOTHING)

    def put(self, group_id: str, pauses: Pauses) -> None:
        """Replace the pauses of the group, and notify its polls."""
        if pauses:
            self._pauses[group_id] = pauses
        elif self._pauses.pop(group_id, None) is None:
            return
        self.notify(group_id)

    def adopt(self, slots: Collection[int], found: Mapping[str, Pauses]) -> None:
        """Add the pauses of slots that this node is about to serve."""
        self.forget(slots)
        self._pauses.update(found)

    def forget(self, slots: Collection[int]) -> None:
        """This node does not own these slots any more: remove their pauses and polls."""
        for group_id in [g for g in self._pauses if slot_of(g) in slots]:
            del self._pauses[group_id]
        for group_id in [g for g in self.watched() if slot_of(g) in slots]:
            self.notify(group_id)
