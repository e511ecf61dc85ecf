"""Stop and start work in the admin: look first, give a reason, then ask; and see who obeys."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from console.people.staff_roles import OPERATOR, VIEWER
from console.queries.journal_text import sentence
from groups.models import Journal, Member, Operation
from tests.admin.test_groups import LIST, page
from tests.admin.visitors import text, visitor
from tests.api.conftest import write
from tests.api.test_pauses import obeys, paused

pytestmark = pytest.mark.django_db

WHY = {"reason": "the database is moved", "verb": "stop", "seen": 0}


@pytest.fixture
def operator() -> Client:
    return visitor(OPERATOR, name="olga")


def requested() -> list[tuple[str, str, str]]:
    """Every operation."""
    return list(Operation.objects.order_by("id").values_list("group_id", "verb", "member_id"))


def test_the_preview_lists_who_stops_and_who_cannot(operator: Client) -> None:
    write("orders", size=3)
    obeys("orders", "m-0", 0)
    shown = text(operator.get(page("orders", "pause")))

    assert "All 3 members are ordered to stop at once, and so are members that join later." in shown
    assert "But 2 clients do not support stopping, and will continue" in shown
    assert requested() == []


def test_the_preview_promises_no_stop_without_client_support(operator: Client) -> None:
    write("orders", size=2)
    shown = text(operator.get(page("orders", "pause")))

    assert "Nothing stops: no client of the group supports it" in shown
    assert "Both members are ordered" not in shown


@pytest.mark.parametrize(
    ("size", "query", "sentence", "later"),
    [
        (1, "?member=m-0", "the client of {client} does not support it", False),
        (2, "?member=m-0", "the client of {client} does not support it", False),
        (0, "", "the group has no members", True),
    ],
)
def test_the_preview_lists_members_that_keep_working(
    operator: Client, size: int, query: str, sentence: str, later: bool
) -> None:
    write("orders", size=size)
    shown = text(operator.get(page("orders", "pause") + query))

    names = dict(Member.objects.values_list("member_id", "client_id"))
    expected = sentence.format(client=names.get("m-0"))
    assert f"Nothing stops: {expected}" in shown and "ordered to stop at once" not in shown
    assert ("Members that join later" in shown) is later


def test_the_preview_of_one_member_shows_the_effect_on_its_partitions(operator: Client) -> None:
    write("orders", size=2)
    obeys("orders", "m-0", 0)
    shown = text(operator.get(page("orders", "pause") + "?member=m-0"))

    assert "is ordered to stop at once; the stop ends when it leaves." in shown
    assert "no other member works on them until it starts" in shown


def test_a_reason_creates_the_operation(operator: Client) -> None:
    write("orders")
    answer: Any = operator.post(page("orders", "pause"), WHY)

    operation = Operation.objects.get()
    assert answer.url == reverse("admin:groups_operation_change", args=[operation.pk])
    assert (operation.verb, operation.actor) == ("pause", "olga")
    operator.post(f"{page('orders', 'pause')}?member=m-1", WHY)
    assert requested() == [("orders", "pause", ""), ("orders", "pause", "m-1")]


def test_an_operation_without_a_reason_is_refused(operator: Client) -> None:
    write("orders")
    shown = text(operator.post(page("orders", "pause"), {**WHY, "reason": " "}))
    assert "This field is required." in shown and requested() == []


def test_stopped_work_can_be_started(operator: Client) -> None:
    write("orders")
    paused("orders", 7)
    paused("orders", 8, "m-1")

    shown = text(operator.get(page("orders", "pause")))
    assert (
        "Start the work" in shown
        and "1 member that was stopped individually stays stopped." in shown
    )
    alone = text(operator.get(f"{page('orders', 'pause')}?member=m-1"))
    assert "The whole group is stopped as well" in alone

    operator.post(page("orders", "pause"), {"reason": "moved", "verb": "start", "seen": 7})
    assert requested() == [("orders", "resume", "")]


def test_a_concurrent_pause_is_shown_before_confirmation(operator: Client) -> None:
    write("orders")
    paused("orders", 7)
    shown = text(operator.post(page("orders", "pause"), WHY))

    assert "It was stopped or started since you opened this page." in shown
    assert "the database is moved" in shown and 'value="start"' in shown
    assert requested() == []


def test_stopping_a_large_group_is_confirmed_by_typing_its_id(operator: Client) -> None:
    write("orders", size=25)
    shown = text(operator.post(page("orders", "pause"), WHY))
    assert "Type orders to continue." in shown and requested() == []

    operator.post(page("orders", "pause"), {**WHY, "typed": "orders"})
    assert len(requested()) == 1


def test_a_viewer_cannot_stop_work(operator: Client) -> None:
    write("orders")
    viewer = visitor(VIEWER)
    assert viewer.get(page("orders", "pause")).status_code == 403
    assert viewer.post(page("orders", "pause"), WHY).status_code == 403
    for action in ("stop_work", "start_work"):
        viewer.post(LIST, {"action": action, "_selected_action": "orders", "confirm": 1, **WHY})
    assert requested() == []
    paused("orders", 7)
    for word in ("Stop its work", "Start its work"):
        assert word not in text(viewer.get(page("orders")))


def test_the_page_shows_who_stopped_it_why_and_who_obeyed(operator: Client) -> None:
    write("orders", size=4)
    paused("orders", 7)
    obeys("orders", "m-0", 7)
    obeys("orders", "m-1", 0)
    shown = text(operator.get(f"{page('orders')}?tab=members"))

    assert "(a move): 1 of 4 members has stopped, 2 do not support it and continue." in shown
    assert shown.count("a move") == shown.count("stopped by olga since") == 1  # said once
    assert ">Start its work</a>" in shown and "Stop its work" not in shown
    for word in ("stopped", "stopping", "does not support stopping"):
        assert word in shown
    assert "Stopped by olga since" in text(operator.get(LIST))


def test_a_stopped_member_that_left_can_still_be_started(operator: Client) -> None:
    write("orders")
    paused("orders", 7, "desk-9")
    path = f"{page('orders', 'pause')}?member=desk-9"
    assert path.replace("&", "&amp;") in text(operator.get(page("orders")))

    operator.post(path, {"reason": "moved", "verb": "start", "seen": 7})
    assert requested() == [("orders", "resume", "desk-9")]


def test_an_unknown_member_redirects_to_the_group(operator: Client) -> None:
    write("orders")
    answer: Any = operator.get(f"{page('orders', 'pause')}?member=nobody")
    assert answer.url == page("orders")


@pytest.mark.parametrize(
    ("action", "verb"),
    [
        ("stop_work", "pause"),
        ("start_work", "resume"),
        ("freeze_groups", "freeze"),
        ("thaw_groups", "thaw"),
    ],
)
def test_many_groups_are_stopped_with_one_reason(operator: Client, action: str, verb: str) -> None:
    write("a", "b", "c")
    chosen: dict[str, Any] = {"action": action, "_selected_action": ["a", "b"]}
    assert "Reason" in text(operator.post(LIST, chosen))

    sent = {**chosen, "confirm": 1, "reason": "a move", "once": "0" * 32}
    for _ in range(2):  # a reload requests nothing more
        assert "0 of 2 done" in text(operator.post(LIST, sent))
    assert requested() == [("a", verb, ""), ("b", verb, "")]


def test_the_journal_describes_it_in_plain_words() -> None:
    entry = Journal(kind="paused", trigger="operator", reason="olga stopped the work of a: b")
    assert sentence(entry) == "Olga stopped the work of a: b."
