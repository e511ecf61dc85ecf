"""How many partitions a forced rebalance would move: the estimate, and how certain it is."""

from typing import Any, Final

import pytest
from django.db import connection
from django.test import Client

from console.people.staff_roles import OPERATOR
from console.queries import groups, movement
from groups.catalogue import changes
from groups.models import Group
from tests.admin.test_group_list import execute, work
from tests.admin.test_groups import page
from tests.admin.visitors import text, visitor
from tests.api.conftest import write

pytestmark = pytest.mark.django_db

SAME: Final = "no partition would move, since members and topics are the same."


def expected_moves() -> str:
    """Of the group ``packers``, whose protocol the test has set."""
    group = Group.objects.get(group_id="packers")
    return movement.expected(group, groups.members_of(group))


def packers(*owned: int, protocol: str = "range") -> None:
    """Two members, of which the first owns these of four partitions."""
    changes.create("boxes", 4)
    work("packers", "boxes", *owned, members=2, protocol=protocol)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_group SET protocol_name = %s", [protocol])


@pytest.mark.parametrize(
    ("protocol", "how"), [("range", "Exact"), ("roundrobin", "Exact"), ("sticky", "Estimated")]
)
def test_where_every_partition_has_an_owner_nothing_moves(protocol: str, how: str) -> None:
    packers(0, 1, 2, 3, protocol=protocol)
    assert expected_moves() == f"{how}: {SAME}"


@pytest.mark.parametrize(
    ("owned", "what"),
    [((0, 1, 2), "1 partition without owner gets an owner"), ((0,), "3 partitions without owner")],
)
def test_a_partition_without_owner_gets_one(owned: tuple[int, ...], what: str) -> None:
    packers(*owned)
    assert expected_moves().startswith(f"Estimated: {what}")


def test_a_move_by_an_unknown_assignor_is_unknown() -> None:
    packers(0, protocol="ours")
    assert (
        expected_moves()
        == "How many partitions would move is unknown: the assignor ours decides it."
    )


def test_a_move_is_unknown_before_an_assignor_was_chosen() -> None:
    packers(0)
    execute("UPDATE rollcall_group SET protocol_name = NULL")
    assert (
        expected_moves() == "How many partitions would move is unknown: no assignor is chosen yet."
    )


def test_a_move_is_unknown_during_a_rebalance() -> None:
    packers(0, 1, 2, 3)
    execute("UPDATE rollcall_group SET state = 'PreparingRebalance'")
    assert (
        expected_moves()
        == "How many partitions would move is unknown until the current rebalance ends."
    )


def test_unreadable_assignments_are_not_counted() -> None:
    packers(0, 1, 2, 3)
    execute(r"UPDATE rollcall_member SET assignment = '\xff' WHERE member_id = 'packers-m1'")
    assert (
        expected_moves()
        == "How many partitions would move is unknown: what members own cannot be read."
    )


@pytest.mark.parametrize("kind", ["draft", "commanded"])
def test_other_kinds_have_no_estimate(kind: str) -> None:
    packers(0)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_group SET kind = %s", [kind])
    group: Any = Group.objects.get(group_id="packers")
    assert movement.expected(group, groups.members_of(Group(group_id="packers"))) == ""


def test_a_group_without_members_has_no_estimate() -> None:
    write("packers", size=0)
    assert expected_moves() == ""


def test_the_preview_shows_the_estimate() -> None:
    packers(0, 1, 2, 3)
    client: Client = visitor(OPERATOR)
    assert f"Exact: {SAME}" in text(client.get(page("packers", "rebalance")))
