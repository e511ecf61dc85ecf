"""The connections of a node for operators (``client_connections`` in ``groups.runtime``).

Nothing is counted in advance: the groups of a connection are those of its last heartbeat, join or
seat, if the member still belongs to the group.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from groups.event_loop import Slices
from groups.reporting.client_connections import Connected
from groups.runtime.runtime import CoordinatorRuntime
from protocol.connection.connection import KafkaConnection


async def collect(server: Any) -> Sequence[Connected]:
    """All connections of ``server``, a ``protocol.server.CoordinatorServer``; lets other tasks run
    between slices."""
    found, slices = [], Slices()
    for connection in list(server.connections):
        if connection.is_open:
            found.append(_connected(server, connection))
        if slices.is_over:
            await slices.pause()
    return found


def _connected(server: Any, connection: KafkaConnection) -> Connected:
    session = connection.session
    age_s = server.loop.time() - connection.connected_at
    return Connected(
        number=connection.number,
        listener=session.listener,
        address=session.address,
        principal=session.principal,
        client_id=session.client_id,
        software=session.software,
        software_version=session.software_version,
        groups=sorted(set(_groups(server, connection))),
        age_ms=max(0, round(age_s * 1000)),
    )


def _groups(server: Any, connection: KafkaConnection) -> Iterator[str]:
    members = (
        connection.heartbeat_member,
        connection.session.member,
        *server.seats.on(connection.number),
    )
    for group_id, member_id in members:
        if group_id and _is_member(server.coordinator, group_id, member_id):
            yield group_id


def _is_member(coordinator: CoordinatorRuntime, group_id: str, member_id: str) -> bool:
    group = coordinator.group(group_id)
    return group is not None and member_id in group.durable.members
