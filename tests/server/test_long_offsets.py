"""Offsets that are more than a reply holds: cut between groups, refused in one, read in parts."""

from collections.abc import Sequence

import pytest

from benchmarks.wire import create_topic
from groups.core.errors import ErrorCode
from groups.store import offsets
from protocol.handlers import offset_fetch
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchResponseGroup,
)
from tests.server.client import Client
from tests.server.serving import Serving

PARTITIONS = 30
NOTE = "é" * 50
"""A hundred bytes, and half as many characters."""
OF_ONE = 100 + offsets.ROW_BYTES
WHOLE = PARTITIONS * OF_ONE
MULTI, SINGLE = 9, 7


@pytest.fixture
async def client(served: Serving, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Two groups that have committed; replies with room for one of them."""
    await create_topic(served.address, "work", PARTITIONS)
    made = await Client.connect(served.address)
    for group_id in ("first", "second"):
        lines = [
            OffsetCommitRequestPartition(
                partition_index=p, committed_offset=p, committed_metadata=NOTE
            )
            for p in range(PARTITIONS)
        ]
        topic = OffsetCommitRequestTopic(name="work", partitions=lines)
        answer = await made.call(OffsetCommitRequest(group_id=group_id, topics=[topic]), 8)
        assert {p.error_code for p in answer.topics[0].partitions} == {0}
    monkeypatch.setattr(offsets, "FEW_ROWS", 3)
    return made


def room(monkeypatch: pytest.MonkeyPatch, bytes_max: int) -> None:
    monkeypatch.setattr(offset_fetch, "REPLY_BYTES_MAX", bytes_max)


async def fetch(client: Client, *group_ids: str) -> Sequence[OffsetFetchResponseGroup]:
    """All that these groups have committed."""
    asked = [OffsetFetchRequestGroup(group_id=g, topics=None) for g in group_ids]
    return list((await client.call(OffsetFetchRequest(groups=asked), MULTI)).groups)


def told(group: OffsetFetchResponseGroup) -> list[tuple[int, int, str | None]]:
    return [
        (p.partition_index, p.committed_offset, p.metadata)
        for topic in group.topics
        for p in topic.partitions
    ]


ALL = [(p, p, NOTE) for p in range(PARTITIONS)]


async def test_many_rows_are_told_as_few_are(client: Client) -> None:
    (group,) = await fetch(client, "first")
    assert (group.error_code, told(group)) == (0, ALL)


async def test_of_two_groups_the_one_without_room_is_asked_for_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    room(monkeypatch, WHOLE + OF_ONE)
    first, second = await fetch(client, "first", "second")
    assert (first.error_code, told(first)) == (0, ALL)
    assert (second.error_code, told(second)) == (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, [])

    (alone,) = await fetch(client, "second")
    assert (alone.error_code, told(alone)) == (0, ALL)


async def test_a_group_that_no_reply_holds_is_refused_and_its_parts_are_not(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    room(monkeypatch, WHOLE - 1)
    (group,) = await fetch(client, "first")
    assert (group.error_code, told(group)) == (ErrorCode.POLICY_VIOLATION, [])

    part = OffsetFetchRequestTopic(name="work", partition_indexes=[4, 28])
    answer = await client.call(OffsetFetchRequest(group_id="first", topics=[part]), SINGLE)
    assert answer.error_code == 0
    assert [(p.partition_index, p.metadata) for p in answer.topics[0].partitions] == [
        (4, NOTE),
        (28, NOTE),
    ]


async def test_no_more_is_kept_than_there_is_room_for(client: Client, served: Serving) -> None:
    readers = served.node.readers
    with pytest.raises(offsets.TooLong):
        await offsets.committed(readers, "first", None, room=WHOLE - 1)
    assert len(await offsets.committed(readers, "first", None, room=WHOLE)) == PARTITIONS
    some = await offsets.committed(
        readers, "first", ["work"], room=2 * OF_ONE, is_asked=lambda at: at[1] < 2
    )
    assert {partition for _, partition in some} == {0, 1}
