"""A commit that changes nothing of its group is judged without a step, and as a step judges it."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from groups.core.conversion.step import decide
from groups.core.errors import ErrorCode
from groups.core.events import (
    Author,
    Event,
    JoinGroup,
    OffsetCommit,
    OffsetWrite,
    Outsider,
    SyncGroup,
    Tick,
    Ticket,
)
from groups.core.group import Group, Rules
from groups.core.kinds import KINDS
from groups.core.offset_rules import plain_commits

RULES = Rules(group_initial_rebalance_delay_ms=0, group_quiet_window_ms=0)
NOW = 1_000


def write(partition: int, offset: int) -> OffsetWrite:
    return OffsetWrite("t", partition, offset, -1, "")


def commit(number: int, member_id: str, generation: int, *offsets: OffsetWrite) -> OffsetCommit:
    return OffsetCommit(
        ticket=Ticket(1, number),
        generation_id=generation,
        member_id=member_id,
        instance_id=None,
        offsets=offsets or (write(0, number),),
        version=8,
    )


def after(group: Group, *events: Event, now: int = NOW) -> Group:
    """The group once these are decided and written."""
    decided = group.step(events, now, Random(1)).group
    return decided.with_revision(group.durable.revision + 1)


def joining(member_id: str) -> JoinGroup:
    return JoinGroup(
        ticket=Ticket(2, 1),
        member_id=member_id,
        instance_id=None,
        client_id="c",
        client_host="/h",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=10_000,
        protocol_type="consumer",
        protocols=(("range", b""),),
    )


def syncing(member_id: str, generation: int) -> SyncGroup:
    return SyncGroup(
        ticket=Ticket(2, 2),
        generation_id=generation,
        member_id=member_id,
        instance_id=None,
        assignments={member_id: b"work"},
    )


def joined() -> tuple[Group, str]:
    """A classic group that waits for its leader's assignment, and who that is."""
    group: Group = KINDS["classic"].absent("g", RULES, NOW)
    group = after(group, joining(""))
    due = group.due(NOW)
    while not group.durable.members:
        assert due is not None
        group = after(group, Tick(), now=due)
        due = group.due(due)
    return group, next(iter(group.durable.members))


def stable() -> tuple[Group, str]:
    group, member_id = joined()
    return after(group, syncing(member_id, group.durable.group.generation)), member_id


@pytest.mark.parametrize("make", [joined, stable])
def test_a_judged_commit_is_answered_as_a_stepped_one(
    make: Callable[[], tuple[Group, str]],
) -> None:
    group, member_id = make()
    generation = group.durable.group.generation
    for who, at in product((member_id, "stranger", ""), (generation, generation - 1, -1)):
        event = commit(1, who, at)
        judged = plain_commits(group, [event], NOW)
        stepped = group.step([event], NOW, Random(1))

        assert judged is not None
        assert (judged.answers, judged.offsets) == (stepped.answers, stepped.offsets)
        assert judged.group is stepped.group is group


def test_one_decision_has_each_reply_and_the_final_offsets() -> None:
    group, member_id = stable()
    generation = group.durable.group.generation
    good, again = commit(1, member_id, generation), commit(3, member_id, generation)
    bad = commit(2, "stranger", generation, write(0, 99), write(1, 99))

    decision = decide(group, [good, bad, again], NOW, Random(1))

    assert [(a.ticket.request, a.reply.error) for a in decision.answers] == [
        (1, ErrorCode.NONE),
        (2, ErrorCode.UNKNOWN_MEMBER_ID),
        (3, ErrorCode.NONE),
    ]
    assert decision.offsets == (write(0, 3),)


def test_a_valid_judged_commit_is_a_sign_of_life() -> None:
    group, member_id = stable()
    beat, generation = group.live.beats[member_id], group.durable.group.generation
    plain_commits(group, [commit(1, member_id, generation - 1)], NOW + 50)
    assert beat.at == NOW
    plain_commits(group, [commit(1, member_id, generation)], NOW + 70)
    assert beat.at == NOW + 70


def test_a_commit_that_changes_a_group_takes_a_step() -> None:
    group, member_id = stable()
    good = commit(1, member_id, group.durable.group.generation)
    absent = KINDS["classic"].absent("new", RULES, NOW)
    assert plain_commits(absent, [commit(1, "", -1)], NOW) is None
    assert plain_commits(group, [good, syncing(member_id, 1)], NOW) is None
    from_outside = replace(good, outsider=Outsider(Author("", "c", "/h"), goes_on=False))
    assert plain_commits(group, [from_outside], NOW) is None
    assert plain_commits(KINDS["draft"].absent("g", RULES, NOW), [good], NOW) is None
