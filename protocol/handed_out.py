"""Which member ids were handed out over which connection (KIP-394), until it ends.

A client takes its id and joins with it over the same connection. One that is gone will not, and
its groups need not wait for it.
"""

from collections.abc import Mapping

IDS_MAX = 10_000
"""Ids of one connection that are remembered, the latest: no group waits for more
(``HANDED_OUT_MAX`` of the classic rules)."""

Id = tuple[str, str]
"""Group id and member id."""


class HandedOut:
    """The ids of each connection, by its number."""

    def __init__(self) -> None:
        self._ids: dict[int, dict[Id, None]] = {}

    def note(self, connection: int, group_id: str, member_id: str) -> None:
        """The id was handed out over this connection."""
        ids = self._ids.setdefault(connection, {})
        ids[group_id, member_id] = None
        if len(ids) > IDS_MAX:
            del ids[next(iter(ids))]

    def ended(self, connection: int) -> Mapping[str, list[str]]:
        """The connection is over: its ids, by group."""
        by_group: dict[str, list[str]] = {}
        for group_id, member_id in self._ids.pop(connection, {}):
            by_group.setdefault(group_id, []).append(member_id)
        return by_group

    def __len__(self) -> int:
        return len(self._ids)
