"""What an import changes, and what it never does."""

from console.operations.import_plan import FoundTopic, is_internal, plan
from groups.core.topics import PARTITIONS_MAX


def test_topics_are_created_and_grown_and_ends_passed_on() -> None:
    made = plan(
        {"grows": 2, "same": 3},
        [
            FoundTopic("new", 4, (0, 0, 0, 0)),
            FoundTopic("grows", 5, (9, 0, 0, 0, 1)),
            FoundTopic("same", 3),
        ],
    )
    assert made.create == {"new": 4}
    assert made.grow == {"grows": 5}
    assert made.ends == {"grows": (9, 0, 0, 0, 1)}
    assert not made.refused


def test_nothing_is_removed() -> None:
    made = plan({"gone there": 1, "shrunk": 6}, [FoundTopic("shrunk", 4, (7, 7, 7, 7))])
    assert made.refused == {"shrunk": "It has 4 partitions there and 6 here."}
    assert not (made.create or made.grow or made.ends)


def test_an_invalid_topic_is_refused_by_itself() -> None:
    huge = PARTITIONS_MAX + 1
    made = plan(
        {},
        [
            FoundTopic("fine", 1),
            FoundTopic("huge", huge),
            FoundTopic("none", 0),
            FoundTopic("a b", 1),
        ],
    )
    assert made.create == {"fine": 1}
    assert set(made.refused) == {"huge", "none", "a b"}


def test_kafkas_internal_topics_are_recognised_by_name() -> None:
    assert is_internal("__consumer_offsets")
    assert not is_internal("_schemas")
