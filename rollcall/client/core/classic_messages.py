"""A classic member's requests as messages, and its evaluation of topics and other members.

Values in, values out; ``classic`` decides when.
"""

from collections.abc import Mapping, Sequence

from rollcall.client.assignors import Assignor, Candidate, Claim, formats
from rollcall.client.core.events import NOTHING, Identity, Partitions, TopicPartition
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponseMember,
)
from rollcall.wire.messages.leave_group import LeaveGroupRequest, MemberIdentity
from rollcall.wire.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

PROTOCOL_TYPE = "consumer"
JOIN_GRACE_MS = 5_000
"""A join is answered within the rebalance timeout, and at most this much later (as in Java)."""


def join(
    identity: Identity, member_id: str, claim: Claim, assignors: Sequence[Assignor], memory: Claim
) -> JoinGroupRequest:
    """JoinGroup: one subscription for each assignor, since each has its own state."""
    return JoinGroupRequest(
        group_id=identity.group,
        session_timeout_ms=identity.session_timeout_ms,
        rebalance_timeout_ms=identity.rebalance_timeout_ms,
        member_id=member_id,
        group_instance_id=identity.instance_id,
        protocol_type=PROTOCOL_TYPE,
        protocols=[
            JoinGroupRequestProtocol(
                name=each.name,
                metadata=formats.subscription(
                    claim._replace(user_data=each.user_data(memory.owned, memory.generation))
                ),
            )
            for each in assignors
        ],
    )


def sync(
    identity: Identity,
    standing: tuple[str, int],
    protocol: str | None,
    given: Mapping[str, bytes],
) -> SyncGroupRequest:
    """SyncGroup; the leader's contains all assignments."""
    member_id, generation = standing
    return SyncGroupRequest(
        group_id=identity.group,
        generation_id=generation,
        member_id=member_id,
        group_instance_id=identity.instance_id,
        protocol_type=PROTOCOL_TYPE,
        protocol_name=protocol,
        assignments=[
            SyncGroupRequestAssignment(member_id=each, assignment=assignment)
            for each, assignment in given.items()
        ],
    )


def beat(identity: Identity, member_id: str, generation: int) -> HeartbeatRequest:
    """Heartbeat."""
    return HeartbeatRequest(
        group_id=identity.group,
        generation_id=generation,
        member_id=member_id,
        group_instance_id=identity.instance_id,
    )


def leave(identity: Identity, member_id: str) -> LeaveGroupRequest:
    """LeaveGroup, in the old form and the new one."""
    return LeaveGroupRequest(
        group_id=identity.group,
        member_id=member_id,
        members=[MemberIdentity(member_id=member_id, reason="the consumer is being closed")],
    )


def candidates(members: Sequence[JoinGroupResponseMember]) -> list[Candidate]:
    """The members as their leader sees them; one that cannot be decoded subscribes to nothing."""
    found = []
    for member in members:
        try:
            claim = formats.read_subscription(member.metadata)
        except formats.Unreadable:
            claim = Claim(())
        found.append(Candidate(member.member_id, member.group_instance_id, claim))
    return found


def work_out(
    assignor: Assignor, counts: Mapping[str, int], members: Sequence[Candidate]
) -> dict[str, bytes]:
    """The assignment of each member, encoded.

    Raises ``ValueError`` if it contains an unknown member, or a partition twice.
    """
    there = {each.member_id for each in members}
    owners: dict[TopicPartition, str] = {}
    written = {}
    for member_id, given in assignor.assign(counts, members).items():
        share = frozenset(TopicPartition(*each) for each in given)
        if member_id not in there:
            raise ValueError(f"{assignor.name}: there is no member {member_id!r}")
        for partition in share:
            other = owners.setdefault(partition, member_id)
            if other != member_id:
                raise ValueError(f"{assignor.name}: {partition} for {other!r} and {member_id!r}")
        written[member_id] = formats.assignment(share)
    return written


def to_give_up(owned: Partitions, topics: Sequence[str], is_cooperative: bool) -> Partitions:
    """The partitions to revoke before joining: all, or (KIP-429) those of topics that it does not
    subscribe to any more."""
    if not is_cooperative:
        return owned
    return frozenset(each for each in owned if each.topic not in topics) or NOTHING
