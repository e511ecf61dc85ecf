"""Reports in the admin: the runs, what one found, and asking for another."""

import sys
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from kombu import Connection, pools
from pyarrow import parquet

from console.admin import time_chart
from console.people.staff_roles import OPERATOR, VIEWER
from console.queries import cost_now, report_files
from console.queries.sql import cost as sql
from coordinator_site.celery import app
from groups.models import ReportRow, ReportRun
from tests.admin.visitors import text, visitor
from tests.analyses import analysing
from tests.model_factories import CostFactory, ReportRunFactory, journal
from tests.task_queue import broker as broker

pytestmark = pytest.mark.django_db

LIST = "/admin/groups/reportrun/"
BEGAN = datetime(2026, 5, 4, 3, 0, tzinfo=UTC)


def run(**over: Any) -> ReportRun:
    """A run that succeeded in 42 seconds."""
    return ReportRunFactory.create(**over)


def cost(of: ReportRun, group_id: str, trigger: str = "member-left", **over: Any) -> None:
    """A row of it."""
    CostFactory.create(run=of, group_id=group_id, trigger=trigger, over=over)


Broker = Any


# -- what a run found


def test_the_newest_report_shows_what_rebalances_cost() -> None:
    run(started_at=BEGAN - timedelta(days=1))
    newest = run(requested_by="olga")
    run(state="failed", detail="no such table")
    cost(newest, "orders")
    cost(newest, "orders", "session-expired", without_owner_ms=90_000)
    cost(newest, "bills & co", without_owner_ms=6_000)

    page = visitor(VIEWER).get(f"{LIST}newest/", follow=True)

    assert page.redirect_chain == [(f"{LIST}{newest.pk}/change/", 302)]
    shown = " ".join(text(page).split())
    assert "asked for by olga" in shown
    assert "took 42.0 s" in shown
    assert "1 min 40 s" in shown  # without owner, in all
    assert "0 ms in the 7 days before" in shown
    assert "bills &amp; co" in shown
    assert "session expired" in shown


def test_a_report_is_shown_for_a_period_beside_the_one_before() -> None:
    made = run()
    CostFactory.create(run=made, period="24h", over={"rebalances": 4_000})
    CostFactory.create(run=made, period="24h-before", over={"rebalances": 1_500})
    viewer = visitor(VIEWER)
    page = viewer.get(f"{LIST}{made.pk}/change/?period=24h")
    assert ("Rebalances", "4,000", "1,500 in the 24 hours before") in page.context["facts"]
    assert "There is nothing in this period" in text(
        viewer.get(f"{LIST}{made.pk}/change/?period=30d")
    )
    assert viewer.get(f"{LIST}{made.pk}/change/?period=1y&report=nothing").context["period"] == "7d"


def test_a_reports_rows_are_sorted_searched_and_linked() -> None:
    made = run()
    cost(made, "orders", without_owner_ms=5)
    cost(made, "a/b c", without_owner_ms=9, slowest_member=None)
    viewer = visitor(VIEWER)

    def groups(query: str) -> list[str]:
        page = viewer.get(f"{LIST}{made.pk}/change/?{query}")
        return [row[0].text for row in page.context["rows"]]

    assert groups("") == ["a/b c", "orders"]
    assert groups("o=without_owner_ms") == ["orders", "a/b c"]
    assert groups("o=group_id&q=B+C") == ["a/b c"]
    assert groups("o=nothing") == ["a/b c", "orders"]
    cost(made, "größe-100%", without_owner_ms=1)
    assert [groups(f"q={part}") for part in ("GRÖSSE", "0%25", "r%25d", "group_id")] == [
        *(["größe-100%"], ["größe-100%"], [], [])
    ]
    row = viewer.get(f"{LIST}{made.pk}/change/?q=orders").context["rows"][0]
    assert row[0].link == "/admin/groups/group/orders/change/"
    assert row[-1] == ("17", "/admin/groups/group/orders/change/?tab=rebalances&before=18", True)


def test_hours_are_drawn_along_time() -> None:
    made = run()
    hour = (BEGAN - timedelta(hours=30)).isoformat()
    ReportRow.objects.create(
        run=made,
        report="hours",
        period="all",
        keys={"hour": hour, "trigger": "member-left"},
        figures={"without_owner_ms": 4_000},
    )
    viewer = visitor(VIEWER)
    (part,) = viewer.get(f"{LIST}{made.pk}/change/?period=7d").context["times"].parts
    assert part.title == "2026-05-02 21:00: 4.0 s, member left"
    assert viewer.get(f"{LIST}{made.pk}/change/?period=24h").context["times"] is None


def test_the_period_before_is_marked_in_each_column() -> None:
    """At its height then: half of the highest column that is drawn."""
    made = run()
    for days, trigger, ms in ((1, "member-left", 3_000), (1, "operator", 1_000), (8, "x", 2_000)):
        hour = (BEGAN - timedelta(days=days)).isoformat()
        ReportRow.objects.create(
            run=made,
            report="hours",
            period="all",
            keys={"hour": hour, "trigger": trigger},
            figures={"without_owner_ms": ms},
        )
    drawn = visitor(VIEWER).get(f"{LIST}{made.pk}/change/?period=7d").context["times"]
    (mark,) = drawn.before
    assert mark.title == "2026-04-26 03:00: 2.0 s"
    column = [part for part in drawn.parts if mark.x <= part.x < mark.x + mark.width]
    assert sum(part.height for part in column) == pytest.approx(
        2 * (time_chart.HEIGHT - mark.y), abs=0.3
    )


def test_all_rows_of_a_report_are_a_file() -> None:
    made = run()
    for number in range(150):
        cost(made, f"g-{number:03}", without_owner_ms=number)
    cost(made, "=1+1")
    viewer = visitor(VIEWER)
    page = viewer.get(f"{LIST}{made.pk}/change/")
    links = {choice.title: choice.link for choice in page.context["files"]}
    answer = viewer.get(links["CSV"])
    assert f"cost-{made.pk}-7d.csv" in answer.headers["Content-Disposition"]
    lines = answer.getvalue().decode().splitlines()
    assert len(lines) == 152
    assert lines[0].startswith("period,group_id,trigger,rebalances,")
    assert lines[1].startswith("7d,g-000,member-left,3,")
    assert lines[-1].startswith("7d,'=1+1,")
    table = parquet.read_table(BytesIO(viewer.get(links["Parquet"]).content))
    assert table["without_owner_ms"].to_pylist() == [*range(150), 4_000]
    for odd in ("report=nothing", "report=cost&period=1y", "report=cost&format=exe"):
        assert viewer.get(f"{LIST}{made.pk}/download/?{odd}").status_code == 404
    assert viewer.get(f"{LIST}99999/download/?report=cost").status_code == 404


def test_hours_are_times_in_a_file() -> None:
    made = run()
    keys = {"hour": BEGAN.isoformat(), "trigger": "operator"}
    ReportRow.objects.create(run=made, report="hours", period="all", keys=keys, figures={})
    answer = visitor(VIEWER).get(
        f"{LIST}{made.pk}/download/?report=hours&period=24h&format=parquet"
    )
    table = parquet.read_table(BytesIO(answer.content))
    assert table["hour"].to_pylist() == [BEGAN]


def test_hours_are_those_of_the_period() -> None:
    """Below "24 hours" stood those of all time."""
    made = run()
    for days, trigger in ((0.5, "today"), (1.5, "yesterday"), (9, "before")):
        keys = {"hour": (BEGAN - timedelta(days=days)).isoformat(), "trigger": trigger}
        figures = {"without_owner_ms": 1}
        ReportRow.objects.create(run=made, report="hours", period="all", keys=keys, figures=figures)
    viewer = visitor(VIEWER)

    def causes(period: str) -> list[str]:
        page = viewer.get(f"{LIST}{made.pk}/change/?report=hours&period={period}")
        return sorted(row[1].text for row in page.context["rows"])

    assert causes("24h") == ["today"]
    assert causes("7d") == ["today", "yesterday"]
    assert causes("all") == ["before", "today", "yesterday"]
    lines = viewer.get(f"{LIST}{made.pk}/download/?report=hours&period=24h").getvalue().decode()
    assert [line.partition(",")[0] for line in lines.splitlines()] == ["period", "24h"]


def test_a_run_of_some_reports_hides_no_others() -> None:
    """After `run cost` there was no advice any more, as if there were nothing to advise."""
    whole = run()
    some = run(reports=[each for each in whole.reports if each["name"] == "cost"])
    viewer = visitor(VIEWER)
    page = viewer.get(f"{LIST}newest/", follow=True)
    assert page.redirect_chain == [(f"{LIST}{some.pk}/change/", 302)]
    links = {choice.title: choice.link for choice in page.context["tabs"]}
    assert [choice.active for choice in page.context["tabs"]].count(True) == 1
    advice = viewer.get(links["Advice"], follow=True)
    assert (advice.context["run"], advice.context["report"].name) == (whole, "advice")
    assert len({choice.title for choice in advice.context["tabs"]}) == len(whole.reports)


def test_a_run_whose_rows_are_deleted_says_so() -> None:
    """It said that nothing had happened, for each of the runs before the newest three."""
    old = run(rows_of=0)
    newest = run(started_at=BEGAN)
    viewer = visitor(VIEWER)
    page = viewer.get(f"{LIST}{old.pk}/change/")
    shown = text(page)
    assert "The rows of this run are deleted: the newest runs alone keep theirs." in shown
    assert f'href="{LIST}newest/">Open the newest report</a>' in shown
    assert "There is nothing in this period" not in shown
    gone = viewer.get(f"{LIST}{old.pk}/download/?report=cost&period=7d")
    assert (gone.status_code, gone.content) == (410, b"The rows of this run are deleted.")
    assert viewer.get(f"{LIST}{newest.pk}/change/").context["report"].name == "cost"


def test_without_pyarrow_there_is_no_parquet(monkeypatch: pytest.MonkeyPatch) -> None:
    made = run()
    monkeypatch.setattr(report_files, "find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    viewer = visitor(VIEWER)
    page = viewer.get(f"{LIST}{made.pk}/change/")
    assert [choice.title for choice in page.context["files"]] == ["CSV"]
    answer = viewer.get(f"{LIST}{made.pk}/download/?report=cost&period=7d&format=parquet")
    assert (answer.status_code, "make analyze" in text(answer)) == (501, True)


def test_a_run_in_progress_says_how_far_it_is() -> None:
    made = run(state="running", stage="rebalances", percent=40)
    viewer = visitor(VIEWER)
    assert 'value="40"' in text(viewer.get(f"{LIST}{made.pk}/change/"))
    assert "40 %, rebalances" in text(viewer.get(LIST))


def test_the_bars_are_drawn_from_the_rows() -> None:
    newest = run()
    cost(newest, "orders", without_owner_ms=3_000)
    cost(newest, "orders", "session-expired", without_owner_ms=1_000)

    drawn = visitor(VIEWER).get(f"{LIST}{newest.pk}/change/").context["chart"]

    (bar,) = drawn.bars
    assert (bar.group_id, bar.total) == ("orders", "4.0 s")
    assert [(part.ms, part.title) for part in bar.parts] == [
        (3_000, "3.0 s, member left"),
        (1_000, "1.0 s, session expired"),
    ]


def test_a_large_report_takes_no_more_statements_than_a_small_one() -> None:
    small, newest = run(), run()
    cost(small, "g-0", without_owner_ms=1)
    for number in range(150):
        cost(newest, f"g-{number:03}", without_owner_ms=number)
    viewer = visitor(VIEWER)
    viewer.get(f"{LIST}{small.pk}/change/")  # once, for what Django keeps from then on

    with CaptureQueriesContext(connection) as few:
        viewer.get(f"{LIST}{small.pk}/change/")
    with CaptureQueriesContext(connection) as many:
        page = viewer.get(f"{LIST}{newest.pk}/change/")

    assert len(many) <= len(few) <= 13
    assert len(page.context["chart"].bars) == 12
    assert page.context["chart"].bars[0].group_id == "g-149"
    assert "And 50 more rows" in text(page)


def test_a_run_without_rows_says_so() -> None:
    nothing = run()

    assert "There is nothing in this period." in text(
        visitor(VIEWER).get(f"{LIST}{nothing.pk}/change/")
    )


def test_a_failed_run_says_why() -> None:
    """It also said that it had read 0 entries, and that no partition had been without owner."""
    failed = run(state="failed", detail="no such table")

    viewer = visitor(VIEWER)
    alone = text(viewer.get(f"{LIST}{failed.pk}/change/"))
    assert "no such table" in alone and "There is no earlier one either." in alone
    assert "without owner" not in alone and "entries read" not in alone
    run(started_at=BEGAN)
    shown = text(viewer.get(f"{LIST}{failed.pk}/change/"))
    assert f'href="{LIST}newest/">Open the newest report</a>, of 2026-05-04 03:00 UTC' in shown


def test_before_the_first_run_sql_computes_the_cost() -> None:
    entry = journal("orders", trigger="member-left", duration_ms=4_000)
    viewer = visitor(VIEWER)
    assert "There is no report yet" in text(viewer.get(LIST))
    page = viewer.get(f"{LIST}newest/", follow=True)

    assert page.redirect_chain == [(f"{LIST}now/", 302)]
    assert "No run of the pipeline has ended yet. SQL computed these figures" in text(page)
    assert "from 1 entries of the journal." in text(page)
    assert ("Rebalances", "1", "0 in the 24 hours before") in page.context["facts"]
    (row,) = page.context["rows"]
    assert row[0].link == "/admin/groups/group/orders/change/"
    assert row[-1].text == str(entry)
    assert viewer.get(f"{LIST}now/?q=bills").context["rows"] == []
    assert viewer.get(f"{LIST}now/?period=all&o=group_id").context["facts"][0][2] == ""


def test_the_last_hour_is_computed_beside_a_run() -> None:
    made = run()
    cost(made, "bills")
    journal("orders", trigger="member-left", duration_ms=4_000)
    viewer = visitor(VIEWER)
    page = viewer.get(f"{LIST}{made.pk}/change/?period=1h")
    assert [row[0].text for row in page.context["rows"]] == ["orders"]
    assert "SQL computed these figures" in text(page)
    assert "No run of the pipeline" not in text(page)
    assert page.context["periods"][0].title == "last hour"
    stored = viewer.get(f"{LIST}{made.pk}/change/?period=7d")
    assert [row[0].text for row in stored.context["rows"]] == ["bills"]
    assert f"Run {made.pk} of the pipeline" in text(stored)


def test_a_journal_that_takes_too_long_is_left_to_the_pipeline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sql, "COST", "SELECT pg_sleep(60)")
    monkeypatch.setattr(sql, "TIMEOUT", "SET LOCAL statement_timeout TO '1ms'")
    page = visitor(VIEWER).get(f"{LIST}now/")
    assert page.status_code == 200
    assert "This took longer than a page may take" in text(page)


def test_a_large_journal_says_from_when_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost_now, "ENTRIES_MAX", 2)
    for number in range(3):
        journal(f"g-{number}", duration_ms=number)
    page = visitor(VIEWER).get(f"{LIST}now/?period=all")
    assert "the newest ones: it counts from" in text(page)
    assert len(page.context["rows"]) == 2


def test_an_unknown_run_is_not_found() -> None:
    page = visitor(VIEWER).get(f"{LIST}99/change/", follow=True)

    assert "doesn’t exist" in text(page)


def test_runs_are_read_only() -> None:
    newest = run()
    operator = visitor(OPERATOR)

    assert operator.post(f"{LIST}{newest.pk}/change/", {"detail": "x"}).status_code == 403
    assert operator.post(f"{LIST}{newest.pk}/delete/", {"post": "y"}).status_code == 403
    assert operator.get(f"{LIST}add/").status_code == 403


# -- asking for one


def test_an_analysis_is_requested_with_the_users_name(broker: Broker) -> None:
    answer = visitor(OPERATOR, name="olga").post(f"{LIST}analyse/", follow=True)

    assert "The analysis was requested" in text(answer)
    message = broker.get(timeout=5)
    assert message.headers["task"] == "groups.tasks.analyse"
    assert message.payload[1] == {"requested_by": "olga"}


def test_only_one_analysis_runs_at_a_time(broker: Broker) -> None:
    running = run(state="running", started_at=timezone.now() - timedelta(days=1))
    operator = visitor(OPERATOR)

    with analysing():
        page = text(operator.get(LIST))
        answer = text(operator.post(f"{LIST}analyse/", follow=True))

    assert f"Run {running.pk} is in progress</button>" in page
    assert "Analyse now" not in page
    assert f"Run {running.pk} is already in progress." in answer
    assert broker.qsize() == 0


def test_a_run_that_died_silently_does_not_block_the_next(broker: Broker) -> None:
    """It did for six hours."""
    run(state="running", started_at=timezone.now())

    operator = visitor(OPERATOR)
    assert "Analyse now" in text(operator.get(LIST))
    operator.post(f"{LIST}analyse/")

    assert broker.qsize() == 1


def test_a_viewer_cannot_request_an_analysis(broker: Broker) -> None:
    viewer = visitor(VIEWER)

    assert "Analyse now" not in text(viewer.get(LIST))
    assert viewer.post(f"{LIST}analyse/").status_code == 403
    assert broker.qsize() == 0


def test_a_get_request_starts_no_analysis(broker: Broker) -> None:
    assert visitor(OPERATOR).get(f"{LIST}analyse/").status_code == 405
    assert broker.qsize() == 0


def test_an_unreachable_broker_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = pools.producers[
        Connection("amqp://127.0.0.1:1", transport_options={"max_retries": 0})
    ]
    monkeypatch.setattr(app.amqp, "_producer_pool", nowhere)

    page = text(visitor(OPERATOR).post(f"{LIST}analyse/", follow=True))

    assert "The broker cannot be reached" in page


@pytest.mark.parametrize("hour", range(0, 24, 5))
def test_a_week_is_marked_where_its_days_begin(hour: int) -> None:
    """A day was named twice, and another not at all."""
    end = datetime(2026, 11, 28, hour, tzinfo=UTC)
    drawn = time_chart.draw([time_chart.Value(end, "member-left", 1)], end, time_chart.SPANS["7d"])
    assert drawn is not None
    labels = [mark.label for mark in drawn.times]
    assert labels == [f"11-{day}" for day in range(29 - len(labels), 29)]
    assert len(labels) == 7
