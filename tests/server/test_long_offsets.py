"""Offsets that are more than a reply holds: cut between groups, refused in one, read in parts."""

from collections.abc import Sequence
from typing import Any

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
    OffsetFetchRequestTopics,
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


def offsets_of(group: OffsetFetchResponseGroup) -> list[tuple[int, int, str | None]]:
    return [
        (p.partition_index, p.committed_offset, p.metadata)
        for topic in group.topics
        for p in topic.partitions
    ]


ALL = [(p, p, NOTE) for p in range(PARTITIONS)]


async def test_many_rows_are_encoded_as_few_are(client: Client) -> None:
    (group,) = await fetch(client, "first")
    assert (group.error_code, offsets_of(group)) == (0, ALL)


async def test_of_two_groups_the_one_that_does_not_fit_gets_a_retriable_error(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    room(monkeypatch, WHOLE + OF_ONE)
    first, second = await fetch(client, "first", "second")
    assert (first.error_code, offsets_of(first)) == (0, ALL)
    assert (second.error_code, offsets_of(second)) == (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, [])

    (alone,) = await fetch(client, "second")
    assert (alone.error_code, offsets_of(alone)) == (0, ALL)


async def test_a_group_that_fits_no_reply_is_refused_but_its_parts_are_not(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    room(monkeypatch, WHOLE - 1)
    (group,) = await fetch(client, "first")
    assert (group.error_code, offsets_of(group)) == (ErrorCode.POLICY_VIOLATION, [])

    part = OffsetFetchRequestTopic(name="work", partition_indexes=[4, 28])
    answer = await client.call(OffsetFetchRequest(group_id="first", topics=[part]), SINGLE)
    assert answer.error_code == 0
    assert [(p.partition_index, p.metadata) for p in answer.topics[0].partitions] == [
        (4, NOTE),
        (28, NOTE),
    ]


async def test_the_cache_is_bounded(client: Client, served: Serving) -> None:
    readers = served.node.readers
    with pytest.raises(offsets.TooLong):
        await offsets.committed(readers, "first", None, room=WHOLE - 1)
    assert len(await offsets.committed(readers, "first", None, room=WHOLE)) == PARTITIONS
    some = await offsets.committed(
        readers, "first", ["work"], room=2 * OF_ONE, is_requested=lambda at: at[1] < 2
    )
    assert {partition for _, partition in some} == {0, 1}


LITTLE = [(p, p, "") for p in (0, 7)]


async def few(client: Client, *group_ids: str) -> None:
    """Groups that have committed two partitions each."""
    for group_id in group_ids:
        lines = [
            OffsetCommitRequestPartition(partition_index=p, committed_offset=p) for p in (0, 7)
        ]
        topic = OffsetCommitRequestTopic(name="work", partitions=lines)
        answer = await client.call(OffsetCommitRequest(group_id=group_id, topics=[topic]), 8)
        assert {p.error_code for p in answer.topics[0].partitions} == {0}


def request_for(group_id: str, *partitions: int, topic: str = "work") -> OffsetFetchRequestGroup:
    """Some partitions of a topic."""
    topics = [OffsetFetchRequestTopics(name=topic, partition_indexes=list(partitions))]
    return OffsetFetchRequestGroup(group_id=group_id, topics=topics)


@pytest.mark.parametrize("stable", [False, True])
async def test_groups_read_together_are_answered_as_each_alone(
    client: Client, monkeypatch: pytest.MonkeyPatch, stable: bool
) -> None:
    """Short and long ones, whole and in parts, named twice, unknown, and with names that none has:
    whatever the number of rows that fit into one answer of PostgreSQL."""
    await few(client, *(f"few{i}" for i in range(6)))
    wanted = [
        *(OffsetFetchRequestGroup(group_id=f"few{i}", topics=None) for i in range(6)),
        OffsetFetchRequestGroup(group_id="first", topics=None),
        request_for("few1", 7, 3),
        request_for("few1", 0),
        request_for("second", 29, 4),
        request_for("few2", 1, topic="nowhere"),
        request_for("few2", 1, topic="no\0where"),
        OffsetFetchRequestGroup(group_id="few3", topics=[]),
        OffsetFetchRequestGroup(group_id="no\0group", topics=None),
        OffsetFetchRequestGroup(group_id="unknown", topics=None),
        OffsetFetchRequestGroup(group_id="few5", topics=None),
    ]
    alone = []
    for one in wanted:
        request = OffsetFetchRequest(groups=[one], require_stable=stable)
        alone += (await client.call(request, MULTI)).groups
    assert [offsets_of(group) for group in alone[:7]] == [LITTLE] * 6 + [ALL]

    for rows in (3, 13, 2_000):
        monkeypatch.setattr(offsets, "FEW_ROWS", rows)
        request = OffsetFetchRequest(groups=wanted, require_stable=stable)
        assert (await client.call(request, MULTI)).groups == alone


async def test_a_long_group_among_many_short_ones_is_read_separately(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others continue together: a statement each would be the work of so many requests."""
    await few(client, "few")
    monkeypatch.setattr(offsets, "FEW_ROWS", 20)
    together, of_many = list[int](), offsets.committed_of_many

    async def counting(readers: Any, told: Any) -> Any:
        together.append(len(told))
        return await of_many(readers, told)

    monkeypatch.setattr(offsets, "committed_of_many", counting)
    groups = await fetch(client, "few", "first", *["nobody"] * 200, "few")
    assert [len(offsets_of(group)) for group in groups] == [2, PARTITIONS, *[0] * 200, 2]
    assert len(together) < 20
