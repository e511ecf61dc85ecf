"""Which connection each consumer of the 0.9 draft uses, so that a dead consumer's can be closed.

The design's *Slow consumers*, 1: the coordinator "breaks the socket connection to it". The rules
decide which consumer is dead; the server closes the connection.
"""

from collections.abc import Collection, Iterable

Consumer = tuple[str, str]
"""Group id and consumer id."""


class Seats:
    """The number of the last connection that each consumer used."""

    def __init__(self) -> None:
        self._of: dict[Consumer, int] = {}
        self._on: dict[int, set[Consumer]] = {}

    def take(self, connection: int, group_id: str, consumer_id: str) -> None:
        """The consumer uses this connection now. A consumer without an id is not noted."""
        consumer = (group_id, consumer_id)
        before = self._of.get(consumer)
        if not consumer_id or before == connection:
            return
        if before is not None:
            self._on[before].discard(consumer)
        self._of[consumer] = connection
        self._on.setdefault(connection, set()).add(consumer)

    def leave(self, connection: int) -> None:
        """The connection has ended."""
        for consumer in self._on.pop(connection, ()):
            del self._of[consumer]

    def taken_by(self, group_id: str, consumer_ids: Iterable[str]) -> set[int]:
        """The last connections of these consumers, without those that have ended."""
        found = (self._of.get((group_id, consumer_id)) for consumer_id in consumer_ids)
        return {connection for connection in found if connection is not None}

    def on(self, connection: int) -> Collection[Consumer]:
        """The consumers whose last request came over this connection."""
        return tuple(self._on.get(connection, ()))

    def __len__(self) -> int:
        return len(self._of)
