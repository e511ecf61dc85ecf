"""Which lists of partitions are kept, and for how long."""

import tracemalloc
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groups.cluster.view import leader
from protocol.handlers.support.partition_lists import (
    LIST_COSTS,
    PARTITIONS_KEPT_MAX,
    PartitionLists,
)
from rollcall.wire.codec import encode_large
from rollcall.wire.messages.metadata import MetadataResponse, MetadataResponseTopic

A, B = UUID(int=1), UUID(int=2)


def test_a_list_is_cached_for_the_same_nodes() -> None:
    lists = PartitionLists()
    assert lists.find(A, 3, (0, 1)) is None
    made = lists.make(A, 3, (0, 1))
    assert lists.find(A, 3, (0, 1)) is made
    assert lists.find(A, 4, (0, 1)) is None, "the topic has grown"
    assert lists.find(A, 3, (0, 2)) is None, "another node lives"
    assert lists.find(B, 3, (0, 1)) is None
    assert [each.leader_id for each in made] == [leader((0, 1), A, n) for n in range(3)]


def test_topics_led_by_one_node_share_their_list() -> None:
    lists = PartitionLists()
    made = lists.make(A, 3, (4,))
    assert lists.find(B, 3, (4,)) is made
    assert [(each.partition_index, each.leader_id) for each in made] == [(0, 4), (1, 4), (2, 4)]
    nobody = lists.make(A, 2, ())
    assert [each.leader_id for each in nobody] == [-1, -1]
    assert all(each.error_code for each in nobody)


def test_the_least_recently_used_list_is_evicted_first() -> None:
    lists = PartitionLists(room=10 + 2 * LIST_COSTS)
    lists.make(A, 4, (0, 1))
    lists.make(B, 4, (0, 1))
    assert lists.find(A, 4, (0, 1)) is not None
    lists.make(B, 3, (0, 1))
    assert lists.find(A, 4, (0, 1)) is not None
    assert lists.find(B, 4, (0, 1)) is None
    assert lists.find(B, 3, (0, 1)) is not None


asked = st.tuples(st.integers(1, 3), st.integers(0, 12), st.sampled_from([(0,), (0, 1), (0, 1, 2)]))


@given(st.lists(asked, max_size=40))
def test_the_number_of_cached_partitions_is_limited(
    wanted: list[tuple[int, int, tuple[int, ...]]],
) -> None:
    lists = PartitionLists(room=40)
    for topic, count, nodes in wanted:
        lists.make(UUID(int=topic), count, nodes)
        kept = {
            id(found): LIST_COSTS + len(found)
            for one in wanted
            if (found := lists.find(UUID(int=one[0]), *one[1:])) is not None
        }
        assert sum(kept.values()) <= 40
        assert lists.find(UUID(int=topic), count, nodes) is not None, "the last one is kept"


def test_cached_lists_of_large_topics_are_small() -> None:
    """A client that asks for all of them, in every version, costs the node this much: of a tenth of
    the room 2.5 MB, so of all of it 25."""
    lists, count, nodes = PartitionLists(PARTITIONS_KEPT_MAX // 10), 1_000, (0, 1)
    tracemalloc.start()
    try:
        for number in range(12):
            made = lists.make(UUID(int=number), count, nodes)
            response = MetadataResponse(topics=[MetadataResponseTopic(name="t", partitions=made)])
            for version in (9, 12, 13):
                encode_large(response, version)
        now, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert now < 2_500_000


@pytest.mark.long
def test_many_small_lists_take_no_more_time() -> None:
    lists, nodes = PartitionLists(PARTITIONS_KEPT_MAX // 10), (0, 1)
    tracemalloc.start()
    try:
        for number in range(4_000):
            made = lists.make(UUID(int=number), 1, nodes)
            response = MetadataResponse(topics=[MetadataResponseTopic(name="t", partitions=made)])
            for version in (9, 12):
                encode_large(response, version)
        now, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert now < 2_500_000
