"""The offsets of a group's page: progress, pages of partitions, and who committed one of them."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from console.admin.offsets_tab import PAGE_SIZE, drained, part_of, spark
from console.people.staff_roles import VIEWER
from console.queries import lags
from console.queries.progress import Draining, history_of, progress_of, rates_of
from tests.admin.test_groups import page
from tests.admin.visitors import text, visitor
from tests.api.conftest import write

pytestmark = pytest.mark.django_db

OFFSETS = """
INSERT INTO rollcall_offset (group_id, topic, partition, committed_offset, leader_epoch, metadata,
                             committed_at)
SELECT 'g', 'orders', n, n, -1, '', now() - n * interval '1 hour' FROM generate_series(0, %s) n
"""

HISTORY = """
INSERT INTO rollcall_offset_history (at, group_id, topic, partition, committed_offset, leader_epoch,
    metadata, member_id, client_id, client_host, principal)
SELECT now() - (10 - n) * interval '1 s', 'g', 'orders', n % 2, 10 * n, -1, '',
       CASE WHEN n > 2 THEN 'm-1' ELSE '' END, 'billing', '/10.0.0.1',
       CASE WHEN n < 2 THEN 'User:ann' END
FROM generate_series(0, 9) n
"""

OF_MANY = """
INSERT INTO rollcall_offset_history (at, group_id, topic, partition, committed_offset, leader_epoch,
    metadata, member_id, client_id, client_host, principal, more_partitions, more_offsets,
    more_leader_epochs, more_metadata)
VALUES (now() - interval '11 s', 'g', 'orders', 4, 40, -1, 'first', 'm-1', 'billing', '/10.0.0.1',
        'User:ann', ARRAY(SELECT generate_series(5, 24)), ARRAY(SELECT generate_series(50, 69)),
        NULL, %s)
"""
"""A client's commit of twenty-one partitions, with metadata of the first or of each."""


@pytest.fixture
def viewer() -> Client:
    write("g")
    with connection.cursor() as cursor:
        cursor.execute(OFFSETS, [2 * PAGE_SIZE])
        cursor.execute(HISTORY)
    return visitor(VIEWER)


def test_every_partition_is_reachable_by_pages(viewer: Client) -> None:
    link, seen = f"{page('g')}?tab=offsets", []
    while link:
        context = viewer.get(link).context
        seen += [row["view"].partition for row in context["offsets"]]
        link = context["next_link"] and page("g") + context["next_link"]
    assert seen == list(range(2 * PAGE_SIZE + 1))
    assert viewer.get(f"{page('g')}?tab=offsets&topic=rders").context["offsets"]
    assert not viewer.get(f"{page('g')}?tab=offsets&topic=bills").context["offsets"]


def test_progress_is_shown_where_lag_is_unknown(viewer: Client) -> None:
    context = viewer.get(f"{page('g')}?tab=offsets").context
    progress = context["progress"]
    assert (progress.offsets, context["per_minute"]) == (2 * PAGE_SIZE + 1, "2")
    assert 0 < progress.stalled < progress.offsets
    assert context["lag"] is None


def test_committers_of_a_partition_are_listed_newest_first(viewer: Client) -> None:
    context = viewer.get(f"{page('g')}?tab=offsets&partition=orders:1").context
    history = [(row["commit"].offset, row["step"], row["by"]) for row in context["history"]]
    assert history[0] == (90, "+20", "member billing")
    assert history[-1] == (10, None, "billing (User:ann)")


@pytest.mark.parametrize("each", [None, ["five", *map(str, range(6, 25))]], ids=["one", "each"])
def test_partitions_of_one_commit_have_an_entry_each(
    viewer: Client, each: list[str] | None
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(OF_MANY, [each])
    histories = {n: history_of("g", "orders", n) for n in (4, 5, 24)}
    assert [(n, commit.offset, commit.member_id) for n, (commit,) in histories.items()] == [
        (4, 40, "m-1"), (5, 50, "m-1"), (24, 69, "m-1")
    ]  # fmt: skip
    metadata = ["first", "five", "24"] if each else ["first"] * 3
    assert [commit.metadata for (commit,) in histories.values()] == metadata
    assert progress_of("g").per_minute == pytest.approx((10 + 21) / 5)


def test_a_partition_without_history_is_marked(viewer: Client) -> None:
    shown = text(viewer.get(f"{page('g')}?tab=offsets&partition=orders:77"))
    assert "The history has no commit of this partition" in shown


@pytest.mark.parametrize("named", ["", ":1", "t", "t:", "t:-1", "t:²", "t:99999999999", "a\0:1"])
def test_an_invalid_partition_is_ignored(viewer: Client, named: str) -> None:
    assert part_of(named) is None
    assert viewer.get(page("g"), {"partition": named, "after": named}).status_code == 200


HOURS = """
INSERT INTO rollcall_progress (at, era, xid, hour, group_id, topic, partitions, commits,
    first_offsets, last_offsets, pauses_ms, lives, end_offsets)
SELECT now(), 0, 1, date_trunc('hour', now(), 'UTC') - n * interval '1 hour', 'orders', 'orders',
       '{0,1}', ARRAY[n * 60, 0], '{0,0}', '{1,1}', '{0,0}', '{NULL,NULL}', '{NULL,NULL}'
FROM generate_series(1, 30) n
"""


def test_commits_a_minute_of_the_last_day_are_a_line_for_each_partition() -> None:
    with connection.cursor() as cursor:
        cursor.execute(HOURS)
    rates = rates_of(
        "orders", [("orders", 0), ("orders", 1), ("orders", 7)], timezone.now()
    ).a_minute
    assert rates["orders", 0] == [float(n) for n in range(24, 0, -1)]
    assert not any([*rates["orders", 1], *rates["orders", 7]])
    line = spark(rates["orders", 0])
    assert line.told == "Commits a minute in the last 24 h: at most 24.0, 1.0 in the last hour"
    assert line.points.startswith("0,1.0 ") and len(line.points.split()) == 24


SUMMARISED = """
INSERT INTO rollcall_fleet_hour
SELECT date_trunc('hour', now(), 'UTC') - n * interval '1 hour', 1, 1, 0, 0, '{}', '{}', '{}',
       '{}', '{}'
FROM generate_series(1, 20) n
"""


def test_commits_an_hour_are_a_chart_that_leads_to_timelines(viewer: Client) -> None:
    """Of hours that were not summarised nobody knows; in the others a group has committed, or
    not."""
    with connection.cursor() as cursor:
        cursor.execute(HOURS)
        cursor.execute("DELETE FROM rollcall_progress WHERE commits[1] = 180")
        cursor.execute("UPDATE rollcall_progress SET group_id = 'g'")
        cursor.execute(SUMMARISED)
    shown = text(viewer.get(f"{page('g')}?tab=offsets"))
    this = timezone.now().replace(minute=0, second=0, microsecond=0)
    for hours, said in ((1, "60"), (2, "120"), (3, "0"), (20, "1,200"), (21, "not known")):
        assert f"{this - timedelta(hours=hours):%Y-%m-%d %H:%M} UTC: {said}</title>" in shown
    assert "at most 1,200" in shown and 'class="rc-choices"' not in shown
    when = f"{this - timedelta(hours=2):%Y-%m-%d %H:%M} UTC"
    (link,) = set(re.findall(r'href="(\?[^"]*)" tabindex="-1"><title>' + when, shown))
    assert viewer.get(page("g") + link.replace("&amp;", "&")).status_code == 200


@pytest.mark.parametrize("statement", [HOURS, SUMMARISED])
def test_without_commits_in_summarised_hours_there_is_no_chart(
    viewer: Client, statement: str
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        cursor.execute("UPDATE rollcall_progress SET group_id = 'g'")
    assert 'id="charts"' not in text(viewer.get(f"{page('g')}?tab=offsets"))


LAGS = """
INSERT INTO rollcall_progress (at, era, xid, hour, group_id, topic, partitions, commits,
    first_offsets, last_offsets, pauses_ms, lives, end_offsets)
SELECT hour + interval '61 min', 0, 1, hour, 'g', 'orders', parts, parts, lasts, lasts, parts,
       parts::bigint[], ends
FROM (SELECT date_trunc('hour', now(), 'UTC') - n * interval '1 hour' AS hour, parts, lasts, ends
      FROM (VALUES (1, '{0,1,2}'::int[], '{90,95,0}'::bigint[], '{100,100,500}'::bigint[]),
                   (2, '{0,1,3}', '{40,90,0}', '{80,NULL,700}'),
                   (3, '{0,1,2}', '{0,0,0}', '{9000,9000,9000}')) AS h(n, parts, lasts, ends)) AS h
"""
"""Of partition 0 the lag was 40 and is 10; of the others it is not known of both hours."""


def test_the_time_to_drain_is_that_of_partitions_that_are_known(viewer: Client) -> None:
    assert progress_of("g").draining is None
    with connection.cursor() as cursor:
        cursor.execute(LAGS)
    found = progress_of("g").draining
    assert found is not None and (found.before, found.lag) == (40, 10)
    shown = text(viewer.get(page("g"), {"tab": "offsets"}))
    assert "20 min: the lag of 10 shrank by 30 in an hour" in shown
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rollcall_progress SET hour = hour - interval '2 hours'")
    assert progress_of("g").draining is None, "it is too long ago"


LEAST, MOST = -(2**63), 2**63 - 1
"""What a client may commit, and what an end may be."""

FAR_APART = (
    "UPDATE rollcall_progress SET last_offsets = %(last)s, end_offsets = %(ends)s",
    "INSERT INTO rollcall_topic (name, topic_id, partitions, end_offsets, created_at)"
    " VALUES ('orders', gen_random_uuid(), 3, %(ends)s, now())",
    "UPDATE rollcall_offset SET committed_offset = (%(last)s::bigint[])[1]",
)


def test_the_lag_of_any_offset_is_told(viewer: Client) -> None:
    far_apart = {"last": [LEAST] * 3, "ends": [MOST] * 3}
    with connection.cursor() as cursor:
        for statement in (LAGS, *FAR_APART):
            cursor.execute(statement, far_apart)
    summary, draining = lags.summary("g"), progress_of("g").draining
    assert summary == lags.Summary(3 * (MOST - LEAST), "orders", 0, MOST - LEAST)
    assert draining is not None and draining.lag == 2 * (MOST - LEAST)
    assert viewer.get(page("g"), {"tab": "offsets"}).status_code == 200


@pytest.mark.parametrize(
    ("before", "lag", "told"),
    [
        (5, 0, "caught up"),
        (0, 7, "not in sight: the lag of 7 grew by 7 in an hour"),
        (7, 7, "not in sight: the lag of 7 stayed the same in an hour"),
        (2**62 + 1, 2**62, "4611686018427387904 h"),
    ],
)
def test_a_lag_that_does_not_shrink_has_no_end_in_sight(before: int, lag: int, told: str) -> None:
    assert drained(Draining(timezone.now(), before, lag)).startswith(told)
