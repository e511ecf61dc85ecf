"""Which member ids were returned over which connection (KIP-394), until it ends.

A client joins with its id over the connection on which it received it. If the connection ends, the
client will not join, and its groups need not wait for it.
"""

from collections.abc import Mapping

IDS_MAX = 10_000
"""Ids that are kept for one connection, the latest: no group waits for more (``HANDED_OUT_MAX`` of
the classic rules)."""

Id = tuple[str, str]
"""Group id and member id."""


class HandedOut:
    """The ids of each connection, by the connection's number."""

    def __init__(self) -> None:
        self._ids: dict[int, dict[Id, None]] = {}

    def note(self, connection: int, group_id: str, member_id: str) -> None:
        """The id was returned over this connection."""
        ids = self._ids.setdefault(connection, {})
        ids[group_id, member_id] = None
        if len(ids) > IDS_MAX:
            del ids[next(iter(ids))]

    def ended(self, connection: int) -> Mapping[str, list[str]]:
        """The connection has ended: return its ids, by group."""
        by_group: dict[str, list[str]] = {}
        for group_id, member_id in self._ids.pop(connection, {}):
            by_group.setdefault(group_id, []).append(member_id)
        return by_group

    def __len__(self) -> int:
        return len(self._ids)
