"""What a topic may be called, and how many partitions it may have."""

import pytest

from console.operations.racks import RACK_LENGTH_MAX, RACKS_PER_PARTITION_MAX, check_racks
from groups.core.configs.topic import check_new
from groups.core.errors import ErrorCode, Refuse
from groups.core.topics import (
    PARTITIONS_MAX,
    Room,
    check_growth,
    check_name,
    name_problem,
    partitions_of_new,
)


@pytest.mark.parametrize("name", ["orders", "a", "A.b_c-9", "x" * 249, "...", "__internal"])
def test_a_legal_name_is_accepted(name: str) -> None:
    assert name_problem(name) is None


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a b", "a/b", "ü", "x" * 250, "a\n", "a\0", "٣", "a:b"]
)
def test_an_illegal_name_is_refused_with_a_reason(name: str) -> None:
    with pytest.raises(Refuse) as refusal:
        check_name(name)
    assert refusal.value.code is ErrorCode.INVALID_TOPIC_EXCEPTION
    assert refusal.value.detail


def new(partitions: int = -1, replication: int = -1, *assignments: tuple[int, list[int]]) -> int:
    return partitions_of_new(partitions, replication, assignments, default=5, brokers=(0, 1))


def test_partition_counts_come_from_the_request_the_default_or_the_assignment() -> None:
    assert new(7, 1) == 7
    assert new() == 5
    assert new(-1, -1, (1, [0]), (0, [1, 0])) == 2
    assert new(PARTITIONS_MAX) == PARTITIONS_MAX


@pytest.mark.parametrize(
    ("partitions", "replication", "assignments", "code"),
    [
        (0, 1, [], ErrorCode.INVALID_PARTITIONS),
        (-7, 1, [], ErrorCode.INVALID_PARTITIONS),
        (PARTITIONS_MAX + 1, 1, [], ErrorCode.INVALID_PARTITIONS),
        (1, 2, [], ErrorCode.INVALID_REPLICATION_FACTOR),
        (1, 0, [], ErrorCode.INVALID_REPLICATION_FACTOR),
        (1, -1, [(0, [0])], ErrorCode.INVALID_REQUEST),
        (-1, 1, [(0, [0])], ErrorCode.INVALID_REQUEST),
        (1, -1, [(0, [0]), (0, [0])], ErrorCode.INVALID_REQUEST),
        (-1, -1, [(0, [0]), (0, [0])], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (-1, -1, [(1, [0])], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (-1, -1, [(0, [])], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (-1, -1, [(0, [0, 0])], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (-1, -1, [(0, [2])], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
    ],
)
def test_an_invalid_new_topic_is_refused(
    partitions: int,
    replication: int,
    assignments: list[tuple[int, list[int]]],
    code: ErrorCode,
) -> None:
    with pytest.raises(Refuse) as refusal:
        new(partitions, replication, *assignments)
    assert refusal.value.code is code


def test_log_settings_are_accepted_and_unknown_ones_refused() -> None:
    check_new({"retention.ms": "1000", "cleanup.policy": "compact,delete", "preallocate": "TRUE"})
    for wrong in (
        {"no.such.setting": "1"},
        {"retention.ms": None},
        {"retention.ms": "a day"},
        {"cleanup.policy": "compact,burn"},
        {"preallocate": "perhaps"},
        {"min.cleanable.dirty.ratio": ""},
    ):
        with pytest.raises(Refuse) as refusal:
            check_new(wrong)
        assert refusal.value.code is ErrorCode.INVALID_CONFIG


def test_a_topic_cannot_shrink() -> None:
    check_growth(3, 4)
    check_growth(3, 5, assigned=2)
    for now, count, assigned, code in (
        (3, 3, None, ErrorCode.INVALID_PARTITIONS),
        (3, 2, None, ErrorCode.INVALID_PARTITIONS),
        (3, PARTITIONS_MAX + 1, None, ErrorCode.INVALID_PARTITIONS),
        (3, 5, 1, ErrorCode.INVALID_REPLICA_ASSIGNMENT),
    ):
        with pytest.raises(Refuse) as refusal:
            check_growth(now, count, assigned)
        assert refusal.value.code is code


def refusal(of: Room, partitions: int) -> str:
    with pytest.raises(Refuse) as caught:
        of.take(partitions)
    assert caught.value.code is ErrorCode.POLICY_VIOLATION
    return caught.value.detail or ""


def test_topics_are_created_within_the_limits_of_topics_and_partitions() -> None:
    room = Room(2, 10)
    assert (room.take(6), room.topics, room.partitions) == (6, 1, 4)
    assert "room for 4 more partitions" in refusal(room, 5)
    assert (room.topics, room.partitions) == (1, 4), "what is refused takes no room"
    assert room.take(4) == 4
    assert "as many topics" in refusal(room, 0)
    full = Room(1, 2)
    full.grow(2)
    assert full.partitions == 0
    assert "room for 0 more partitions" in refusal(full, 1)
    assert "room for 0 more partitions" in refusal(Room(1, -3), 1)


MANY_RACKS = [f"rack-{n}" for n in range(RACKS_PER_PARTITION_MAX)]


@pytest.mark.parametrize("racks", [[], [[]], [["a"], []], [MANY_RACKS, ["x" * RACK_LENGTH_MAX]]])
def test_partitions_may_be_near_to_racks(racks: list[list[str]]) -> None:
    check_racks(racks, partitions=2)


@pytest.mark.parametrize(
    "racks",
    [
        [[], [], []],
        [[], [*MANY_RACKS, "one-more"]],
        [["a", ""]],
        [["  "]],
        [["a\0"]],
        [["x" * (RACK_LENGTH_MAX + 1)]],
    ],
)
def test_invalid_racks_of_a_partition_are_refused(racks: list[list[str]]) -> None:
    with pytest.raises(Refuse) as refusal:
        check_racks(racks, partitions=2)
    assert refusal.value.code is ErrorCode.INVALID_REQUEST
    assert refusal.value.detail
