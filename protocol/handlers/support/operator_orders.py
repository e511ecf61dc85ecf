"""PollCommands and AcknowledgeCommand for an operator's orders.

A long poll: a member is notified at once when it has to stop or start. Its orders are read from
memory (``groups.runtime.pauses``), for every kind of group; a request for orders has an id from
``ORDERS_FROM`` on. A waiting poll has an entry in two tables and one timer, and costs nothing until
there is news (docs/pause.md).
"""

from groups.core.errors import ErrorCode, Refuse
from groups.core.group import Group
from groups.core.pauses import ORDERS_FROM, Order, obeyed, order_for
from protocol.handlers.support import validation
from protocol.requests.call import Call, Released
from rollcall.wire.messages.acknowledge_command import (
    AcknowledgeCommandRequest,
    AcknowledgeCommandResponse,
)
from rollcall.wire.messages.poll_commands import Command, PollCommandsRequest, PollCommandsResponse

STOP, START = "stop-fetcher", "start-fetcher"

WAIT_S_MAX = 300.0
"""The maximum wait: well within the time after which an idle connection is closed."""


async def poll(request: PollCommandsRequest, call: Call) -> PollCommandsResponse:
    """Wait for a command that the member has not obeyed yet, and return it."""
    try:
        group = await _group_or_refuse(request, call)
        order = await _order(request, group, call)
        await call.available_or_refuse(request.group_id)
    except Refuse as refusal:
        return PollCommandsResponse(error_code=refusal.code)
    return PollCommandsResponse(
        generation_id=group.durable.group.generation,
        commands=[] if order is None else [_command(order)],
    )


async def acknowledge(request: AcknowledgeCommandRequest, call: Call) -> AcknowledgeCommandResponse:
    """The member reports that it obeys this command."""
    try:
        await _group_or_refuse(request, call)
    except Refuse as refusal:
        return AcknowledgeCommandResponse(error_code=refusal.code)
    call.node.followers.note_report(request.group_id, request.member_id, obeyed(request.command_id))
    return AcknowledgeCommandResponse()


async def _group_or_refuse(
    request: PollCommandsRequest | AcknowledgeCommandRequest, call: Call
) -> Group:
    """The group, if it has this member."""
    validation.group_id(request.group_id, call.node.settings)
    validation.name("member id", request.member_id)
    await call.available_or_refuse(request.group_id)
    group = call.node.coordinator.group(request.group_id)
    if group is None or request.member_id not in group.durable.members:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    return group


async def _order(request: PollCommandsRequest, group: Group, call: Call) -> Order | None:
    """The next order, once there is one; None where none came in time.

    A member that asks for the next command obeys the previous one. This is noted, since a previous
    coordinator may have failed with the acknowledgement.
    """
    coordinator, followers = call.node.coordinator, call.node.followers
    group_id, member_id, last = request.group_id, request.member_id, request.last_command_id
    instance_id, paused = group.durable.members[member_id].instance_id, coordinator.own.paused

    def order() -> Order | None:
        return order_for(paused.of(group_id), member_id, instance_id, last)

    def is_news() -> bool:
        return not coordinator.owns(group_id) or order() is not None

    if last > ORDERS_FROM or request.max_wait_ms:  # otherwise it asks whether it may begin at all
        followers.note_report(group_id, member_id, obeyed(last))
    watcher = Released(is_news, call.release)
    paused.watch(group_id, watcher)
    is_over = True  # unless it ends like a normal poll
    try:
        if request.max_wait_ms > 0 and not is_news():
            await call.hold(min(request.max_wait_ms / 1000, WAIT_S_MAX))
        is_over = not coordinator.owns(group_id)
    finally:
        paused.unwatch(group_id, watcher)
        if is_over:
            followers.left(group_id, member_id)
    return order()


def _command(order: Order) -> Command:
    return Command(
        command_id=order.command_id,
        option=STOP if order.stops else START,
        reason=order.reason or None,
    )
