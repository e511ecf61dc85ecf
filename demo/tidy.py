"""Takes away what the demo made: members that died without a word, its groups, its topics."""

import asyncio
from typing import Final

from demo import wire
from demo.cast import Kind, Troupe
from demo.member import LEAVE_EPOCH
from demo.wire import Connection
from rollcall.wire.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from rollcall.wire.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from rollcall.wire.messages.delete_groups import DeleteGroupsRequest
from rollcall.wire.messages.describe_groups import DescribeGroupsRequest
from rollcall.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity

DESCRIBE, LEAVE, CONSUMER_DESCRIBE, CONSUMER_BEAT, DELETE = 5, 5, 1, 1, 2
"""The versions spoken here."""

NON_EMPTY_GROUP: Final = 68
TRIES: Final = 20
AGAIN_S: Final = 0.25


async def tidy(bootstrap: str, troupe: Troupe) -> None:
    """Remove a group, with any members left in it (mostly dead ones whose session still lasts), and
    its topic. One whose join was under way when it ended comes in later."""
    connection = await Connection.to_coordinator(bootstrap, troupe.group)
    try:
        bury = _consumer_members if troupe.kind is Kind.CONSUMER else _classic_members
        for _ in range(TRIES):
            await bury(connection, troupe.group)
            request = DeleteGroupsRequest(groups_names=[troupe.group])
            (deleted,) = (await connection.call(request, DELETE)).results
            if deleted.error_code != NON_EMPTY_GROUP:
                break
            await asyncio.sleep(AGAIN_S)
    finally:
        connection.close()
    await wire.delete_topic(bootstrap, troupe.topic)


async def _classic_members(connection: Connection, group: str) -> None:
    described = await connection.call(DescribeGroupsRequest(groups=[group]), DESCRIBE)
    dead = [
        MemberIdentity(member_id=m.member_id, group_instance_id=m.group_instance_id)
        for m in described.groups[0].members
    ]
    if dead:
        await connection.call(LeaveGroupRequest(group_id=group, members=dead), LEAVE)


async def _consumer_members(connection: Connection, group: str) -> None:
    """Each leaves by a heartbeat in its name: LeaveGroup is for classic members."""
    request = ConsumerGroupDescribeRequest(group_ids=[group])
    described = await connection.call(request, CONSUMER_DESCRIBE)
    for member in described.groups[0].members:
        leave = ConsumerGroupHeartbeatRequest(
            group_id=group, member_id=member.member_id, member_epoch=LEAVE_EPOCH
        )
        await connection.call(leave, CONSUMER_BEAT)
