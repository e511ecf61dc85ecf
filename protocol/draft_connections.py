"""Who of the 0.9 draft sits on which connection, so that a dead consumer's can be closed.

The design's *Slow consumers*, 1: the coordinator "breaks the socket connection to it". Which
consumer is dead is the rules' affair, how a connection is closed the server's.
"""

from collections.abc import Collection, Iterable

Consumer = tuple[str, str]
"""Group id and consumer id."""


class Seats:
    """The connection over which each consumer was last heard, by number."""

    def __init__(self) -> None:
        self._of: dict[Consumer, int] = {}
        self._on: dict[int, set[Consumer]] = {}

    def take(self, connection: int, group_id: str, consumer_id: str) -> None:
        """The consumer speaks over this connection now. Who has no id yet has no seat."""
        consumer = (group_id, consumer_id)
        before = self._of.get(consumer)
        if not consumer_id or before == connection:
            return
        if before is not None:
            self._on[before].discard(consumer)
        self._of[consumer] = connection
        self._on.setdefault(connection, set()).add(consumer)

    def leave(self, connection: int) -> None:
        """The connection is over."""
        for consumer in self._on.pop(connection, ()):
            del self._of[consumer]

    def taken_by(self, group_id: str, consumer_ids: Iterable[str]) -> set[int]:
        """The connections over which these consumers were last heard, those that are gone left
        out."""
        found = (self._of.get((group_id, consumer_id)) for consumer_id in consumer_ids)
        return {connection for connection in found if connection is not None}

    def on(self, connection: int) -> Collection[Consumer]:
        """The consumers that were last heard over this connection."""
        return tuple(self._on.get(connection, ()))

    def __len__(self) -> int:
        return len(self._of)
