"""Advice over REST: its evidence, and what people decide about it."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from console.operations import advice as decisions
from console.queries import advice
from groups.models import AdviceDecision, AuditEntry
from tests.api.conftest import Api
from tests.as_roles import role
from tests.model_factories import ReportRunFactory, advise

pytestmark = pytest.mark.django_db

ADVICE = "/api/v1/advice"
DECISIONS = f"{ADVICE}/decisions"


@pytest.fixture
def operator(api: Api) -> Any:
    """May decide, and sees reports."""
    return api("add_advicedecision", "view_reportrun")


def listed(client: Any, query: str = "") -> list[Any]:
    """The advice that is shown."""
    data: list[Any] = client.get(f"{ADVICE}?{query}").json()["data"]
    return data


def post(client: Any, body: Any, query: str = "") -> Any:
    """Decide."""
    return client.post(f"{DECISIONS}{query}", body, content_type="application/json")


def test_advice_has_evidence_effect_and_a_command_that_tries_it(viewer: Client) -> None:
    assert listed(viewer) == []
    run = ReportRunFactory.create()
    assert listed(viewer) == []
    advise(run, "it's", saves_partition_ms=1)
    advise(run)
    dear, cheap = listed(viewer)
    assert (dear["group_id"], dear["entries"], dear["lives"]) == ("orders", [17, 12], [5])
    assert (dear["change"], dear["confidence"]) == ("session.timeout.ms=22000", "medium")
    assert dear["saves_partition_ms"] == 9_000
    assert cheap["what_if"] == (
        """python -m pipeline what-if --group='it'"'"'s' --session-timeout-ms 22000"""
    )
    assert [each["group_id"] for each in listed(viewer, "group_id=orders")] == ["orders"]
    assert listed(viewer, "period=24h") == []


def test_muted_advice_leaves_room_for_other(
    viewer: Client, operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counted among the hundred that are listed: who had muted these saw no other any more."""
    monkeypatch.setattr(advice, "CARDS_MAX", 1)
    run = ReportRunFactory.create()
    key = advise(run)
    advise(run, "other", saves_partition_ms=1)
    assert [card["group_id"] for card in listed(viewer)] == ["orders"]
    post(operator, {**key, "verdict": "muted", "reason": "a new host"})
    assert [card["group_id"] for card in listed(viewer)] == ["other"]


def test_a_run_without_these_columns_has_cards_too(viewer: Client) -> None:
    """One of an earlier version."""
    none: Any = dict.fromkeys(("saves_partition_ms", "entries", "lives", "what_if"))
    advise(ReportRunFactory.create(), **none)
    (card,) = listed(viewer)
    assert (card["entries"], card["lives"], card["what_if"]) == ([], [], "")


def test_muted_advice_stays_away_from_later_runs_until_its_end(
    viewer: Client, operator: Any
) -> None:
    key = advise(ReportRunFactory.create())
    end = timezone.now() + timedelta(hours=1)
    body = {**key, "verdict": "muted", "reason": "a new host", "until": end.isoformat()}
    answer = post(operator, body)
    assert answer.status_code == 201
    assert answer.json()["reason"] == "a new host"

    advise(ReportRunFactory.create())
    assert listed(viewer) == []
    (card,) = listed(viewer, "muted=true")
    assert card["decision"]["verdict"] == "muted"
    AdviceDecision.objects.update(until=timezone.now() - timedelta(seconds=1))
    (card,) = listed(viewer)
    assert card["decision"] is None
    assert viewer.get(DECISIONS).json()["data"] == []


def test_accepted_advice_stays_in_sight_and_a_decision_is_withdrawn(
    viewer: Client, operator: Any
) -> None:
    key = advise(ReportRunFactory.create())
    accepted = {**key, "verdict": "accepted", "reason": "olga does it"}
    muted = {**key, "verdict": "muted", "reason": "not now"}
    first = post(operator, accepted).json()
    (card,) = listed(viewer)
    assert card["decision"]["reason"] == "olga does it"
    again = post(operator, muted).json()  # decided anew
    assert (again["id"], AdviceDecision.objects.count()) == (first["id"], 1)
    assert listed(viewer) == []

    assert operator.delete(f"{DECISIONS}/{first['id']}").status_code == 200
    assert operator.delete(f"{DECISIONS}/{first['id']}").status_code == 404
    (card,) = listed(viewer)
    assert card["decision"] is None
    kinds = AuditEntry.objects.filter(kind__startswith="advice-").order_by("id")
    assert [each.kind for each in kinds] == ["advice-made", "advice-changed", "advice-deleted"]
    assert all(each.who.startswith("user-") for each in kinds)


@pytest.mark.parametrize(
    ("over", "status"),
    [
        ({"subject": "another"}, 409),
        ({"reason": ""}, 400),
        ({"reason": "two\nlines"}, 400),
        ({"verdict": "ignored"}, 400),
        ({"until": "2020-01-01T00:00:00Z"}, 400),
        ({"verdict": "accepted", "until": "2200-01-01T00:00:00Z"}, 400),
        ({"group_id": "a\0b"}, 400),
    ],
)
def test_a_wrong_decision_is_refused_and_changes_nothing(
    operator: Any, over: dict[str, str], status: int
) -> None:
    key = advise(ReportRunFactory.create())
    body = {**key, "verdict": "muted", "reason": "so", **over}
    assert post(operator, body).status_code == status
    assert not AdviceDecision.objects.exists()


def test_a_dry_run_decides_nothing(operator: Any) -> None:
    key = advise(ReportRunFactory.create())
    body = {**key, "verdict": "muted", "reason": "so"}
    answer = post(operator, body, "?dry_run=true")
    assert (answer.status_code, answer.json()["result"]["verdict"]) == (200, "muted")
    assert not AdviceDecision.objects.exists()


def test_a_viewer_decides_nothing(viewer: Client) -> None:
    key = advise(ReportRunFactory.create())
    body = {**key, "verdict": "muted", "reason": "so"}
    assert post(viewer, body).status_code == 403


def test_decisions_are_bounded_and_those_that_ended_make_room(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "MAX", 1)
    run = ReportRunFactory.create()
    soon = timezone.now() + timedelta(hours=1)
    first = {**advise(run, "a"), "verdict": "muted", "reason": "so", "until": soon.isoformat()}
    second = {**advise(run, "b"), "verdict": "muted", "reason": "so"}
    assert post(operator, first).status_code == 201
    refused = post(operator, second)
    assert refused.status_code == 400
    assert "1 decisions already" in refused.content.decode()
    AdviceDecision.objects.update(until=timezone.now())
    assert post(operator, second).status_code == 201
    assert [each.group_id for each in AdviceDecision.objects.all()] == ["b"]


def test_the_web_may_do_it_with_its_own_role() -> None:
    key = advise(ReportRunFactory.create())
    with role("rollcall_web"):
        decisions.decide(
            (key["group_id"], key["rule"], key["subject"]), "accepted", reason="so", actor="olga"
        )
    assert AdviceDecision.objects.get().actor == "olga"
