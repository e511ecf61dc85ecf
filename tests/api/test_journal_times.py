"""The journal by time: what REST lists between two times, found by bisection of its numbers."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from django.db import connection
from django.test import Client

from console.queries import journal_times
from console.queries.journal_times import TOLERANCE
from groups.models import Journal
from tests.api.conftest import write

FIRST = datetime(2026, 1, 31, 3, 0, tzinfo=UTC)

ADD = """
INSERT INTO rollcall_journal (id, at, group_id, revision, node_id, kind, trigger, reason,
    client_reason, generation_before, generation_after, waited_for, joined, "left", details)
SELECT id, at, group_id, 1, 0, 'emptied', 'member-left', 'it was told to', '', 0, 0, '{}', '[]',
    '[]', '{}'
FROM unnest(%s::bigint[], %s::timestamptz[], %s::text[]) AS new(id, at, group_id)
"""


def add(*entries: tuple[int, datetime, str]) -> None:
    """Entries with these numbers, times and groups."""
    with connection.cursor() as cursor:
        cursor.execute(ADD, [list(column) for column in zip(*entries, strict=True)])


def entry_ids(client: Client, path: str, **query: str) -> list[int]:
    """The numbers of the entries."""
    answer = client.get(f"/api/v1{path}", query)
    assert answer.status_code == 200, answer.content
    return [entry["seq"] for entry in answer.json()["data"]]


def text(moment: datetime) -> str:
    return moment.isoformat()


def test_entries_are_filtered_by_since_and_before(viewer: Client) -> None:
    add(*((n, FIRST + timedelta(hours=n), "gh"[n % 2]) for n in range(1, 9)))
    times = {"since": text(FIRST + timedelta(hours=3)), "until": text(FIRST + timedelta(hours=6))}

    assert entry_ids(viewer, "/journal", **times) == [5, 4, 3]
    assert entry_ids(viewer, "/journal", after="3", **times) == [4, 5]
    assert entry_ids(viewer, "/groups/h/journal", **times) == [5, 3]
    assert entry_ids(viewer, "/groups/h/rebalances", **times) == []
    assert entry_ids(viewer, "/journal", since=times["until"]) == [8, 7, 6]
    assert entry_ids(viewer, "/journal", until=times["since"]) == [2, 1]


def test_pages_of_a_time_filter_are_linked(viewer: Client) -> None:
    add(*((n, FIRST + timedelta(minutes=n), "g") for n in range(1, 9)))
    query = {"since": text(FIRST + timedelta(minutes=3)), "page_size": "2"}
    first = viewer.get("/api/v1/journal", query).json()
    seqs = [entry["seq"] for entry in viewer.get(first["next"]).json()["data"]]
    assert seqs == [6, 5]


def test_an_empty_journal_has_no_entries_at_any_time(viewer: Client) -> None:
    assert entry_ids(viewer, "/journal", since=text(FIRST), until=text(FIRST)) == []


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
@pytest.mark.parametrize("name", ["since", "until"])
def test_the_bounds_of_time_are_accepted(viewer: Client, name: str, moment: str) -> None:
    write("g")
    has_all = (name == "since") == moment.startswith("0001")
    assert bool(entry_ids(viewer, "/groups/g/journal", **{name: moment})) == has_all


@pytest.mark.parametrize("wrong", ["yesterday", "2026-13-01T00:00:00Z", ""])
def test_an_invalid_time_is_refused(viewer: Client, wrong: str) -> None:
    answer = viewer.get("/api/v1/journal", {"since": wrong})
    assert answer.status_code == 400 and "since" in answer.json()["errors"][0]["parameter"]


@pytest.mark.django_db
def test_missing_ids_and_corrected_clocks_lose_no_entries() -> None:
    """Against all entries, filtered by their times."""
    rng = Random(17)
    number, at, entries = 0, FIRST, []
    for _ in range(300):
        number += rng.choice([1, 1, 1, 2, 50])
        at += timedelta(seconds=rng.choice([0, 0.001, 3, 200]))
        entries.append((number, at + rng.choice([0, 0, 1 / 2]) * TOLERANCE, "g"))
    add(*entries)

    for _ in range(200):
        since, until = (rng.choice([None, rng.choice(entries)[1]]) for _ in range(2))
        found = journal_times.between(Journal.objects.all(), since, until).values_list("id")
        wanted = [
            entry[0]
            for entry in entries
            if (since is None or entry[1] >= since) and (until is None or entry[1] < until)
        ]
        assert [row[0] for row in found.order_by("id")] == wanted, (since, until)
