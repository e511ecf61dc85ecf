"""ListGroups (16): the groups that this node owns; clients ask every node.

Memory answers, so the lease must hold: a node that slept may list what others own by now.
"""

from groups.core.errors import ErrorCode
from protocol.call import Call
from protocol.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse


async def handle(request: ListGroupsRequest, call: Call) -> ListGroupsResponse:
    """Filter by state (KIP-518) and type (KIP-848); case does not matter, no filter lets all in."""
    code = await call.node.keeper.leased(call.node.settings.coordinator_load_hold_ms)
    if code is not ErrorCode.NONE:
        return ListGroupsResponse(error_code=code)
    states = {state.lower() for state in request.states_filter or ()}
    types = {kind.lower() for kind in request.types_filter or ()}
    rows = [group.durable.group for group in call.node.coordinator.groups()]
    return ListGroupsResponse(
        groups=[
            ListedGroup(
                group_id=row.group_id,
                protocol_type=row.protocol_type,
                group_state=row.state,
                group_type=row.kind,
            )
            async for row in call.each(rows)
            if (not states or row.state.lower() in states) and (not types or row.kind in types)
        ]
    )
