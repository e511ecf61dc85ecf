"""PollOrders (10005): a long poll; a member hears at once what operators want of it.

The order itself is read from memory (``groups.paused``), whatever kind the group is of. A poll
that waits holds a place in two tables and one timer, and costs nothing until there is news.
"""

from groups.core.errors import ErrorCode, Refuse
from groups.core.pausing import RUNNING, Pause, order_for
from groups.core.rows import MemberRow
from protocol.call import Call, Released
from protocol.handlers import forms
from protocol.messages.poll_orders import PollOrdersRequest, PollOrdersResponse

UNTOLD = -1
"""What a member obeys that has not been told anything."""

WAIT_S_MAX = 300.0
"""However long a client would wait: well within the time after which silence closes a
connection."""


async def handle(request: PollOrdersRequest, call: Call) -> PollOrdersResponse:
    """Note what the member obeys, wait for another order, and tell it."""
    try:
        forms.group_id(request.group_id, call.node.settings)
        forms.storable(request.member_id)
        await call.available_or_refuse(request.group_id)
        instance_id = _member_or_refuse(request, call).instance_id
        if request.obeying != UNTOLD:
            await _wait(request, instance_id, call)
        await call.available_or_refuse(request.group_id)
    except Refuse as refusal:
        return PollOrdersResponse(error_code=refusal.code)
    return _response(_order(request, instance_id, call))


def _member_or_refuse(request: PollOrdersRequest, call: Call) -> MemberRow:
    group = call.node.coordinator.group(request.group_id)
    member = None if group is None else group.durable.members.get(request.member_id)
    if member is None:
        raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
    return member


async def _wait(request: PollOrdersRequest, instance_id: str | None, call: Call) -> None:
    coordinator, followers = call.node.coordinator, call.node.followers
    group_id, paused = request.group_id, coordinator.own.paused

    def is_news() -> bool:
        if not coordinator.owns(group_id):
            return True
        order = _order(request, instance_id, call)
        return (RUNNING if order is None else order.pause_id) != request.obeying

    followers.heard(group_id, request.member_id, request.obeying)
    watcher = Released(is_news, call.release)
    paused.watch(group_id, watcher)
    is_over = True  # unless it ends as polls do
    try:
        if not is_news():
            await call.hold(min(max(0, request.max_wait_ms) / 1000, WAIT_S_MAX))
        is_over = not coordinator.owns(group_id)
    finally:
        paused.unwatch(group_id, watcher)
        if is_over:
            followers.left(group_id, request.member_id)


def _order(request: PollOrdersRequest, instance_id: str | None, call: Call) -> Pause | None:
    pauses = call.node.coordinator.own.paused.of(request.group_id)
    return order_for(pauses, request.member_id, instance_id)


def _response(order: Pause | None) -> PollOrdersResponse:
    if order is None:
        return PollOrdersResponse()
    return PollOrdersResponse(
        is_paused=True, pause_id=order.pause_id, actor=order.actor, reason=order.reason
    )
