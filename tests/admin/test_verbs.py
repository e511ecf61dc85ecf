"""Force a rebalance, evict a member: preview, give a reason, confirm; or see why not."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from console.admin import many
from console.people.staff_roles import OPERATOR, VIEWER
from groups.models import Operation
from tests.admin.test_group_list import execute
from tests.admin.test_groups import LIST, page
from tests.admin.visitors import text, visitor
from tests.api.conftest import write

pytestmark = pytest.mark.django_db

WHY = {"reason": "a new deployment", "generation": 1}


@pytest.fixture
def operator() -> Client:
    return visitor(OPERATOR, name="olga")


def requested() -> list[tuple[str, str, str, str]]:
    """Every operation."""
    return list(Operation.objects.order_by("id").values_list("group_id", "verb", "reason", "actor"))


def test_the_preview_describes_the_effect(operator: Client) -> None:
    write("orders")
    shown = text(operator.get(page("orders", "rebalance")))

    assert "Both members are asked with the next heartbeat to rejoin." in shown
    assert "Members revoke all their partitions" in shown
    assert "from generation 1 to 2; the last rebalance took 1.2 s" in shown
    assert requested() == []


def test_a_reason_creates_the_operation(operator: Client) -> None:
    write("orders")
    answer: Any = operator.post(page("orders", "rebalance"), WHY)

    assert requested() == [("orders", "rebalance", "a new deployment", "olga")]
    assert Operation.objects.get().expected_generation == 1  # the owner looks again
    followed = text(operator.get(answer.url))
    assert "Waiting for the node that owns the group." in followed
    assert "data-live-pending" in followed


@pytest.mark.parametrize("reason", ["", "   "])
def test_an_operation_without_a_reason_is_refused(operator: Client, reason: str) -> None:
    write("orders")
    shown = text(operator.post(page("orders", "rebalance"), {**WHY, "reason": reason}))
    assert "This field is required." in shown and requested() == []


def test_a_group_that_changed_since_the_preview_is_shown_again(operator: Client) -> None:
    write("orders", generation=5)
    shown = text(operator.post(page("orders", "rebalance"), WHY))

    assert "The group has changed since you opened this page." in shown
    assert 'value="5"' in shown and "a new deployment" in shown
    assert requested() == []


def test_an_empty_group_is_refused_with_the_reason(operator: Client) -> None:
    write("orders", size=0)
    for answer in (
        operator.get(page("orders", "rebalance")),
        operator.post(page("orders", "rebalance"), WHY),
    ):
        assert "The group has no members." in text(answer)
    assert requested() == []


def test_a_frozen_group_is_refused_with_the_reason(operator: Client) -> None:
    write("orders")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rollcall_group_config (group_id, slot, name, value, updated_at)"
            " VALUES ('orders', 0, 'rollcall.freeze', 'true', now())"
        )
    for answer in (
        operator.get(page("orders", "rebalance")),
        operator.post(page("orders", "rebalance"), WHY),
    ):
        assert "no rebalance begins until it is thawed" in text(answer)
        assert "Force the rebalance</button>" not in text(answer)
    assert requested() == []


def test_a_rebalancing_group_is_skipped_unless_requested(operator: Client) -> None:
    write("orders", state="PreparingRebalance")
    shown = text(operator.post(page("orders", "rebalance"), WHY))
    assert "The group is already rebalancing; nothing is changed." in shown and requested() == []

    operator.post(page("orders", "rebalance"), {**WHY, "anyway": "on"})
    assert Operation.objects.get().expected_generation is None  # it is another one by then


def test_a_group_that_waits_for_its_assignment_can_be_rebalanced(operator: Client) -> None:
    """Its owner skips only a join phase that has not ended."""
    write("orders", state="CompletingRebalance")
    assert "rebalancing right now" not in text(operator.get(page("orders", "rebalance")))
    operator.post(page("orders", "rebalance"), WHY)
    assert len(requested()) == 1


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        ("range", "revoke all their partitions until"),
        ("cooperative-sticky", "revoke only those that move"),
        ("acme", "does not know this protocol"),
    ],
)
def test_the_preview_lists_partitions_that_members_give_up(
    operator: Client, protocol: str, said: str
) -> None:
    write("orders", protocol_name=protocol)
    assert said in text(operator.get(page("orders", "rebalance")))


def test_a_large_group_is_confirmed_by_typing_its_id(operator: Client) -> None:
    write("orders", size=25)
    shown = text(operator.post(page("orders", "rebalance"), WHY))
    assert "Type orders to continue." in shown and requested() == []

    operator.post(page("orders", "rebalance"), {**WHY, "typed": "orders"})
    assert len(requested()) == 1


def test_a_viewer_cannot_request_operations(operator: Client) -> None:
    write("orders")
    viewer = visitor(VIEWER)
    assert viewer.get(page("orders", "rebalance")).status_code == 403
    assert viewer.post(page("orders", "rebalance"), WHY).status_code == 403
    assert viewer.post(f"{page('orders', 'evict')}?member=m-1", WHY).status_code == 403
    many = {"action": "force_rebalances", "_selected_action": "orders", "confirm": 1, **WHY}
    viewer.post(LIST, many)
    assert requested() == []


def test_a_member_is_evicted_with_a_reason(operator: Client) -> None:
    write("orders")
    path = f"{page('orders', 'evict')}?member=m-1"
    assert "The other 1 member rebalance" in text(operator.get(path))

    operator.post(path, {"reason": "stuck", "generation": 1})
    operation = Operation.objects.get()
    assert (operation.verb, operation.member_id, operation.reason) == ("evict", "m-1", "stuck")


def test_evicting_a_removed_member_redirects_to_the_group(operator: Client) -> None:
    write("orders")
    answer: Any = operator.post(f"{page('orders', 'evict')}?member=nobody", {"reason": "stuck"})
    assert answer.url == page("orders") and requested() == []


def test_an_eviction_applies_to_the_membership_that_was_shown(operator: Client) -> None:
    write("orders", size=25, generation=5)
    path = f"{page('orders', 'evict')}?member=m-1"

    shown = text(operator.post(path, {"reason": "stuck", "generation": 4, "typed": "orders"}))
    assert "The group has changed since you opened this page." in shown and requested() == []
    shown = text(operator.post(path, {"reason": "stuck", "generation": 5}))
    assert "Type orders to continue." in shown and requested() == []

    operator.post(path, {"reason": "stuck", "generation": 5, "typed": "orders"})
    assert len(requested()) == 1


def chosen(operator: Client, *group_ids: str) -> dict[str, Any]:
    """The form for many groups, as the page makes it."""
    fields: dict[str, Any] = {"action": "force_rebalances", "_selected_action": list(group_ids)}
    answer = operator.post(LIST, fields)
    assert "These groups will rebalance" in text(answer)
    context: Any = answer.context
    seen = [f"{group.generation}:{group.group_id}" for group in context["groups"]]
    for value in seen:
        assert f'value="{value}"' in text(answer)
    once = str(context["form"].initial["once"])
    return {**fields, "confirm": 1, "reason": "maintenance", "once": once, "seen": seen}


def test_many_groups_share_one_reason(operator: Client) -> None:
    write("a", "b")
    write("empty", size=0)
    form = chosen(operator, "a", "b", "empty")
    assert requested() == []

    shown = text(operator.post(LIST, form))

    assert [group for group, *_ in requested()] == ["a", "b"]
    assert set(Operation.objects.values_list("expected_generation", flat=True)) == {1}
    assert "The group has no members." in shown


def test_selecting_all_results_of_a_filter_keeps_that_selection(operator: Client) -> None:
    """The box "select all" of a list of a filter and of an order that PostgreSQL does not know; the
    groups of the form are asked though the filter no longer finds them."""
    write("pack-a", "pack-b", "other")
    for query in ("q=pack&o=-unowned", "state=Stable&q=pack", "q=pack&assignor=range"):
        path = f"{LIST}?{query}"
        first = {"action": "force_rebalances", "_selected_action": "pack-a", "select_across": 1}
        answer: Any = operator.post(path, first)
        assert [group.group_id for group in answer.context["groups"]] == ["pack-a", "pack-b"]
        answer = operator.post(path, {**first, "select_across": 0})
        assert [group.group_id for group in answer.context["groups"]] == ["pack-a"]
    form = chosen(operator, "pack-a", "pack-b")
    execute("UPDATE rollcall_group SET state = 'CompletingRebalance' WHERE group_id = 'pack-b'")

    operator.post(LIST, form)

    assert [group for group, *_ in requested()] == ["pack-a", "pack-b"]


def test_groups_beyond_the_maximum_of_an_action_are_counted(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many, "GROUPS_MAX", 2)
    write("pack-a", "pack-b", "pack-c")
    fields = {"action": "freeze_groups", "_selected_action": "pack-a", "select_across": 1}
    shown = text(operator.post(f"{LIST}?q=pack", fields))
    assert "1 more were selected; one action takes 2 at most." in shown


def test_resubmitting_a_bulk_action_requests_it_once(operator: Client) -> None:
    write("a", "b")
    form = chosen(operator, "a", "b")
    operator.post(LIST, form)
    Operation.objects.filter(group_id="b").update(state="failed", detail="too late")

    again = text(operator.post(LIST, form))

    assert len(requested()) == 2
    assert "failed" in again and "too late" in again


def test_an_action_on_many_members_is_confirmed_by_typing_the_number_of_groups(
    operator: Client,
) -> None:
    write("a", "b", size=11)
    form = chosen(operator, "a", "b")
    shown = text(operator.post(LIST, form))
    assert "They have 22 members together" in shown and "Type 2 to continue." in shown
    assert requested() == []

    operator.post(LIST, {**form, "typed": "2"})
    assert [group for group, *_ in requested()] == ["a", "b"]


def test_a_group_that_changed_since_the_preview_is_skipped_in_a_bulk_action(
    operator: Client,
) -> None:
    write("a", "b")
    form = chosen(operator, "a", "b")
    form["seen"] = ["1:a", "0:b"]

    shown = text(operator.post(LIST, form))

    assert [group for group, *_ in requested()] == ["a"]
    assert "it has changed since you opened the page" in shown


def test_an_operation_without_effect_says_so(operator: Client) -> None:
    write("orders")
    operator.post(page("orders", "rebalance"), WHY)
    Operation.objects.update(state="succeeded", outcome="unchanged", detail="it was rebalancing")
    shown = "/admin/groups/operation/"
    assert "nothing to do" in text(operator.get(shown))
    assert "nothing to do" in text(operator.get(f"{shown}{Operation.objects.get().pk}/live/"))


@pytest.mark.parametrize("reason", ["a\u202eb", "a\x1bb", "a\x07b"])
def test_a_reason_must_be_printable(operator: Client, reason: str) -> None:
    write("orders")
    shown = text(operator.post(page("orders", "rebalance"), {**WHY, "reason": reason}))
    assert "is not allowed in a text." in shown and requested() == []


def test_a_reason_of_several_lines_is_joined(operator: Client) -> None:
    write("orders")
    operator.post(page("orders", "rebalance"), {**WHY, "reason": " a new\r\n deployment "})
    assert [reason for _, _, reason, _ in requested()] == ["a new deployment"]


def test_operations_and_nodes_have_a_page_each(operator: Client) -> None:
    write("orders")
    operator.post(page("orders", "rebalance"), WHY)
    operation = Operation.objects.get()
    listed = text(operator.get("/admin/groups/operation/"))
    assert "a new deployment" in listed and "olga" in listed
    assert f'href="{page("orders")}"' in listed
    live = operator.get(f"/admin/groups/operation/{operation.pk}/live/")
    assert live.status_code == 200
    assert operator.get("/admin/groups/operation/999999/live/").status_code == 404
    assert "Changes of slot owners" in text(operator.get("/admin/groups/node/"))


def test_an_eviction_requires_a_member(operator: Client) -> None:
    write("orders")
    answer = operator.get(page("orders", "evict"), follow=True)
    assert "Select a member to evict." in text(answer)
    assert "is no longer a member" not in text(answer)
