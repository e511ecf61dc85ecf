"""What a group has of its own, changed over REST: all of it or nothing, with author, before and
after in the journal."""

from typing import Any

import pytest
from django.test import Client

from console.operations import configs
from console.queries.journal_text import sentence
from groups.core.rows import slot_of
from groups.models import GroupConfig, Journal
from tests.api.conftest import Api, write

pytestmark = pytest.mark.django_db

MEMBERS, INTERVAL = "rollcall.max.members", "rollcall.rebalance.min.interval.ms"
SESSION = "consumer.session.timeout.ms"


@pytest.fixture
def operator(api: Api) -> Client:
    return api("view_group", "change_groupconfig")


def change(client: Client, values: dict[str, str | None], query: str = "", **headers: str) -> Any:
    """The answer to a change of the group ``g``."""
    changes = [{"name": name, "value": value} for name, value in values.items()]
    return client.patch(
        f"/api/v1/groups/g/config{query}",
        {"reason": "a long batch", "changes": changes},
        content_type="application/json",
        headers=headers or None,
    )


def own() -> dict[str, str]:
    return dict(GroupConfig.objects.filter(group_id="g").values_list("name", "value"))


def test_settings_are_set_and_reset(operator: Client) -> None:
    answer = change(operator, {MEMBERS: "7", INTERVAL: " 5000 "})
    assert answer.status_code == 200, answer.content
    assert answer.json() == {
        "dry_run": False,
        "changed": [
            {"name": MEMBERS, "before": None, "after": "7"},
            {"name": INTERVAL, "before": None, "after": "5000"},
        ],
    }
    assert own() == {MEMBERS: "7", INTERVAL: "5000"}
    assert {row.slot for row in GroupConfig.objects.all()} == {slot_of("g")}

    back = change(operator, {MEMBERS: None, INTERVAL: "6000"}).json()["changed"]
    assert back == [
        {"name": MEMBERS, "before": "7", "after": None},
        {"name": INTERVAL, "before": "5000", "after": "6000"},
    ]
    assert own() == {INTERVAL: "6000"}
    shown = operator.get("/api/v1/groups/g/config").json()["data"]
    assert [row["name"] for row in shown if row["is_own"]] == [INTERVAL]


def test_the_journal_has_author_reason_before_and_after(operator: Client) -> None:
    write("g")
    change(operator, {MEMBERS: "7"})
    change(operator, {MEMBERS: "8"})
    entry = Journal.objects.filter(kind="config-changed").latest("id")
    assert entry.group_id == "g" and entry.reason == "a long batch"
    assert entry.details["before"] == {MEMBERS: "7"}
    assert entry.details["after"] == {MEMBERS: "8"}
    assert entry.details["author"]["user"].startswith("user-")
    assert entry.details["author"]["user"] in sentence(entry)


def test_setting_the_current_value_is_no_change(operator: Client) -> None:
    change(operator, {MEMBERS: "7"})
    entries = Journal.objects.count()
    assert change(operator, {MEMBERS: "7", INTERVAL: None}).json()["changed"] == []
    assert Journal.objects.count() == entries


def test_other_settings_are_kept(operator: Client) -> None:
    change(operator, {MEMBERS: "7"})
    at = GroupConfig.objects.get(name=MEMBERS).updated_at
    change(operator, {INTERVAL: "1"})
    assert GroupConfig.objects.get(name=MEMBERS).updated_at == at


def test_a_dry_run_changes_nothing(operator: Client) -> None:
    body = change(operator, {MEMBERS: "7"}, "?dry_run=true").json()
    assert body == {
        "dry_run": True,
        "changed": [{"name": MEMBERS, "before": None, "after": "7"}],
    }
    assert own() == {} and not Journal.objects.exists()


@pytest.mark.parametrize(
    ("values", "pointer"),
    [
        ({MEMBERS: "7", INTERVAL: "never"}, "#/changes/1/value"),
        ({MEMBERS: "0"}, "#/changes/0/value"),
        ({MEMBERS: "7", "group.max.size": "1"}, "#/changes/1/name"),
        ({"rollcall.freeze": "true"}, "#/changes/0/name"),
    ],
)
def test_an_invalid_value_is_named(
    operator: Client, values: dict[str, str | None], pointer: str
) -> None:
    answer = change(operator, values)
    assert answer.status_code == 400
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
    assert own() == {}


def test_a_duplicate_name_is_refused(operator: Client) -> None:
    twice = [{"name": MEMBERS, "value": value} for value in ("7", "8")]
    answer = operator.patch(
        "/api/v1/groups/g/config",
        {"reason": "two", "changes": twice},
        content_type="application/json",
    )
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "#/changes/1/name")


def test_inconsistent_values_are_refused_as_on_the_wire(operator: Client) -> None:
    answer = change(operator, {SESSION: "45000", "consumer.heartbeat.interval.ms": "15000"})
    assert answer.status_code == 200, answer.content
    refused = change(operator, {SESSION: None, "consumer.heartbeat.interval.ms": "15001"})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")


def test_the_number_of_settings_is_limited(operator: Client, settings: Any) -> None:
    settings.GROUP_CONFIGS_MAX = 1
    assert change(operator, {MEMBERS: "7"}).status_code == 200
    refused = change(operator, {INTERVAL: "7"})
    assert (refused.status_code, refused.json()["code"]) == (400, "policy_violation")
    assert change(operator, {MEMBERS: "8"}).status_code == 200


def test_a_concurrent_change_is_detected(operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tag is of the settings, whatever becomes of the group, and is compared where nobody else
    changes them."""
    seen = operator.get("/api/v1/groups/g/config").headers["ETag"]
    write("g")
    assert change(operator, {MEMBERS: "7"}, **{"if-match": seen}).status_code == 200
    assert change(operator, {MEMBERS: "8"}, **{"if-match": seen}).status_code == 412
    now = operator.get("/api/v1/groups/g/config").headers["ETag"]
    monkeypatch.setattr("console.api.preconditions.check", lambda *_: None)
    assert change(operator, {MEMBERS: "9"}, **{"if-match": seen}).status_code == 412
    assert change(operator, {MEMBERS: "9"}, **{"if-match": now}).status_code == 200


def test_a_user_without_the_right_is_refused(api: Api) -> None:
    assert change(api("view_group"), {MEMBERS: "7"}).status_code == 403


def test_nodes_and_the_web_serialise_their_changes() -> None:
    """Both take the lock of ``groups.store.sql.configs``; what the web holds for long is ended."""
    assert "idle_in_transaction_session_timeout" in configs.SHORT
