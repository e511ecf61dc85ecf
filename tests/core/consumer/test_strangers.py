"""Offsets and the classic protocol at a consumer group (OF-14, OF-15, AD-06; KIP-1251)."""

from uuid import UUID

import pytest

from groups.core import events
from groups.core.errors import ErrorCode
from groups.core.replies import Joined, Left, OffsetsDeleted, Synced
from tests.core.consumer.talk import Client, Talk


def commit(
    talk: Talk, member_id: str, epoch: int, *parts: tuple[str, int], version: int = 9
) -> ErrorCode:
    writes = tuple(events.OffsetWrite(topic, p, 7, -1, "") for topic, p in parts)
    event = events.OffsetCommit(
        generation_id=epoch, member_id=member_id, instance_id=None, offsets=writes, version=version
    )
    return talk.ask(event).error


def test_of_14_a_member_commits_with_its_epoch() -> None:
    talk = Talk({"foo": 2})
    m = talk.join("m")
    before = talk.group
    assert commit(talk, "m", 2, ("foo", 0)) is ErrorCode.NONE
    assert talk.last is not None and [w.topic for w in talk.last.offsets] == ["foo"]
    assert talk.group is before, "a commit changes no rows of the group, nor a session"
    assert commit(talk, "m", 3, ("foo", 0)) is ErrorCode.STALE_MEMBER_EPOCH
    assert commit(talk, "x", 2, ("foo", 0)) is ErrorCode.UNKNOWN_MEMBER_ID
    assert commit(talk, "", -1, ("foo", 0)) is ErrorCode.UNKNOWN_MEMBER_ID
    assert commit(talk, "m", 2, ("foo", 0), version=8) is ErrorCode.UNSUPPORTED_VERSION
    talk.beat(m, member_epoch=-1)
    assert commit(talk, "", -1, ("foo", 0)) is ErrorCode.NONE


def commit_in_transaction(
    talk: Talk, member_id: str, epoch: int, *parts: tuple[str, int], instance_id: str | None = None
) -> ErrorCode:
    event = events.TxnOffsetCommit(
        producer_id=7,
        producer_epoch=0,
        generation_id=epoch,
        member_id=member_id,
        instance_id=instance_id,
        offsets=tuple(events.OffsetWrite(topic, p, 7, -1, "") for topic, p in parts),
    )
    return talk.ask(event).error


def test_tx_05_a_member_is_checked_in_a_transaction_with_the_older_error_codes() -> None:
    talk = Talk({"foo": 2})
    m = talk.join("m")
    before = talk.group
    assert commit_in_transaction(talk, "m", 2, ("foo", 0)) is ErrorCode.NONE
    assert talk.last is not None and [w.write.topic for w in talk.last.pending] == ["foo"]
    assert talk.group is before
    assert commit_in_transaction(talk, "m", 3, ("foo", 0)) is ErrorCode.ILLEGAL_GENERATION
    assert commit_in_transaction(talk, "m", -1, ("foo", 0)) is ErrorCode.ILLEGAL_GENERATION
    assert commit_in_transaction(talk, "x", 2, ("foo", 0)) is ErrorCode.UNKNOWN_MEMBER_ID
    assert commit_in_transaction(talk, "", 2, ("foo", 0)) is ErrorCode.UNKNOWN_MEMBER_ID
    assert talk.last.pending == ()
    assert commit_in_transaction(talk, "", -1, ("foo", 0)) is ErrorCode.NONE, "old producers"
    talk.beat(m, member_epoch=-1)
    assert commit_in_transaction(talk, "x", -1, ("foo", 0)) is ErrorCode.NONE


def test_tx_05_an_older_epoch_is_valid_for_partitions_held_since() -> None:
    talk = Talk({"foo": 4})
    a, b = talk.join("a"), talk.join("b")
    talk.converge(a, b)
    assert commit_in_transaction(talk, "a", 2, ("foo", 0)) is ErrorCode.NONE
    assert commit_in_transaction(talk, "a", 2, ("foo", 2)) is ErrorCode.ILLEGAL_GENERATION


def test_a_plain_commit_and_a_deletion_supersede_pending_offsets_in_the_same_step() -> None:
    talk = Talk({"foo": 2, "bar": 1})
    m = talk.join("m", "foo")
    waits = events.TxnOffsetCommit(
        producer_id=7,
        producer_epoch=0,
        generation_id=m.epoch,
        member_id="m",
        instance_id=None,
        offsets=tuple(events.OffsetWrite(t, 0, 7, -1, "") for t in ("foo", "bar")),
    )
    plain = events.OffsetCommit(
        generation_id=m.epoch,
        member_id="m",
        instance_id=None,
        offsets=(events.OffsetWrite("foo", 0, 8, -1, ""),),
        version=9,
    )
    decision = talk.step(waits, plain, events.OffsetDelete(partitions=(("bar", 0),)))
    assert [(w.write.topic, w.is_superseded) for w in decision.pending] == [("foo", True)]


def test_of_14_a_member_may_commit_partitions_under_revocation_that_nobody_subscribes_to() -> None:
    talk = Talk()
    foo, bar = UUID(int=1), UUID(int=2)
    talk.catalogue = {"foo": (foo.hex, 2), "bar": (bar.hex, 2)}
    m = talk.join("m", "foo")
    given = m.epoch
    talk.beat(m, subscribed_topic_names=("foo", "bar"))
    talk.beat(m, subscribed_topic_names=("bar",))
    assert talk.group.members["m"].epoch > given and "foo" not in talk.group.topics

    def code(epoch: int, topic_id: UUID | None) -> ErrorCode:
        write = events.OffsetWrite("foo", 0, 7, -1, "", topic_id=topic_id)
        event = events.OffsetCommit(
            generation_id=epoch, member_id="m", instance_id=None, offsets=(write,), version=9
        )
        return talk.ask(event).error

    assert code(given, foo) is ErrorCode.NONE
    assert code(given - 1, foo) is ErrorCode.STALE_MEMBER_EPOCH, "before it was given"
    assert code(given, UUID(int=3)) is ErrorCode.STALE_MEMBER_EPOCH, "another topic of that name"


def test_of_14_an_older_epoch_is_valid_for_partitions_held_since() -> None:
    talk = Talk({"foo": 4})
    a, b = talk.join("a"), talk.join("b")
    talk.converge(a, b)
    assert (a.epoch, a.owned, b.owned) == (3, {"foo": [0, 1]}, {"foo": [2, 3]})
    assert commit(talk, "a", 2, ("foo", 0), ("foo", 1)) is ErrorCode.NONE
    assert commit(talk, "a", 1, ("foo", 0)) is ErrorCode.STALE_MEMBER_EPOCH
    assert commit(talk, "a", 2, ("foo", 2)) is ErrorCode.STALE_MEMBER_EPOCH
    assert commit(talk, "b", 2, ("foo", 2)) is ErrorCode.STALE_MEMBER_EPOCH
    assert commit(talk, "a", 2, ("foo", 0), ("foo", 2)) is ErrorCode.STALE_MEMBER_EPOCH
    assert talk.last is not None and talk.last.offsets == (), "one bad partition refuses all"


def test_a_member_may_commit_before_it_acknowledges_a_revocation() -> None:
    talk = Talk({"foo": 2})
    a = talk.join("a")
    talk.step(events.ForceRebalance(operation_id=1, actor="x", reason=""))
    talk.beat(a)
    talk.join("b")
    talk.beat(a)
    assert talk.group.members["a"].revoking == {("id-foo", 1)}
    assert commit(talk, "a", a.epoch - 1, ("foo", 1)) is ErrorCode.NONE
    talk.beat(a, owned={"foo": [0]})
    assert commit(talk, "a", a.epoch - 1, ("foo", 1)) is ErrorCode.STALE_MEMBER_EPOCH


@pytest.mark.parametrize(
    ("epoch", "version", "code"),
    [
        (-1, 9, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (1, 9, ErrorCode.GROUP_ID_NOT_FOUND),
        (1, 8, ErrorCode.ILLEGAL_GENERATION),
    ],
)
def test_a_commit_to_no_group_writes_nothing(epoch: int, version: int, code: ErrorCode) -> None:
    talk = Talk()
    assert commit(talk, "", epoch, ("foo", 0), version=version) is code
    assert talk.last is not None and talk.last.offsets == ()


@pytest.mark.parametrize(
    ("epoch", "code"),
    [(-1, ErrorCode.COORDINATOR_NOT_AVAILABLE), (0, ErrorCode.ILLEGAL_GENERATION)],
)
def test_a_transaction_commits_nothing_to_no_group(epoch: int, code: ErrorCode) -> None:
    talk = Talk()
    assert commit_in_transaction(talk, "", epoch, ("foo", 0)) is code
    assert talk.last is not None and talk.last.pending == ()


def test_of_15_offsets_of_subscribed_topics_are_protected() -> None:
    talk = Talk({"foo": 2, "bar": 2})
    m = talk.join("m")
    event = events.OffsetDelete(partitions=(("foo", 0), ("bar", 1)))
    reply = talk.ask(event)
    assert isinstance(reply, OffsetsDeleted)
    assert reply.partitions == {("foo", 0): ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC, ("bar", 1): 0}
    assert talk.last is not None and set(talk.last.offset_deletes) == {("bar", 1)}
    talk.beat(m, member_epoch=-1)
    talk.ask(event)
    assert set(talk.last.offset_deletes) == {("foo", 0), ("bar", 1)}


def test_of_15_and_ad_06_deleting_from_a_missing_group_is_refused() -> None:
    talk = Talk()
    gone = ErrorCode.GROUP_ID_NOT_FOUND
    assert talk.ask(events.OffsetDelete(partitions=(("foo", 0),))).error is gone
    assert talk.ask(events.DeleteGroup()).error is gone


def test_ad_06_only_an_empty_group_is_deleted() -> None:
    talk = Talk({"foo": 2})
    m = talk.join("m")
    assert talk.ask(events.DeleteGroup()).error is ErrorCode.NON_EMPTY_GROUP
    talk.beat(m, member_epoch=-1)
    assert talk.ask(events.DeleteGroup()).error is ErrorCode.NONE
    assert talk.last is not None and talk.last.deleted
    assert talk.journal[-1].kind == "group-deleted"
    assert talk.ask(events.DeleteGroup()).error is ErrorCode.GROUP_ID_NOT_FOUND
    assert talk.join("n").epoch == 2, "a new group of the same id begins anew"


def join(member_id: str) -> events.JoinGroup:
    return events.JoinGroup(
        member_id=member_id, instance_id=None, client_id="c", client_host="/h",
        session_timeout_ms=10_000, rebalance_timeout_ms=10_000, protocol_type="consumer",
        protocols=(("range", b""),),
    )  # fmt: skip


def test_a_classic_member_with_unreadable_metadata_cannot_join() -> None:
    talk = Talk({"foo": 2})
    asked_too_early = talk.ask(join("x"))
    assert asked_too_early == Joined(error=ErrorCode.COORDINATOR_NOT_AVAILABLE, member_id="x")
    talk.join("m")
    before = talk.group
    assert talk.ask(join("")) == Joined(error=ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    sync = events.SyncGroup(generation_id=2, member_id="m", instance_id=None, assignments={})
    assert talk.ask(sync) == Synced(error=ErrorCode.UNKNOWN_MEMBER_ID)
    leave = events.LeaveGroup(members=(events.Leaver("n", None),))
    assert talk.ask(leave) == Left(ErrorCode.NONE, (ErrorCode.UNKNOWN_MEMBER_ID,))
    assert talk.group is before


def test_an_administrator_removes_a_member_by_its_id() -> None:
    talk = Talk({"foo": 2})
    m = talk.join("m")
    leave = events.LeaveGroup(members=(events.Leaver("m", None),))
    assert talk.ask(leave) == Left(ErrorCode.NONE, (ErrorCode.NONE,))
    assert talk.state == "Empty" and talk.code(m) is ErrorCode.UNKNOWN_MEMBER_ID


def test_members_cannot_act_for_each_other() -> None:
    talk = Talk({"foo": 2})
    talk.join("m")
    other = Client("n", ("foo",), epoch=2)
    assert talk.code(other) is ErrorCode.UNKNOWN_MEMBER_ID
