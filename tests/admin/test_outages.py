"""An outage is told afterwards: since when, until when, and what it meant."""

import json
from typing import Any

import pytest
from django.db import connection

from console.people.staff_roles import VIEWER
from console.queries.journal_text import sentence
from console.queries.outage_text import WHY
from groups.core.journal import EntryKind, Trigger
from groups.models import Journal
from groups.store.sql.sweeps import NOTE_SLOTS
from tests.admin.visitors import visitor

TOLD: dict[str, Any] = {
    "since": "2026-11-28T08:01:02+00:00",
    "until": "2026-11-28T08:01:14.300000+00:00",
    "ms": 12_300,
    "extended_ms": 11_900,
    "refused": 2_310,
    "removed": 0,
    "slots": 64,
}


def outage(trigger: str, **over: Any) -> Journal:
    return Journal(kind=EntryKind.NODE_OUTAGE, node_id=0, trigger=trigger, details=TOLD | over)


def test_the_sentence_has_times_cause_and_meaning() -> None:
    assert sentence(outage(Trigger.DATABASE_AWAY)) == (
        "Node 0 could not serve from 08:01:02 to 08:01:14 UTC (12.3 s), since it could not renew"
        " its lease in PostgreSQL: sessions were extended by 11.9 s; 2,310 requests were refused;"
        " nobody was removed."
    )
    assert sentence(outage(Trigger.LOOP_STALLED, refused=1, removed=2)).endswith(
        "sessions were extended by 11.9 s; 1 request was refused; 2 members were removed."
    )


def test_a_node_that_was_killed_says_so_when_it_is_back() -> None:
    times = {key: TOLD[key] for key in ("since", "until", "ms")}
    entry = Journal(
        kind=EntryKind.NODE_OUTAGE,
        node_id=3,
        trigger=Trigger.NODE_LOST,
        details={**times, "slots": 9},
    )
    assert sentence(entry) == (
        "Node 3 could not serve from 08:01:02 to 08:01:14 UTC (12.3 s), since its process ended,"
        " or was cut off, without giving its slots away: members were given time to reconnect."
    )
    entry.details |= {"taken_by": [1, 3], "groups": 1}
    assert sentence(entry).endswith(
        ": nodes 1 and 3 took its 9 slots with 1 group; members were given time to reconnect."
    )


def test_every_trigger_of_an_outage_has_a_text() -> None:
    assert set(WHY) == {Trigger.DATABASE_AWAY, Trigger.LOOP_STALLED, Trigger.NODE_LOST}


@pytest.mark.django_db
def test_the_overview_tells_it_also_when_it_is_over() -> None:
    entry: dict[str, int | str] = {
        "node_id": 0, "kind": EntryKind.NODE_OUTAGE, "trigger": Trigger.DATABASE_AWAY,
        "reason": "", "details": json.dumps(TOLD),
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(NOTE_SLOTS, entry)
    page = visitor(VIEWER).get("/admin/").content.decode()
    assert "Over, in the last day" in page and "2,310 requests were refused" in page
