"""Settings of a group in the admin: shown, changed and reset, with the author in the journal."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client

from console.operations import configs
from console.people.staff_roles import OPERATOR, VIEWER
from groups.broker_configs import from_django
from groups.core.authors import user
from groups.core.configs.entries import Change, ConfigOperation
from groups.core.configs.group import Values
from groups.models import AuditEntry, GroupConfig, Journal
from tests.admin.test_groups import page
from tests.admin.visitors import text, visitor
from tests.api.conftest import write

pytestmark = pytest.mark.django_db

MEMBERS, INTERVAL = "rollcall.max.members", "rollcall.rebalance.min.interval.ms"
SESSION, HEARTBEAT = "consumer.session.timeout.ms", "consumer.heartbeat.interval.ms"
WHY = "a smaller database"


@pytest.fixture
def operator() -> Client:
    write("orders")
    return visitor(OPERATOR, name="olga")


def setting(name: str) -> str:
    """The page of a setting of the group ``orders``."""
    return f"{page('orders', 'configure')}?{urlencode({'name': name})}"


def change(client: Client, name: str, value: str, seen: str = "", **more: str) -> Any:
    said = {"value": value, "seen": seen, "reason": WHY, **more}
    return client.post(setting(name), said)


def own() -> dict[str, str]:
    return dict(configs.own("orders"))


def tab(client: Client) -> str:
    return unescape(text(client.get(f"{page('orders')}?tab=configuration")))


def row(shown: str, name: str) -> str:
    """The row of a setting in the tab."""
    found = next(each for each in re.findall("<tr>.*?</tr>", shown, re.DOTALL) if name in each)
    return str(re.sub("<[^>]+>", " ", found))


def test_a_setting_is_set_with_its_author_in_the_journal_and_in_the_audit(operator: Client) -> None:
    answer = change(operator, MEMBERS, " 7 ")
    assert answer.url == f"{page('orders')}?tab=configuration"
    assert own() == {MEMBERS: "7"}
    entry = Journal.objects.filter(kind="config-changed").get()
    assert (entry.group_id, entry.reason) == ("orders", WHY)
    assert entry.details["author"] == user("olga")
    assert (entry.details["before"], entry.details["after"]) == ({MEMBERS: None}, {MEMBERS: "7"})
    recorded = AuditEntry.objects.filter(kind="write").latest("id")
    assert (recorded.who, recorded.outcome) == ("olga", "302")
    assert recorded.target == f"POST {page('orders', 'configure')}"
    shown = row(tab(operator), MEMBERS)
    assert "7" in shown and "this group" in shown and "by olga" in shown


def test_a_setting_is_reset_to_the_nodes_value(operator: Client) -> None:
    assert "Reset to the default" not in text(operator.get(setting(SESSION)))
    change(operator, SESSION, "50000")
    shown = unescape(text(operator.get(setting(SESSION))))
    assert "Its value is 50000, from this group." in shown
    assert "Reset, it is 45000, from the default." in shown and "Reset to the default" in shown
    change(operator, SESSION, "51000", seen="50000", reset="1")
    assert own() == {}
    entry = Journal.objects.filter(kind="config-changed").latest("id")
    assert entry.details["after"] == {SESSION: None}


def test_the_page_shows_bounds_and_the_command_that_sets_a_value(operator: Client) -> None:
    shown = unescape(text(operator.get(setting(SESSION))))
    assert "From 45,000 to 60,000." in shown
    assert f"rollcall group configure orders --set {SESSION}=VALUE --reason WHY" in shown
    assert '"changes": [{"name": "consumer.session.timeout.ms", "value": "VALUE"}]' in shown
    assert "-X PATCH" in shown and "/api/v1/groups/orders/config" in shown
    assert "--unset" not in shown
    change(operator, SESSION, "50000")
    assert f"--unset {SESSION}" in unescape(text(operator.get(setting(SESSION))))


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        (MEMBERS, "", "must be a whole number"),
        (MEMBERS, "many", "must be a whole number"),
        (MEMBERS, "0", "must be at least 1"),
        (SESSION, "1", "must be at least group.consumer.min.session.timeout.ms"),
        ("consumer.assignor.offload.enable", "perhaps", "must be true or false"),
    ],
)
def test_an_invalid_value_is_refused_beside_its_field(
    operator: Client, name: str, value: str, why: str
) -> None:
    answer = change(operator, name, value)
    assert answer.status_code == 200 and why in text(answer)
    assert own() == {} and not Journal.objects.filter(kind="config-changed").exists()


def test_a_change_without_a_reason_is_refused(operator: Client) -> None:
    answer = operator.post(setting(MEMBERS), {"value": "7", "seen": ""})
    assert "This field is required." in text(answer) and own() == {}


def test_a_form_opened_before_another_change_is_refused(operator: Client) -> None:
    change(operator, MEMBERS, "7")
    answer = change(operator, MEMBERS, "9")
    shown = unescape(text(answer))
    assert "was changed since you opened this page" in shown
    assert "Its value is 7, from this group." in shown and own() == {MEMBERS: "7"}
    (seen,) = re.findall(r'name="seen" value="(\d*)"', shown)
    change(operator, MEMBERS, "9", seen=seen)
    assert own() == {MEMBERS: "9"}


def test_concurrent_changes_of_other_settings_do_not_matter(operator: Client) -> None:
    change(operator, MEMBERS, "7")
    change(operator, SESSION, "50000")
    assert own() == {MEMBERS: "7", SESSION: "50000"}


def test_a_freeze_has_its_own_page_and_unknown_settings_are_not_found(operator: Client) -> None:
    for name in ("rollcall.freeze", "retention.ms", "", "a\0b"):
        assert operator.get(setting(name)).status_code == 404
        assert operator.post(setting(name), {"value": "true", "reason": WHY}).status_code == 404
    assert page("orders", "freeze") in tab(operator)
    assert not GroupConfig.objects.exists()


def test_a_viewer_sees_settings_but_cannot_change_them(operator: Client) -> None:
    assert "Change …" in tab(operator)
    viewer = visitor(VIEWER, name="victor")
    assert MEMBERS in tab(viewer) and "Change …" not in tab(viewer)
    assert viewer.get(setting(MEMBERS)).status_code == 403
    assert change(viewer, MEMBERS, "7").status_code == 403 and own() == {}


def test_a_form_posted_from_another_site_is_refused(operator: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = operator.cookies
    assert change(strict, MEMBERS, "7").status_code == 403 and own() == {}


def test_a_save_does_not_bring_back_what_an_owner_has_removed_meanwhile(operator: Client) -> None:
    """A group that is thawed between the read of its settings and the write stays thawed."""

    def save(change: Change, seen: Callable[[Values], None] = lambda _values: None) -> None:
        configs.alter("orders", [change], from_django(), reason=WHY, actor="olga", seen=seen)

    def thaw(values: Values) -> None:
        assert values == {"rollcall.freeze": "true"}
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM rollcall_group_config")

    save(Change("rollcall.freeze", ConfigOperation.SET, "true"))
    save(Change(INTERVAL, ConfigOperation.SET, "7"), thaw)
    assert own() == {INTERVAL: "7"}

    save(Change(INTERVAL, ConfigOperation.DELETE, None))
    assert own() == {}
