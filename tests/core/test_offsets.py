"""Rules of offsets where one batch holds several events; single ones are in scenarios/of_*."""

from random import Random

from groups.core import events
from groups.core.classic.group import ClassicGroup
from groups.core.classic.work import Work
from groups.core.errors import ErrorCode
from groups.core.group import Decision, Rules
from groups.core.replies import Committed, Deleted

RULES = Rules(group_quiet_window_ms=0, group_initial_rebalance_delay_ms=0)


def commit(*at: tuple[str, int, int], request: int = 1) -> events.OffsetCommit:
    writes = tuple(
        events.OffsetWrite(topic, number, offset, -1, "") for topic, number, offset in at
    )
    return events.OffsetCommit(
        ticket=events.Ticket(1, request),
        generation_id=-1,
        member_id="",
        instance_id=None,
        offsets=writes,
        version=9,
    )


def commit_in(producer: int, *at: tuple[str, int, int], request: int = 1) -> events.TxnOffsetCommit:
    plain = commit(*at, request=request)
    return events.TxnOffsetCommit(
        ticket=plain.ticket,
        producer_id=producer,
        producer_epoch=3,
        generation_id=-1,
        member_id="",
        instance_id=None,
        offsets=plain.offsets,
    )


def waiting(decision: Decision) -> list[tuple[int, str, int, int, bool]]:
    """(producer, topic, partition, offset, superseded) of what waits."""
    return [
        (w.producer_id, w.write.topic, w.write.partition, w.write.offset, w.is_superseded)
        for w in decision.pending
    ]


def delete(topic: str, number: int) -> events.OffsetDelete:
    return events.OffsetDelete(ticket=events.Ticket(1, 50), partitions=((topic, number),))


def step(group: ClassicGroup, *batch: events.Event) -> Decision:
    return group.step(batch, 1_000, Random(1))


def simple_group() -> ClassicGroup:
    made = step(ClassicGroup.absent("g", RULES, 0), commit(("orders", 0, 1))).group
    assert isinstance(made, ClassicGroup)
    return made.with_revision(1)


def test_the_last_commit_of_a_batch_is_written() -> None:
    decision = step(simple_group(), commit(("orders", 0, 5)), commit(("orders", 0, 6), request=2))
    assert [write.offset for write in decision.offsets] == [6]
    assert [answer.reply for answer in decision.answers] == [Committed(), Committed()]


def test_a_commit_does_not_change_the_durable_half() -> None:
    group = simple_group()
    decision = step(group, commit(("orders", 0, 5)))
    assert decision.group.durable is group.durable
    assert decision.journal == ()


def test_an_empty_commit_creates_no_group() -> None:
    assert step(ClassicGroup.absent("g", RULES, 0), commit()).group.idle


def test_writes_and_deletes_of_a_batch_never_name_the_same_partition() -> None:
    written = step(simple_group(), delete("orders", 0), commit(("orders", 0, 5)))
    assert ([w.offset for w in written.offsets], written.offset_deletes) == ([5], ())
    deleted = step(simple_group(), commit(("orders", 0, 5)), delete("orders", 0))
    assert (deleted.offsets, deleted.offset_deletes) == ((), (("orders", 0),))


def test_deleting_a_group_drops_the_commits_of_the_batch() -> None:
    decision = step(
        simple_group(), commit(("orders", 0, 5)), events.DeleteGroup(ticket=events.Ticket(1, 9))
    )
    assert decision.deleted
    assert decision.offsets == ()
    assert decision.group.idle
    assert decision.answers[-1].reply == Deleted(ErrorCode.NONE)


def test_an_empty_group_subscribes_to_nothing() -> None:
    group = simple_group()
    work = Work(group.durable, group.live, group.rules, 0, Random(1))
    assert work.topics_in_use() == frozenset()


# ---- in transactions


def test_the_last_commit_of_a_transaction_waits() -> None:
    first, second = ("orders", 0, 5), ("orders", 0, 6)
    decision = step(simple_group(), commit_in(7, first), commit_in(7, second, request=2))
    assert waiting(decision) == [(7, "orders", 0, 6, False)]
    assert decision.offsets == ()


def test_a_plain_commit_supersedes_pending_offsets_from_before_it() -> None:
    decision = step(
        simple_group(),
        commit_in(7, ("orders", 0, 5), ("orders", 1, 5)),
        commit(("orders", 0, 6), request=2),
        commit_in(8, ("orders", 0, 7), request=3),
    )
    assert waiting(decision) == [
        (7, "orders", 0, 5, True),
        (7, "orders", 1, 5, False),
        (8, "orders", 0, 7, False),
    ]


def test_a_transactional_commit_after_the_plain_one_wins() -> None:
    decision = step(
        simple_group(),
        commit_in(7, ("orders", 0, 5)),
        commit(("orders", 0, 6), request=2),
        commit_in(7, ("orders", 0, 7), request=3),
    )
    assert waiting(decision) == [(7, "orders", 0, 7, False)]


def test_deleting_offsets_and_groups_deletes_pending_offsets() -> None:
    both = commit_in(7, ("orders", 0, 5), ("orders", 1, 5))
    assert waiting(step(simple_group(), both, delete("orders", 0))) == [(7, "orders", 1, 5, False)]
    gone = step(simple_group(), both, events.DeleteGroup(ticket=events.Ticket(1, 60)))
    assert gone.deleted and gone.pending == ()
