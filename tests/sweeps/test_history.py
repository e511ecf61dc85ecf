"""Every commit with its author, for some hours; and a group's offsets taken back to an instant."""

import json

from groups.core.events import Author, OffsetCommit, OffsetDelete, OffsetWrite
from groups.core.replies import Committed
from groups.core.rows import slot_of
from tests.node.running import Running
from tests.node.test_verbs import outcome, reached
from tests.sweeps.conftest import Other, value

ALICE = Author("m-1", "alice", "/10.0.0.1")

ASK = """
INSERT INTO rollcall_operation (group_id, slot, verb, member_id, reason, actor, state, detail,
                                created_at, restore_to)
VALUES (%s, %s, 'restore-offsets', '', 'a bad deployment', 'olga', 'pending', '', now(), %s)
RETURNING id
"""
HISTORY = "SELECT count(*) FROM rollcall_offset_history"
PARTITIONS = (
    "SELECT count(*) FROM pg_inherits WHERE inhparent = 'rollcall_offset_history'::regclass"
)


async def commit(one: Running, group_id: str, *at: int, author: Author | None = ALICE) -> None:
    """Somebody who is no member commits, partition by partition."""
    event = OffsetCommit(
        ticket=one.counter.ticket(),
        generation_id=-1,
        member_id="",
        instance_id=None,
        offsets=tuple(
            OffsetWrite("t", partition, offset, -1, "", None, None, author)
            for partition, offset in enumerate(at)
        ),
        version=8,
    )
    assert await one.ask(group_id, event) == Committed()


async def restore(one: Running, other: Other, group_id: str, to: object) -> tuple[str, str]:
    """Take the group back; how the operation ended."""
    row = await (await other.execute(ASK, [group_id, slot_of(group_id), to])).fetchone()
    assert row is not None
    await reached(other, row[0], "succeeded", "failed")
    return (await outcome(other, row[0]))[:2]


async def test_each_commit_is_kept_with_its_author(one: Running, other: Other) -> None:
    await commit(one, "g", 1)
    await commit(one, "g", 2)

    said = "SELECT string_agg(committed_offset || ' ' || client_id, ', ' ORDER BY at)"
    assert await value(other, f"{said} FROM rollcall_offset_history") == "1 alice, 2 alice"


async def test_without_an_author_no_history_is_kept(one: Running, other: Other) -> None:
    await commit(one, "g", 1, author=None)
    assert await value(other, HISTORY) == 0
    assert await value(other, "SELECT committed_offset FROM rollcall_offset") == 1


async def test_offsets_are_restored_to_a_past_time(one: Running, other: Other) -> None:
    await commit(one, "g", 10, 20)
    then = await value(other, "SELECT clock_timestamp()")
    await commit(one, "g", 11, 22)

    state, detail = await restore(one, other, "g", then)

    assert state == "succeeded" and detail.startswith("2 offsets are as they were at ")
    offsets = "SELECT string_agg(committed_offset::text, ' ' ORDER BY partition)"
    assert await value(other, f"{offsets} FROM rollcall_offset") == "10 20"
    newest = "SELECT client_id FROM rollcall_offset_history ORDER BY at DESC LIMIT 1"
    assert await value(other, newest) == "olga"
    why = "SELECT reason FROM rollcall_journal WHERE kind = 'offsets-restored'"
    assert "a bad deployment" in await value(other, why)


async def test_offsets_deleted_by_then_are_not_restored(one: Running, other: Other) -> None:
    """Partition 0 by a client, and the others with their topic, which has been made again."""
    await one.node.catalogue.create("t", 3)
    await commit(one, "g", 10, 20, 30)
    gone = OffsetDelete(ticket=one.counter.ticket(), partitions=(("t", 0),))
    await one.ask("g", gone)
    between = await value(other, "SELECT clock_timestamp()")
    await one.node.catalogue.delete("t")
    await one.node.catalogue.create("t", 3)
    then = await value(other, "SELECT clock_timestamp()")

    results = [await restore(one, other, "g", to) for to in (then, between)]

    assert [detail.partition(" at ")[0] for _, detail in results] == [
        "the history has no offset",
        "2 offsets are as they were",
    ]
    offsets = "SELECT string_agg(partition || '@' || committed_offset, ' ' ORDER BY partition)"
    assert await value(other, f"{offsets} FROM rollcall_offset") == "1@20 2@30"
    assert await value(other, "SELECT count(*) FROM rollcall_offset_history WHERE is_gone") == 2


async def test_a_deletion_creates_no_history_for_a_group_without_one(
    one: Running, other: Other
) -> None:
    await commit(one, "g", 10, author=None)
    gone = OffsetDelete(ticket=one.counter.ticket(), partitions=(("t", 0),))
    await one.ask("g", gone)
    assert await value(other, HISTORY) == 0


async def test_a_group_with_members_is_not_reset(one: Running, other: Other) -> None:
    await one.settled("g")
    then = await value(other, "SELECT clock_timestamp()")
    found = await restore(one, other, "g", then)
    assert found == ("failed", "the group has members; stop them first")


RESET = """
INSERT INTO rollcall_operation (group_id, slot, verb, member_id, reason, actor, state, detail,
                                created_at, offsets)
VALUES (%s, %s, 'reset-offsets', '', 'a mistake', 'olga', 'pending', '', now(), %s)
RETURNING id
"""


async def reset(one: Running, other: Other, *to: tuple[str, int, int | None]) -> tuple[str, str]:
    """Set offsets of the group g; how the operation ended."""
    offsets = json.dumps({"how": "to 3", "to": to, "before": []})
    row = await (await other.execute(RESET, ["g", slot_of("g"), offsets])).fetchone()
    assert row is not None
    await reached(other, row[0], "succeeded", "failed")
    return (await outcome(other, row[0]))[:2]


async def test_offsets_are_set_and_deleted_and_the_journal_has_before_and_after(
    one: Running, other: Other
) -> None:
    await commit(one, "g", 10, 20)

    found = await reset(one, other, ("t", 0, 3), ("t", 1, None), ("t", 2, 3))

    assert found == ("succeeded", "3 offsets were set to 3")
    offsets = "SELECT string_agg(partition || '@' || committed_offset, ' ' ORDER BY partition)"
    assert await value(other, f"{offsets} FROM rollcall_offset") == "0@3 2@3"
    details = await value(
        other,
        "SELECT details FROM rollcall_journal WHERE kind = 'offsets-altered'"
        " ORDER BY id DESC LIMIT 1",
    )
    assert details["author"] == {"user": "olga"}
    assert (details["before"], details["after"]) == (
        {"t": {"0": 10, "1": 20}},
        {"t": {"0": 3, "2": 3}},
    )
    newest = "SELECT client_id FROM rollcall_offset_history ORDER BY at DESC LIMIT 1"
    assert await value(other, newest) == "olga"


async def test_offsets_of_a_group_with_members_are_not_set(one: Running, other: Other) -> None:
    await one.settled("g")
    found = await reset(one, other, ("t", 0, 3))
    assert found == ("failed", "the group has members; stop them first")


async def test_partitions_of_past_hours_are_dropped(other: Other) -> None:
    """Three hours ahead are ready; yesterday's goes, and no commit ever lacks a partition."""
    await value(other, "SELECT rollcall_turn_history(6)")
    ready = await value(other, PARTITIONS)
    await other.execute(
        "CREATE TABLE rollcall_offset_history_2001010100 PARTITION OF rollcall_offset_history"
        " FOR VALUES FROM ('2001-01-01 00:00Z') TO ('2001-01-01 01:00Z')"
    )
    assert await value(other, "SELECT rollcall_turn_history(6)") == 1
    assert await value(other, PARTITIONS) == ready >= 4
