"""ListGroups (16): the groups that this node owns; clients send it to every node.

The list comes from memory, so the lease must be valid: a node that was suspended may list groups
that other nodes own by now. And it must be complete: programs take a group that is in no node's
list for deleted.
"""

from groups.core.acls.bindings import AclOperation, ResourceType
from groups.core.errors import ErrorCode
from protocol.requests.call import Call
from rollcall.wire.limits import REPLY_BYTES_MAX
from rollcall.wire.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse

GROUP = ResourceType.GROUP

OTHER_BYTES = 30
"""Bytes of a group's entry without its id and its protocol type."""


async def handle(request: ListGroupsRequest, call: Call) -> ListGroupsResponse:
    """Filter by state (KIP-518; spaces around it are ignored, as in Kafka) and type (KIP-848),
    ignoring case; no filter returns all groups. There are no pages: a list that does not fit into
    a reply is refused."""
    code = await call.listable()
    if code is not ErrorCode.NONE:
        return ListGroupsResponse(error_code=code)
    states = {state.strip().lower() for state in request.states_filter or ()}
    types = {kind.lower() for kind in request.types_filter or ()}
    sees_all = call.access.may(AclOperation.DESCRIBE, ResourceType.CLUSTER)
    groups, room = list[ListedGroup](), REPLY_BYTES_MAX
    async for group in call.each(list(call.node.coordinator.groups())):
        row = group.durable.group
        if not (sees_all or call.access.may(AclOperation.DESCRIBE, GROUP, row.group_id)):
            continue
        if (states and row.state.lower() not in states) or (types and row.kind not in types):
            continue
        room -= len(f"{row.group_id}{row.protocol_type}".encode()) + OTHER_BYTES
        if room < 0:
            return ListGroupsResponse(error_code=ErrorCode.POLICY_VIOLATION)
        groups.append(
            ListedGroup(
                group_id=row.group_id,
                protocol_type=row.protocol_type,
                group_state=row.state,
                group_type=row.kind,
            )
        )
    return ListGroupsResponse(groups=groups)
