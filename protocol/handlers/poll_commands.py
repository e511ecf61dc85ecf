"""PollCommands (10001): returns commands for a member as soon as there are any.

A private API, for members of every kind of group; in a commanded group it is the heartbeat too.
Nothing is decided here: commands are read from the committed group, and a poll without commands
waits for a change of the group's view. docs/commanded.md.
"""

from groups.core import commands
from groups.core.errors import ErrorCode, Refuse
from groups.core.group import Group
from groups.core.pauses import ORDERS_FROM
from groups.core.rows import CommandRow, MemberRow
from groups.core.signs_of_life import CommandPoll
from protocol.handlers.support import operator_orders, validation
from protocol.requests.call import Call
from rollcall.wire.messages.poll_commands import (
    Command,
    OwnedTopic,
    PartitionThread,
    PollCommandsRequest,
    PollCommandsResponse,
)

SESSION_SHARE = 3
"""A poll waits at most a third of the session timeout, so that the next one arrives in time."""


async def handle(request: PollCommandsRequest, call: Call) -> PollCommandsResponse:
    """Return commands at once, or after a hold."""
    if request.last_command_id >= ORDERS_FROM:
        return await operator_orders.poll(request, call)
    try:
        validation.group_id(request.group_id, call.node.settings)
        group, row = await _first_found(request, call)
        call.session.member = (request.group_id, row.member_id)
        commands.polled(group, row.member_id, call.node.coordinator.clock())
        wait_ms = min(request.max_wait_ms, row.session_timeout_ms // SESSION_SHARE)
        if wait_ms > 0 and not _todo(request, row):
            await call.hold_for_news(request.group_id, wait_ms / 1_000, _News(request, call))
            group, row = _find(request, call)
    except Refuse as refusal:
        return PollCommandsResponse(error_code=refusal.code, error_message=refusal.detail)
    return _response(group, _todo(request, row))


async def _first_found(request: PollCommandsRequest, call: Call) -> tuple[Group, MemberRow]:
    """``_find`` for a poll that has just arrived: it counts as a sign of life even if it fails."""
    try:
        await call.available_or_refuse(request.group_id)
        return _find(request, call)
    except Refuse:
        call.heard(request.group_id, CommandPoll(request.member_id))
        raise


class _News:
    """Whether a held poll can be answered now."""

    __slots__ = ("_call", "_request")

    def __init__(self, request: PollCommandsRequest, call: Call) -> None:
        self._request = request
        self._call = call

    def __call__(self) -> bool:
        try:
            _, row = _find(self._request, self._call)
        except Refuse:
            return True
        return bool(_todo(self._request, row))


def _todo(request: PollCommandsRequest, row: MemberRow) -> tuple[CommandRow, ...]:
    return commands.behind(row, request.last_command_id)


def _find(request: PollCommandsRequest, call: Call) -> tuple[Group, MemberRow]:
    """The committed group and the member's row, if this node's memory is current.

    A consumer continues when it receives a good response, so doubts are returned as errors (15,
    16).
    """
    coordinator, group_id = call.node.coordinator, request.group_id
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


def _response(group: Group, todo: tuple[CommandRow, ...]) -> PollCommandsResponse:
    return PollCommandsResponse(
        generation_id=group.durable.group.generation,
        commands=[
            Command(
                command_id=command.command_id,
                option=command.option,
                generation_id=command.generation,
                ownership=_ownership(command),
                reason=command.reason or None,
            )
            for command in todo
        ],
    )


def _ownership(command: CommandRow) -> list[OwnedTopic] | None:
    if command.ownership is None:
        return None
    return [
        OwnedTopic(
            name=topic,
            partitions=[
                PartitionThread(partition=partition, consumer_thread=thread)
                for partition, thread in sorted(owned.items())
            ],
        )
        for topic, owned in sorted(command.ownership.items())
    ]
