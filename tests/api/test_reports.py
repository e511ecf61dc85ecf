"""Reports over REST: what the newest run found, and asking for another."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from groups.models import ReportRun
from tests.analyses import analysing
from tests.api.conftest import Api
from tests.model_factories import RebalanceCostFactory, ReportRunFactory

pytestmark = pytest.mark.django_db

REPORT = "/api/v1/reports/rebalances"
BEGAN = datetime(2026, 5, 4, 3, 0, tzinfo=UTC)


def run(state: str = "succeeded", **costs: int) -> ReportRun:
    """A run, and for how many milliseconds it found each group without owners."""
    made = ReportRunFactory.create(state=state, requested_by="olga", finished_at=None, events=None)
    for group_id, without_owner_ms in costs.items():
        RebalanceCostFactory.create(run=made, group_id=group_id, without_owner_ms=without_owner_ms)
    return made


def test_without_a_report_the_response_says_how_to_run_an_analysis(viewer: Client) -> None:
    ReportRunFactory.create(state="failed", detail="no space is left")
    answer = viewer.get(REPORT)
    assert answer.status_code == 404
    assert "make analyze" in answer.json()["detail"]
    assert "failed: no space is left" in answer.json()["detail"]


def test_the_newest_report_is_ordered_by_cost(viewer: Client) -> None:
    run(old=1)
    newest = run(cheap=10, dear=90, middling=50, alike=50)
    run("failed")

    first = viewer.get(f"{REPORT}?page_size=2").json()
    assert (first["run"]["id"], first["run"]["requested_by"]) == (newest.pk, "olga")
    rest = viewer.get(first["next"]).json()
    found = [row["group_id"] for page in (first, rest) for row in page["data"]]
    assert found == ["dear", "middling", "alike", "cheap"]
    assert rest["next"] is None


def test_a_report_is_filtered_by_group(viewer: Client) -> None:
    run(cheap=10, dear=90)
    (row,) = viewer.get(f"{REPORT}?group_id=cheap").json()["data"]
    assert (row["without_owner_ms"], row["slowest_member"]) == (10, "w-7")
    assert (row["without_owner_known_ms"], row["unknown_rebalances"]) == (0, 0)


def test_an_analysis_is_requested_in_the_users_name(api: Api, broker: Any) -> None:
    answer = api("add_reportrun").post(REPORT)

    assert answer.status_code == 202
    message = broker.get(timeout=5)
    assert message.headers["task"] == "groups.tasks.analyse"
    assert message.payload[1]["requested_by"].startswith("user-1-")


def test_only_one_analysis_runs_at_a_time(api: Api, broker: Any) -> None:
    ReportRunFactory.create(state="running", started_at=timezone.now())
    with analysing():
        answer = api("add_reportrun").post(REPORT)
    assert (answer.status_code, answer.json()["code"]) == (409, "in_progress")
    assert broker.qsize() == 0


def test_a_viewer_cannot_start_an_analysis(viewer: Client, broker: Any) -> None:
    assert viewer.post(REPORT).status_code == 403
    assert broker.qsize() == 0
