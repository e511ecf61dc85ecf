"""A rebalance as one line of the journal, its cause first; and members by the names of their
clients."""

from collections.abc import Sequence
from itertools import count
from typing import Any

import pytest

from console.queries.journal_folds import folded, line
from console.queries.journal_text import sentence
from console.queries.member_names import Names, plain
from groups.core.journal import EntryKind
from groups.models import Journal

NUMBERS = count(1)
UUIDS = [f"{n:08x}-0000-4000-8000-000000000000" for n in range(20)]


def entry(kind: str, **over: Any) -> Journal:
    """An entry with what an empty one has."""
    empty: dict[str, Any] = {"waited_for": {}, "joined": [], "left": [], "details": {}}
    return Journal(id=next(NUMBERS), kind=kind, **{**empty, **over})


def began(member_id: str, trigger: str = "member-joined", **over: Any) -> Journal:
    client_id = over.pop("client_id", plain(member_id))
    over = {"trigger": trigger, "member_id": member_id, "client_id": client_id, **over}
    return entry("rebalance-started", **over)


def ended(moved: int | None = None, **over: Any) -> Journal:
    details = {} if moved is None else {"moved": moved}
    columns = {"generation_after": 7, "duration_ms": 2_000, "details": details, **over}
    return entry("rebalance-completed", **columns)


def lines(*entries: Journal, names: Names | None = None) -> Sequence[str]:
    """The page's lines for entries in this order, the newest first."""
    newest = list(reversed(entries))
    return [line(some, names or Names({})).text for some in folded(newest)]


def test_simultaneous_joins_are_counted_and_the_first_is_named() -> None:
    joins = [began(f"w-{n}-{UUIDS[n]}") for n in range(1, 10)]
    assert lines(*joins, ended(4)) == [
        "9 joined, the first w-1; 4 partitions moved. Generation 7 after 2.0 s."
    ]


def test_an_entry_counts_the_joins_that_it_ended() -> None:
    stable = entry("stable", details={"moved": 4, "members": 9, "partitions": 12})
    end = ended(joined=["a", "b"], details={"joined_count": 9})
    assert lines(began("w-1"), end, stable) == [
        "9 joined, the first w-1; 4 of 12 partitions moved. Generation 7 after 2.0 s."
    ]


def test_the_clients_reason_and_members_that_joined_during_the_rebalance_are_shown() -> None:
    left = began("w-1", "member-left", client_reason="the consumer is being closed")
    end = ended(0, details={"joined_count": 2, "left_count": 1, "moved": 0})
    assert lines(left, end) == [
        "Member w-1 left: 'the consumer is being closed'; 2 joined in the meantime; 0 partitions"
        " moved."
        " Generation 7 after 2.0 s."
    ]


def test_each_cause_is_shown_once() -> None:
    entries = [began("w-1"), began("w-2", "session-expired"), began("w-3"), ended()]
    assert lines(*entries) == [
        "2 joined, the first w-1; member w-2 was silent for its session timeout."
        " Generation 7 after 2.0 s."
    ]


def test_moves_and_partitions_are_distinguished() -> None:
    end = ended(details={"moved": 622, "partitions": 200})
    assert "622 moves of 200 partitions" in lines(began("w-1"), end)[0]


def test_an_unfinished_or_abandoned_rebalance_is_marked() -> None:
    assert lines(began("w-1")) == ["A rebalance began because member w-1 joined."]
    assert lines(began("w-1"), began("w-2"))[0].endswith("It goes on.")
    dropped = entry("rebalance-abandoned", reason="the requests ended")
    assert lines(began("w-1"), dropped) == ["Member w-1 joined. Dropped: the requests ended."]
    emptied = entry("emptied", trigger="member-left")
    assert lines(began("w-1", "member-left"), emptied) == [
        "Member w-1 left. The group has no members left."
    ]


def test_unrelated_entries_get_their_own_lines() -> None:
    created, altered = entry("group-created"), entry("offsets-altered")
    found = lines(created, began("w-1"), altered, ended(0))
    assert [text.split(".")[0] for text in found] == [
        "Member w-1 joined; 0 partitions moved",
        "Somebody set 0 offsets without being a member: none of them is recorded",
        "The group was created",
    ]


def test_the_next_rebalance_begins_after_the_end_of_the_last() -> None:
    stable = entry("stable", details={"moved": 1})
    twice = [began("w-1"), ended(), stable, began("w-2"), ended(), began("w-3"), ended(), stable]
    assert len(lines(*twice)) == 3


@pytest.mark.parametrize("kind", EntryKind)
def test_every_kind_can_be_folded(kind: EntryKind) -> None:
    said = lines(began("w-1"), entry(kind, reason="So it is"), ended(1))
    assert all(text[:1].isalnum() and text.endswith(".") for text in said), said


def test_members_are_shown_by_client_id() -> None:
    names = Names({UUIDS[1]: "billing", UUIDS[2]: "mailer"})
    pair = {"from": UUIDS[1], "to": UUIDS[2], "gone": False, "partitions": 4, "some": []}
    told = ended(details={"handed_over": [pair]})
    assert "billing gave 4 partitions to mailer" in sentence(told, names)


def test_clients_of_the_same_name_get_a_short_member_id() -> None:
    names = Names({UUIDS[1]: "w", UUIDS[2]: "w"})
    waited = ended(waited_for={UUIDS[1]: 1_200, UUIDS[2]: 40})
    assert "waited 1.2 s for w (00000001), 40 ms for w (00000002)" in lines(waited, names=names)[0]
    alone = ended(waited_for={UUIDS[1]: 1_200})
    assert "waited 1.2 s for w." in lines(alone, names=names)[0]


def test_a_name_shared_by_current_members_always_gets_an_id() -> None:
    names = Names({UUIDS[1]: "rdkafka"}, alike={"rdkafka"})
    assert lines(began(UUIDS[1], client_id="rdkafka"), ended(), names=names)[0].startswith(
        "Member rdkafka (00000001) joined."
    )


def test_ids_without_a_client_name_are_shortened() -> None:
    names = Names({}, group_id="orders")
    assert names(UUIDS[3]) == names(f"orders-{UUIDS[3]}") == "member 00000003"
    assert names("q8m3TQJmQ1eF2vNQ0zTn_g") == "member NQ0zTn_g"
    assert names("w-1-" + UUIDS[3]) == "w-1" and names("host_17") == "host_17"
