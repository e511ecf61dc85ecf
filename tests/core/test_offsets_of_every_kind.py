"""Offsets are kept alike by every kind of group: who may commit, what is deleted, expires and is
restored, with members, without, and where there is no group."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from groups.core import events
from groups.core.errors import ErrorCode
from groups.core.expiry import Age
from groups.core.group import All, Decision, Group
from groups.core.replies import OffsetsDeleted
from tests.core.every_kind import (
    ABSENT,
    EVERY,
    TICKET,
    decided,
    emptied,
    has_row,
    settled,
    written,
)

NONE, UNKNOWN = ErrorCode.NONE, ErrorCode.UNKNOWN_MEMBER_ID
ILLEGAL, GONE = ErrorCode.ILLEGAL_GENERATION, ErrorCode.GROUP_ID_NOT_FOUND
LATER = ErrorCode.COORDINATOR_NOT_AVAILABLE
MINUTE_MS = 60_000
KEEPS_OFFSETS_ALONE = pytest.mark.parametrize("kind", ["classic", "draft", "commanded"])
"""Kinds that an id without a group becomes by a commit."""


def writes(*at: tuple[str, int, int]) -> tuple[events.OffsetWrite, ...]:
    return tuple(events.OffsetWrite(topic, p, offset, -1, "") for topic, p, offset in at)


ONE = writes(("t", 0, 7))


def plain(member_id: str = "", generation: int = -1, **over: object) -> events.OffsetCommit:
    said = events.OffsetCommit(
        ticket=TICKET, generation_id=generation, member_id=member_id, instance_id=None,
        offsets=ONE, version=9,
    )  # fmt: skip
    return replace(said, **over)  # type: ignore[arg-type]


def in_a_transaction(
    member_id: str = "", generation: int = -1, **over: object
) -> events.TxnOffsetCommit:
    said = events.TxnOffsetCommit(
        ticket=TICKET, producer_id=7, producer_epoch=3, generation_id=generation,
        member_id=member_id, instance_id=None, offsets=ONE,
    )  # fmt: skip
    return replace(said, **over)  # type: ignore[arg-type]


BOTH = pytest.mark.parametrize("commit", [plain, in_a_transaction])


def code(decision: Decision) -> ErrorCode:
    (answer,) = decision.answers
    return answer.reply.error


def kept(decision: Decision) -> tuple[events.OffsetWrite, ...]:
    """What a commit has put down, to stand or to wait."""
    return (*decision.offsets, *(waiting.write for waiting in decision.pending))


# -- who may commit


@EVERY
@BOTH
def test_only_a_member_of_the_generation_commits(
    kind: str, commit: Callable[..., events.Event]
) -> None:
    group, member_id = settled(kind)
    now = group.durable.group.generation

    good = decided(group, commit(member_id, now))
    assert (code(good), kept(good)) == (NONE, ONE)
    stale = ILLEGAL if kind != "consumer" or commit is in_a_transaction else None
    for generation in (now + 1, now - 1, -1):
        refused = decided(group, commit(member_id, generation))
        assert code(refused) is (stale or ErrorCode.STALE_MEMBER_EPOCH) and not kept(refused)
    for name, generation in (("x", now), ("", now), ("", 0), ("x", -1)):
        refused = decided(group, commit(name, generation))
        assert code(refused) is UNKNOWN and not kept(refused)


@EVERY
def test_a_producer_without_a_member_id_is_accepted_but_a_plain_commit_is_not(kind: str) -> None:
    group = settled(kind).group

    believed = decided(group, in_a_transaction())
    assert (code(believed), kept(believed)) == (NONE, ONE)
    assert believed.group.durable is group.durable
    assert code(decided(group, plain())) is UNKNOWN


@pytest.mark.parametrize(
    ("kind", "of_nobody"),
    [("classic", UNKNOWN), ("consumer", UNKNOWN), ("draft", ILLEGAL), ("commanded", ILLEGAL)],
)
@BOTH
def test_a_commit_without_a_generation_needs_an_empty_group(
    kind: str, of_nobody: ErrorCode, commit: Callable[..., events.Event]
) -> None:
    group = emptied(kind)
    assert not group.durable.members and has_row(group)

    for name in ("", "x"):
        good = decided(group, commit(name, -1))
        assert (code(good), kept(good)) == (NONE, ONE)
    refused = [decided(group, commit("", generation)) for generation in (0, 1)]
    assert [(code(one), kept(one)) for one in refused] == [(of_nobody, ())] * 2


@KEEPS_OFFSETS_ALONE
@BOTH
def test_a_commit_creates_a_group_that_only_stores_offsets(
    kind: str, commit: Callable[..., events.Event]
) -> None:
    made = decided(ABSENT[kind](), commit())
    assert (code(made), kept(made)) == (NONE, ONE)
    row = made.group.durable.group
    assert has_row(made.group) and (row.kind, row.state, row.generation) == (kind, "Empty", 0)
    assert row.protocol_type == ""
    assert [entry.kind for entry in made.journal] == ["group-created"]

    nothing = decided(ABSENT[kind](), commit(offsets=()))
    assert code(nothing) is NONE and not has_row(nothing.group) and not nothing.journal
    for generation in (0, 1):
        refused = decided(ABSENT[kind](), commit(generation=generation))
        at_none = GONE if (kind, commit) == ("classic", plain) else ILLEGAL
        assert code(refused) is at_none and not has_row(refused.group)


@BOTH
def test_no_commit_creates_a_consumer_group(commit: Callable[..., events.Event]) -> None:
    """A group that only keeps offsets is a classic one: the client asks again, and finds that."""
    for generation, told in ((-1, LATER), (0, GONE if commit is plain else ILLEGAL)):
        refused = decided(ABSENT["consumer"](), commit(generation=generation))
        assert code(refused) is told and not kept(refused) and not has_row(refused.group)


# -- what is deleted


@EVERY
def test_offsets_in_use_by_members_are_not_deleted_but_others_are(kind: str) -> None:
    delete = events.OffsetDelete(ticket=TICKET, partitions=(("t", 0), ("u", 1)))
    reply = decided(settled(kind).group, delete)
    (answer,) = reply.answers
    assert answer.reply == OffsetsDeleted(
        partitions={("t", 0): ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC, ("u", 1): NONE}
    )
    assert reply.offset_deletes == (("u", 1),)
    assert decided(emptied(kind), delete).offset_deletes == (("t", 0), ("u", 1))
    assert code(decided(ABSENT[kind](), delete)) is GONE


@EVERY
def test_of_a_commit_and_a_deletion_in_one_step_the_later_wins(kind: str) -> None:
    delete = events.OffsetDelete(partitions=(("u", 0),))
    commit = plain(ticket=None, offsets=writes(("u", 0, 7), ("v", 0, 7)))
    waits = in_a_transaction(ticket=None, offsets=writes(("u", 0, 7), ("v", 0, 7)))

    deleted = decided(emptied(kind), commit, waits, delete)
    assert (deleted.offsets, deleted.offset_deletes) == (writes(("v", 0, 7)), (("u", 0),))
    assert [waiting.write.topic for waiting in deleted.pending] == ["v"]
    committed = decided(emptied(kind), delete, commit)
    assert (committed.offsets, committed.offset_deletes) == (commit.offsets, ())


@EVERY
def test_a_deletion_is_journalled_if_it_has_an_author_and_an_effect(
    kind: str,
) -> None:
    author = events.Author("", "tool", "/10.0.0.1")
    group = settled(kind).group

    def told(*partitions: tuple[str, int], author: events.Author | None = author) -> object:
        event = events.OffsetDelete(partitions=partitions, author=author)
        return [(e.kind, e.trigger, e.client_id, e.details, e.offsets) for e in
                decided(group, event).journal]  # fmt: skip

    by = {"author": author.details()}
    assert told(("t", 0), ("u", 1)) == [("offsets-deleted", "request", "tool", by, [("u", 1)])]
    assert told(("t", 0)) == []
    assert told(("u", 1), author=None) == []


@EVERY
def test_a_group_is_deleted_when_it_has_no_members(kind: str) -> None:
    author = events.Author("", "tool", "/h")
    delete = events.DeleteGroup(ticket=TICKET, author=author.details())
    waits = in_a_transaction(ticket=None)
    before = emptied(kind)
    gone = decided(before, plain(ticket=None), waits, delete)
    assert gone.deleted and not has_row(gone.group) and code(gone) is NONE
    assert not kept(gone) and not gone.offset_deletes
    entry = gone.journal[-1]
    assert (entry.kind, entry.client_id, entry.offsets) == ("group-deleted", "tool", All.OFFSETS)
    at = before.durable.group.generation
    assert (entry.generation_before, entry.generation_after) == (at, at)
    assert entry.details["author"] == author.details()
    assert entry.details["protocol_type"] == before.durable.group.protocol_type

    assert code(decided(settled(kind).group, delete)) is ErrorCode.NON_EMPTY_GROUP
    assert code(decided(ABSENT[kind](), delete)) is GONE


def test_a_simple_consumers_commit_is_journalled_at_first_and_in_a_group_with_members_always() -> (
    None
):
    author = events.Author("", "tool", "/h")
    simple = written(ABSENT["classic"](), plain())

    def told(group: Group, *, goes_on: bool, offsets: tuple[events.OffsetWrite, ...] = ONE) -> int:
        outsider = events.Outsider(author, goes_on)
        return len(decided(group, plain(offsets=offsets, outsider=outsider)).journal)

    assert told(simple, goes_on=False) == 1
    assert told(simple, goes_on=True) == 0, "a consumer that only keeps its offsets here"
    assert told(emptied("classic"), goes_on=True) == 1
    assert told(simple, goes_on=False, offsets=()) == 0


def test_offsets_set_from_outside_are_journalled_up_to_a_thousand_and_all_counted() -> None:
    many = writes(*(("t", p, p) for p in range(1_001)))
    outsider = events.Outsider(events.Author("", "tool", "/h"), False)
    (entry,) = decided(emptied("classic"), plain(offsets=many, outsider=outsider)).journal
    assert (entry.kind, entry.details["offsets"]) == ("offsets-altered", 1_001)
    assert entry.details["after"] == {"t": {str(p): p for p in range(1_000)}}
    assert entry.offsets == [("t", p) for p in range(1_001)]
    assert entry.generation_before == entry.generation_after


# -- what expires


def expire(group: Group, *ages: Age, empty_ms: int = 0) -> Decision:
    event = events.ExpireOffsets(
        operation_id=9, actor="retention", reason="r", state_age_ms=empty_ms, ages=ages
    )
    return decided(group, event)


def told(decision: Decision) -> tuple[ErrorCode, str, bool]:
    (operated,) = decision.operations
    assert operated.operation_id == 9
    return operated.error, operated.detail, operated.changed


OLD, YOUNG = MINUTE_MS, MINUTE_MS - 1


@EVERY
def test_unused_offsets_of_an_active_group_expire(kind: str) -> None:
    group = settled(kind).group
    looked = expire(group, Age("t", 0, OLD), Age("u", 0, OLD), Age("u", 1, YOUNG), empty_ms=OLD)
    assert looked.offset_deletes == (("u", 0),) and not looked.deleted
    assert told(looked) == (NONE, "1 of 3 offsets expired", True)
    (entry,) = looked.journal
    assert (entry.kind, entry.trigger) == ("offsets-expired", "retention")
    assert (entry.details, entry.offsets) == ({"offsets": 1}, [("u", 0)])

    all_of_it = expire(group, Age("u", 0, OLD))
    assert all_of_it.offset_deletes == (("u", 0),) and not all_of_it.deleted
    young = expire(group, Age("u", 0, YOUNG), empty_ms=OLD)
    assert told(young) == (NONE, "0 of 1 offsets expired", False) and not young.journal
    assert not expire(group).deleted


@EVERY
def test_an_empty_group_is_deleted_with_its_last_offset(kind: str) -> None:
    group = emptied(kind)
    counts_from_its_end = kind != "consumer"
    over, young = (5, OLD) if counts_from_its_end else (OLD, 5), (OLD, YOUNG)

    gone = expire(group, Age("t", 0, over[0]), empty_ms=over[1])
    assert gone.deleted and not gone.offset_deletes
    assert told(gone) == (NONE, "the group was deleted", True)
    (entry,) = gone.journal
    assert (entry.kind, entry.trigger) == ("group-deleted", "retention")
    if counts_from_its_end:
        kept_all = expire(group, Age("t", 0, young[0]), empty_ms=young[1])
    else:
        kept_all = expire(group, Age("t", 0, YOUNG), empty_ms=OLD)
    assert told(kept_all) == (NONE, "0 of 1 offsets expired", False) and not kept_all.deleted
    waits = expire(group, Age("t", 0, OLD), Age("t", 1, OLD, is_pending=True), empty_ms=OLD)
    assert (waits.deleted, waits.offset_deletes) == (False, (("t", 0),))


@KEEPS_OFFSETS_ALONE
def test_a_group_that_never_had_members_counts_from_each_commit(kind: str) -> None:
    group = written(ABSENT[kind](), plain())
    looked = expire(group, Age("t", 0, OLD), Age("t", 1, YOUNG), empty_ms=10 * OLD)
    assert looked.offset_deletes == (("t", 0),) and not looked.deleted
    assert expire(group, Age("t", 0, OLD)).deleted


@EVERY
def test_nothing_expires_without_a_group(kind: str) -> None:
    looked = expire(ABSENT[kind](), Age("t", 0, OLD))
    assert told(looked) == (NONE, "the group is gone", False)
    assert not looked.deleted and not looked.offset_deletes and not looked.journal


# -- what is restored


def restore(group: Group, *offsets: events.OffsetWrite) -> Decision:
    event = events.RestoreOffsets(
        operation_id=9, actor="ops", reason="a mistake", to="yesterday", offsets=offsets
    )
    return decided(group, event)


@EVERY
def test_offsets_are_restored_where_no_member_would_overwrite_them(kind: str) -> None:
    both = writes(("t", 0, 3), ("t", 1, 4))
    done = restore(emptied(kind), *both)
    assert done.offsets == both
    assert told(done) == (NONE, "2 offsets are as they were at yesterday", True)
    (entry,) = done.journal
    assert (entry.kind, entry.trigger) == ("offsets-restored", "operator")
    assert entry.reason == "ops took them back to yesterday: a mistake"
    assert entry.offsets == [("t", 0), ("t", 1)]
    after = {"t": {"0": 3, "1": 4}}
    assert entry.details == {"offsets": 2, "after": after, "author": {"user": "ops"}}

    nothing = restore(emptied(kind))
    assert told(nothing) == (NONE, "the history has no offset at yesterday", False)
    with_members = restore(settled(kind).group, *both)
    assert told(with_members)[:2] == (
        ErrorCode.INVALID_REQUEST, "the group has members; stop them first",
    )  # fmt: skip
    missing = restore(ABSENT[kind](), *both)
    assert told(missing)[:2] == (ErrorCode.INVALID_REQUEST, "the group is gone")
    assert not any(one.offsets or one.journal for one in (nothing, with_members, missing))


# -- what is reset


def reset(
    group: Group, *offsets: events.OffsetWrite, gone: tuple[str, int] | None = None
) -> Decision:
    event = events.ResetOffsets(
        operation_id=9,
        actor="ops",
        reason="a mistake",
        how="to the earliest",
        offsets=offsets,
        gone=() if gone is None else (gone,),
    )
    return decided(group, event)


@EVERY
def test_offsets_are_set_where_no_member_would_overwrite_them(kind: str) -> None:
    done = reset(emptied(kind), *writes(("t", 0, 3)), gone=("t", 1))
    assert done.offsets == writes(("t", 0, 3)) and done.offset_deletes == (("t", 1),)
    assert told(done) == (NONE, "2 offsets were set to the earliest", True)
    (entry,) = done.journal
    assert (entry.kind, entry.trigger, entry.reason) == (
        "offsets-altered", "operator", "a mistake",
    )  # fmt: skip
    assert entry.offsets == [("t", 0), ("t", 1)]
    assert entry.details == {
        "author": {"user": "ops"},
        "how": "to the earliest",
        "offsets": 2,
        "after": {"t": {"0": 3}},
    }

    with_members = reset(settled(kind).group, *writes(("t", 0, 3)))
    assert told(with_members)[:2] == (
        ErrorCode.INVALID_REQUEST, "the group has members; stop them first",
    )  # fmt: skip
    missing = reset(ABSENT[kind](), *writes(("t", 0, 3)))
    assert told(missing)[:2] == (ErrorCode.INVALID_REQUEST, "the group is gone")
    assert not any(one.offsets or one.journal for one in (with_members, missing))


@EVERY
def test_a_reset_without_a_change_changes_nothing(kind: str) -> None:
    """As its dry run says; the journal said that 0 offsets had been set."""
    done = reset(emptied(kind))
    assert told(done) == (NONE, "no offset had to be set to the earliest", False)
    assert not done.offsets and not done.journal


@EVERY
@pytest.mark.parametrize(
    "event",
    [
        events.RestoreOffsets(operation_id=9, actor="a", reason="r", to="noon", offsets=ONE),
        events.ResetOffsets(operation_id=9, actor="a", reason="r", how="so", offsets=ONE),
    ],
)
def test_a_conflict_found_by_the_owner_refuses_the_operation(
    kind: str, event: events.Event
) -> None:
    refused = decided(emptied(kind), replace(event, obstacle="set since"))  # type: ignore[call-arg]
    assert told(refused)[:2] == (ErrorCode.INVALID_REQUEST, "set since")
    assert not refused.offsets and not refused.journal


@EVERY
def test_of_a_deletion_and_a_restored_offset_in_one_step_the_later_wins(kind: str) -> None:
    delete = events.OffsetDelete(partitions=(("t", 0),))
    waits = in_a_transaction(ticket=None)
    event = events.RestoreOffsets(operation_id=9, actor="a", reason="r", to="noon", offsets=ONE)
    done = decided(emptied(kind), delete, waits, event)
    assert (done.offsets, done.offset_deletes) == (ONE, ())
    assert [waiting.is_superseded for waiting in done.pending] == [True]


# -- what an operator deletes


def remove(group: Group) -> Decision:
    return decided(group, events.RemoveGroup(operation_id=9, actor="ops", reason="a mistake"))


@EVERY
def test_an_operator_deletes_a_group_without_members(kind: str) -> None:
    done = remove(emptied(kind))
    assert done.deleted and told(done) == (NONE, "the group was deleted", True)
    (entry,) = done.journal
    assert (entry.kind, entry.trigger, entry.reason) == ("group-deleted", "operator", "a mistake")
    assert entry.details["author"] == {"user": "ops"}
    assert entry.offsets is All.OFFSETS

    with_members = remove(settled(kind).group)
    assert told(with_members)[:2] == (
        ErrorCode.NON_EMPTY_GROUP, "the group has members; stop them first",
    )  # fmt: skip
    missing = remove(ABSENT[kind]())
    assert told(missing)[:2] == (GONE, "the group is gone")
    assert not any(one.deleted or one.journal for one in (with_members, missing))
