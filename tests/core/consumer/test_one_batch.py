"""What several requests come to when one step decides them all, by one kind's rules or by two."""

from dataclasses import replace

import pytest

from groups.core import events
from groups.core.consumer import target_schedule
from groups.core.errors import ErrorCode
from groups.core.replies import ConsumerBeaten
from tests.core.consumer.crossing import Classic, Crossing, upgraded
from tests.core.consumer.talk import Client, Talk


def _heartbeat(request: int, epoch: int) -> events.ConsumerHeartbeat:
    joins = epoch == 0
    return events.ConsumerHeartbeat(
        ticket=events.Ticket(1, request), member_id="b", member_epoch=epoch, instance_id=None,
        rack_id=None, client_id="app", client_host="/127.0.0.1",
        rebalance_timeout_ms=30_000 if joins else -1,
        subscribed_topic_names=("foo",) if joins else None, server_assignor=None,
        owned={} if joins else None, topics={"foo": ("id-foo", 1)}, looked_up=frozenset({"foo"}),
    )  # fmt: skip


def test_a_member_that_joins_and_leaves_in_one_step_is_removed_and_the_others_stay() -> None:
    talk = Talk({"foo": 1})
    talk.join("a")
    answers = talk.step(_heartbeat(91, 0), _heartbeat(92, -1)).answers
    assert [type(answer.reply) for answer in answers] == [ConsumerBeaten, ConsumerBeaten]
    assert [answer.reply.error for answer in answers] == [ErrorCode.NONE, ErrorCode.NONE]
    assert list(talk.group.durable.members) == ["a"]


def test_a_target_that_the_first_of_several_joins_needs_is_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A large one, outside of the step. The first join creates the group, in a decision of its
    own."""
    monkeypatch.setattr(target_schedule, "INLINE_MAX", 0)
    talk = Crossing({"foo": 1}, group_consumer_assignor_offload_enable=True)
    first = _heartbeat(91, 0)
    decision = talk.step(replace(first, ticket=events.Ticket(1, 90), member_id="a"), first)
    assert talk.group.live.schedule.requested_epoch
    assert decision.question is not None


BAR = ("bar", 0)


def of_both_protocols() -> tuple[Crossing, Client]:
    """A group whose kind is checked again with every event that might remove a member."""
    return upgraded(Classic())


def put(member: Client, offset: int) -> events.OffsetCommit:
    write = events.OffsetWrite(*BAR, offset, -1, "")
    return events.OffsetCommit(
        generation_id=member.epoch, member_id=member.member_id, instance_id=None,
        offsets=(write,), version=9,
    )  # fmt: skip


def put_in_transaction(offset: int) -> events.TxnOffsetCommit:
    return events.TxnOffsetCommit(
        producer_id=7, producer_epoch=0, generation_id=-1, member_id="", instance_id=None,
        offsets=(events.OffsetWrite(*BAR, offset, -1, ""),),
    )  # fmt: skip


DELETE = events.OffsetDelete(partitions=(BAR,))


def test_of_commits_and_deletions_in_one_step_the_last_wins() -> None:
    talk, m = of_both_protocols()
    kept = talk.step(put(m, 1), DELETE, put(m, 2))
    assert ([w.offset for w in kept.offsets], kept.offset_deletes) == ([2], ())
    gone = talk.step(put(m, 1), DELETE)
    assert (gone.offsets, gone.offset_deletes) == ((), (BAR,))


def test_pending_offsets_are_superseded_or_deleted_by_later_writes() -> None:
    talk, m = of_both_protocols()

    def waits(*said: events.Event) -> list[tuple[int, bool]]:
        return [(w.write.offset, w.is_superseded) for w in talk.step(*said).pending]

    first, again = put_in_transaction(1), put_in_transaction(3)
    assert waits(first, DELETE) == []
    assert waits(DELETE, first) == [(1, False)]
    # Each deletion begins a decision of its own, so that later ones meet what earlier ones left.
    other = events.OffsetDelete(partitions=(("else", 0),))
    assert waits(first, other, put(m, 2)) == [(1, True)]
    assert waits(first, other, put(m, 2), other, again) == [(3, False)]
    assert waits(put(m, 2), other, first) == [(1, False)]


def test_a_group_deleted_within_a_step_keeps_only_later_writes() -> None:
    talk, m = of_both_protocols()
    everybody = events.LeaveGroup(
        members=tuple(events.Leaver(member_id, None) for member_id in talk.group.members)
    )
    outside = events.OffsetCommit(
        generation_id=-1, member_id="", instance_id=None, version=9,
        offsets=(events.OffsetWrite("else", 0, 9, -1, ""),),
    )  # fmt: skip
    early = (put(m, 1), put_in_transaction(1), DELETE, put_in_transaction(2), put(m, 2))
    decision = talk.step(*early, everybody, events.DeleteGroup(), outside)
    assert decision.deleted
    assert [(w.topic, w.offset) for w in decision.offsets] == [("else", 9)]
    assert (decision.offset_deletes, decision.pending) == ((), ())
