"""A group without members takes the protocol of who joins it; one that has any stays what it is."""

from random import Random

import pytest

from groups.core import events
from groups.core.classic.group import ClassicGroup
from groups.core.commanded.group import CommandedGroup
from groups.core.conversion.step import decide
from groups.core.errors import ErrorCode
from groups.core.group import Decision, Group, Rules
from groups.core.replies import Registered
from tests.core.draft.test_takeover import CLASSIC_JOIN, COMMIT, MODERN_JOIN, WRITE, draft_join

RULES = Rules(group_initial_rebalance_delay_ms=0, group_quiet_window_ms=0)

REGISTRATION = events.RegisterConsumer(
    ticket=events.Ticket(1, 1), consumer_id="a", generation_id=-1, client_id="c",
    client_host="/h", session_timeout_ms=10_000, threads={"t": 1}, counts={"t": 1},
)  # fmt: skip

STRANGERS = [CLASSIC_JOIN, MODERN_JOIN, draft_join()]


def decided(group: Group, *said: events.Event) -> Decision:
    return decide(group, said, 0, Random(1))


def written(group: Group, *said: events.Event) -> Group:
    return decided(group, *said).group.with_revision(1)


def emptied() -> Group:
    group = written(CommandedGroup.absent("g", RULES, 0), REGISTRATION)
    return written(group, events.LeaveGroup(members=(events.Leaver("a", None),)))


def test_pending_offsets_serve_a_commanded_consumer() -> None:
    group = written(ClassicGroup.absent("g", RULES, 0), COMMIT)
    decision = decided(group, REGISTRATION)
    assert decision.group.durable.group.kind == "commanded"
    ((_, reply),) = decision.answers
    assert isinstance(reply, Registered) and reply.error is ErrorCode.NONE


def test_offsets_set_in_the_same_step_do_not_prevent_it() -> None:
    decision = decided(ClassicGroup.absent("g", RULES, 0), COMMIT, REGISTRATION)
    assert decision.group.durable.group.kind == "commanded"
    assert decision.offsets == (WRITE,)


@pytest.mark.parametrize("join", STRANGERS, ids=["classic", "consumer", "draft"])
def test_an_emptied_group_takes_the_kind_of_the_next_member(join: events.Event) -> None:
    decision = decided(emptied(), join)
    assert decision.group.durable.group.kind != "commanded"
    assert [answer for answer in decision.answers if answer.reply.error] == []


@pytest.mark.parametrize("join", STRANGERS, ids=["classic", "consumer", "draft"])
def test_a_group_with_a_consumer_keeps_its_kind(join: events.Event) -> None:
    group = written(CommandedGroup.absent("g", RULES, 0), REGISTRATION)
    decision = decided(group, join)
    assert decision.group is group
    ((_, reply),) = decision.answers
    assert reply.error in (
        ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
        ErrorCode.GROUP_ID_NOT_FOUND,
    )


@pytest.mark.parametrize("join", STRANGERS, ids=["classic", "consumer", "draft"])
def test_a_group_of_another_kind_with_members_refuses_a_registration(join: events.Event) -> None:
    group = written(ClassicGroup.absent("g", RULES, 0), join)
    decision = decided(group, REGISTRATION)
    assert decision.group is group
    ((_, reply),) = decision.answers
    assert reply.error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL


def test_acknowledging_to_a_group_of_another_kind_gets_unknown_member() -> None:
    group = written(ClassicGroup.absent("g", RULES, 0), CLASSIC_JOIN)
    event = events.AcknowledgeCommand(ticket=events.Ticket(1, 2), member_id="a", command_id=1)
    ((_, reply),) = decided(group, event).answers
    assert reply.error is ErrorCode.UNKNOWN_MEMBER_ID
