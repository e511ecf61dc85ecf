"""A group without members takes the protocol of who joins it; one that has any stays what it is."""

from random import Random

import pytest

from groups.core import events
from groups.core.classic.group import ClassicGroup
from groups.core.conversion.step import decide
from groups.core.draft.group import DraftGroup
from groups.core.errors import ErrorCode
from groups.core.group import Decision, Group, Rules
from groups.core.replies import ConsumerBeaten, DraftJoined, Joined

RULES = Rules(group_initial_rebalance_delay_ms=0, group_quiet_window_ms=0)
TICKET = events.Ticket(1, 1)
WRITE = events.OffsetWrite("t", 0, 5, -1, "")

COMMIT = events.OffsetCommit(
    generation_id=-1, member_id="", instance_id=None, offsets=(WRITE,), version=2
)
CLASSIC_JOIN = events.JoinGroup(
    ticket=TICKET, member_id="", instance_id=None, client_id="c", client_host="/h",
    session_timeout_ms=10_000, rebalance_timeout_ms=10_000, protocol_type="consumer",
    protocols=(("range", b""),),
)  # fmt: skip
MODERN_JOIN = events.ConsumerHeartbeat(
    ticket=TICKET, member_id="m", member_epoch=0, instance_id=None, rack_id=None, client_id="c",
    client_host="/h", rebalance_timeout_ms=10_000, subscribed_topic_names=("t",),
    server_assignor=None, owned={}, topics={"t": ("0" * 32, 1)},
)  # fmt: skip


def draft_join(strategy: str = "range") -> events.DraftJoin:
    return events.DraftJoin(
        ticket=TICKET, consumer_id="", client_id="c", client_host="/h", session_timeout_ms=10_000,
        topics=("t",), strategy=strategy, counts={"t": 1},
    )  # fmt: skip


def decided(group: Group, *said: events.Event) -> Decision:
    return decide(group, said, 0, Random(1))


def written(group: Group, *said: events.Event) -> Group:
    return decided(group, *said).group.with_revision(1)


def offsets_only() -> Group:
    return written(ClassicGroup.absent("g", RULES, 0), COMMIT)


def emptied_draft() -> Group:
    group = written(DraftGroup.absent("g", RULES, 0), draft_join())
    (consumer_id,) = group.durable.members
    leaver = events.Leaver(consumer_id, None)
    return written(group, events.LeaveGroup(members=(leaver,)))


def test_pending_offsets_serve_a_draft_consumer() -> None:
    decision = decided(offsets_only(), draft_join())
    assert decision.group.durable.group.kind == "draft"
    ((_, reply),) = decision.answers
    assert isinstance(reply, DraftJoined) and reply.partitions == {"t": (0,)}


def test_offsets_set_in_the_same_step_do_not_prevent_it() -> None:
    decision = decided(ClassicGroup.absent("g", RULES, 0), COMMIT, draft_join())
    assert decision.group.durable.group.kind == "draft"
    assert decision.offsets == (WRITE,)


def test_a_refused_join_changes_nothing() -> None:
    group = offsets_only()
    decision = decided(group, draft_join("nobody's"))
    assert decision.group is group
    ((_, reply),) = decision.answers
    assert reply.error is ErrorCode.UNKNOWN_PARTITION_ASSIGNMENT_STRATEGY


def test_an_emptied_draft_group_accepts_a_classic_member_in_the_next_generation() -> None:
    group = emptied_draft()
    decision = decided(group, CLASSIC_JOIN, events.Tick())
    ((_, reply),) = decision.answers
    assert isinstance(reply, Joined) and reply.generation_id == 2
    assert decision.group.durable.group.kind == "classic"


def test_an_emptied_draft_group_accepts_a_consumer_protocol_member() -> None:
    decision = decided(emptied_draft(), MODERN_JOIN)
    ((_, reply),) = decision.answers
    assert isinstance(reply, ConsumerBeaten) and reply.error is ErrorCode.NONE
    assert decision.group.durable.group.kind == "consumer"
    assert decision.group.durable.group.generation > 1


@pytest.mark.parametrize("join", [CLASSIC_JOIN, MODERN_JOIN])
def test_a_draft_group_with_a_consumer_keeps_its_kind(join: events.Event) -> None:
    group = written(DraftGroup.absent("g", RULES, 0), draft_join())
    decision = decided(group, join)
    assert decision.group is group
    ((_, reply),) = decision.answers
    assert reply.error in (
        ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
        ErrorCode.GROUP_ID_NOT_FOUND,
    )


def test_a_classic_group_with_a_member_keeps_its_kind() -> None:
    group = written(ClassicGroup.absent("g", RULES, 0), CLASSIC_JOIN)
    decision = decided(group, draft_join())
    assert decision.group is group
    ((_, reply),) = decision.answers
    assert reply.error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
