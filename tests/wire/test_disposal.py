"""Large messages are freed piece by piece, and nothing of them that is still referenced."""

from typing import Any
from weakref import finalize

import pytest

from rollcall.wire import disposal
from rollcall.wire.disposal import SLICE, discard
from rollcall.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic

PARTITIONS = 3 * SLICE


class Topic(FetchTopic):  # with a __weakref__
    pass


class Partition(FetchPartition):
    pass


def watched(gone: list[str]) -> FetchRequest:
    """Two topics of many partitions; each notes its end."""
    topics = []
    for name in ("a", "b"):
        partitions = [Partition(partition=i) for i in range(PARTITIONS)]
        for one in partitions:
            finalize(one, gone.append, "partition")
        topic = Topic(topic=name, partitions=partitions)
        finalize(topic, gone.append, "topic")
        topics.append(topic)
    return FetchRequest(topics=topics)


def test_a_message_is_freed_completely_parents_first() -> None:
    gone: list[str] = []
    waste = [watched(gone)]
    discard(waste)
    assert waste == []
    assert gone == ["topic"] * 2 + ["partition"] * 2 * PARTITIONS


def test_a_message_is_freed_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a slice that is longer than the message, the last one frees all that is left."""
    gone: list[str] = []
    freed: list[int] = []

    class Slice(int):
        def __neg__(self) -> int:
            freed.append(len(gone))
            return -SLICE

    monkeypatch.setattr(disposal, "SLICE", Slice())
    discard([watched(gone)])
    steps = [after - before for before, after in zip(freed, [*freed[1:], len(gone)], strict=True)]
    assert max(steps) <= SLICE
    assert sum(steps) == len(gone)


def test_shared_parts_are_kept() -> None:
    gone: list[str] = []
    request = watched(gone)
    kept = request.topics[1]
    waste: list[Any] = [None, request]
    del request
    discard(waste)
    assert gone.count("topic") == 1
    assert [p.partition for p in kept.partitions] == list(range(PARTITIONS))
