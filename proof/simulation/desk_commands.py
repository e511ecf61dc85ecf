"""PollCommands at a node's desk: what ``protocol.handlers.poll_commands`` does, on values.

Commands are read from the committed group; a poll without commands waits until the group's view is
replaced.
"""

from collections.abc import Sequence
from typing import NamedTuple

from groups.core import commands
from groups.core.errors import ErrorCode, Refuse
from groups.core.group import Group
from groups.core.replies import ErrorReply
from groups.core.rows import CommandRow, MemberRow
from groups.runtime.runtime import CoordinatorRuntime
from proof.simulation.holding import Held

SESSION_SHARE = 3


class Poll(NamedTuple):
    """The request. ``received``: the greatest command id that the consumer has."""

    member_id: str
    received: int
    max_wait_ms: int


class Polled(NamedTuple):
    """The response."""

    generation_id: int
    commands: Sequence[CommandRow]
    error: ErrorCode = ErrorCode.NONE


async def poll(
    coordinator: CoordinatorRuntime, group_id: str, request: Poll
) -> Polled | ErrorReply:
    """Commands at once, or after a wait."""
    try:
        group, row = _find(coordinator, group_id, request)
        commands.polled(group, row.member_id, coordinator.clock())
        wait_ms = min(request.max_wait_ms, row.session_timeout_ms // SESSION_SHARE)
        if not commands.behind(row, request.received):
            held = Held(lambda: _is_news(coordinator, group_id, request), wait_ms / 1_000)
            await held.wait(coordinator.heartbeat_views, group_id)
            group, row = _find(coordinator, group_id, request)
    except Refuse as refusal:
        return ErrorReply(refusal.code)
    return Polled(group.durable.group.generation, commands.behind(row, request.received))


def _is_news(coordinator: CoordinatorRuntime, group_id: str, request: Poll) -> bool:
    try:
        _, row = _find(coordinator, group_id, request)
    except Refuse:
        return True
    return bool(commands.behind(row, request.received))


def _find(coordinator: CoordinatorRuntime, group_id: str, request: Poll) -> tuple[Group, MemberRow]:
    """The committed group and the member's row, if the node's memory is valid."""
    if not coordinator.owns(group_id):
        raise Refuse(ErrorCode.NOT_COORDINATOR)
    group = coordinator.group(group_id)
    if group is None:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    if not coordinator.holds_lease or group_id not in coordinator.heartbeat_views:
        raise Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    row = commands.receiver(group, request.member_id)
    if row is None:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    return group, row
