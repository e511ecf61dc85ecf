"""Taking note of what needs attention: it is folded, with who and why, and comes back."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.admin.group_tabs import TABS
from console.people.staff_roles import OPERATOR, VIEWER
from console.queries import attention, overview
from groups.models import Acknowledgement, AuditEntry
from groups.sweeps.ends import end_what_is_over
from tests.admin.test_attention import FREEZE, HOUR, NEAR, PAUSE
from tests.admin.test_dashboard import NODE, OWN_ALL, sql
from tests.admin.test_groups import QUERIES_MAX, page
from tests.admin.visitors import text, visitor
from tests.api.conftest import Api, write
from tests.api.conftest import api as api
from tests.as_roles import role

pytestmark = pytest.mark.django_db

ADD = "/admin/groups/acknowledgement/add/"
PATH = "/api/v1/attention/acknowledgements"
NOTE = "olga moves the rack"


@pytest.fixture(autouse=True)
def _healthy() -> None:
    sql(NODE, 0, timedelta())
    sql(OWN_ALL, 0)


@pytest.fixture
def operator() -> Client:
    return visitor(OPERATOR, name="olga")


@pytest.fixture
def stopped() -> str:
    """A group that was stopped an hour ago."""
    write("orders")
    sql(OWN_ALL, 0)
    sql(PAUSE, "orders", HOUR)
    return "orders"


def acknowledge(client: Client, rule: str, subject: str, **said: str) -> Any:
    """The form, as a line of the Overview leads to it."""
    query = urlencode({"rule": rule, "subject": subject})
    return client.post(f"{ADD}?{query}", {"note": NOTE, "until_0": "", "until_1": "", **said})


def open_lines() -> list[str]:
    """Sentences of situations that are not acknowledged."""
    return [f.sentence for f in attention.fired(overview.look()) if f.acknowledged is None]


def look_again() -> str:
    """The worker's look."""
    with role("rollcall_worker"):
        return end_what_is_over()


@pytest.mark.usefixtures("stopped")
def test_an_acknowledged_situation_is_folded_on_every_page_with_author_and_reason(
    operator: Client,
) -> None:
    assert "Acknowledge" in text(operator.get(page("orders")))
    answer = acknowledge(operator, "stopped", "orders")
    assert answer.url == "/admin/"
    assert open_lines() == []
    for path in ("/admin/", page("orders"), "/admin/groups/group/"):
        shown = text(operator.get(path))
        assert "olga" in shown and NOTE in shown, path
    assert "Nothing that is not acknowledged." in text(operator.get("/admin/"))
    assert "1 acknowledged" in text(operator.get(page("orders", "live")))


@pytest.mark.usefixtures("stopped")
def test_an_acknowledgement_ends_when_the_situation_ends_and_begins_again(operator: Client) -> None:
    acknowledge(operator, "stopped", "orders")
    assert look_again() == "nothing has ended"
    sql("DELETE FROM rollcall_pause")
    assert look_again() == "ended 1 acknowledgements"
    sql(PAUSE, "orders", HOUR)
    assert open_lines() == ["Work of orders is stopped"]


@pytest.mark.usefixtures("stopped")
def test_an_acknowledgement_ends_at_its_time_even_without_a_worker(operator: Client) -> None:
    acknowledge(operator, "stopped", "orders", until_0="2999-01-01", until_1="00:00:00")
    assert open_lines() == []
    Acknowledgement.objects.update(until=timezone.now())
    assert open_lines() == ["Work of orders is stopped"]
    assert look_again() == "ended 1 acknowledgements"


@pytest.mark.usefixtures("stopped")
def test_an_acknowledgement_is_withdrawn_and_changed_and_the_audit_log_has_both(
    operator: Client,
) -> None:
    acknowledge(operator, "stopped", "orders")
    acknowledge(operator, "stopped", "orders", note="on monday")
    (noted,) = Acknowledgement.objects.all()
    assert noted.note == "on monday"
    operator.post(f"/admin/groups/acknowledgement/{noted.pk}/delete/", {"post": "yes"})
    assert open_lines() == ["Work of orders is stopped"]
    kinds = AuditEntry.objects.filter(kind__startswith="acknowledgement").order_by("id")
    assert list(kinds.values_list("kind", "who")) == [
        ("acknowledgement-made", "olga"),
        ("acknowledgement-changed", "olga"),
        ("acknowledgement-deleted", "olga"),
    ]


def test_acknowledged_situations_do_not_count_among_the_ten_listed(operator: Client) -> None:
    for number in range(14):
        sql(PAUSE, f"g-{number:02}", HOUR)
    for number in (0, 1, 13):
        acknowledge(operator, "stopped", f"g-{number:02}")
    assert Acknowledgement.objects.count() == 3
    found = open_lines()
    assert len(found) == 11 and found[-1] == "1 more such group"
    assert "Work of g-13 is stopped" not in found
    assert look_again() == "nothing has ended"


@pytest.mark.parametrize("rule", ["storm", "frozen"])
@pytest.mark.usefixtures("stopped")
def test_a_rule_that_does_not_fire_cannot_be_acknowledged(operator: Client, rule: str) -> None:
    query = urlencode({"rule": rule, "subject": "orders"})
    answer = operator.post(
        f"{ADD}?{query}", {"note": NOTE, "until_0": "", "until_1": ""}, follow=True
    )
    assert "does not fire for orders now" in text(answer)
    assert not Acknowledgement.objects.exists()


@pytest.mark.parametrize(
    "said",
    [
        {"note": " "},
        {"note": "a\u202eb"},
        {"until_0": "2001-01-01", "until_1": "00:00:00"},
        {"until_0": "soon"},
    ],
)
@pytest.mark.usefixtures("stopped")
def test_an_invalid_note_or_end_gets_an_error(operator: Client, said: dict[str, str]) -> None:
    assert acknowledge(operator, "stopped", "orders", **said).status_code == 200
    assert open_lines() == ["Work of orders is stopped"]


@pytest.mark.parametrize("group_id", ["two\nlines", " blank ", 'a"b', "a/b&c=d"])
def test_groups_of_any_id_are_acknowledged(operator: Client, group_id: str) -> None:
    write(group_id)
    sql(OWN_ALL, 0)
    sql(PAUSE, group_id, HOUR)
    (line,) = operator.get(page(group_id)).context["troubles"]
    operator.post(line.acknowledge, {"note": NOTE, "until_0": "", "until_1": ""})
    assert open_lines() == []


@pytest.mark.parametrize("query", ["", "?rule=nothing", "?rule=%00&subject=%00"])
def test_a_form_without_a_rule_leads_to_the_overview(operator: Client, query: str) -> None:
    answer: Any = operator.get(f"{ADD}{query}")
    assert answer.url == "/admin/"


def test_a_viewer_acknowledges_nothing(stopped: str) -> None:
    viewer = visitor(VIEWER)
    assert "Acknowledge" not in text(viewer.get("/admin/"))
    assert acknowledge(viewer, "stopped", stopped).status_code == 403
    assert open_lines() == ["Work of orders is stopped"]


@pytest.mark.parametrize("tab", TABS)
def test_acknowledgements_add_no_statements_to_a_page(tab: str, stopped: str) -> None:
    operator = visitor(OPERATOR, name="olga")
    sql(FREEZE, stopped, HOUR)
    acknowledge(operator, "frozen", stopped)
    with CaptureQueriesContext(connection) as queries:
        shown = text(operator.get(f"{page(stopped)}?tab={tab}"))
    assert "1 acknowledged" in shown and "Work of orders is stopped" in shown
    assert len(queries) <= QUERIES_MAX


def test_a_limit_that_is_near_again_is_shown_again(operator: Client) -> None:
    sql(NEAR, HOUR)
    (line,) = attention.fired(overview.look())
    acknowledge(operator, "limit", str(line.subject))
    assert open_lines() == []
    sql(NEAR, timedelta())
    assert open_lines() == ["A limit is near"]


@pytest.mark.usefixtures("stopped")
def test_rest_acknowledges_and_withdraws_alike(api: Api) -> None:
    client = api("view_group", "add_acknowledgement")
    said = {"rule": "stopped", "subject": "orders", "note": NOTE}
    kind = "application/json"
    made = client.post(PATH, said, kind)
    assert made.status_code == 201, made.content
    (line,) = client.get("/api/v1/attention").json()["data"]
    assert line["acknowledged"] == made.json() and line["subject"] == "orders"
    assert client.get(PATH).json()["data"] == [made.json()]
    past = client.post(PATH, {**said, "until": "2001-01-01T00:00:00Z"}, kind)
    assert past.status_code == 400
    refused = client.post(PATH, {**said, "rule": "storm"}, kind)
    assert (refused.status_code, refused.json()["code"]) == (409, "does_not_fire")
    one = f"{PATH}/{made.json()['id']}"
    assert api("view_group").delete(one).status_code == 403
    assert client.delete(one).json() == made.json()
    assert client.delete(one).status_code == 404
    assert open_lines() == ["Work of orders is stopped"]
