"""A form that is sent again asks for nothing more: after Back too, which loads it anew."""

from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest
from django.db import connection
from django.test import Client

from console.admin.links import quote
from console.admin.sent_forms import SENT_BEFORE
from console.people.staff_roles import ADMINISTRATOR
from groups.models import Group, Member, Operation
from tests.admin.visitors import text, visitor
from tests.api.conftest import write

pytestmark = pytest.mark.django_db

BROWSER = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
LIST = "/admin/groups/group/"

FORMS: dict[str, dict[str, Any]] = {
    "rebalance": {"generation": 1},
    "pause": {"verb": "stop", "seen": 0},
    "freeze": {"verb": "freeze"},
    "evict": {"generation": 1},
    "remove": {"typed": "orders"},
}
"""By the page, what it sends besides the reason."""


@pytest.fixture
def client() -> Client:
    return visitor(ADMINISTRATOR)


def address(client: Client, page: str) -> str:
    """Where a browser is that has opened the form."""
    if page == "evict":
        page = f"evict/?member={Member.objects.values_list('member_id', flat=True)[0]}"
    answer = client.get(f"{LIST}orders/{page}{'' if '?' in page else '/'}", headers=BROWSER)
    assert answer.status_code == 302
    opened: str = answer.headers["Location"]
    assert client.get(opened, headers=BROWSER).status_code == 200
    return opened


def send(client: Client, opened: str, page: str, reason: str = "a new rack") -> Any:
    sent = {**FORMS[page], "reason": reason}
    if "generation" in sent:  # a page that was loaded anew has the group's own
        sent["generation"] = Group.objects.get().generation
    return client.post(opened, sent, follow=True)


@pytest.mark.parametrize("page", FORMS)
def test_back_and_sent_again_is_answered_with_the_first_operation(
    client: Client, page: str
) -> None:
    write("orders", size=0 if page == "remove" else 2)
    opened = address(client, page)
    first = send(client, opened, page)
    assert SENT_BEFORE not in text(first)
    assert client.get(opened, headers=BROWSER).status_code == 200  # what Back does
    again = send(client, opened, page)
    assert Operation.objects.count() == 1
    number = Operation.objects.get().pk
    assert again.redirect_chain[-1][0] == f"/admin/groups/operation/{number}/change/"
    assert SENT_BEFORE in text(again)


def test_back_after_the_rebalance_has_ended_asks_for_no_second_one(client: Client) -> None:
    """The form that Back loads has the new generation: it was taken for a new request."""
    write("orders")
    opened = address(client, "rebalance")
    send(client, opened, "rebalance")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_group SET generation = generation + 1")
    assert SENT_BEFORE in text(send(client, opened, "rebalance"))
    assert Operation.objects.count() == 1


def test_other_contents_or_a_form_opened_anew_are_another_request(client: Client) -> None:
    write("orders")
    opened = address(client, "rebalance")
    send(client, opened, "rebalance")
    send(client, opened, "rebalance", "for another reason")
    send(client, address(client, "rebalance"), "rebalance")
    assert Operation.objects.count() == 3


def test_keys_belong_to_their_users(client: Client) -> None:
    write("orders")
    opened = address(client, "rebalance")
    send(client, opened, "rebalance")
    send(visitor(ADMINISTRATOR, name="olga"), opened, "rebalance")
    assert list(Operation.objects.order_by("id").values_list("actor", flat=True)) == [
        "vera",
        "olga",
    ]


def test_an_address_keeps_its_parameters_and_its_key(client: Client) -> None:
    write("orders")
    query = parse_qs(urlsplit(address(client, "evict")).query)
    assert query.keys() == {"member", "once"}
    assert str(UUID(query["once"][0])) == query["once"][0]
    opened = address(client, "rebalance")
    assert client.get(opened, headers=BROWSER).status_code == 200  # a reload
    odd = client.get(f"{LIST}orders/rebalance/?once=none", headers=BROWSER)
    assert odd.status_code == 302 and "once=none" not in odd.headers["Location"]


def test_programs_read_and_send_a_form_without_a_key(client: Client) -> None:
    write("orders")
    page = f"{LIST}orders/rebalance/"
    assert client.get(page).status_code == 200
    for _ in range(2):
        send(client, page, "rebalance")
    assert Operation.objects.count() == 2


def test_a_groups_id_survives_the_way_to_the_address(client: Client) -> None:
    write("a/b ü?c")
    (group,) = Group.objects.all()
    page = f"{LIST}{quote(group.group_id)}/rebalance/"
    answer = client.get(page, headers=BROWSER, follow=True)
    assert answer.status_code == 200 and "a/b ü?c" in text(answer)


def test_an_action_of_a_list_that_back_sends_again_is_the_same(client: Client) -> None:
    """A browser sends the list's form as it was: also the token of the page that it was on."""
    write("a", "b")
    sent = {
        "action": "force_rebalances",
        "_selected_action": ["a", "b"],
        "csrfmiddlewaretoken": "x" * 64,
    }

    def once(**more: Any) -> str:
        context: Any = client.post(LIST, {**sent, **more}).context
        return str(context["form"].initial["once"])

    key = once()
    assert once() == key
    others = {once(csrfmiddlewaretoken="y" * 64), once(_selected_action=["a"])}
    assert len({*others, key}) == 3
    seen = ["1:a", "1:b"]
    confirmed = {**sent, "confirm": 1, "reason": "why", "once": key, "seen": seen}
    for _ in range(2):
        assert client.post(LIST, confirmed).status_code == 200
    assert Operation.objects.count() == 2
