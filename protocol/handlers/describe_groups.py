"""DescribeGroups (15): groups with generations and their members, including those of the 0.9 draft
and commanded groups; an unknown id is described as a dead group."""

from typing import Any

from groups.core.classic.states import STABLE
from groups.core.errors import ErrorCode, Refuse
from groups.core.rows import MemberRow
from groups.core.step import RowsGroup
from groups.core.subscription import metadata_of
from protocol.handlers.support import group_operations, reply_room, validation
from protocol.handlers.support.kafkas_words import NO_SUCH_GROUP, NOT_CLASSIC
from protocol.requests.call import Call
from rollcall.wire.messages.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)

NOT_FOUND_SINCE = 6  # KIP-1043
DEAD = "Dead"


async def handle(request: DescribeGroupsRequest, call: Call) -> DescribeGroupsResponse:
    """Each group independently, in the request's order."""
    groups = await reply_room.as_many_as_fit(
        request.groups,
        call,
        lambda group_id: _describe(group_id, request.include_authorized_operations, call),
        lambda group: sum(map(_bytes_of, group.members)),
        lambda group_id: DescribedGroup(error_code=reply_room.AGAIN, group_id=group_id),
    )
    return DescribeGroupsResponse(groups=groups)


def _bytes_of(member: DescribedGroupMember) -> int:
    names = len(member.member_id) + len(member.client_id) + len(member.client_host)
    return names + len(member.member_metadata) + len(member.member_assignment)


async def _describe(group_id: str, with_operations: bool, call: Call) -> DescribedGroup:
    try:
        validation.group_id(group_id, call.node.settings, may_be_empty=True)
    except Refuse as refusal:
        return DescribedGroup(error_code=refusal.code, group_id=group_id)
    code = await call.describable(group_id)
    if code is not ErrorCode.NONE:
        return DescribedGroup(error_code=code, group_id=group_id)
    group: object = call.node.coordinator.group(group_id)
    authorized = group_operations.of_group(with_operations, group_id, call.access)
    if not isinstance(group, RowsGroup):
        fault = NO_SUCH_GROUP if group is None else NOT_CLASSIC
        return _dead(group_id, call.version, fault.format(group_id), authorized)
    return _described(group, authorized)


def _dead(group_id: str, version: int, fault: str, authorized: int) -> DescribedGroup:
    described = DescribedGroup(group_id=group_id, group_state=DEAD)
    if version >= NOT_FOUND_SINCE:
        described.error_code = ErrorCode.GROUP_ID_NOT_FOUND
        described.error_message = fault
    else:
        described.authorized_operations = authorized
    return described


def _described(group: RowsGroup[Any], authorized: int) -> DescribedGroup:
    """Protocol and metadata are returned only in Stable: in other states they are about to change.
    The assignments are then those that members still have, as far as they are known."""
    row = group.durable.group
    stable = row.state == STABLE
    name = row.protocol_name if stable else None
    return DescribedGroup(
        group_id=row.group_id,
        group_state=row.state,
        protocol_type=row.protocol_type,
        protocol_data=name or "",
        members=[_member(member, name) for member in group.roster()],
        authorized_operations=authorized,
    )


def _member(member: MemberRow, protocol_name: str | None) -> DescribedGroupMember:
    return DescribedGroupMember(
        member_id=member.member_id,
        group_instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        member_metadata=metadata_of(member.subscription, protocol_name),
        member_assignment=member.assignment,
    )
