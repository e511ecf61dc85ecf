"""Reports over REST: what the newest run found, and asking for another."""

from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pyarrow
import pytest
from django.test import Client
from django.utils import timezone
from pyarrow import parquet

from console.queries import report_files
from console.queries.sql import cost as sql
from groups.models import ReportRow, ReportRun
from tests.analyses import analysing
from tests.api.conftest import Api
from tests.model_factories import CostFactory, ReportRunFactory, advise, journal

pytestmark = pytest.mark.django_db

REPORTS = "/api/v1/reports"
REPORT = f"{REPORTS}/cost"
BEGAN = datetime(2026, 5, 4, 3, 0, tzinfo=UTC)


def run(state: str = "succeeded", reports: Any = None, **costs: int) -> ReportRun:
    """A run, by default of all reports, and for how many milliseconds it found each group without
    owners."""
    over = {} if reports is None else {"reports": reports}
    made = ReportRunFactory.create(
        state=state, requested_by="olga", finished_at=None, events=None, **over
    )
    for group_id, without_owner_ms in costs.items():
        over = {"without_owner_ms": without_owner_ms}
        CostFactory.create(run=made, group_id=group_id, period="all", over=over)
    return made


def test_without_a_report_the_response_says_how_to_run_an_analysis(viewer: Client) -> None:
    ReportRunFactory.create(state="failed", detail="no space is left")
    answer = viewer.get(f"{REPORTS}/clients")
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


def test_all_pages_of_a_report_are_of_one_run(viewer: Client) -> None:
    """A run that ended between two pages mixed its rows in: groups came twice, or not at all."""
    before = run(cheap=10, dear=90, middling=50)
    first = viewer.get(f"{REPORT}?page_size=2").json()
    run(cheap=99, dear=1, middling=2)

    rest = viewer.get(first["next"]).json()

    assert rest["run"]["id"] == first["run"]["id"] == before.pk
    found = [row["group_id"] for page in (first, rest) for row in page["data"]]
    assert found == ["dear", "middling", "cheap"]
    again = viewer.get(rest["previous"]).json()
    assert again["data"] == first["data"]


def test_a_run_that_has_no_rows_any_more_has_no_pages(viewer: Client) -> None:
    first = run(cheap=10)
    ReportRun.objects.filter(pk=first.pk).update(rows_of=0)
    run(cheap=20)
    answer = viewer.get(f"{REPORT}?run={first.pk}")
    assert answer.status_code == 404 and "has no rows" in answer.json()["detail"]
    assert viewer.get(f"{REPORT}?run=0").status_code == 400


def test_a_report_is_filtered_by_group(viewer: Client) -> None:
    run(cheap=10, dear=90)
    (row,) = viewer.get(f"{REPORT}?group_id=cheap").json()["data"]
    assert (row["without_owner_ms"], row["slowest_member"]) == (10, "w-7")
    assert (row["without_owner_known_ms"], row["unknown_rebalances"]) == (0, 0)


def test_a_report_has_periods_and_is_sorted_by_any_column(viewer: Client) -> None:
    made = run(old=1)
    for group_id, moved in (("b", 5), ("a", 7), ("c", None)):
        CostFactory.create(run=made, group_id=group_id, over={"partitions_moved": moved})

    def groups(query: str) -> list[str]:
        answer = viewer.get(f"{REPORT}?{query}").json()
        return [row["group_id"] for row in answer["data"]]

    assert groups("period=7d&ordering=group_id") == ["a", "b", "c"]
    assert groups("period=7d&ordering=-partitions_moved") == ["a", "b", "c"]
    assert groups("period=24h") == []
    refused = viewer.get(f"{REPORT}?ordering=colour")
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert "partitions_moved" in refused.json()["detail"]
    assert viewer.get(f"{REPORT}?period=1y").status_code == 400


def test_a_report_is_a_file_of_its_own_columns(viewer: Client) -> None:
    run(cheap=10)
    answer = viewer.get(REPORT, headers={"Accept": "text/csv"})
    head, line = answer.content.decode().splitlines()
    assert head.startswith("period,group_id,trigger,rebalances,")
    assert line.startswith("all,cheap,member-left,3,")


def test_a_report_is_a_parquet_file_with_its_types(
    viewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(cheap=10, dear=90)
    accept = {"Accept": report_files.PARQUET}
    answer = viewer.get(f"{REPORT}?page_size=1", headers=accept)
    assert answer.headers["Content-Type"] == report_files.PARQUET
    assert 'rel="next"' in answer.headers["Link"]
    table = parquet.read_table(BytesIO(answer.content))
    assert table["group_id"].to_pylist() == ["dear"]
    assert table.schema.field("without_owner_ms").type == pyarrow.int64()
    monkeypatch.setattr(report_files, "find_spec", lambda name: None)
    assert viewer.get(REPORT, headers=accept).status_code == 406


def test_answers_are_shown_beside_every_run_until_their_end(viewer: Client) -> None:
    made = run(a=1)
    end = timezone.now() + timedelta(hours=1)
    for group_id, miss in (("a", 2.5), ("b", None), ("c", 11.0), ("d", 0.5)):
        keys = {"change": "static ids", "asked_groups": "", "group_id": group_id}
        ReportRow.objects.create(
            report="what-if", period="7d", keys=keys, figures={"miss_percent": miss}, kept_until=end
        )
    answer = viewer.get(f"{REPORTS}/what-if?period=7d&ordering=-miss_percent").json()
    assert answer["run"]["id"] == made.pk
    found = [(row["group_id"], row["miss_percent"]) for row in answer["data"]]
    assert found == [("c", 11.0), ("a", 2.5), ("d", 0.5), ("b", None)]
    first = viewer.get(f"{REPORTS}/what-if?period=7d&ordering=-miss_percent&page_size=1").json()
    second = viewer.get(first["next"]).json()
    assert [row["group_id"] for row in second["data"]] == ["a"]
    accept = {"Accept": report_files.PARQUET}
    file = viewer.get(f"{REPORTS}/what-if?period=7d&ordering=-miss_percent", headers=accept).content
    assert parquet.read_table(BytesIO(file))["miss_percent"].to_pylist() == [11.0, 2.5, 0.5, None]


def test_a_run_of_some_reports_hides_no_others(viewer: Client) -> None:
    """After `run cost` there was no advice any more, as if there were nothing to advise."""
    whole = run()
    advise(whole)
    some = run(reports=[each for each in whole.reports if each["name"] == "cost"])
    listed = viewer.get(REPORTS).json()
    names = [each["name"] for each in listed["data"]]
    assert (listed["run"]["id"], names[0]) == (some.pk, "cost")
    assert sorted(names) == sorted(each["name"] for each in whole.reports)
    assert viewer.get(REPORT).json()["run"]["id"] == some.pk
    told = viewer.get(f"{REPORTS}/advice?period=7d").json()
    assert (told["run"]["id"], len(told["data"])) == (whole.pk, 1)
    assert len(viewer.get("/api/v1/advice").json()["data"]) == 1


def test_hours_are_those_of_the_period(viewer: Client) -> None:
    """There were none but for all time, and `rollcall report hours` asks for a week."""
    made = run()
    for days, trigger in ((0.5, "today"), (1.5, "yesterday"), (9, "earlier")):
        keys = {"hour": (BEGAN - timedelta(days=days)).isoformat(), "trigger": trigger}
        ReportRow.objects.create(run=made, report="hours", period="all", keys=keys, figures={})

    def causes(period: str) -> list[tuple[str, str]]:
        rows = viewer.get(f"{REPORTS}/hours?period={period}").json()["data"]
        return sorted((row["trigger"], row["period"]) for row in rows)

    assert causes("24h") == [("today", "24h")]
    assert causes("24h-before") == [("yesterday", "24h-before")]
    assert causes("7d") == [("today", "7d"), ("yesterday", "7d")]
    assert causes("7d-before") == [("earlier", "7d-before")]
    assert [cause for cause, _ in causes("all")] == ["earlier", "today", "yesterday"]


def test_reports_are_listed_with_what_they_answer(viewer: Client) -> None:
    made = run(cheap=10)
    listed = viewer.get(REPORTS).json()
    assert (listed["run"]["id"], listed["running"]) == (made.pk, None)
    cost = listed["data"][0]
    assert (cost["name"], cost["question"][-1]) == ("cost", "?")
    assert ("rebalances", "bigint") in {(each["name"], each["type"]) for each in cost["figures"]}
    missing = viewer.get(f"{REPORTS}/nothing")
    assert missing.status_code == 404
    assert "cost, clients" in missing.json()["detail"]


def test_a_run_says_how_far_it_is(viewer: Client) -> None:
    ReportRunFactory.create(state="running", stage="rebalances", percent=40)
    with analysing():
        running = viewer.get(REPORTS).json()["running"]
    assert (running["stage"], running["percent"]) == ("rebalances", 40)
    (listed,) = viewer.get(f"{REPORTS}/runs").json()["data"]
    assert listed["state"] == "running"


def test_an_analysis_is_requested_in_the_users_name(api: Api, broker: Any) -> None:
    answer = api("add_reportrun").post(REPORTS)

    assert answer.status_code == 202
    message = broker.get(timeout=5)
    assert message.headers["task"] == "groups.tasks.analyse"
    assert message.payload[1]["requested_by"].startswith("user-1-")


def test_only_one_analysis_runs_at_a_time(api: Api, broker: Any) -> None:
    ReportRunFactory.create(state="running", started_at=timezone.now())
    with analysing():
        answer = api("add_reportrun").post(REPORTS)
    assert (answer.status_code, answer.json()["code"]) == (409, "in_progress")
    assert broker.qsize() == 0


def test_a_viewer_cannot_start_an_analysis(viewer: Client, broker: Any) -> None:
    assert viewer.post(REPORTS).status_code == 403
    assert broker.qsize() == 0


def completed(group_id: str, ms: int) -> int:
    """The entry of a rebalance that has just been completed."""
    return journal(group_id, trigger="member-left", duration_ms=ms)


def test_before_the_first_run_sql_computes_the_cost(viewer: Client) -> None:
    entry = completed("orders", 4_000)
    completed("bills", 9_000)
    ReportRunFactory.create(state="failed")

    assert [each["name"] for each in viewer.get(REPORTS).json()["data"]] == ["cost"]
    page = viewer.get(REPORT).json()
    assert (page["run"], page["next"]) == (None, None)
    assert (page["computed"]["entries"], page["computed"]["is_cut"]) == (2, False)
    assert [row["group_id"] for row in page["data"]] == ["bills", "orders"]
    page = viewer.get(f"{REPORT}?period=24h&group_id=orders&ordering=group_id").json()
    (row,) = page["data"]
    assert (row["period"], row["without_owner_ms"]) == ("24h", 4_000)
    assert row["worst_journal_id"] == entry
    assert viewer.get(f"{REPORT}?period=24h-before").json()["data"] == []
    assert viewer.get(f"{REPORT}?ordering=nothing").status_code == 400
    assert viewer.get(f"{REPORTS}/clients").status_code == 404


def test_the_last_hour_is_computed_and_the_rest_is_of_the_run(viewer: Client) -> None:
    run(cheap=10)
    completed("orders", 4_000)

    def groups(query: str) -> list[str]:
        return [row["group_id"] for row in viewer.get(f"{REPORT}?{query}").json()["data"]]

    assert groups("period=1h") == ["orders"]
    assert groups("period=all") == ["cheap"]
    assert viewer.get(f"{REPORTS}/clients?period=1h").status_code == 400
    for number in range(3):
        completed(f"g-{number}", number)
    page = viewer.get(f"{REPORT}?period=1h&page_size=2").json()
    assert (len(page["data"]), page["computed"]["rows"]) == (2, 4)


def test_a_computation_that_takes_too_long_is_refused(
    viewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "COST", "SELECT pg_sleep(60)")
    monkeypatch.setattr(sql, "TIMEOUT", "SET LOCAL statement_timeout TO '1ms'")
    answer = viewer.get(REPORT)
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert "a run of the pipeline" in answer.json()["detail"]
