"""Journal entries of a consumer group's rebalance, as an operator reads them."""

from typing import Any

from console.queries.journal_text import sentence
from groups.models import Journal

UUID = "-00000000-0000-4000-8000-000000000000"


def completed(**details: Any) -> str:
    """A rebalance of two seconds that a new member caused."""
    return sentence(
        Journal(
            kind="rebalance-completed",
            trigger="member-joined",
            client_id="w-2",
            generation_after=7,
            duration_ms=2_000,
            left=[],
            waited_for={},
            details={"moved": 3, **details},
        )
    )


def pair(giver: str, taker: str, *some: str, gone: bool = False) -> dict[str, Any]:
    return {"from": giver, "to": taker, "gone": gone, "partitions": len(some), "some": some}


def test_moves_are_described_with_owners_and_their_time_without_owner() -> None:
    text = completed(
        handed_over=[pair("w-1" + UUID, "w-2" + UUID, "orders-2", "orders-3")],
        handed_over_pairs=1,
        unowned=2,
        unowned_longest=[["orders-2", 1_200], ["orders-3", 40]],
    )
    assert text == (
        "Rebalanced to group epoch 7 in 2.0 s because member w-2 joined; 3 partitions moved;"
        " w-1 gave 2 partitions to w-2; 2 partitions had no owner in the meantime, orders-2"
        " longest,"
        " for 1.2 s."
    )


def test_one_moved_partition_is_named_as_is_an_owner_that_left() -> None:
    text = completed(
        handed_over=[pair("w-1", "w-2", "orders-2", gone=True)],
        handed_over_pairs=4,
        unowned=1,
        unowned_longest=[["orders-2", 45_000]],
    )
    assert "w-2 took over orders-2 of w-1, which is no longer a member (3 more such pairs);" in text
    assert text.endswith("orders-2 had no owner for 45.0 s.")


def test_entries_without_moves_read_as_before() -> None:
    assert completed() == (
        "Rebalanced to generation 7 in 2.0 s because member w-2 joined; 3 partitions moved."
    )


def test_a_failed_assignor_is_shown() -> None:
    entry = Journal(kind="assignment-failed", trigger="assignor-failed", reason="The assignor x")
    assert sentence(entry).startswith("No new assignment: The assignor x. Members keep")


def test_the_assigning_member_is_shown_with_the_reason_of_a_fallback() -> None:
    facts = {"assignor": "mine", "instead": "uniform"}
    asked: dict[str, Any] = {"member_id": "w-3" + UUID, "details": facts}
    assert sentence(Journal(kind="assignment-installed", duration_ms=40, **asked)) == (
        "Member w-3 assigned with mine in 40 ms."
    )
    assert sentence(Journal(kind="assignor-failed", reason="ValueError: no", **asked)) == (
        "Member w-3 was asked to assign and did not: ValueError: no."
    )
    assert sentence(Journal(kind="assignor-fell-back", reason="no answer", details=facts)) == (
        "The coordinator assigned with uniform, although the members wanted their own mine:"
        " no answer."
    )
